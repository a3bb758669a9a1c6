"""Ids of a file are those of its bytes as one text."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.layered import our_tokenizer
from tests.strategies import HARD_PARTS, bytes_texts
from tokenloom import CorpusError, EncodeError, Tokenizer, train
from tokenloom.spec import AddedToken, Template, build_spec
from tokenloom.tokenizer.files import ids_of_file

TRAINED: Final = {
    pattern: train([" ".join(HARD_PARTS) + "the cat in the hat don't " * 9], 300, ["<|end|>"], pattern=pattern)
    for pattern in ("gpt2", "cl100k", "o200k", None)
}
GPT2: Final = TRAINED["gpt2"]


DAMAGED: Final = gzip.compress(b"the cat " * 1000)[:-20]


def mixed(n_bytes: int) -> bytes:
    random, text = Random(5), bytearray()
    while len(text) < n_bytes:
        part = random.choice((*HARD_PARTS, "the cat ", "\n\n", "<|end|>", "<|en", "漢字")).encode("utf-8", "ignore")
        text += part * random.choice((1, 1, 9))
    return bytes(text)


@pytest.mark.parametrize("pattern", TRAINED)
def test_ids_of_a_long_file_are_those_of_its_bytes(pattern: str | None, tmp_path: Path) -> None:
    """Several blocks, each cut for several threads."""
    tokenizer, text = TRAINED[pattern], mixed(1_200_000)
    (tmp_path / "long.txt").write_bytes(text)
    expected = tokenizer.encode_array(text, allowed_special="all")
    for n_threads in (1, 3):
        ids = ids_of_file(
            tokenizer._core, tmp_path / "long.txt", ("all", None), None, n_threads, None, block_bytes=1 << 19
        )
        assert np.array_equal(ids, expected)


@given(text=bytes_texts, block_bytes=st.integers(1, 9))
@settings(max_examples=60)
def test_blocks_of_any_length_change_no_id(
    text: bytes, block_bytes: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = b"t" + text  # what it begins with may not be that of a compressed file
    path = tmp_path_factory.mktemp("files") / "short.txt"
    path.write_bytes(text)
    flags = our_tokenizer([AddedToken("<m>", 300, lstrip=True, rstrip=True)], None)
    for tokenizer in (*TRAINED.values(), flags):
        ids = ids_of_file(tokenizer._core, path, ("all", None), None, 2, None, block_bytes=block_bytes)
        assert ids.tolist() == tokenizer.encode(text, allowed_special="all")


@pytest.mark.parametrize(
    ("suffix", "compress"), [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)]
)
def test_a_compressed_file_is_read_by_its_name(suffix: str, compress: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(compress(b"the cat"))
    assert GPT2.encode_file(str(path)).tolist() == GPT2.encode("the cat")


def test_ids_around_the_text_and_the_options_of_encode(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a<s>")
    spec = build_spec({i: bytes([i]) for i in range(256)}, [], ["<s>"], postprocessor=Template((256, "A"), ("A", "B")))
    tokenizer = Tokenizer.from_spec(spec)
    ids = tokenizer.encode_file(path, allowed_special={"<s>"}, add_special_tokens=True)
    assert ids.tolist() == [256, 97, 256]
    assert tokenizer.encode_file(path, disallowed_special=()).tolist() == [*b"a<s>"]


def test_an_empty_file_has_no_ids(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    ids = GPT2.encode_file(tmp_path / "empty")
    assert (ids.tolist(), ids.dtype) == ([], np.dtype(np.uint32))


def test_a_refused_token_is_named_with_file_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"the cat " * 600_000 + b"<|end|>")
    with pytest.raises(EncodeError, match=r"long.txt': special token '<\|end\|>' found at byte 4800000 of the text"):
        GPT2.encode_file(path, n_threads=2)


def test_a_damaged_file_is_not_answered_with_an_option_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(DAMAGED)
    with pytest.raises(CorpusError) as caught:
        GPT2.encode_file(tmp_path / "a.gz")
    message = str(caught.value)
    assert message.startswith(f"{str(tmp_path / 'a.gz')!r}, byte ")
    assert message.endswith("of the decompressed text: the gzip data ends early. Copy the file again.")


def test_the_compression_of_a_file_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"the cat")
    with pytest.raises(CorpusError, match=r"name the compression 'none' if it is not compressed"):
        GPT2.encode_file(tmp_path / "a.gz")
    assert GPT2.encode_file(tmp_path / "a.gz", compression="none").tolist() == GPT2.encode("the cat")
    (tmp_path / "a.txt").write_bytes(gzip.compress(b"the cat"))
    with pytest.raises(CorpusError, match=r"name the compression: 'gzip', or 'none' to take its bytes as they are"):
        GPT2.encode_file(tmp_path / "a.txt")
    assert GPT2.encode_file(tmp_path / "a.txt", compression="gzip").tolist() == GPT2.encode("the cat")
    with pytest.raises(EncodeError, match=r"compression 'zip': is unknown\. Use one of 'auto', 'none', 'gzip'"):
        GPT2.encode_file(tmp_path / "a.txt", compression="zip")  # type: ignore[arg-type]


def test_a_file_that_is_not_there_and_a_damaged_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"missing.txt': there is no such file"):
        GPT2.encode_file(tmp_path / "missing.txt")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"the cat" * 1000)[:-20])
    with pytest.raises(CorpusError, match=r"cut.gz', byte"):
        GPT2.encode_file(tmp_path / "cut.gz")
    with pytest.raises(CorpusError, match="is a folder"):
        GPT2.encode_file(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file whose first bytes cannot be read")
def test_a_file_that_opens_but_cannot_be_read_is_named() -> None:
    with pytest.raises(CorpusError, match=r"'/proc/self/mem': cannot be read \("):
        Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).encode_file("/proc/self/mem")


def test_progress_counts_the_bytes_of_the_file_and_its_error_ends_the_work(tmp_path: Path) -> None:
    """Progress is told every 50 milliseconds; a file that takes longer tells how far it is in all its blocks."""
    path, seen = tmp_path / "long.txt", list[int]()
    path.write_bytes(mixed(1 << 20) * 40)
    ids = GPT2.encode_file(path, allowed_special="all", n_threads=1, progress=seen.append)
    assert len(ids) > 0
    assert seen == sorted(seen)
    assert 2 << 20 < seen[-1] <= path.stat().st_size

    def fail(_n_bytes: int) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        GPT2.encode_file(path, allowed_special="all", n_threads=1, progress=fail)


def test_progress_goes_on_where_text_of_an_earlier_block_was_held(tmp_path: Path) -> None:
    """Four blocks are one piece, which is encoded with the eighth: more bytes than that block has are done in it."""
    path, seen = tmp_path / "held.txt", list[int]()
    path.write_bytes(b"x" * (4 << 20) + mixed(1 << 20)[: 1 << 20] * 6)
    ids_of_file(GPT2._core, path, ("all", None), None, 1, seen.append, block_bytes=1 << 20)
    assert seen == sorted(seen)
    assert 8 << 20 <= seen[-1] <= path.stat().st_size


def test_progress_is_told_between_blocks_that_are_done_at_once(tmp_path: Path) -> None:
    path, seen = tmp_path / "short.txt", list[int]()
    path.write_bytes(b"the cat " * 4)
    ids_of_file(GPT2._core, path, (None, None), None, 1, seen.append, block_bytes=8)
    assert seen == [8, 16, 24]


def test_threads_that_no_machine_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EncodeError, match="n_threads 0"):
        GPT2.encode_file(tmp_path / "any", n_threads=0)
