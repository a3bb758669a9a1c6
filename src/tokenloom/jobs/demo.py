"""The whole of tokenloom in a few seconds: train on real text, encode all of it into shards, decode it back, report."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tokenloom.corpus import Source, list_sources, standard_library_sources
from tokenloom.engine import remove_work
from tokenloom.errors import CorpusError, StorageError
from tokenloom.jobs.decode import compare_sources
from tokenloom.jobs.encode import EncodeOptions, EncodeRun, encode_sources
from tokenloom.jobs.measure import Stage, measured
from tokenloom.jobs.reports import demo_page, write_report
from tokenloom.jobs.train_corpus import TrainRun, train_corpus
from tokenloom.shards.journal import remove_run
from tokenloom.storage import atomic_write
from tokenloom.storage.atomic import folder_errors
from tokenloom.storage.manifest import MANIFEST, REPORT_FILE
from tokenloom.trainers import BpeOptions, Progress

__all__ = ["DEMO_VOCABULARY_SIZE", "Demo", "demo"]

DEMO_VOCABULARY_SIZE: Final = 8192
END_OF_DOCUMENT: Final = "<|endoftext|>"
_MARK: Final = ".tokenloom-demo"
"""Lies in the folder of a demonstration, whose results the next one may replace."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What a demonstration did.

    Args:
        source: the path, or "the standard library of Python".
        sources: the files; each text file is one document, each line of a JSONL file too.
        training: the tokenizer and how it came to be.
        encoding: the shards; every document that was decoded from them was equal to the one in the corpus.
        decoding: time and memory of that.
        report: the page that tells all of it.
    """

    source: str
    sources: tuple[Source, ...]
    training: TrainRun
    encoding: EncodeRun
    decoding: Stage
    report: Path

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Count, merge, encode and decode, one after the other."""
        return *self.training.stages, *self.encoding.stages, self.decoding


def demo(
    path: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str],
    vocab_size: int = DEMO_VOCABULARY_SIZE,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Demo:
    """Train on a corpus, encode all of it into shards, decode these and compare; leaves a report.

    Args:
        path: a file, a folder or a pattern; None for the standard library of the running Python.
        out: gets the folders `tokenizer` and `shards`, which replace those of an earlier demonstration, and
            `report.html`.
        vocab_size: tokens in all.
        n_threads: threads to use; None for one a core.
        progress: called with the stage, the bytes or merges done, and how many there are.
    Raises: CorpusError if a file cannot be read or there is no text at all; TrainingError for an impossible vocabulary
        size or number of threads; StorageError if `out` cannot be written or holds what no demonstration has made;
        TokenloomError if a file has changed under
        way and so does not come back.
    """
    options = BpeOptions(vocab_size, [END_OF_DOCUMENT])
    sources = list_sources([path]) if path is not None else standard_library_sources()
    if not any(source.n_file_bytes for source in sources):
        raise CorpusError(f"{os.fspath(path or '')!r}: holds no text to train on. Name a file or a folder with text.")
    folder = _claimed(Path(out))
    remove_work(folder / "tokenizer")
    training = train_corpus(sources, options=options, out=folder / "tokenizer", n_threads=n_threads, progress=progress)
    remove_run(folder / "shards")
    encoding = encode_sources(
        sources,
        tokenizer=training.tokenizer,
        out=folder / "shards",
        options=EncodeOptions(end_of_document=END_OF_DOCUMENT),
        n_threads=n_threads,
        progress=progress,
    )
    stages: list[Stage] = []
    with measured(stages, "decode") as stage:
        stage.n_bytes = compare_sources(encoding.shards, sources, progress=progress)
    named = os.fspath(path) if path is not None else "the standard library of Python"
    page = demo_page(training, encoding, stages[0], source=named, n_threads=n_threads)
    return Demo(named, tuple(sources), training, encoding, stages[0], write_report(page, folder))


def _claimed(folder: Path) -> Path:
    """Make the folder, or see that what would be replaced there is from an earlier demonstration."""
    with folder_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        names = {entry.name for entry in folder.iterdir()}
    others = sorted(names & {"tokenizer", "shards", MANIFEST, REPORT_FILE})
    if others and _MARK not in names:
        raise StorageError(
            f"{str(folder)!r}: it holds {others[0]!r}, which no demonstration has made. Choose a new or empty folder."
        )
    with atomic_write(folder / _MARK):
        return folder
