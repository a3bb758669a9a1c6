"""Cutting text without blanks into the most probable words of a dictionary, with the runners-up."""

from collections.abc import Mapping
from heapq import nlargest
from math import isfinite, log
from types import MappingProxyType
from typing import Final, NamedTuple, Optional

from tokenloom.errors import SpecError
from tokenloom.wording import quoted

__all__ = ["WordCut", "WordSegmenter"]

_NONE: Final[Mapping[str, float]] = MappingProxyType({})


class WordCut(NamedTuple):
    """A text as words.

    Args:
        words: joined they are the text.
        score: the natural logarithm of the probability: the sum of those of the words.
    """

    words: tuple[str, ...]
    score: float


class _Path(NamedTuple):
    """A cut of a rest of the text: its first word, and the cut of what is left."""

    score: float
    n_chars: int
    rank: int
    rest: Optional["_Path"]


class WordSegmenter:
    """Cuts text by a dictionary with frequencies: the most probable words, each independent of the others.

    A character that begins no word of the dictionary stands by itself, as a word of frequency 1. See
    `tokenloom.lessons.word_segmentation`. Time is in the number of places where a word, or the beginning of one, is.

    Args:
        frequencies: how often each word occurs, or any weights above 0.
        user_words: more words with their weights, which count in the place of those of `frequencies`.
    Raises: SpecError for an empty dictionary or word, or a weight that is no finite number above 0.

    >>> words = {"南京市": 8, "南京": 20, "市长": 9, "长江": 30, "大桥": 12}
    >>> WordSegmenter(words).segment("南京市长江大桥")
    ['南京市', '长江', '大桥']
    >>> for cut in WordSegmenter(words, user_words={"江大桥": 60}).n_best("南京市长江大桥", 2):
    ...     print(f"{cut.score:.2f}", "/".join(cut.words))
    -5.52 南京/市长/江大桥
    -6.84 南京市/长江/大桥
    """

    __slots__ = ("_beginnings", "_single", "_weights")

    def __init__(self, frequencies: Mapping[str, float], *, user_words: Mapping[str, float] = _NONE) -> None:
        words = {**frequencies, **user_words}
        for word, weight in words.items():
            if not isinstance(word, str) or not word:
                raise SpecError(f"dictionary: {quoted(word)} is no word. Use a str of at least one character.")
            if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < float("inf"):
                raise SpecError(f"dictionary, word {quoted(word)}: its weight is {weight!r}. Use a number above 0.")
        total = sum(words.values())
        if not words or not isfinite(total):
            raise SpecError("dictionary: it has no words, or weights that have no sum. Use some, and smaller weights.")
        self._weights = {word: log(weight / total) for word, weight in words.items()}
        self._single = log(1 / total)
        self._beginnings = {word[:end] for word in words for end in range(1, len(word))}

    def segment(self, text: str) -> list[str]:
        """The most probable words of a text; of equally probable cuts that with the longer first word, and so on."""
        return list(self.n_best(text, 1)[0].words)

    def n_best(self, text: str, n: int) -> list[WordCut]:
        """The `n` most probable cuts, or all if there are fewer, the best first.

        Raises: SpecError for a number below 1.
        """
        if type(n) is not int or n < 1:
            raise SpecError(f"n {n!r}: is no number of cuts. Use a whole number from 1.")
        best: list[list[_Path]] = [[] for _ in text]
        best.append([_Path(0.0, 0, 0, None)])
        for start in range(len(text) - 1, -1, -1):
            found = [
                _Path(weight + rest.score, n_chars, rank, rest)
                for n_chars, weight in self._words_at(text, start)
                for rank, rest in enumerate(best[start + n_chars])
            ]
            best[start] = nlargest(n, found, key=lambda path: (path.score, path.n_chars, -path.rank))
        return [_cut_of(text, path) for path in best[0]]

    def _words_at(self, text: str, start: int) -> list[tuple[int, float]]:
        """Lengths and weights of the words that begin at a place."""
        found = [(1, self._weights.get(text[start], self._single))]
        n_chars = 1
        while start + n_chars < len(text) and text[start : start + n_chars] in self._beginnings:
            n_chars += 1
            if (weight := self._weights.get(text[start : start + n_chars])) is not None:
                found.append((n_chars, weight))
        return found


def _cut_of(text: str, path: _Path) -> WordCut:
    words, at, step = [], 0, path
    while step.rest is not None:
        words.append(text[at : at + step.n_chars])
        at, step = at + step.n_chars, step.rest
    return WordCut(tuple(words), path.score)
