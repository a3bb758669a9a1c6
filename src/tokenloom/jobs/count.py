"""Counting the tokens of a corpus, without keeping them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, Final

from tokenloom.corpus import Block, DocumentOptions, SkippedRecords, list_sources, read_source, read_stream
from tokenloom.tokenizer import DocumentEncoder, SpecialText, Tokenizer

if TYPE_CHECKING:
    from tokenloom.trainers import Progress

__all__ = ["CorpusCount", "SourceCount", "count_corpus", "count_stream"]

_DEFAULTS: Final = DocumentOptions()
_STREAM: Final = "standard input"


@dataclass(frozen=True, slots=True)
class SourceCount:
    """What one file holds; the bytes are those of its documents: decompressed, and without separators."""

    name: str
    n_tokens: int
    n_bytes: int
    n_docs: int


@dataclass(frozen=True, slots=True)
class CorpusCount:
    """What all files hold, in their order, and what was left out because it is broken.

    >>> CorpusCount((SourceCount("a", 3, 9, 1), SourceCount("b", 1, 3, 2)), SkippedRecords()).total
    SourceCount(name='total', n_tokens=4, n_bytes=12, n_docs=3)
    """

    sources: tuple[SourceCount, ...]
    skipped: SkippedRecords

    @property
    def total(self) -> SourceCount:
        """The sum over all files."""
        rows = self.sources
        return SourceCount(
            "total",
            sum(row.n_tokens for row in rows),
            sum(row.n_bytes for row in rows),
            sum(row.n_docs for row in rows),
        )


def count_corpus(
    paths: Sequence[str | os.PathLike[str]],
    *,
    tokenizer: Tokenizer,
    documents: DocumentOptions = _DEFAULTS,
    special_text: SpecialText = "plain",
    n_threads: int | None = None,
    progress: "Progress | None" = None,
) -> CorpusCount:
    """Count tokens, bytes and documents of files.

    Args:
        paths: files, folders and glob patterns.
        tokenizer: makes the tokens.
        documents: how files are cut into documents.
        special_text: what a special token in a text means; see `Tokenizer`.
        n_threads: threads to use; None for one a core. The result does not depend on it.
        progress: called with the stage `"count"`, the bytes of the files read, and how many there are.
    Raises: CorpusError for a file that cannot be read or a broken record; EncodeError for a special token that is
        refused.
    """
    sources = list_sources(paths, documents)
    skipped = SkippedRecords()
    n_file_bytes = sum(source.n_file_bytes for source in sources)
    rows, n_before = [], 0
    for source in sources:
        blocks = _reported(read_source(source, documents, skipped=skipped), progress, n_before, n_file_bytes)
        rows.append(_count(source.name, blocks, tokenizer, special_text, n_threads))
        n_before += source.n_file_bytes
    return CorpusCount(tuple(rows), skipped)


def count_stream(
    stream: BinaryIO,
    *,
    tokenizer: Tokenizer,
    documents: DocumentOptions = _DEFAULTS,
    special_text: SpecialText = "plain",
    n_threads: int | None = None,
) -> CorpusCount:
    """Count as `count_corpus` what a stream gives; format `"auto"` stands for text, compression `"auto"` for none.

    >>> import io
    >>> tokenizer = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    >>> count_stream(io.BytesIO(b"the cat"), tokenizer=tokenizer).total
    SourceCount(name='total', n_tokens=7, n_bytes=7, n_docs=1)
    """
    skipped = SkippedRecords()
    blocks = read_stream(stream, documents, name=_STREAM, skipped=skipped)
    return CorpusCount((_count(_STREAM, blocks, tokenizer, special_text, n_threads),), skipped)


def _count(
    name: str, blocks: Iterable[Block], tokenizer: Tokenizer, special_text: SpecialText, n_threads: int | None
) -> SourceCount:
    encoder = DocumentEncoder(tokenizer, dtype="uint32", special_text=special_text, n_threads=n_threads)
    n_tokens = n_bytes = n_docs = 0
    for block in blocks:
        ids, starts = encoder.feed(block.texts, is_open=block.is_open)
        n_tokens += len(ids)
        n_docs += len(starts)
        n_bytes += block.n_text_bytes
    return SourceCount(name, n_tokens, n_bytes, n_docs)


def _reported(
    blocks: Iterable[Block], progress: "Progress | None", n_before: int, n_file_bytes: int
) -> Iterator[Block]:
    report = partial(progress, "count") if progress else None
    for block in blocks:
        yield block
        if report:
            done = n_before + block.n_read_bytes
            report(done, max(done, n_file_bytes))
