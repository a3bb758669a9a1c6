"""The part of a report about its texts: how well each source compresses, and what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tokenloom.corpus import DocumentOptions, SkippedRecords, Source
from tokenloom.jobs.samples import beginning
from tokenloom.report import Block, Column, Quantity, Table
from tokenloom.shards import ShardSet
from tokenloom.tokenizer import Tokenizer
from tokenloom.wording import counted, format_bytes

__all__ = [
    "MOST_SOURCES",
    "SourceTokens",
    "encoded_sources",
    "sampled_bytes_per_token",
    "skipped_blocks",
    "source_blocks",
]

MOST_SOURCES: Final = 20
"""A report names this many sources, the largest; the others stand in one row."""

_SAMPLE_BYTES: Final = 1_000_000
_MOST_SKIPPED: Final = 20


@dataclass(frozen=True, slots=True)
class SourceTokens:
    """How much text of a source became how many tokens; for a sample, both are those of the sample."""

    name: str
    n_bytes: int
    n_tokens: int


def sampled_bytes_per_token(
    tokenizer: Tokenizer,
    sources: Sequence[Source],
    documents: DocumentOptions,
    *,
    sample_bytes: int = _SAMPLE_BYTES,
) -> list[SourceTokens]:
    """Encode the beginning of each of the largest sources.

    Args:
        tokenizer: what was trained.
        sources: input files; the `MOST_SOURCES` largest on the disk are sampled.
        documents: how they are cut into documents.
        sample_bytes: about how much text of each is encoded; what goes beyond is not read.
    Returns: the samples, in the order of `sources`; special tokens in the text count as one token each.
    Raises: as `read_source`.
    """
    largest = sorted(range(len(sources)), key=lambda place: -sources[place].n_file_bytes)[:MOST_SOURCES]
    rows = []
    for source in (sources[place] for place in sorted(largest)):
        sample = beginning(source, documents, n_bytes=sample_bytes)
        n_tokens = len(tokenizer.encode_batch(sample.texts, allowed_special="all").ids)
        rows.append(SourceTokens(source.name, sample.n_text_bytes, n_tokens))
    return rows


def encoded_sources(shards: ShardSet) -> list[SourceTokens]:
    """The sources of a folder of shards; tokens at the edges of documents count too."""
    rows, n_docs = [], 0
    for source in shards.header.sources:
        first, last = shards.starts[n_docs], shards.starts[n_docs + source.n_docs]
        rows.append(SourceTokens(source.name, source.n_text_bytes, int(last - first)))
        n_docs += source.n_docs
    return rows


def source_blocks(sources: Sequence[SourceTokens]) -> list[Block]:
    """A table of bytes per token by source, the largest first, and all others in one row."""
    if not sources:
        return []
    ordered = sorted(sources, key=lambda source: (-source.n_bytes, source.name))
    shown, others = ordered[:MOST_SOURCES], ordered[MOST_SOURCES:]
    rows = [_row(source) for source in shown]
    if others:
        together = SourceTokens("", sum(one.n_bytes for one in others), sum(one.n_tokens for one in others))
        rows.append((f"{counted(len(others), 'smaller source')} together", *_row(together)[1:]))
    columns = [
        Column("Source"),
        Column("Bytes per token", is_number=True, has_bars=True),
        Column("Text", is_number=True),
        Column("Tokens", is_number=True),
    ]
    return [Table("Bytes per token by source, the largest first", columns, rows)]


def skipped_blocks(skipped: SkippedRecords) -> list[Block]:
    """Which records were left out because they are broken; nothing where none was, or none is known by place."""
    shown = skipped.examples[:_MOST_SKIPPED]
    if not shown:
        return []
    rest = skipped.n_skipped - len(shown)
    rows = [[example] for example in shown] + ([[f"and {rest:,} more"]] if rest else [])
    return [Table(f"Broken records left out: {skipped.n_skipped:,}", [Column("Where and why")], rows)]


def _row(source: SourceTokens) -> tuple[str, float | None, Quantity, int]:
    ratio = source.n_bytes / source.n_tokens if source.n_tokens else None
    return source.name, ratio, Quantity(source.n_bytes, format_bytes(source.n_bytes)), source.n_tokens
