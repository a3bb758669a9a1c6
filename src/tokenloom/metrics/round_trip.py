"""Whether texts come back: the share of documents that decoding their ids gives byte for byte, and where one does not.

Blocks as for `TextMeter`: a document of a byte-level tokenizer is compared while it comes, one of another tokenizer is
kept until it ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tokenloom.metrics.ratios import ratio_of_sums
from tokenloom.tokenizer import Tokenizer

__all__ = ["Difference", "RoundTrip", "RoundTripMeter", "exact_match_rate"]

_EXCERPT_BYTES: Final = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where a document does not come back.

    Args:
        document: its number, from 0.
        byte: the first byte that differs.
        text: the document from there on, cut.
        decoded: what came back from there on, cut.
    """

    document: int
    byte: int
    text: bytes
    decoded: bytes


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """How many documents there are, how many come back byte for byte, and the first difference of the others."""

    n_docs: int
    n_exact: int
    first: Difference | None = None


def exact_match_rate(n_exact: int, n_docs: int) -> float:
    """Share of the documents that decoding gives back byte for byte; 0 to 1.

    Formula: documents x with decode(encode(x)) = x / documents. No unit.
    Raises: MetricError if there are no documents.

    >>> exact_match_rate(3, 4)
    0.75
    """
    return ratio_of_sums(n_exact, n_docs, metric="round_trip", of="documents")


class RoundTripMeter:
    """Compares documents with what their ids decode to.

    Args: tokenizer: what the ids are of.

    >>> meter = RoundTripMeter(Tokenizer({i: bytes([i]) for i in range(256)}, []))
    >>> meter.feed([b"ab", b"c"], np.array([97, 98, 99], np.uint32), np.array([0, 2, 3]), is_open=True)
    >>> meter.feed([b"d"], np.array([101], np.uint32), np.array([0, 1]))
    >>> meter.result()
    RoundTrip(n_docs=2, n_exact=1, first=Difference(document=1, byte=1, text=b'd', decoded=b'e'))
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._joins_bytes = tokenizer.spec.joins_bytes
        self._n_docs = self._n_exact = 0
        self._first: Difference | None = None
        self._open: _Compared | None = None

    def feed(self, texts: Sequence[bytes], ids: NDArray[Any], bounds: NDArray[Any], *, is_open: bool = False) -> None:
        """Take texts and their ids: those of text `i` are `ids[bounds[i]:bounds[i + 1]]`."""
        is_whole = self._joins_bytes and self._open is None and not is_open
        if is_whole and self._tokenizer.decode_bytes(ids) == b"".join(texts):
            self._n_docs += len(texts)
            self._n_exact += len(texts)
            return
        for place, text in enumerate(texts):
            compared = self._open or _Compared()
            self._open = compared
            self._part(compared, text, ids[bounds[place] : bounds[place + 1]])
            if not (is_open and place == len(texts) - 1):
                self._end(compared)

    def result(self) -> RoundTrip:
        """What was found so far; the last document must be whole."""
        return RoundTrip(self._n_docs, self._n_exact, self._first)

    def _part(self, compared: "_Compared", text: bytes, ids: NDArray[Any]) -> None:
        if self._joins_bytes:
            compared.add(text, self._tokenizer.decode_bytes(ids))
        else:
            compared.add(text, b"")
            compared.ids.append(ids)

    def _end(self, compared: "_Compared") -> None:
        if compared.ids:
            compared.add(b"", self._tokenizer.decode_bytes(np.concatenate(compared.ids)))
        difference = compared.end(self._n_docs)
        self._n_docs += 1
        self._n_exact += difference is None
        self._first = self._first or difference
        self._open = None


class _Compared:
    """A document on its way: what is not compared yet of its text and of what was decoded."""

    def __init__(self) -> None:
        self.ids: list[NDArray[Any]] = []
        self._text, self._decoded = b"", b""
        self._n_equal = 0
        self._differs = False

    def add(self, text: bytes, decoded: bytes) -> None:
        """Compare what both have by now."""
        if self._differs:
            return
        self._text = self._text + text if self._text else text
        self._decoded = self._decoded + decoded if self._decoded else decoded
        n_both = min(len(self._text), len(self._decoded))
        if self._text[:n_both] != self._decoded[:n_both]:
            self._differs = True
            n_both = _first_difference(self._text, self._decoded)
        self._text, self._decoded = self._text[n_both:], self._decoded[n_both:]
        self._n_equal += n_both

    def end(self, document: int) -> Difference | None:
        """The first difference of the whole document; None if it came back."""
        if not self._text and not self._decoded:
            return None
        return Difference(document, self._n_equal, self._text[:_EXCERPT_BYTES], self._decoded[:_EXCERPT_BYTES])


def _first_difference(first: bytes, second: bytes) -> int:
    n_both = min(len(first), len(second))
    a, b = (np.frombuffer(data[:n_both], dtype=np.uint8) for data in (first, second))
    return int(np.argmax(a != b))
