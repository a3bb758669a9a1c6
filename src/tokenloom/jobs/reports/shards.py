"""The parts of a report about token shards: documents, use of the vocabulary, files."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tokenloom.formats.native import TOKENIZER
from tokenloom.jobs.reports.vocabulary import learned_tokens
from tokenloom.metrics import TokenUsage, token_counts, token_usage
from tokenloom.report import (
    Bin,
    Block,
    Column,
    Fact,
    Facts,
    Histogram,
    Note,
    Quantity,
    Section,
    Table,
    Text,
    Tokens,
    format_number,
    format_share,
)
from tokenloom.shards import ShardHeader, ShardSet
from tokenloom.shards.layout import DOCUMENTS
from tokenloom.storage.manifest import MANIFEST
from tokenloom.tokenizer import MOST_UINT16_IDS
from tokenloom.wording import counted, format_bytes

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

__all__ = ["disk_bytes", "documents_section", "n_edge_tokens", "storage_section", "usage_section"]

_MOST_FREQUENT: Final = 30
_MOST_UNUSED: Final = 40
_MOST_SHARDS: Final = 50


def documents_section(shards: ShardSet) -> Section:
    """How long documents are."""
    import numpy as np

    lengths = np.diff(shards.starts)
    if not len(lengths):
        return Section("Documents", [Note("There are no documents.")])
    n_edges = n_edge_tokens(shards.header)
    n_empty = int((lengths == n_edges).sum())
    facts = [
        Fact("Documents", f"{len(lengths):,}", f"{n_empty:,} without text" if n_empty else ""),
        Fact("Median length", f"{_median(lengths)} tokens"),
        Fact("Mean length", f"{format_number(float(lengths.mean()))} tokens"),
        Fact("Longest", f"{int(lengths.max()):,} tokens"),
    ]
    edges = f", {counted(n_edges, 'token')} at its edges included" if n_edges else ""
    caption = f"Document length{edges}; each bar reaches twice as far as the one before"
    return Section("Documents", [Facts(facts), Histogram(caption, _length_bins(lengths), "tokens", "documents")])


def usage_section(shards: ShardSet) -> Section:
    """Which tokens occur and how often; special tokens in the text and how they were read."""
    tokenizer = shards.tokenizer()
    vocabulary = tokenizer.vocabulary
    usage = token_usage(token_counts(shards.arrays, n_ids=max(vocabulary) + 1), ids=vocabulary)
    unused = {token_id: vocabulary[token_id] for token_id in usage.unused_ids}
    learned = {token_id: token for token_id, token in learned_tokens(tokenizer).items() if token_id in unused}
    n_special = len(unused.keys() & set(tokenizer.special_tokens.values()))
    frequent = [
        (vocabulary[token_id], str(token_id), format_share(count, usage.n_tokens), count)
        for token_id, count in usage.frequent[:_MOST_FREQUENT]
    ]
    columns = [
        Column("Token"),
        Column("Id", is_number=True),
        Column("Share", is_number=True),
        Column("Count", is_number=True, has_bars=True),
    ]
    blocks: list[Block] = [
        _usage_facts(usage, n_bytes=len(unused) - len(learned) - n_special, n_special=n_special),
        Table("Most frequent tokens", columns, frequent),
        _unused_tokens(learned),
        *_special_blocks(shards),
    ]
    return Section("Use of the vocabulary", blocks)


def storage_section(shards: ShardSet) -> Section:
    """Type of the ids and why, and the files."""
    header = shards.header
    rows = [(name, n_tokens, _size(shards, name)) for name, n_tokens in header.shards.items()]
    shown, others = rows[:_MOST_SHARDS], rows[_MOST_SHARDS:]
    if others:
        size = sum(row[2].value for row in others)
        together = f"{counted(len(others), 'further shard')} together"
        shown.append((together, sum(row[1] for row in others), Quantity(size, format_bytes(size))))
    columns = [Column("File"), Column("Tokens", is_number=True), Column("Size", is_number=True)]
    return Section("Files", [Text(_why(header.dtype, header.vocabulary_size)), Table("Shards", columns, shown)])


def n_edge_tokens(header: ShardHeader) -> int:
    """The tokens at the beginning and the end of each document."""
    return sum(edge is not None for edge in (header.begin_of_document, header.end_of_document))


def disk_bytes(shards: ShardSet) -> int:
    """The bytes of all files that belong to the folder of shards."""
    names = [*shards.header.shards, DOCUMENTS, TOKENIZER, MANIFEST]
    return sum(int(_size(shards, name).value) for name in names)


def _why(dtype: str, vocabulary_size: int) -> str:
    """Why ids have their type.

    >>> _why("uint16", 65_536)
    'Ids are uint16, 2 bytes each, which is enough for a vocabulary of at most 65,536 ids; this one has 65,536.'
    >>> _why("uint32", 65_537)
    'Ids are uint32, 4 bytes each: uint16 is enough for a vocabulary of at most 65,536 ids; this one has 65,537.'
    """
    enough = f"is enough for a vocabulary of at most {MOST_UINT16_IDS:,} ids; this one has {vocabulary_size:,}"
    if dtype == "uint16":
        return f"Ids are uint16, 2 bytes each, which {enough}."
    if vocabulary_size > MOST_UINT16_IDS:
        return f"Ids are {dtype}, 4 bytes each: uint16 {enough}."
    return f"Ids are {dtype}, 4 bytes each, as asked for: uint16, which takes half the disk, {enough}."


def _usage_facts(usage: TokenUsage, *, n_bytes: int, n_special: int) -> Facts:
    """Figures on use; of the unused tokens, some are single bytes and some special tokens."""
    n_used, n_unused = len(usage.frequent), len(usage.unused_ids)
    kinds = [counted(n, noun) for n, noun in ((n_bytes, "single byte"), (n_special, "special token")) if n]
    share = f"{format_share(n_used, n_used + n_unused)} of {n_used + n_unused:,}"
    most = [(n, format_share(usage.share_of_most_frequent(n), 1)) for n in (10, 100)]
    return Facts(
        [
            Fact("Tokens used", f"{n_used:,}", share),
            Fact("Unused tokens", f"{n_unused:,}", f"{' and '.join(kinds)} among them" if kinds else ""),
            *(Fact(f"The {n} most frequent", part, "of all tokens in the shards") for n, part in most),
        ]
    )


def _unused_tokens(unused: Mapping[int, bytes]) -> Tokens:
    shown = dict(list(unused.items())[:_MOST_UNUSED])
    first = f", the first {len(shown)}" if len(shown) < len(unused) else ""
    caption = f"Unused tokens of more than one byte, special tokens left out{first}, with their ids"
    return Tokens(caption, list(shown.values()), [str(token_id) for token_id in shown])


def _special_blocks(shards: ShardSet) -> list[Block]:
    met = shards.header.n_special_tokens
    if not met:
        return [Text("The text holds no special tokens.")]
    how = "as one token each" if shards.header.special_text == "parse" else "as ordinary text"
    columns = [Column("Special token"), Column("Times in the text", is_number=True)]
    rows = [(content.encode(), n) for content, n in sorted(met.items(), key=lambda item: (-item[1], item[0]))]
    return [Table(f"Special tokens in the text, read {how}", columns, rows)]


def _median(lengths: "NDArray[int64]") -> str:
    import numpy as np

    median = float(np.median(lengths))
    return format_number(int(median) if median.is_integer() else median)


def _length_bins(lengths: "NDArray[int64]") -> list[Bin]:
    """Bins 0, 1, 2 to 3, 4 to 7, ... from the shortest to the longest document."""
    import numpy as np

    exponents = np.zeros(len(lengths), dtype=np.int64)
    exponents[lengths > 0] = np.frexp(lengths[lengths > 0].astype(np.float64))[1]
    counts = np.bincount(exponents)
    first = int(exponents.min())
    return [_length_bin(exponent, int(counts[exponent])) for exponent in range(first, len(counts))]


def _length_bin(exponent: int, count: int) -> Bin:
    if exponent < 2:
        return Bin(str(exponent), count)
    low = 2 ** (exponent - 1)
    return Bin(f"{low:,} to {2 * low - 1:,}", count, f"{low:,}" if low < 10_000 else _short(low))


def _short(power: int) -> str:
    """A power of two from 8,192 on in few characters.

    >>> _short(16_384), _short(2**21)
    ('16 Ki', '2 Mi')
    """
    for name, unit in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if power >= unit:
            return f"{power // unit} {name}"
    return f"{power:,}"


def _size(shards: ShardSet, name: str) -> Quantity:
    n_bytes = (shards.folder / name).stat().st_size
    return Quantity(n_bytes, format_bytes(n_bytes))
