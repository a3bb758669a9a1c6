import gzip
from pathlib import Path

import pytest

from tokenloom.corpus import DocumentOptions, list_sources
from tokenloom.jobs.samples import Sample, beginning, sample_texts

OPTIONS = DocumentOptions()


def test_beginning_of_a_small_file_is_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"the cat||in")
    (source,) = list_sources([tmp_path])
    options = DocumentOptions(document_separator=b"||")
    assert beginning(source, options, n_bytes=1000) == Sample([b"the cat", b"in"], 9, 11)


@pytest.mark.parametrize("n_bytes", [1, 3, 4, 1000, 1003])
def test_beginning_of_a_large_file_is_at_most_a_quarter_longer_than_asked_for(tmp_path: Path, n_bytes: int) -> None:
    content = bytes(range(256)) * 100
    (tmp_path / "a.txt").write_bytes(content)
    (source,) = list_sources([tmp_path])
    sample = beginning(source, OPTIONS, n_bytes=n_bytes)
    assert n_bytes <= sample.n_text_bytes <= n_bytes + max(1, n_bytes // 4)
    assert b"".join(sample.texts) == content[: sample.n_text_bytes]
    assert sample.n_read_bytes == sample.n_text_bytes


def test_bytes_read_are_those_on_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"the cat " * 1000))
    (source,) = list_sources([tmp_path])
    sample = beginning(source, OPTIONS, n_bytes=10_000)
    assert (sample.n_text_bytes, sample.n_read_bytes) == (8000, source.n_file_bytes)


def test_samples_are_spread_over_the_files_that_hold_something(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"{number}.txt").write_bytes(bytes([65 + number]) * (number % 2))
    texts = [texts for texts, _ in sample_texts(list_sources([tmp_path]), OPTIONS, n_files=2)]
    assert texts == [[b"B"], [b"F"]]
