"""Counting pretokens: all that training needs to know of a corpus is how often each occurs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.spec import Pretokenizer
from tokenloom.spec.config import render_pretokenizer
from tokenloom.tokenizer import check_threads

__all__ = ["Document", "Progress", "count_pretokens", "pretoken_counts"]

Document: TypeAlias = str | bytes | Iterable[bytes]
"""A document: its text, its bytes, or its bytes in blocks."""

Progress: TypeAlias = Callable[[str, int, int | None], object]
"""Called with a stage (`"count"` or `"merge"`), how much of it is done (bytes or merges), and how much there is."""


def count_pretokens(
    documents: Iterable[Document],
    *,
    pretokenizer: Pretokenizer,
    special_tokens: Sequence[str] = (),
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> _core.PretokenCounts:
    """Count the pretokens of documents; no pretoken goes over the end of a document.

    Args:
        documents: read once, one block at a time.
        pretokenizer: how text is cut.
        special_tokens: cut the text wherever they stand, leftmost, then longest, and are not counted.
        n_threads: threads to use; None for one a core. The result does not depend on it.
        progress: called after each block with the bytes counted so far.
    Raises: EncodeError for a str with a lone surrogate; SpecialTokenError for an empty or double special token;
        TrainingError for an impossible number of threads.

    >>> counts = count_pretokens(["low lower", b"low"], pretokenizer=Pretokenizer("gpt2"))
    >>> counts.items()
    [(b' lower', 1), (b'low', 2)]
    """
    check_threads(n_threads, TrainingError)
    counter = _core.PretokenCounter(render_pretokenizer(pretokenizer), list(special_tokens), n_threads=n_threads)
    n_bytes = 0
    for document in documents:
        for block in [document] if isinstance(document, (str, bytes)) else document:
            report = partial(_report, progress, n_bytes) if progress else None
            n_bytes = counter.push(block, report)
            if progress:
                progress("count", n_bytes, None)
        counter.end_document()
    return counter.finish()


def _report(progress: Progress, n_bytes_before: int, n_bytes: int) -> None:
    progress("count", n_bytes_before + n_bytes, None)


def pretoken_counts(counts: Mapping[str, int] | Mapping[bytes, int]) -> _core.PretokenCounts:
    """Counts that are known already, such as a word list. The order counts for the tie rule `"first-seen"` alone.

    >>> pretoken_counts({"low": 5, "lower": 2}).n_bytes
    25
    """
    pairs = counts.items()
    return _core.PretokenCounts.from_pairs([(_as_bytes(pretoken), count) for pretoken, count in pairs])


def _as_bytes(pretoken: str | bytes) -> bytes:
    return pretoken.encode() if isinstance(pretoken, str) else pretoken
