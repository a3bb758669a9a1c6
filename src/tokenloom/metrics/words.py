"""Where words begin and end, by splitters that have names: what a word is decides every metric of words.

A splitter is a rule on characters, so it runs at the speed of arrays: each character is a blank, or joins its
neighbours of the same kind to one word, or is a word of its own. None of these finds words in text that is written
without blanks between them, so metrics of words refuse such text.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy import bool_, int64, uint8
from numpy.typing import NDArray

from tokenloom.errors import MetricError
from tokenloom.wording import quoted

__all__ = [
    "CODES",
    "SPLITTERS",
    "CharacterKind",
    "WordSplitter",
    "is_unspaced",
    "n_unspaced",
    "spans",
    "word_splitter",
]

CharacterKind: TypeAlias = Literal["blank", "inside", "alone"]

CODES: Final[Mapping[str, int]] = {"blank": 0, "inside": 1, "alone": 2, "tail": 3}
"""The kinds as numbers; the bytes behind the first of a character that is alone are its tail."""
_UNSPACED: Final = 4
"""Added to the code of a character of a script without blanks, unless it is a word of its own."""
_UNKNOWN: Final = 255
_N_CODE_POINTS: Final = 0x110000
_N_ASCII: Final = 0x80
_LEAST_LEAD: Final = 0xC0
"""Of the first bytes of characters above ASCII."""

_CJK: Final = (
    *((0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)),
    *((0x20000, 0x323AF), (0x3040, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x3100, 0x312F), (0x31A0, 0x31BF)),
)
"""Han, kana and bopomofo: first and last code points."""
_SOUTHEAST_ASIAN: Final = (
    *((0x0E00, 0x0EFF), (0x0F00, 0x0FFF), (0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),
    *((0x1780, 0x17FF), (0x19E0, 0x19FF)),
)
"""Thai and Lao, Tibetan, Myanmar, Khmer."""


@dataclass(frozen=True)
class WordSplitter:
    """What a word is, by the kind of each character.

    Args:
        name: stands beside every value that it decides.
        summary: what it does, in one line.
        kind_of: the kind of a character: "blank" is in no word, those "inside" that stand side by side are one word,
            one "alone" is a word of its own.

    >>> SPLITTERS["whitespace"].words("to  be,or"), SPLITTERS["punctuation"].words("don't be_not")
    (['to', 'be,or'], ['don', "'", 't', 'be_not'])
    """

    name: str
    summary: str
    kind_of: Callable[[str], CharacterKind]
    _table: NDArray[uint8] = field(
        default_factory=lambda: np.full(_N_CODE_POINTS, _UNKNOWN, dtype=np.uint8), repr=False, compare=False
    )

    def codes(self, text: bytes) -> NDArray[uint8]:
        """The kind of each byte of a text in UTF-8 as a number, flagged in scripts without blanks: see `spans`."""
        table = self._codes_of(np.arange(_N_ASCII, dtype=np.uint32)).tobytes() + bytes(256 - _N_ASCII)
        codes = np.frombuffer(text.translate(table), dtype=np.uint8)
        if text.isascii():
            return codes
        codes = codes.copy()
        data = np.frombuffer(text, dtype=np.uint8)
        leads = np.flatnonzero(data >= _LEAST_LEAD)
        points, n_tails = _code_points(data, leads)
        found = self._codes_of(points)
        codes[leads] = found
        tails = np.where(found == CODES["alone"], CODES["tail"], found & 3)
        for place in range(1, 4):
            has_tail = n_tails >= place
            codes[leads[has_tail] + place] = tails[has_tail]
        return codes

    def words(self, text: str) -> list[str]:
        """The words of a text, to see what the splitter does."""
        data = text.encode()
        starts, stops, _ = spans(self.codes(data), np.zeros(1, dtype=np.int64))
        return [data[start:stop].decode() for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]

    def _codes_of(self, points: NDArray[Any]) -> NDArray[uint8]:
        codes: NDArray[uint8] = self._table[points]
        is_new = codes == _UNKNOWN
        if is_new.any():
            new = np.unique(points[is_new])
            self._table[new] = [self._code(chr(point)) for point in new.tolist()]
            codes = self._table[points]
        return codes

    def _code(self, char: str) -> int:
        code = CODES[self.kind_of(char)]
        return code | _UNSPACED if code == CODES["inside"] and is_unspaced(char) else code


def spans(codes: NDArray[uint8], doc_starts: NDArray[Any]) -> tuple[NDArray[int64], NDArray[int64], NDArray[bool_]]:
    """First and one past the last byte of each word, and which bytes go on with a word; no word goes over documents.

    >>> codes = np.array([1, 1, 0, 2, 3, 2, 1], np.uint8)
    >>> [found.tolist() for found in spans(codes, np.array([0, 1]))][:2]
    [[0, 1, 3, 5, 6], [1, 2, 5, 6, 7]]
    """
    kinds = codes & 3
    inside = kinds == CODES["inside"]
    goes_on = kinds == CODES["tail"]
    goes_on[1:] |= inside[1:] & inside[:-1]
    goes_on[doc_starts[doc_starts < len(codes)]] = False
    is_word = kinds > 0
    begins = is_word & ~goes_on
    ends = is_word.copy()
    ends[:-1] &= ~goes_on[1:]
    return np.flatnonzero(begins), np.flatnonzero(ends) + 1, goes_on


def _code_points(data: NDArray[uint8], leads: NDArray[int64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The characters that begin at these bytes, each above ASCII, and how many bytes follow the first of each."""
    first = data[leads].astype(np.uint32)
    n_tails = (first >= _LEAST_LEAD).astype(np.uint32) + (first >= 0xE0) + (first >= 0xF0)
    points = first & (0x3F >> n_tails)
    for place in range(1, 4):
        has_tail = n_tails >= place
        points[has_tail] = points[has_tail] << 6 | (data[leads[has_tail] + place] & 0x3F)
    return points, n_tails


def n_unspaced(codes: NDArray[uint8]) -> int:
    """Characters of scripts without blanks that the splitter does not take as words: only first bytes have the flag."""
    return int(np.count_nonzero(codes & _UNSPACED))


def is_unspaced(char: str) -> bool:
    """Whether a character belongs to a script that puts no blanks between words.

    Han, kana, bopomofo, Thai, Lao, Tibetan, Myanmar and Khmer, by their blocks.

    >>> [is_unspaced(char) for char in "a你かไ한"]
    [False, True, True, True, False]
    """
    return _is_in(_CJK, char) or _is_in(_SOUTHEAST_ASIAN, char)


def word_splitter(name: str) -> WordSplitter:
    """The splitter of a name. Raises: MetricError for one that is not known, with those that are."""
    if name not in SPLITTERS:
        known = ", ".join(map(repr, SPLITTERS))
        raise MetricError(f"word splitter {quoted(name)}: is unknown. Use one of {known}, or a WordSplitter of yours.")
    return SPLITTERS[name]


def _is_in(blocks: tuple[tuple[int, int], ...], char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in blocks)


def _whitespace(char: str) -> CharacterKind:
    return "blank" if char.isspace() else "inside"


def _punctuation(char: str) -> CharacterKind:
    if char.isspace():
        return "blank"
    return "inside" if char == "_" or unicodedata.category(char)[0] in "LMN" else "alone"


def _cjk_characters(char: str) -> CharacterKind:
    return "alone" if _is_in(_CJK, char) else _whitespace(char)


SPLITTERS: Final[dict[str, WordSplitter]] = {
    splitter.name: splitter
    for splitter in (
        WordSplitter("whitespace", "what stands between blanks (str.split)", _whitespace),
        WordSplitter(
            "punctuation",
            "runs of letters with their marks, numbers and _; each other character but a blank is a word of its own",
            _punctuation,
        ),
        WordSplitter(
            "cjk-characters", "as whitespace, and each Han, kana or bopomofo character is a word", _cjk_characters
        ),
    )
}
"""The word splitters by name."""
