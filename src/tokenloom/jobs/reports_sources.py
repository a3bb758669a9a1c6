"""The part of a report about its texts: how well each source compresses, and what was left out."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, TypeVar

from tokenloom.jobs.reports_runs import Shards, Skipped, SourceTokens
from tokenloom.report import Block, Column, Quantity, Table, format_bytes
from tokenloom.tokenizer import Tokenizer
from tokenloom.wording import counted

__all__ = ["MOST_SOURCES", "encoded_sources", "sampled_bytes_per_token", "skipped_blocks", "source_blocks"]

MOST_SOURCES: Final = 20
"""A report names this many sources, the largest; the others stand in one row."""

_SAMPLE_BYTES: Final = 1_000_000
_MOST_SKIPPED: Final = 20


class _SizedSource(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def n_file_bytes(self) -> int: ...


class _Texts(Protocol):
    @property
    def texts(self) -> Sequence[bytes]: ...


_Source = TypeVar("_Source", bound=_SizedSource)


def sampled_bytes_per_token(
    tokenizer: Tokenizer,
    sources: Sequence[_Source],
    read: Callable[[_Source], Iterable[_Texts]],
    *,
    sample_bytes: int = _SAMPLE_BYTES,
) -> list[SourceTokens]:
    """Encode the beginning of each of the largest sources.

    Args:
        tokenizer: what was trained.
        sources: input files; the `MOST_SOURCES` largest on the disk are sampled.
        read: the blocks of a source, such as `partial(read_source, options=documents)`.
        sample_bytes: text of each that is encoded; what goes beyond is not read, and its last document may be cut.
    Returns: the samples, in the order of `sources`; special tokens in the text count as one token each.
    """
    largest = sorted(range(len(sources)), key=lambda place: -sources[place].n_file_bytes)[:MOST_SOURCES]
    rows = []
    for source in (sources[place] for place in sorted(largest)):
        texts = _beginning(read(source), sample_bytes)
        n_tokens = len(tokenizer.encode_batch(texts, allowed_special="all").ids)
        rows.append(SourceTokens(source.name, sum(map(len, texts)), n_tokens))
    return rows


def encoded_sources(shards: Shards) -> list[SourceTokens]:
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


def skipped_blocks(skipped: Skipped) -> list[Block]:
    """What was left out because it is broken; nothing where nothing was."""
    if not skipped.n_skipped:
        return []
    shown = skipped.examples[:_MOST_SKIPPED]
    rest = skipped.n_skipped - len(shown)
    rows = [[example] for example in shown] + ([[f"and {rest:,} more"]] if rest else [])
    return [
        Table(f"Broken records left out: {skipped.n_skipped:,}", [Column("Where and why")], rows),
    ]


def _row(source: SourceTokens) -> tuple[str, float | None, Quantity, int]:
    ratio = source.n_bytes / source.n_tokens if source.n_tokens else None
    return source.name, ratio, Quantity(source.n_bytes, format_bytes(source.n_bytes)), source.n_tokens


def _beginning(blocks: Iterable[_Texts], n_bytes: int) -> list[bytes]:
    """Texts of the blocks, up to a number of bytes together."""
    texts: list[bytes] = []
    left = n_bytes
    for block in blocks:
        for text in block.texts:
            texts.append(text[:left])
            left -= len(texts[-1])
            if not left:
                return texts
    return texts
