"""Counting pretokens: all that training needs to know of a corpus is how often each occurs."""

import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from typing import Final, Protocol, TypeAlias

from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.spec import Normalizer, Pretokenizer
from tokenloom.tokenizer import part_progress
from tokenloom.trainers.count_options import CountOptions
from tokenloom.trainers.normalizing import NormalizerChanges

__all__ = ["Counter", "Document", "Progress", "count_pretokens", "feed", "pretoken_counts"]

Document: TypeAlias = str | bytes | Iterable[bytes]
"""A document: its text, its bytes, or its bytes in blocks."""

Progress: TypeAlias = Callable[[str, int, int | None], object]
"""Called with a stage (`"count"`, `"merge counts"`, both in bytes, or `"merge"`), how much of it is done, and how much
there is; None if that is not known.
"""

_MOST_COUNTED: Final = 2**64 - 1


def count_pretokens(
    documents: Iterable[Document],
    *,
    pretokenizer: Pretokenizer,
    special_tokens: Sequence[str] = (),
    n_threads: int | None = None,
    progress: Progress | None = None,
    growth: list[tuple[int, int]] | None = None,
    normalizer: Normalizer | None = None,
    changes: list[NormalizerChanges] | None = None,
) -> _core.PretokenCounts:
    """Count the pretokens of documents; no pretoken goes over the end of a document.

    Args:
        documents: read once, one block at a time.
        pretokenizer: how text is cut.
        special_tokens: cut the text wherever they stand, leftmost, then longest, and are not counted.
        n_threads: threads to use; None for one a core. The result does not depend on it.
        progress: called after each block with the bytes counted so far.
        growth: an empty list that is filled with (bytes, distinct pretokens that begin in them): from 64 KiB on eight
            points for each doubling of the text, and at the end one for all of it, which is the only one with
            a normalizer.
        normalizer: changes the text before it is cut; None leaves it as it is.
        changes: an empty list that gets what the normalizer changed.
    Raises: EncodeError for a str with a lone surrogate; SpecialTokenError for an empty or double special token;
        TrainingError for an impossible number of threads.

    >>> counts = count_pretokens(["low lower", b"low"], pretokenizer=Pretokenizer("gpt2"))
    >>> counts.items()
    [(b' lower', 1), (b'low', 2)]
    """
    options = CountOptions(pretokenizer, special_tokens, normalizer=normalizer)
    counter = options.counter(n_threads=n_threads)
    n_bytes = feed(counter, documents, progress=progress)
    if normalizer is not None and changes is not None:
        counter.count_held()
        changes.append(NormalizerChanges.of(counter))
    counts = counter.finish()
    if growth is not None:
        growth += [] if normalizer else [point for point in counts.growth(n_bytes) if point[0] < n_bytes]
        growth.append((n_bytes, len(counts)))
    return counts


class Counter(Protocol):
    """What takes the blocks of documents: that of the core, or one that keeps to a limit of memory."""

    def push(self, block: bytes | str, progress: Callable[[int], object] | None = None, /) -> int:
        """Take the next block of a document; returns the bytes taken so far."""

    def end_document(self) -> None:
        """No pretoken goes on in the next document."""


def feed(counter: Counter, documents: Iterable[Document], *, progress: Progress | None = None) -> int:
    """Give documents to a counter; `progress` as for `count_pretokens`. Returns their bytes."""
    n_bytes = 0
    for document in documents:
        for block in [document] if isinstance(document, (str, bytes)) else document:
            n_bytes = counter.push(block, _block_report(progress, n_bytes, block))
            if progress:
                progress("count", n_bytes, None)
        counter.end_document()
    return n_bytes


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


def _block_report(progress: Progress | None, n_before: int, block: str | bytes) -> Callable[[int], object] | None:
    """What a counter calls with the bytes that are done with a block."""
    if not progress:
        return None
    text = block.encode(errors="surrogatepass") if isinstance(block, str) and not block.isascii() else block
    return part_progress(lambda done: progress("count", done, None), n_before=n_before, n_bytes=len(text))


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
