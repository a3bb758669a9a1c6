import gzip
from pathlib import Path

import pytest

from tokenloom.errors import CorpusError, TrainingError
from tokenloom.trainers import BpeOptions, pretoken_counts, read_word_counts, train_on_counts


def read(folder: Path, data: bytes) -> list[tuple[bytes, int]]:
    (folder / "words.tsv").write_bytes(data)
    return read_word_counts(folder / "words.tsv").items()


def test_lines_become_counts(tmp_path: Path) -> None:
    assert read(tmp_path, "low\t5\nnäher\t2\n".encode()) == [(b"low", 5), ("näher".encode(), 2)]


@pytest.mark.parametrize("data", [b"low\t5\nlower\t2", b"low\t5\r\nlower\t2\r\n", b"low\t2\nlower\t2\nlow\t3\n"])
def test_ends_of_lines_and_double_words_do_not_matter(tmp_path: Path, data: bytes) -> None:
    assert read(tmp_path, data) == [(b"low", 5), (b"lower", 2)]


def test_word_may_hold_blanks_tabs_and_nul(tmp_path: Path) -> None:
    assert read(tmp_path, b" the\tcat \t5\na\x00b\t1\n") == [(b" the\tcat ", 5), (b"a\x00b", 1)]


def test_compressed_file_is_read_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "words.tsv.gz").write_bytes(gzip.compress(b"low\t5\n"))
    assert read_word_counts(tmp_path / "words.tsv.gz").items() == [(b"low", 5)]


def test_words_over_the_ends_of_blocks_stay_whole(tmp_path: Path) -> None:
    words = {f"{'x' * 1000}{number}".encode(): number for number in range(1, 5000)}
    found = read(tmp_path, b"".join(b"%s\t%d\n" % item for item in words.items()))
    assert dict(found) == words


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"low", "b'low' has no tab"),
        (b"", "b'' has no tab"),
        (b"\t5", "there is no word before the tab"),
        (b"low\t", "the count b'' is no whole number from 1"),
        (b"low\t0", "the count b'0'"),
        (b"low\t-1", "the count b'-1'"),
        (b"low\t1.5", "the count b'1.5'"),
        (b"low\t18446744073709551616", "the count b'18446744073709551616'"),
        (b"low\t" + b"9" * 5000, "the count b'999"),
        (b"l\xffow\t1", r"byte 1 of the word b'l\\xffow' is no UTF-8"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, line: bytes, what: str) -> None:
    with pytest.raises(TrainingError, match=rf"words\.tsv', line 2: {what}"):
        read(tmp_path, b"the\t3\n" + line + b"\ncat\t1\n")


def test_sum_that_overflows_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"line 2: the counts of b'a' add up to more than"):
        read(tmp_path, b"a\t18446744073709551615\na\t1\n")


@pytest.mark.parametrize("data", [b"", b"\n"])
def test_file_without_words_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(TrainingError, match=r"words\.tsv'"):
        read(tmp_path, data)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        read_word_counts(tmp_path / "gone.tsv")


def test_first_seen_goes_by_the_order_of_the_lines(tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_bytes(b"zy\t1\nab\t1\n")
    options = BpeOptions(257, tie_break="first-seen")
    found = train_on_counts(read_word_counts(tmp_path / "words.tsv"), options)
    assert found.steps == train_on_counts(pretoken_counts({"zy": 1, "ab": 1}), options).steps
    assert found.steps[0].left == b"z"


def test_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"line 1: a byte order mark stands before .*\. Save the file"):
        read(tmp_path, b"\xef\xbb\xbflow\t5\n")
