"""What a corpus is before any tokenizer: its documents in bytes, characters and words, and its fingerprint.

Texts arrive in blocks, of which the last document may go on in the next one: so a document of any length takes the
memory of a block. Every sum is kept by document, since intervals are over documents.
"""

import codecs
import hashlib
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy import bool_, int64
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
    """Words that are whole, as first and one past the last byte, counted over all documents one after the other.

    Args:
        starts, stops: of each word, shape (n_words,).
        inner: of the bytes that were looked at now, behind those of the blocks before, which go on with a word; those
            of a character that is not whole yet come with the next block.
    """

    starts: NDArray[int64]
    stops: NDArray[int64]
    inner: NDArray[bool_]


_NO_WORDS: Final = WordSpans(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_))
_INVALID: Final = re.compile("[\udc80-\udcff]")


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
        self._n_taken_bytes = 0
        """Bytes of whole characters in which words were looked for."""
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
        sizes = list(map(len, texts))
        self._add(self._n_bytes, sizes)
        before = self._decoder.getstate()[0]
        lengths = sizes if joined.isascii() and not before else self._lengths(texts, is_open=is_open)
        self._add(self._n_chars, lengths)
        words = _NO_WORDS
        if self._splitter is not None:
            after = self._decoder.getstate()[0]
            sizes[0] += len(before)
            sizes[-1] -= len(after)
            whole = (before + joined)[: sum(sizes)] if before or after else joined
            words = self._words(whole, sizes, self._splitter, is_open=is_open)
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

    def _lengths(self, texts: Sequence[bytes], *, is_open: bool) -> list[int]:
        """Characters of texts; those that are not whole at the end of an open document count with the next block."""
        last = len(texts) - 1
        lengths = []
        for place, text in enumerate(texts):
            if (place == 0 and self._is_open) or (place == last and is_open):
                lengths.append(len(self._decoder.decode(text, final=not (place == last and is_open))))
            else:
                lengths.append(len(text) if text.isascii() else len(text.decode("utf-8", "surrogateescape")))
        return lengths

    def _words(self, whole: bytes, sizes: Sequence[int], splitter: WordSplitter, *, is_open: bool) -> WordSpans:
        """The words of documents of these sizes, of which the characters are whole."""
        doc_starts = np.zeros(len(sizes), dtype=np.int64)
        np.cumsum(sizes[:-1], out=doc_starts[1:])
        codes = splitter.codes(_valid(whole))
        self._n_unspaced += n_unspaced(codes)
        starts, stops, inner = spans(codes, doc_starts)
        goes_on = self._word_start is not None and sizes[0] > 0 and _is_inside(codes[0])
        counts = np.diff(np.searchsorted(starts, np.append(doc_starts, len(codes)))).tolist()
        self._add(self._n_words, [counts[0] - goes_on, *counts[1:]])
        if goes_on:
            inner[0] = True
        base = self._n_taken_bytes
        self._n_taken_bytes += len(codes)
        is_held = is_open and sizes[-1] > 0 and _is_inside(codes[-1])
        has_ended = sizes[0] > 0 or len(sizes) > 1 or not is_open
        starts, stops = self._whole(starts + base, stops + base, goes_on=goes_on, has_ended=has_ended, is_held=is_held)
        return WordSpans(starts, stops, inner)

    def _whole(
        self, starts: NDArray[int64], stops: NDArray[int64], *, goes_on: bool, has_ended: bool, is_held: bool
    ) -> tuple[NDArray[int64], NDArray[int64]]:
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
        return starts, stops


def _is_inside(code: Any) -> bool:
    return int(code) & 3 == CODES["inside"]


def _valid(text: bytes) -> bytes:
    r"""The text with each byte outside valid UTF-8 as one that is not: such a byte is no letter, number or blank.

    >>> _valid(b"a\xff\xc3")
    b'a\x00\x00'
    """
    if text.isascii():
        return text
    try:
        text.decode()
    except UnicodeDecodeError:
        return _INVALID.sub("\0", text.decode("utf-8", "surrogateescape")).encode()
    return text
