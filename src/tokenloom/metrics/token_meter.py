"""What a tokenizer makes of a corpus: tokens by document, occurrences by id, words that are cut, texts that come back.

Texts arrive in blocks as for `TextMeter`. The ids of a block are counted with array operations, never one by one.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from tokenloom.metrics.round_trip import RoundTrip, RoundTripMeter
from tokenloom.metrics.text_meter import WordSpans
from tokenloom.metrics.word_cuts import BoundaryCuts, SpanCuts, WordCuts, joins_text
from tokenloom.tokenizer import DocumentEncoder, Tokenizer

__all__ = ["Encoded", "TokenMeter", "TokenSums"]

Encoded: TypeAlias = tuple[NDArray[Any], NDArray[int64]]
"""Ids, and where documents begin in them."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenSums:
    """What a tokenizer made of the documents of a corpus.

    Args:
        n_tokens: tokens of each document, int64 of shape (n_docs,).
        counts: occurrences of each id, int64 of shape (n_ids,).
        n_continued_words: words of each document that a token begins inside of; None if words were not asked for.
        round_trip: which documents come back as they were.
        n_special_tokens: special tokens that stand in the text, which is read as ordinary text.
    """

    n_tokens: NDArray[int64]
    counts: NDArray[int64]
    n_continued_words: NDArray[int64] | None
    round_trip: RoundTrip
    n_special_tokens: int = 0


class TokenMeter:
    """Sums over what a tokenizer makes of documents that arrive in blocks; special tokens in a text are plain text.

    Args:
        tokenizer: what is measured.
        has_words: whether words that are cut are counted; `feed` then takes the words of `TextMeter`.
        n_threads: threads that encode; None for one a core.

    >>> tokenizer = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"at"}, [(b"a", b"t")])
    >>> meter = TokenMeter(tokenizer)
    >>> meter.feed([b"cat", b"a c"], is_open=True)
    >>> meter.feed([b"at"])
    >>> sums = meter.sums()
    >>> sums.n_tokens.tolist(), int(sums.counts[256]), sums.round_trip.n_exact
    ([2, 4], 2, 2)
    """

    def __init__(self, tokenizer: Tokenizer, *, has_words: bool = False, n_threads: int | None = None) -> None:
        self.tokenizer = tokenizer
        self._encoder = DocumentEncoder(tokenizer, dtype="uint32", special_text="plain", n_threads=n_threads)
        self._n_tokens = array("q")
        self._counts = np.zeros(len(tokenizer), dtype=np.int64)
        self._round_trip = RoundTripMeter(tokenizer)
        self._is_open = False
        self._cuts: WordCuts | None = None
        if has_words:
            self._cuts = BoundaryCuts(tokenizer) if joins_text(tokenizer.spec) else SpanCuts(tokenizer)

    def feed(self, texts: Sequence[bytes], *, is_open: bool = False, words: WordSpans | None = None) -> None:
        """Take the next texts; the first goes on with the document left open, and the last stays open if `is_open`."""
        if not texts:
            return
        self.count(texts, self.encode(texts, is_open=is_open), is_open=is_open, words=words)

    def encode(self, texts: Sequence[bytes], *, is_open: bool = False) -> Encoded:
        """The ids of the next texts and where documents begin in them: the first half of `feed`, for a thread ahead."""
        return self._encoder.feed(texts, is_open=is_open)

    def count(
        self, texts: Sequence[bytes], encoded: Encoded, *, is_open: bool = False, words: WordSpans | None = None
    ) -> None:
        """Count what `encode` gave, in the same order."""
        ids, starts = encoded
        bounds = np.concatenate(([0] if self._is_open else [], starts, [len(ids)])).astype(np.int64)
        self._count_tokens(np.diff(bounds))
        self._counts += np.bincount(ids, minlength=len(self._counts))
        self._round_trip.feed(texts, ids, bounds, is_open=is_open)
        if self._cuts is not None and words is not None:
            self._cuts.feed(texts, ids, words, is_open=is_open)
        self._is_open = is_open

    def sums(self) -> TokenSums:
        """What was counted so far; the last document must be whole."""
        return TokenSums(
            n_tokens=np.array(self._n_tokens, dtype=np.int64),
            counts=self._counts,
            n_continued_words=None if self._cuts is None else self._cuts.by_document(),
            round_trip=self._round_trip.result(),
            n_special_tokens=sum(self._encoder.n_special_tokens.values()),
        )

    def _count_tokens(self, n_tokens: NDArray[Any]) -> None:
        found = n_tokens.tolist()
        if self._is_open:
            self._n_tokens[-1] += found[0]
            found = found[1:]
        self._n_tokens.extend(found)
