"""A measurement: one tokenizer on one corpus, as the sums that all metrics are made of."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from tokenloom.errors import MetricError
from tokenloom.metrics.reachable import Reachability, reachability
from tokenloom.metrics.round_trip import RoundTrip
from tokenloom.metrics.surfaces import Vocabulary, vocabulary_of
from tokenloom.metrics.text_meter import TextMeter, TextSums, WordSpans
from tokenloom.metrics.token_meter import Encoded, TokenMeter, TokenSums
from tokenloom.metrics.words import WordSplitter
from tokenloom.tokenizer import Tokenizer

__all__ = ["MOST_UNSPACED", "Measurement", "Meters", "Subject", "joined", "measure_documents"]

MOST_UNSPACED: Final = 0.1
"""The share of characters of scripts without blanks up to which metrics of words have a value."""

_BATCH_BYTES: Final = 8 << 20


class Subject:
    """A tokenizer that is measured: what does not depend on a corpus is found when asked for, once.

    Args:
        tokenizer: what is measured.
        name: what it is called in tables.
    """

    def __init__(self, tokenizer: Tokenizer, name: str = "tokenizer") -> None:
        self.tokenizer = tokenizer
        self.name = name

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Its tokens and what they stand for."""
        return vocabulary_of(self.tokenizer)

    @cached_property
    def reachability(self) -> Reachability:
        """Which of its tokens encode to themselves."""
        return reachability(self.tokenizer, self.vocabulary)


@dataclass(frozen=True, eq=False)
class Measurement:
    """One tokenizer on one corpus.

    Args:
        text: what the corpus is.
        tokens: what the tokenizer made of it.
        subject: the tokenizer; None where only amounts are known.
        reference: the measurement of a reference tokenizer on the same corpus; None for none.
    """

    text: TextSums
    tokens: TokenSums
    subject: Subject | None = None
    reference: "Measurement | None" = field(default=None, repr=False)

    @classmethod
    def of_amounts(cls, *, n_bytes: Sequence[int], n_tokens: Sequence[int]) -> "Measurement":
        """A measurement of which bytes and tokens by document are known, from elsewhere."""
        sizes, found = np.array(n_bytes, dtype=np.int64), np.array(n_tokens, dtype=np.int64)
        text = TextSums(sizes, sizes, None, None, 0, "")
        return cls(text, TokenSums(found, np.zeros(0, dtype=np.int64), None, RoundTrip(0, 0)))

    def beside(self, reference: "Measurement") -> "Measurement":
        """The same with a reference tokenizer. Raises: MetricError if it was measured on another corpus."""
        if reference.text.fingerprint != self.text.fingerprint:
            raise MetricError("reference: was measured on another corpus. Measure both tokenizers on one corpus.")
        return replace(self, reference=reference)

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens. Raises: MetricError where the tokenizer is not known."""
        if self.subject is None:
            raise MetricError("vocabulary: is not known, only amounts are. Measure with the tokenizer itself.")
        return self.subject.vocabulary

    @cached_property
    def counts(self) -> NDArray[int64]:
        """Occurrences of each token of the vocabulary, special ones included, ids without a token left out."""
        return self.tokens.counts[self.vocabulary.ids]

    @property
    def n_words(self) -> NDArray[int64]:
        """Words by document. Raises: MetricError without a splitter, or where it finds no words in such text."""
        text = self.text
        if text.n_words is None or text.splitter is None:
            raise MetricError(
                "words: what a word is was not said. Name a splitter with words= (--words whitespace, say)."
            )
        n_chars = int(text.n_chars.sum())
        if text.n_unspaced_chars > MOST_UNSPACED * n_chars:
            share = 100 * text.n_unspaced_chars / n_chars
            raise MetricError(
                f"words: {share:.0f} % of the characters are of scripts without blanks between words, in which "
                f"{text.splitter!r} finds none. Use 'cjk-characters' for Chinese or Japanese, or bytes_per_token."
            )
        return text.n_words

    @property
    def n_continued_words(self) -> NDArray[int64]:
        """Words by document that a token begins inside of. Raises: MetricError if words were not measured."""
        if self.tokens.n_continued_words is None:
            raise MetricError("words: were not measured. Name a splitter with words= (--words whitespace, say).")
        return self.tokens.n_continued_words

    @property
    def n_reference_tokens(self) -> NDArray[int64]:
        """Tokens of the reference by document. Raises: MetricError without one."""
        if self.reference is None:
            raise MetricError("reference tokenizer: was not named. Name one with reference= (--reference TOKENIZER).")
        return self.reference.tokens.n_tokens

    @property
    def n_unknown(self) -> int:
        """Occurrences of the unknown token; 0 where there is none."""
        unknown = self.vocabulary.unknown_id
        return 0 if unknown is None else int(self.tokens.counts[unknown])


def measure_documents(
    subjects: Sequence[Subject],
    documents: Iterable[bytes | str],
    *,
    splitter: WordSplitter | None = None,
    n_threads: int | None = None,
) -> list[Measurement]:
    """Measure tokenizers on documents, which are read once.

    Args:
        subjects: the tokenizers.
        documents: whole documents; of any length and number, taken one at a time.
        splitter: what a word is; None measures no words.
        n_threads: threads that encode; None for one a core. The result does not depend on it.
    Raises: MetricError if there is no text.

    >>> tokenizer = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"at"}, [(b"a", b"t")])
    >>> [measured] = measure_documents([Subject(tokenizer)], ["the cat", "sat"])
    >>> int(measured.text.n_bytes.sum()), measured.tokens.n_tokens.tolist()
    (10, [6, 2])
    """
    meters = Meters(subjects, splitter=splitter, n_threads=n_threads)
    held: list[bytes] = []
    n_bytes = 0
    for document in documents:
        held.append(document.encode() if isinstance(document, str) else document)
        n_bytes += len(held[-1])
        if n_bytes >= _BATCH_BYTES:
            meters.feed(held)
            held, n_bytes = [], 0
    meters.feed(held)
    return meters.measurements()


class Meters:
    """Meters of several tokenizers that are fed the same blocks of one corpus.

    `feed` does all that a block needs. Its three steps can be done by threads that work ahead, each in the order of
    blocks: `words_of` what is of the text alone, then `encode`, then `count`.
    """

    def __init__(
        self, subjects: Sequence[Subject], *, splitter: WordSplitter | None = None, n_threads: int | None = None
    ) -> None:
        self._subjects = subjects
        self._text = TextMeter(splitter)
        has_words = splitter is not None
        self._tokens = [TokenMeter(one.tokenizer, has_words=has_words, n_threads=n_threads) for one in subjects]

    def feed(self, texts: Sequence[bytes], *, is_open: bool = False) -> None:
        """Take the next texts, as `TextMeter` does."""
        if texts:
            words = self.words_of(texts, is_open=is_open)
            self.count(texts, words, self.encode(texts, is_open=is_open), is_open=is_open)

    def words_of(self, texts: Sequence[bytes], *, is_open: bool = False) -> WordSpans:
        """What the texts are before any tokenizer."""
        return self._text.feed(texts, is_open=is_open)

    def encode(self, texts: Sequence[bytes], *, is_open: bool = False) -> list[Encoded]:
        """The ids of each tokenizer."""
        return [meter.encode(texts, is_open=is_open) for meter in self._tokens]

    def count(
        self, texts: Sequence[bytes], words: WordSpans, encoded: Sequence[Encoded], *, is_open: bool = False
    ) -> None:
        """What the tokenizers made of the texts."""
        for meter, found in zip(self._tokens, encoded, strict=True):
            meter.count(texts, found, is_open=is_open, words=words)

    def measurements(self) -> list[Measurement]:
        """One measurement a tokenizer. Raises: MetricError if there was no text."""
        text = self._text.sums()
        if not text.n_bytes.any():
            raise MetricError("corpus: holds no text, so nothing can be measured. Name documents that have some.")
        pairs = zip(self._tokens, self._subjects, strict=True)
        return [Measurement(text, meter.sums(), subject) for meter, subject in pairs]


def joined(measurements: Sequence[Measurement]) -> Measurement:
    """The measurement of several corpora as one, by one tokenizer; its fingerprint is made of theirs.

    Raises: MetricError without measurements.

    >>> tokenizer = Subject(Tokenizer({i: bytes([i]) for i in range(256)}, []))
    >>> parts = [measure_documents([tokenizer], [text])[0] for text in ("the cat", "hat")]
    >>> joined(parts).tokens.n_tokens.tolist()
    [7, 3]
    """
    if not measurements:
        raise MetricError("measurements: there are none to join. Pass one or more.")
    texts, tokens = [one.text for one in measurements], [one.tokens for one in measurements]
    fingerprint = hashlib.sha256("".join(text.fingerprint for text in texts).encode()).hexdigest()
    text = TextSums(
        n_bytes=np.concatenate([text.n_bytes for text in texts]),
        n_chars=np.concatenate([text.n_chars for text in texts]),
        n_words=_concatenated([text.n_words for text in texts]),
        splitter=texts[0].splitter,
        n_unspaced_chars=sum(text.n_unspaced_chars for text in texts),
        fingerprint=fingerprint,
    )
    sums = TokenSums(
        n_tokens=np.concatenate([found.n_tokens for found in tokens]),
        counts=np.sum([found.counts for found in tokens], axis=0),
        n_continued_words=_concatenated([found.n_continued_words for found in tokens]),
        round_trip=_joined_trips([found.round_trip for found in tokens]),
        n_special_tokens=sum(found.n_special_tokens for found in tokens),
    )
    return Measurement(text, sums, measurements[0].subject)


def _concatenated(arrays: Sequence[NDArray[int64] | None]) -> NDArray[int64] | None:
    known = [array for array in arrays if array is not None]
    return np.concatenate(known) if len(known) == len(arrays) else None


def _joined_trips(trips: Sequence[RoundTrip]) -> RoundTrip:
    first, n_docs = None, 0
    for trip in trips:
        if first is None and trip.first is not None:
            first = replace(trip.first, document=trip.first.document + n_docs)
        n_docs += trip.n_docs
    return RoundTrip(n_docs, sum(trip.n_exact for trip in trips), first)
