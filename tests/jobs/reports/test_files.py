from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.reports.runs import encoded, trained
from tokenloom.corpus import DocumentOptions
from tokenloom.errors import StorageError
from tokenloom.jobs.encode import EncodeRun
from tokenloom.jobs.reports import train_page, write_encode_report, write_report, write_train_report
from tokenloom.jobs.train_corpus import TrainRun
from tokenloom.jobs.verify import verify


def test_report_is_written_whole_and_replaces_an_older_one(tmp_path: Path, training: TrainRun) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    page = train_page(training)
    assert write_report(page, tmp_path) == path
    assert path.read_bytes().decode() == page.html()
    assert list(tmp_path.iterdir()) == [path]


def test_report_in_a_missing_folder_is_refused(tmp_path: Path, training: TrainRun) -> None:
    with pytest.raises(StorageError, match=r"cannot be written"):
        write_report(train_page(training), tmp_path / "missing")


def test_report_of_a_training_has_samples_of_its_sources(tmp_path: Path) -> None:
    run = trained(tmp_path, {"a.txt": "the hat " * 50, "b.txt": "the cat " * 50}, vocab_size=260)
    page = write_train_report(run, DocumentOptions()).read_text(encoding="utf-8")
    assert page.count("a.txt") == page.count("b.txt") == 2  # in the table of samples, and in that of all sources
    assert "text that it was trained on" in page


def test_folders_with_reports_still_verify(encoding: EncodeRun, tmp_path: Path) -> None:
    run = trained(tmp_path, vocab_size=260)
    write_train_report(run, DocumentOptions())
    write_encode_report(encoding)
    assert verify(run.folder).kind == "tokenizer"
    assert verify(encoding.folder).kind == "shards"


def test_report_of_the_run_that_encoded_stays(tmp_path: Path, training: TrainRun) -> None:
    first = write_encode_report(encoded(tmp_path, {"a.txt": "the cat"}, training.tokenizer)).read_bytes()
    again = encoded(tmp_path, {}, training.tokenizer)
    assert again.was_complete
    assert write_encode_report(again).read_bytes() == first


def test_complete_folder_without_a_report_gets_one(encoding: EncodeRun) -> None:
    report = write_encode_report(replace(encoding, was_complete=True, stages=()))
    assert "nothing was encoded in this run" in report.read_text(encoding="utf-8")
