"""Splits: a corpus cut into shares of work that can be read apart, each a plain value that JSON holds.

Files that are smaller than a split are put together, in their order; a larger one is a split of its own, unless it can
be entered in the middle: plain JSONL is cut into ranges of bytes, Parquet into ranges of row groups. All splits one
after the other give the documents of the corpus, each once. What a range means, its reader says.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tokenloom.corpus.options import DocumentOptions
from tokenloom.corpus.selection import Selection
from tokenloom.corpus.sources import Source
from tokenloom.corpus.tables import open_table
from tokenloom.errors import CorpusError
from tokenloom.storage.canonical import canonical_json

__all__ = ["SPLIT_BYTES", "SourceRange", "Split", "plan_splits", "whole_range"]

SPLIT_BYTES: Final = 512 << 20
"""Large enough that starting one costs nothing beside it, small enough that many cores have work."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """A file or a part of it.

    Args:
        source: the file.
        start: where the part begins: a byte of a text or JSONL file, a row group of a Parquet file; an Arrow file is
            one part, from 0 to 1.
        end: where it ends, not part of it.
        n_file_bytes: how much of the file on the disk it is.
    """

    source: Source
    start: int
    end: int
    n_file_bytes: int

    def to_json(self) -> dict[str, Any]:
        """The range as plain values."""
        return {
            "source": self.source.to_json(),
            "start": self.start,
            "end": self.end,
            "n_file_bytes": self.n_file_bytes,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "SourceRange":
        """The inverse of `to_json`."""
        return cls(Source.from_json(value["source"]), value["start"], value["end"], value["n_file_bytes"])


@dataclass(frozen=True, slots=True)
class Split:
    """A share of a corpus: files of one group, or a part of one file.

    Args:
        name: its number in the plan, and a checksum of what it holds, without the folders that the files lie in. The
            same corpus, options and `split_bytes` give the same names.
        parts: what is read, in this order.
    """

    name: str
    parts: tuple[SourceRange, ...]

    @property
    def group(self) -> str:
        """The group of all its sources."""
        return self.parts[0].source.group

    @property
    def n_file_bytes(self) -> int:
        """How much it is on the disk."""
        return sum(part.n_file_bytes for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """The split as plain values; no key of a remote store is among them."""
        return {"name": self.name, "parts": [part.to_json() for part in self.parts]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Split":
        """The inverse of `to_json`."""
        return cls(value["name"], tuple(map(SourceRange.from_json, value["parts"])))


def plan_splits(
    sources: Sequence[Source],
    options: DocumentOptions,
    *,
    split_bytes: int = SPLIT_BYTES,
    selection: Selection = Selection(),  # noqa: B008 - a frozen value
) -> list[Split]:
    r"""Cut a corpus into splits of about `split_bytes` on the disk, in the order of the sources.

    Args:
        sources: the files, from `list_sources`.
        options: how their documents lie in them.
        split_bytes: what a split has at most, unless it is one file that cannot be cut, or one row group. Above 0.
        selection: a group that it limits is one split, at the place of the first source of the group.
    Raises: CorpusError for a limit of a group that the corpus does not have, and for a Parquet file that cannot be read
        or has no column of texts.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from tokenloom.corpus import list_sources
    >>> path = Path(tempfile.mkdtemp()) / "cats.jsonl"
    >>> _ = path.write_text('{"text": "the cat"}\n' * 5)
    >>> splits = plan_splits(list_sources([path]), DocumentOptions(), split_bytes=60)
    >>> [(part.start, part.end) for split in splits for part in split.parts]
    [(0, 50), (50, 100)]
    """
    if type(split_bytes) is not int or split_bytes <= 0:
        raise CorpusError(f"split_bytes {split_bytes!r}: is no length of a split. Use a whole number above 0.")
    _refuse_unknown_groups(sources, selection)
    shares = _shares(sources, options, split_bytes, selection.limits)
    return [_split(number, share) for number, share in enumerate(shares)]


def whole_range(source: Source, options: DocumentOptions) -> SourceRange:
    """A source from its beginning to its end. Raises: CorpusError as `plan_splits`, for a Parquet file."""
    n_bytes = source.n_file_bytes
    end = len(_row_group_bytes(source, options)) if source.format == "parquet" else n_bytes
    return SourceRange(source, 0, 1 if source.format == "arrow" else end, n_bytes)


def _shares(
    sources: Sequence[Source], options: DocumentOptions, split_bytes: int, limits: Mapping[str, int]
) -> Iterator[list[SourceRange]]:
    """The parts of each split."""
    share: list[SourceRange] = []
    n_bytes = 0
    limited = {group: [source for source in sources if source.group == group] for group in limits}
    for source in sources:
        if source.group in limits:
            parts = [[whole_range(other, options) for other in limited.pop(source.group, ())]]
        else:
            parts = [[part] for part in _ranges(source, options, split_bytes)]
        for one in filter(None, parts):
            n_more = sum(part.n_file_bytes for part in one)
            if share and (n_bytes + n_more > split_bytes or share[0].source.group != source.group):
                yield share
                share, n_bytes = [], 0
            share += one
            n_bytes += n_more
    if share:
        yield share


def _ranges(source: Source, options: DocumentOptions, split_bytes: int) -> Iterator[SourceRange]:
    if source.format == "jsonl" and source.compression == "none":
        return _byte_ranges(source, split_bytes)
    if source.format == "parquet":
        return _group_ranges(source, _row_group_bytes(source, options), split_bytes)
    return iter([whole_range(source, options)])


def _group_ranges(source: Source, sizes: Sequence[int], split_bytes: int) -> Iterator[SourceRange]:
    """Ranges of as many row groups as a split holds; one, if the file is no longer than a split or has none."""
    if source.n_file_bytes <= split_bytes or not sizes:
        yield SourceRange(source, 0, len(sizes), source.n_file_bytes)
        return
    start = n_bytes = 0
    for number, size in enumerate(sizes):
        if number > start and n_bytes + size > split_bytes:
            yield SourceRange(source, start, number, n_bytes)
            start, n_bytes = number, 0
        n_bytes += size
    yield SourceRange(source, start, len(sizes), n_bytes)


def _row_group_bytes(source: Source, options: DocumentOptions) -> list[int]:
    with open_table(source.path, "parquet", options) as table:
        return table.part_bytes()


def _byte_ranges(source: Source, split_bytes: int) -> Iterator[SourceRange]:
    """Ranges of nearly one length; one, if the file is no longer than a split."""
    n_bytes = source.n_file_bytes
    n_ranges = max(1, -(-n_bytes // split_bytes))
    for number in range(n_ranges):
        start, end = (n_bytes * place // n_ranges for place in (number, number + 1))
        yield SourceRange(source, start, end, end - start)


def _split(number: int, parts: Iterable[SourceRange]) -> Split:
    rows = [part.to_json() for part in parts]
    for row in rows:
        del row["source"]["path"]
    return Split(f"{number:05d}-{hashlib.sha256(canonical_json(rows)).hexdigest()[:12]}", tuple(parts))


def _refuse_unknown_groups(sources: Sequence[Source], selection: Selection) -> None:
    known = sorted({source.group for source in sources})
    for group in selection.limits:
        if group not in known:
            raise CorpusError(
                f"limits: the corpus has no group {group!r}. Name one that it has: {', '.join(map(repr, known))}."
            )
