"""Writing reports: `report.html` in the folder of a run, beside what the manifest there lists."""

import os
from pathlib import Path

from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.count_pretokens import CountRun
from tokenloom.jobs.encode import EncodeRun
from tokenloom.jobs.reports.count_page import count_page
from tokenloom.jobs.reports.pages import encode_page, train_page
from tokenloom.jobs.reports.sources import sampled_bytes_per_token
from tokenloom.jobs.train_corpus import TrainRun
from tokenloom.report import Page
from tokenloom.storage import atomic_write
from tokenloom.storage.manifest import REPORT_FILE

__all__ = ["write_count_report", "write_encode_report", "write_report", "write_train_report"]


def write_train_report(run: TrainRun, documents: DocumentOptions) -> Path:
    """Write the report of a training into its folder, with bytes per token of samples of its sources.

    Args:
        run: what was trained.
        documents: how its files were cut into documents.
    Returns: the file, which replaces an older one at once.
    Raises: StorageError if the folder cannot be written; CorpusError if a source cannot be read any more.
    """
    sampled = sampled_bytes_per_token(run.tokenizer, run.sources, documents)
    return write_report(train_page(run, sampled=sampled), run.folder)


def write_count_report(run: CountRun) -> Path:
    """Write the report of a counting into its folder; a run that found its work done leaves the one that is there.

    Returns: the file, which replaces an older one at once.
    Raises: StorageError if the folder cannot be written.
    """
    path = run.folder / REPORT_FILE
    return path if run.was_complete and path.exists() else write_report(count_page(run), run.folder)


def write_encode_report(run: EncodeRun, *, n_threads: int | None = None) -> Path:
    """Write the report of an encoding into its folder.

    A run that found its work done has no times to tell, so the report of the run that did it stays.

    Args:
        run: what was encoded.
        n_threads: threads that encoded; None for one a core.
    Returns: the file, which replaces an older one at once.
    Raises: StorageError if the folder cannot be written.
    """
    path = run.folder / REPORT_FILE
    return (
        path if run.was_complete and path.exists() else write_report(encode_page(run, n_threads=n_threads), run.folder)
    )


def write_report(page: Page, folder: str | os.PathLike[str]) -> Path:
    """Write a page as one HTML file into a folder; returns the file, which replaces an older one at once.

    Raises: StorageError if the folder cannot be written or is full.
    """
    path = Path(folder) / REPORT_FILE
    with atomic_write(path) as file:
        file.write(page.html().encode())
    return path
