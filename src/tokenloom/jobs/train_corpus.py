"""From a corpus to a tokenizer folder, with all that a report of the training needs."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokenloom.corpus import DocumentOptions, SkippedRecords, Source, list_sources, refuse_output
from tokenloom.corpus import documents as documents_of
from tokenloom.errors import CorpusError, TrainingError
from tokenloom.formats import native
from tokenloom.jobs.measure import Stage, measured
from tokenloom.jobs.reading import CorpusReading
from tokenloom.jobs.train import training_provenance
from tokenloom.spec import padded_spec, reserved_spec
from tokenloom.tokenizer import SpecialText, Tokenizer, check_threads
from tokenloom.trainers import BpeOptions, BpeTraining, Progress, count_pretokens, train_on_counts
from tokenloom.wording import counted

__all__ = ["TrainRun", "train_corpus", "train_sources"]


@dataclass(frozen=True, slots=True)
class TrainRun:
    """What a training did.

    Args:
        folder: where the tokenizer was saved.
        tokenizer: the result, reserved tokens included.
        training: the record of its merges, without reserved tokens.
        stages: `count`, which is reading too, and `merge`.
        sources: the files.
        n_docs: documents in them.
        n_text_bytes: their text.
        n_pretokens: distinct pretokens.
        growth: bytes counted, and distinct pretokens among them, now and then.
        skipped: the broken records that were left out.
    """

    folder: Path
    tokenizer: Tokenizer
    training: BpeTraining
    stages: tuple[Stage, ...]
    sources: tuple[Source, ...]
    n_docs: int
    n_text_bytes: int
    n_pretokens: int
    growth: tuple[tuple[int, int], ...]
    skipped: SkippedRecords


def train_corpus(
    paths: Sequence[str | os.PathLike[str]],
    *,
    options: BpeOptions,
    out: str | os.PathLike[str],
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    n_reserved: int = 0,
    pad_multiple: int | None = None,
    special_text: SpecialText = "refuse",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> TrainRun:
    """Train on files and save the tokenizer.

    Args:
        paths: files, folders and glob patterns.
        options: what the tokenizer shall be; its vocabulary size counts reserved tokens too.
        out: the folder, new, empty, or with an older tokenizer, which is replaced.
        documents: how files are cut into documents.
        n_reserved: special tokens that are kept free for later use, behind the others.
        pad_multiple: add reserved tokens until the number of ids is a multiple of this; None adds none.
        special_text: what the returned tokenizer does with special tokens in a text.
        n_threads: threads to use; None for one a core. The result does not depend on it.
        progress: called with the stage (`"count"`, `"merge"`), how much is done (bytes, merges) and how much there is.
    Raises: CorpusError for a file that cannot be read, a broken record, or a corpus without text; TrainingError if the
        vocabulary size leaves no room; StorageError if the folder cannot be used.
    Warns: TrainingWarning if the corpus has fewer merges than asked for.
    """
    return train_sources(
        list_sources(paths, documents),
        options=options,
        out=out,
        documents=documents,
        n_reserved=n_reserved,
        pad_multiple=pad_multiple,
        special_text=special_text,
        n_threads=n_threads,
        progress=progress,
    )


def train_sources(
    sources: Sequence[Source],
    *,
    options: BpeOptions,
    out: str | os.PathLike[str],
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    n_reserved: int = 0,
    pad_multiple: int | None = None,
    special_text: SpecialText = "refuse",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> TrainRun:
    """As `train_corpus`, for files that are listed already."""
    check_threads(n_threads, TrainingError)
    trained_options = _without_reserved(options, n_reserved)
    refuse_output(sources, out)
    folder = Path(out)
    native.claim(folder)
    reading = CorpusReading(sources, documents)
    stages: list[Stage] = []
    growth: list[tuple[int, int]] = []
    with measured(stages, "count") as stage:
        counts = count_pretokens(
            documents_of(reading.blocks()),
            pretokenizer=options.pretokenizer,
            special_tokens=options.special_tokens,
            n_threads=n_threads,
            progress=_with_total(progress, reading),
            growth=growth,
        )
        stage.n_bytes = reading.n_text_bytes
    if not reading.n_text_bytes:
        raise CorpusError(
            f"{sources[0].name!r}: {counted(len(sources), 'file')} without text. Name files that hold some."
        )
    with measured(stages, "merge"):
        training = train_on_counts(counts, trained_options, progress=progress)
    spec = reserved_spec(training.spec, n_reserved)
    spec = padded_spec(spec, pad_multiple) if pad_multiple is not None else spec
    provenance = training_provenance(training) | {"n_reserved": n_reserved, "pad_multiple": pad_multiple}
    tokenizer = Tokenizer.from_spec(spec, special_text=special_text, provenance=provenance)
    tokenizer.save(folder)
    return TrainRun(
        folder=folder,
        tokenizer=tokenizer,
        training=training,
        stages=tuple(stages),
        sources=tuple(sources),
        n_docs=sum(row.n_docs for row in reading.rows),
        n_text_bytes=reading.n_text_bytes,
        n_pretokens=len(counts),
        growth=tuple(growth),
        skipped=reading.skipped,
    )


def _without_reserved(options: BpeOptions, n_reserved: int) -> BpeOptions:
    """What is trained: reserved tokens take their share of the vocabulary."""
    if type(n_reserved) is not int or n_reserved < 0:
        raise TrainingError(f"n_reserved {n_reserved!r}: is no number of tokens. Use a whole number from 0.")
    if options.n_merges < n_reserved:
        raise TrainingError(
            f"vocab_size {options.vocab_size:,}: has no room for {counted(n_reserved, 'reserved token')} beside bytes "
            f"and special tokens. Ask for at least {options.vocab_size - options.n_merges + n_reserved:,}."
        )
    return replace(options, vocab_size=options.vocab_size - n_reserved)


def _with_total(progress: Progress | None, reading: CorpusReading) -> Progress | None:
    """Report the text of all files as the total of counting."""
    if progress is None:
        return None

    def report(stage: str, done: int, total: int | None) -> None:
        progress(stage, done, max(done, reading.expected_text_bytes) if total is None else total)

    return report
