"""What a corpus is before any tokenizer: its documents in bytes, characters and words, and its fingerprint.

Texts arrive in blocks, of which the last document may go on in the next one: so a document of any length takes the
memory of a block. Every sum is kept by document, since intervals are over documents.
"""

import codecs
import hashlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from tokenloom.metrics.words import CODES, WordSplitter, n_unspaced, spans

__all__ = ["TextMeter", "TextSums", "WordSpans"]


@dataclass(frozen=True, slots=True, eq=False)
class TextSums:
    """The documents of a corpus, as arrays of shape (n_docs,).

    Args:
        n_bytes: UTF-8 bytes of each.
        n_chars: characters of each; a byte outside valid UTF-8 counts as one.
        n_words: words of each; None without a splitter.
        splitter: the name of the splitter of these words.
        n_unspaced_chars: characters of scripts without blanks, in which the splitter finds no words.
        fingerprint: hex SHA-256 of the SHA-256 of all text and that of the lengths of the documents (int64).
    """

    n_bytes: NDArray[int64]
    n_chars: NDArray[int64]
    n_words: NDArray[int64] | None
    splitter: str | None
    n_unspaced_chars: int
    fingerprint: str

    @property
    def n_docs(self) -> int:
        """How many documents there are."""
        return len(self.n_bytes)


@dataclass(frozen=True, slots=True, eq=False)
class WordSpans:
    """Words that are whole, as first and one past the last byte, counted over all documents one after the other."""

    starts: NDArray[int64]
    stops: NDArray[int64]


_NO_WORDS: Final = WordSpans(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


class TextMeter:
    """Sums over documents that arrive in blocks.

    Args: splitter: what a word is; None counts no words.

    >>> from tokenloom.metrics.words import SPLITTERS
    >>> meter = TextMeter(SPLITTERS["whitespace"])
    >>> words = [meter.feed([b"the c"], is_open=True), meter.feed([b"at", "né é".encode()])]
    >>> [list(zip(found.starts.tolist(), found.stops.tolist())) for found in words]
    [[(0, 3)], [(4, 7), (7, 10), (11, 13)]]
    >>> sums = meter.sums()
    >>> sums.n_bytes.tolist(), sums.n_chars.tolist(), sums.n_words.tolist()
    ([7, 6], [7, 4], [2, 2])
    """

    def __init__(self, splitter: WordSplitter | None = None) -> None:
        self._splitter = splitter
        self._n_bytes, self._n_chars, self._n_words = array("q"), array("q"), array("q")
        self._digest = hashlib.sha256()
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._is_open = False
        self._n_decoded_bytes = 0
        self._word_start: int | None = None
        """Where the word begins that may go on in the next block, and below where it ends so far."""
        self._word_stop = 0
        self._n_unspaced = 0

    def feed(self, texts: Sequence[bytes], *, is_open: bool = False) -> WordSpans:
        """Take the next texts; the first goes on with the document left open, and the last stays open if `is_open`.

        Returns: the words that are whole now; none without a splitter.
        """
        if not texts:
            return _NO_WORDS
        joined = b"".join(texts)
        self._digest.update(joined)
        is_ascii = joined.isascii() and not self._decoder.getstate()[0]
        decoded = None if is_ascii else self._decoded(texts, is_open=is_open)
        sizes = list(map(len, texts))
        lengths = sizes if decoded is None else list(map(len, decoded))
        self._add(self._n_bytes, sizes)
        self._add(self._n_chars, lengths)
        words = _NO_WORDS
        if self._splitter is not None:
            words = self._words(joined, decoded, lengths, self._splitter, is_open=is_open)
        elif decoded is None:
            self._n_decoded_bytes += len(joined)
        self._is_open = is_open
        return words

    def sums(self) -> TextSums:
        """The documents so far; the last one must be whole."""
        sizes = np.array(self._n_bytes, dtype="<i8")
        both = self._digest.digest() + hashlib.sha256(sizes.tobytes()).digest()
        return TextSums(
            n_bytes=sizes,
            n_chars=np.array(self._n_chars, dtype=np.int64),
            n_words=np.array(self._n_words, dtype=np.int64) if self._splitter else None,
            splitter=self._splitter.name if self._splitter else None,
            n_unspaced_chars=self._n_unspaced,
            fingerprint=hashlib.sha256(both).hexdigest(),
        )

    def _add(self, amounts: "array[int]", found: Sequence[int]) -> None:
        """One amount a text, the first to the document that is open."""
        if self._is_open:
            amounts[-1] += found[0]
            amounts.extend(found[1:])
        else:
            amounts.extend(found)

    def _decoded(self, texts: Sequence[bytes], *, is_open: bool) -> list[str]:
        """The characters of texts; those that are not whole at the end of an open document come with the next block."""
        last = len(texts) - 1
        decoded = []
        for place, text in enumerate(texts):
            if (place == 0 and self._is_open) or (place == last and is_open):
                decoded.append(self._decoder.decode(text, final=not (place == last and is_open)))
            else:
                decoded.append(text.decode("utf-8", "surrogateescape"))
        return decoded

    def _words(
        self, joined: bytes, decoded: list[str] | None, lengths: Sequence[int], splitter: WordSplitter, *, is_open: bool
    ) -> WordSpans:
        doc_starts = np.zeros(len(lengths), dtype=np.int64)
        np.cumsum(lengths[:-1], out=doc_starts[1:])
        if decoded is None:
            codes, places = splitter.ascii_codes(joined), None
        else:
            points = np.frombuffer("".join(decoded).encode("utf-32-le", "surrogatepass"), dtype="<u4")
            codes, places = splitter.codes(points), _byte_places(points)
            self._n_unspaced += n_unspaced(codes)
        starts, stops = spans(codes, doc_starts)
        goes_on = self._word_start is not None and lengths[0] > 0 and _is_inside(codes[0])
        counts = np.diff(np.searchsorted(starts, np.append(doc_starts, len(codes)))).tolist()
        self._add(self._n_words, [counts[0] - goes_on, *counts[1:]])
        base, n_bytes = self._n_decoded_bytes, len(codes) if places is None else int(places[-1])
        if places is not None:
            starts, stops = places[starts], places[stops]
        self._n_decoded_bytes += n_bytes
        is_held = is_open and lengths[-1] > 0 and _is_inside(codes[-1])
        has_ended = lengths[0] > 0 or len(lengths) > 1 or not is_open
        return self._whole(starts + base, stops + base, goes_on=goes_on, has_ended=has_ended, is_held=is_held)

    def _whole(
        self, starts: NDArray[int64], stops: NDArray[int64], *, goes_on: bool, has_ended: bool, is_held: bool
    ) -> WordSpans:
        """The words that are whole: with the one that was held back and ended, without the one that may go on."""
        if self._word_start is not None and goes_on:
            starts[0] = self._word_start
        elif self._word_start is not None and has_ended:
            starts, stops = np.insert(starts, 0, self._word_start), np.insert(stops, 0, self._word_stop)
        if has_ended:
            self._word_start = None
        if is_held:
            self._word_start, self._word_stop = int(starts[-1]), int(stops[-1])
            starts, stops = starts[:-1], stops[:-1]
        return WordSpans(starts, stops)


def _is_inside(code: Any) -> bool:
    return int(code) & 3 == CODES["inside"]


def _byte_places(points: NDArray[Any]) -> NDArray[int64]:
    """Where each character begins in bytes, and the end."""
    sizes = np.ones(len(points), dtype=np.int8)
    for least in (0x80, 0x800, 0x10000):
        sizes += points >= least
    sizes[(points >= 0xDC80) & (points <= 0xDCFF)] = 1  # a byte outside valid UTF-8
    places = np.zeros(len(points) + 1, dtype=np.int64)
    np.cumsum(sizes, out=places[1:])
    return places
