"""Words that are cut: those in which a token begins behind their first byte, in the text where they stand.

Where the bytes of the tokens are those of the text, token borders are running sums of token lengths, and a word is cut
if a border lies inside it. Elsewhere, with a normalizer or a model over characters, the spans of tokens in the source
decide, document by document.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy import bool_, int64
from numpy.typing import NDArray

from tokenloom.metrics.text_meter import WordSpans
from tokenloom.spec import TokenizerSpec
from tokenloom.tokenizer import Tokenizer

__all__ = ["BoundaryCuts", "SpanCuts", "WordCuts", "joins_text"]


class WordCuts(Protocol):
    """Continued words by document, of blocks as `TokenMeter` gets them."""

    def feed(self, texts: Sequence[bytes], ids: NDArray[Any], words: WordSpans, *, is_open: bool) -> None:
        """Take the texts and ids of a block, and the words that are whole in it."""

    def by_document(self) -> NDArray[int64]:
        """Continued words of each document."""


def joins_text(spec: TokenizerSpec) -> bool:
    """Whether the bytes of the tokens of any text, joined, are that text: nothing changes, adds or takes a byte.

    >>> joins_text(Tokenizer({i: bytes([i]) for i in range(256)}, []).spec)
    True
    """
    takes_blanks = any(token.lstrip or token.rstrip for token in spec.added_tokens)
    return spec.joins_bytes and spec.normalizer is None and not spec.pretokenizer.steps and not takes_blanks


class _Documents:
    """Where documents end, and how many continued words each has."""

    def __init__(self) -> None:
        self._ends, self._n_continued = array("q"), array("q")
        self._is_open = False

    def add(self, texts: Sequence[bytes], *, is_open: bool) -> None:
        """Take note of texts: the first may go on with the last document."""
        sizes = list(map(len, texts))
        if self._is_open:
            self._ends[-1] += sizes[0]
            sizes = sizes[1:]
        end = self._ends[-1] if self._ends else 0
        self._ends.extend((end + np.cumsum(sizes, dtype=np.int64)).tolist())
        self._n_continued.extend([0] * len(sizes))
        self._is_open = is_open

    def count(self, word_starts: NDArray[int64]) -> None:
        """Count continued words, which begin at these bytes of the corpus."""
        if not len(word_starts):
            return
        n_known = len(self._ends)
        first = bisect_right(self._ends, int(word_starts[0]))
        places = np.searchsorted(np.array(self._ends[first:], dtype=np.int64), word_starts, side="right")
        for place, n in enumerate(np.bincount(places, minlength=n_known - first).tolist()):
            self._n_continued[first + place] += n

    def by_document(self) -> NDArray[int64]:
        """How many each has."""
        return np.array(self._n_continued, dtype=np.int64)


_NOTHING: Final = np.zeros(0, dtype=np.int64)


class BoundaryCuts:
    """Continued words where tokens join to the text: token borders are sums of lengths, and some lie in words."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._lengths = _token_lengths(tokenizer)
        self._documents = _Documents()
        self._end = 0
        """Bytes that the ids so far stand for."""
        self._inner, self._inner_base = np.zeros(0, dtype=np.bool_), 0
        """Which bytes go on with a word, from that one on."""
        self._borders = self._cuts = self._starts = self._stops = _NOTHING
        """Borders of which that is not known yet; those that lie in a word; and words that may be cut still."""
        self._last_cut = -1

    def feed(self, texts: Sequence[bytes], ids: NDArray[Any], words: WordSpans, *, is_open: bool) -> None:
        """Take the ids of a block, and the words that are whole in it."""
        self._documents.add(texts, is_open=is_open)
        self._take(np.cumsum(self._lengths[ids]) + self._end, words.inner)
        starts = np.concatenate((self._starts, words.starts))
        stops = np.concatenate((self._stops, words.stops))
        n_sure = int(np.searchsorted(self._cuts, stops[-1])) if len(stops) else 0
        owners = np.searchsorted(starts, self._cuts[:n_sure], side="right") - 1
        is_new = np.ones(n_sure, dtype=np.bool_)
        is_new[1:] = owners[1:] != owners[:-1]
        cut = starts[owners[is_new]]
        cut = cut[cut > self._last_cut]
        self._documents.count(cut)
        self._last_cut = int(cut[-1]) if len(cut) else self._last_cut
        self._cuts = self._cuts[n_sure:]
        n_done = int(np.searchsorted(stops, self._end, side="right"))
        self._starts, self._stops = starts[n_done:], stops[n_done:]

    def by_document(self) -> NDArray[int64]:
        """Continued words of each document."""
        return self._documents.by_document()

    def _take(self, new_borders: NDArray[int64], new_inner: NDArray[bool_]) -> None:
        """Find the borders that lie in words."""
        self._end = int(new_borders[-1]) if len(new_borders) else self._end
        inner = np.concatenate((self._inner, new_inner)) if len(self._inner) else new_inner
        borders = np.concatenate((self._borders, new_borders)) if len(self._borders) else new_borders
        n_known = int(np.searchsorted(borders, self._inner_base + len(inner)))
        known = borders[:n_known]
        self._cuts = np.concatenate((self._cuts, known[inner[known - self._inner_base]]))
        self._borders = borders[n_known:]
        n_passed = min(len(inner), self._end - self._inner_base)
        self._inner, self._inner_base = inner[n_passed:], self._inner_base + n_passed


class SpanCuts:
    """Continued words by the spans of tokens in the source, of whole documents: one that is open is kept until it ends.

    A token has a part in a word if its span and the word share a byte.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._documents = _Documents()
        self._held: list[bytes] = []
        self._begin = 0
        """Where the next whole document begins in the corpus."""
        self._starts = self._stops = _NOTHING

    def feed(self, texts: Sequence[bytes], ids: NDArray[Any], words: WordSpans, *, is_open: bool) -> None:  # noqa: ARG002
        """Take the texts of a block, and the words that are whole in it."""
        self._documents.add(texts, is_open=is_open)
        self._starts = np.concatenate((self._starts, words.starts))
        self._stops = np.concatenate((self._stops, words.stops))
        for place, text in enumerate(texts):
            self._held.append(text)
            if not (is_open and place == len(texts) - 1):
                self._document(b"".join(self._held))
                self._held = []

    def by_document(self) -> NDArray[int64]:
        """Continued words of each document."""
        return self._documents.by_document()

    def _document(self, text: bytes) -> None:
        end = self._begin + len(text)
        n_words = int(np.searchsorted(self._stops, end, side="right"))
        starts, stops = self._starts[:n_words] - self._begin, self._stops[:n_words] - self._begin
        spans = self._tokenizer.encode_with_offsets(text, allowed_special=(), disallowed_special=()).byte_offsets
        firsts, lasts = np.sort(spans[:, 0]), np.sort(spans[:, 1])
        n_parts = np.searchsorted(firsts, stops, side="left") - np.searchsorted(lasts, starts, side="right")
        self._documents.count(starts[n_parts >= 2] + self._begin)
        self._starts, self._stops = self._starts[n_words:], self._stops[n_words:]
        self._begin = end


def _token_lengths(tokenizer: Tokenizer) -> NDArray[int64]:
    """Bytes of each id in a text."""
    spec = tokenizer.spec
    offsets = np.frombuffer(spec.token_offsets, dtype="<u4").astype(np.int64)
    lengths: NDArray[int64] = offsets[1:] - offsets[:-1]
    for token in spec.added_tokens:
        lengths[token.id] = len(token.content.encode())
    return lengths
