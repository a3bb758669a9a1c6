"""From a corpus to a folder of token shards: read documents, encode them, write their ids."""

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tokenloom.corpus import DocumentOptions, SkippedRecords, Source, list_sources, refuse_output
from tokenloom.engine import ahead
from tokenloom.errors import CorpusError, EncodeError, StorageError
from tokenloom.formats import native
from tokenloom.jobs.encode_batches import CorpusEncoding
from tokenloom.jobs.encode_plan import EncodeOptions, Plan
from tokenloom.jobs.measure import Stage, measured
from tokenloom.shards import ShardSet, SourceRow, open_shards
from tokenloom.shards.journal import Journal, claimed
from tokenloom.shards.writer import write_manifest_of, write_shards
from tokenloom.tokenizer import Tokenizer, check_threads
from tokenloom.wording import counted

if TYPE_CHECKING:
    from tokenloom.trainers import Progress

__all__ = ["EncodeOptions", "EncodeRun", "encode_corpus", "encode_sources"]


@dataclass(frozen=True, slots=True)
class EncodeRun:
    """What a run did.

    Args:
        folder: where the shards lie.
        shards: the result, open for reading.
        stages: `encode`, which is reading and writing too; none if nothing was left to do.
        skipped: the broken records that were left out.
        was_complete: an earlier run with the same command had done all of it.
        n_resumed_tokens: ids that an earlier run, which was stopped, had left.
    """

    folder: Path
    shards: ShardSet
    stages: tuple[Stage, ...]
    skipped: SkippedRecords
    was_complete: bool
    n_resumed_tokens: int

    @property
    def bytes_per_second(self) -> float:
        """Text that went through per second of the whole run; 0 if nothing was left to do."""
        return self.stages[-1].bytes_per_second if self.stages else 0.0


def encode_corpus(
    paths: Sequence[str | os.PathLike[str]],
    *,
    tokenizer: Tokenizer,
    out: str | os.PathLike[str],
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    options: EncodeOptions = EncodeOptions(),  # noqa: B008
    n_threads: int | None = None,
    progress: "Progress | None" = None,
) -> EncodeRun:
    """Encode files into a folder of token shards; see `tokenloom.shards` for what it holds.

    The same call goes on where a run was stopped, and ends with the same bytes.

    Args:
        paths: files, folders and glob patterns.
        tokenizer: makes the ids, and is kept with them.
        out: the folder, new or empty, or that of the same run.
        documents: how files are cut into documents.
        options: how ids are kept.
        n_threads: threads to use; None for one a core. The result does not depend on it.
        progress: called with the stage `"encode"`, the bytes of text done, and how many there are.
    Raises: CorpusError for a file that cannot be read or a broken record, with its place; EncodeError if the dtype
        cannot hold the vocabulary; SpecialTokenError for an unknown token at the edge of documents; StorageError if the
        folder cannot be used, or the disk is full.
    """
    sources = list_sources(paths, documents)
    return encode_sources(
        sources,
        tokenizer=tokenizer,
        out=out,
        documents=documents,
        options=options,
        n_threads=n_threads,
        progress=progress,
    )


def encode_sources(
    sources: Sequence[Source],
    *,
    tokenizer: Tokenizer,
    out: str | os.PathLike[str],
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    options: EncodeOptions = EncodeOptions(),  # noqa: B008
    n_threads: int | None = None,
    progress: "Progress | None" = None,
) -> EncodeRun:
    """As `encode_corpus`, for files that are listed already."""
    check_threads(n_threads, EncodeError)
    plan = Plan.of(tokenizer, documents, options)
    if not any(source.n_file_bytes for source in sources):
        raise CorpusError(
            f"{sources[0].name!r}: {counted(len(sources), 'file')} without a byte. Name files that hold text."
        )
    refuse_output(sources, out)
    folder = Path(out)
    stages: list[Stage] = []
    with claimed(folder, plan.run(sources)) as journal:
        if journal.is_complete:
            shards = open_shards(folder, verify=False)
            n_skipped = _refuse_skipped(folder, shards.header.sources, documents)
            return EncodeRun(folder, shards, (), SkippedRecords(n_skipped, []), True, shards.n_tokens)
        if journal.checkpoint:
            _refuse_skipped(folder, journal.checkpoint.sources, documents)
        n_resumed = len(journal.shards) * options.shard_tokens
        encoding = CorpusEncoding(plan, sources, journal.checkpoint, n_threads=n_threads, progress=progress)
        with measured(stages, "encode") as stage:
            _write(journal, encoding)
            stage.n_bytes = encoding.n_encoded_bytes
    shards = open_shards(folder, verify=False)
    return EncodeRun(
        folder=folder,
        shards=shards,
        stages=tuple(stages),
        skipped=encoding.reading.skipped,
        was_complete=False,
        n_resumed_tokens=min(n_resumed, shards.n_tokens),
    )


def _refuse_skipped(folder: Path, sources: Sequence[SourceRow], documents: DocumentOptions) -> int:
    """The records that an earlier run left out; refused if this one would have stopped there."""
    n_skipped = sum(source.n_skipped for source in sources)
    if n_skipped and documents.on_error == "stop":
        raise StorageError(
            f"{str(folder)!r}: was written without {counted(n_skipped, 'broken record')}, and this run would stop at "
            "the first. Use --on-error skip, or choose a new folder."
        )
    return n_skipped


def _write(journal: Journal, encoding: "CorpusEncoding") -> None:
    plan = encoding.plan
    with closing(ahead(encoding.batches())) as batches:
        write_shards(journal, batches, dtype=plan.dtype, shard_tokens=plan.options.shard_tokens)
    if not encoding.checkpoint.n_docs:
        names = [source.name for source in encoding.reading.sources]
        raise CorpusError(f"{names[0]!r}: {counted(len(names), 'file')} without a document. Name files that hold some.")
    write_manifest_of(journal, encoding.header(), native.encode_spec(plan.tokenizer.spec))
