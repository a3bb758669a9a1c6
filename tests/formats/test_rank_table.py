import time
import tracemalloc
from base64 import b64encode
from pathlib import Path
from random import Random

import pytest

from tokenloom import _core
from tokenloom.errors import FormatError
from tokenloom.formats import rank_table
from tokenloom.formats.rank_table import parse_rank_table
from tokenloom.spec.packing import unpack_arena

BYTE_LINES = [b"%b %d" % (b64encode(bytes([byte])), byte) for byte in range(256)]


def file(*lines: bytes, end: bytes = b"\n", without: int | None = None) -> bytes:
    """A rank file with the bytes and more lines."""
    return b"".join(line + end for at, line in enumerate([*BYTE_LINES, *lines]) if at != without)


def tokens(data: bytes) -> dict[int, bytes]:
    return {i: token for i, token in enumerate(unpack_arena(*parse_rank_table(data, place="x"))) if token}


def line_by_line(data: bytes) -> tuple[bytes, bytes]:
    return rank_table._packed(rank_table._parsed_lines(data, "x"), "x")


def test_lines_are_tokens_and_ranks_by_hand() -> None:
    assert tokens(file(b"YWI= 256", b"YWJj 257", b"Cv8= 300")) == {
        **{byte: bytes([byte]) for byte in range(256)},
        256: b"ab",
        257: b"abc",
        300: b"\n\xff",
    }


def test_unusual_files_give_the_same_tokens() -> None:
    """FM-05: CRLF; blank lines; ranks in any order; a token that is longer than most."""
    lines = [b"YWI= 256", b"YWJj 257", b"%b 260" % b64encode(b"=" * 5000)]
    expected = tokens(file(*lines))
    shuffled = Random(1).sample([*BYTE_LINES, *lines], 259)
    assert tokens(file(*lines, end=b"\r\n")) == expected
    assert tokens(file(*lines, end=b"\n\n")) == expected
    assert tokens(b"\n".join(shuffled) + b"\n") == expected


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_reading_at_once_equals_reading_by_line(shared: Path, name: str) -> None:
    data = (shared / "vocabs" / f"{name}.tiktoken").read_bytes()
    assert _core.read_rank_file(data, is_known=False) == line_by_line(data)


def test_damaged_files_are_never_read_at_once_unless_they_are_read_by_line() -> None:
    random, data, n_read = Random(2), file(b"YWI= 256", b"YWJj 258"), 0
    for _ in range(3000):
        at = random.randrange(len(data))
        damaged = data[:at] + random.choice([b"", b" ", b"\n", b"=", b"0", b"Q", b"\xff"]) + data[at + 1 :]
        arrays = _core.read_rank_file(damaged, is_known=False)
        if arrays is not None:
            n_read += 1
            assert arrays == line_by_line(damaged)
    assert 0 < n_read < 3000


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"x, line 1: b'' has no line feed behind it, so the file was probably cut\. Restore the file, or end"),
        (file() + b"YWI= 25", r"x, line 257: b'YWI= 25' has no line feed behind it"),
        (file() + b"YWI=", "x, line 257: b'YWI=' has no line feed"),
        (b"<html>\n", r"x, line 1: it is a web page, not a rank file\. Download the file itself"),
        (b"\n <!DOCTYPE html><p>\n", "it is a web page"),
        (file(b"YWI=  256"), "x, line 257: b'YWI=  256' is not a token in base64, one space and a rank"),
        (file(b"YWI=\t256"), "is not a token in base64, one space and a rank"),
        (file(b" YWI= 256"), "is not a token in base64, one space and a rank"),
        (file(b"YWI= 256 "), "is not a token in base64, one space and a rank"),
        (file(b"YWI= -1"), "is not a token in base64, one space and a rank"),
        (file(b"YWI= 0256"), "is not a token in base64, one space and a rank"),
        (file(b"YWI= \xd9\xa3"), "is not a token in base64, one space and a rank"),
        (file(b"YWI 256"), r"x, line 257: b'YWI' is not base64 \(Incorrect padding\)\. Restore the file"),
        (file(b"YW_= 256"), "b'YW_=' is not base64"),
        (file(b"YW=I 256"), "b'YW=I' is not base64"),
        (file(b"YWJ= 256"), "b'YWJ=' is not what base64 makes of any token"),
        (file(b"==== 256"), "b'====' is not"),
        (file(b"YWI= 16777216"), r"x, line 257: rank '16777216' is not below 16,777,216\. Number tokens without gaps"),
        (file(b"YWI= 16777215", b"", b"YWM= 257"), "x: its highest id is 16,777,215, and it has 258 entries"),
        (file(b"YWI= 1000000000"), "rank '1000000000' is not below 16,777,216"),
        (file(b"YWI= " + b"9" * 10_000), r"rank '9+\.\.\.9+' is not below"),
        (file(b"YWI= 255"), r"x, line 257: rank 255 of token b'ab' is already that of b'\\xff' \(line 256\)"),
        (file(b"/w== 256"), r"x, line 257: token b'\\xff' is already there \(line 256\)\. Delete one"),
        (file(without=122), r"x: 1 single byte of 256 have no rank, the first is b'z'\. Restore the file, or add"),
        (b"YQ== 0\nYg== 1\n", r"x: 254 single bytes of 256 have no rank, the first is b'\\x00'"),
    ],
)
def test_faults_are_named_by_line(data: bytes, message: str) -> None:
    """FM-13, FM-15."""
    with pytest.raises(FormatError, match=message):
        parse_rank_table(data, place="x")


def test_a_file_cut_anywhere_is_refused_or_has_whole_lines() -> None:
    data = file(b"YWI= 256", b"YWJj 257", b"YWJjZA== 1258")
    for length in range(len(data)):
        if data[:length].endswith(b"\n") and data[:length].count(b"\n") >= 256:
            assert len(tokens(data[:length])) == data[:length].count(b"\n")
        else:
            with pytest.raises(FormatError, match=r"^x"):
                parse_rank_table(data[:length], place="x")


def test_highest_rank_costs_memory_for_its_ids_alone() -> None:
    data = file(b"YWI= 16777215")
    tracemalloc.start()
    before = time.process_time()
    _, offsets = parse_rank_table(data, place="x")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(offsets) == 4 * (16_777_216 + 1)
    assert peak < 500 << 20
    assert time.process_time() - before < 20
