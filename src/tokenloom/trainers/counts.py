"""Counting pretokens: all that training needs to know of a corpus is how often each occurs."""

import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import index
from typing import Final, TypeAlias

from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.spec import Pretokenizer, special_contents
from tokenloom.spec.config import render_pretokenizer
from tokenloom.tokenizer import check_threads

__all__ = ["Document", "Progress", "count_pretokens", "pretoken_counts"]

Document: TypeAlias = str | bytes | Iterable[bytes]
"""A document: its text, its bytes, or its bytes in blocks."""

Progress: TypeAlias = Callable[[str, int, int | None], object]
"""Called with a stage (`"count"` or `"merge"`), how much of it is done (bytes or merges), and how much there is."""

_MOST_COUNTED: Final = 2**64 - 1
_FIRST_POINT_BYTES: Final = 1 << 16
"""Where the curve of distinct pretokens begins."""


def count_pretokens(
    documents: Iterable[Document],
    *,
    pretokenizer: Pretokenizer,
    special_tokens: Sequence[str] = (),
    n_threads: int | None = None,
    progress: Progress | None = None,
    growth: list[tuple[int, int]] | None = None,
) -> _core.PretokenCounts:
    """Count the pretokens of documents; no pretoken goes over the end of a document.

    Args:
        documents: read once, one block at a time.
        pretokenizer: how text is cut.
        special_tokens: cut the text wherever they stand, leftmost, then longest, and are not counted.
        n_threads: threads to use; None for one a core. The result does not depend on it.
        progress: called after each block with the bytes counted so far.
        growth: an empty list that is filled with (bytes, distinct pretokens in them): from 64 KiB on a point for each
            tenth more, so 24 points for ten times the text, and at the end one for all of it. Documents that are str
            have a point only at their end.
    Raises: EncodeError for a str with a lone surrogate; SpecialTokenError for an empty or double special token;
        TrainingError for an impossible number of threads.

    >>> counts = count_pretokens(["low lower", b"low"], pretokenizer=Pretokenizer("gpt2"))
    >>> counts.items()
    [(b' lower', 1), (b'low', 2)]
    """
    check_threads(n_threads, TrainingError)
    specials = list(special_contents(special_tokens))
    counter = _core.PretokenCounter(render_pretokenizer(pretokenizer), specials, n_threads=n_threads)
    curve = None if growth is None else _Growth(growth)
    n_bytes = 0
    for document in documents:
        for block in [document] if isinstance(document, (str, bytes)) else document:
            for part in curve.cut(block, n_bytes) if curve else [block]:
                report = partial(_report, progress, n_bytes) if progress else None
                n_bytes = counter.push(part, report)
                if progress:
                    progress("count", n_bytes, None)
                if curve:
                    curve.note(counter, n_bytes)
        counter.end_document()
    counts = counter.finish()
    if curve:
        curve.end(n_bytes, len(counts))
    return counts


def pretoken_counts(counts: Mapping[str, int] | Mapping[bytes, int]) -> _core.PretokenCounts:
    """Counts that are known already, such as a word list. The order counts for the tie rule `"first-seen"` alone.

    Raises: TrainingError for a pretoken that is no text, or a count that is no whole number from 1 to 2**64 - 1.

    >>> pretoken_counts({"low": 5, "lower": 2}).n_bytes
    25
    """
    if not isinstance(counts, Mapping):
        raise TrainingError(
            f"counts {reprlib.repr(counts)}: is of type {type(counts).__qualname__}, no mapping. "
            "Pass a dict or a Counter of pretokens."
        )
    pairs = counts.items()
    return _core.PretokenCounts.from_pairs([(_as_bytes(pretoken), _as_count(pretoken, n)) for pretoken, n in pairs])


class _Growth:
    """Points of the curve of distinct pretokens over bytes, evenly spaced on a logarithmic scale."""

    def __init__(self, points: list[tuple[int, int]]) -> None:
        self.points = points
        self.next_bytes = _FIRST_POINT_BYTES

    def cut(self, block: str | bytes, n_bytes: int) -> Iterator[str | bytes]:
        """A block in parts that end where points are due, if `note` is called after each."""
        if isinstance(block, str):
            yield block
            return
        start = 0
        while (end := start + max(1, self.next_bytes - n_bytes - start)) < len(block):
            yield block[start:end]
            start = end
        yield block[start:]

    def note(self, counter: _core.PretokenCounter, n_bytes: int) -> None:
        """Add a point if one is due."""
        if n_bytes < self.next_bytes:
            return
        self.next_bytes = n_bytes + n_bytes // 10
        n_distinct = counter.n_distinct  # which counts first
        if counter.n_counted_bytes:
            self._add(counter.n_counted_bytes, n_distinct)

    def end(self, n_bytes: int, n_distinct: int) -> None:
        """Add the last point."""
        self._add(n_bytes, n_distinct)

    def _add(self, n_bytes: int, n_distinct: int) -> None:
        """Of several points at one place the last stays: a long piece may hold up all counting."""
        if self.points and self.points[-1][0] == n_bytes:
            self.points.pop()
        self.points.append((n_bytes, n_distinct))


def _report(progress: Progress, n_bytes_before: int, n_bytes: int) -> None:
    progress("count", n_bytes_before + n_bytes, None)


def _as_bytes(pretoken: object) -> bytes:
    if isinstance(pretoken, bytes):
        return pretoken
    if not isinstance(pretoken, str):
        what = f"is of type {type(pretoken).__qualname__}, neither str nor bytes"
        raise TrainingError(f"pretoken {reprlib.repr(pretoken)}: {what}. Pass texts with their counts.")
    try:
        return pretoken.encode()
    except UnicodeEncodeError as error:
        what = f"character {error.start} is a lone surrogate, which has no UTF-8 bytes"
        raise TrainingError(f"pretoken {pretoken!r}: {what}. Repair it where it was decoded, or pass bytes.") from error


def _as_count(pretoken: object, n: object) -> int:
    """A count as int; integers of numpy are integers too, True is none."""
    try:
        count = 0 if isinstance(n, bool) else index(n)  # type: ignore[arg-type]
    except TypeError:
        count = 0
    if not 1 <= count <= _MOST_COUNTED:
        raise TrainingError(
            f"pretoken {reprlib.repr(pretoken)}: its count {n!r} must be a whole number from 1 to {_MOST_COUNTED:,}. "
            "Leave out what does not occur."
        )
    return count
