"""What a training would take, judged by a sample."""

import gzip
from pathlib import Path

import pytest

from tokenloom.corpus import DocumentOptions, Selection
from tokenloom.errors import CorpusError
from tokenloom.jobs.estimate_training import TrainingEstimate, estimate_training
from tokenloom.trainers import BpeOptions

TEXT = b"the cat in the hat sat on the mat\n" * 100


def estimated(folder: Path, sample_bytes: int = 1 << 20) -> TrainingEstimate:
    return estimate_training([folder], options=BpeOptions(260), sample_bytes=sample_bytes)


def test_a_small_corpus_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "b.txt").write_bytes(TEXT)
    result = estimated(tmp_path)
    assert result.n_file_bytes == result.n_text_bytes == result.n_sample_bytes == 2 * len(TEXT)
    assert [source.name for source in result.sources] == ["a.txt", "b.txt"]
    assert result.seconds == result.count_seconds + result.merge_seconds > 0


def test_of_a_larger_one_a_sample_is_scaled_up(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number}.txt").write_bytes(TEXT)
    result = estimated(tmp_path)
    assert result.n_sample_bytes < 50 * len(TEXT)
    assert result.n_text_bytes == 100 * len(TEXT)


def test_text_of_compressed_files_is_judged_by_the_sample(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(TEXT))
    result = estimated(tmp_path)
    assert (result.n_text_bytes, result.n_file_bytes) == (len(TEXT), len(gzip.compress(TEXT)))


def test_fewer_merges_than_asked_for_are_no_warning(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"ab")
    assert estimate_training([tmp_path], options=BpeOptions(5000)).n_text_bytes == 2


def test_an_empty_file_takes_no_time_worth_naming(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    assert estimated(tmp_path).n_text_bytes == 0


def test_a_broken_record_of_the_sample_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"{}\n")
    with pytest.raises(CorpusError, match="line 1"):
        estimated(tmp_path)
    options = DocumentOptions(on_error="skip")
    assert estimate_training([tmp_path], options=BpeOptions(260), documents=options).n_text_bytes == 0


def test_selection_takes_less_text(tmp_path: Path) -> None:
    paths = []
    for group in ("en", "zh"):
        (tmp_path / f"{group}.txt").write_text("the cat " * 1000)
        paths.append(f"{group}={tmp_path / group}.txt")
    selection = Selection(sample=0.5, limits={"zh": 1000})
    assert estimate_training(paths, options=BpeOptions(260), selection=selection).n_text_bytes == 4000 + 1000
