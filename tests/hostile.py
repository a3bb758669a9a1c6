"""Texts made to be cut, found, normalized or joined wrongly, as many as are asked for, the same ones for the same seed.

Faster than drawing by `hypothesis`, and without its shrinking: for comparing millions of texts with another library.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Final

from tests.strategies import HARD_PARTS

__all__ = ["hostile_texts"]

_Part = Callable[[Random], str]

BLANKS: Final = (" ", " ", "  ", "\n", "\n", "\r\n", "\r", "\t", "\x85", "\xa0", "\u180e", "\u2028", "\u3000", "\x0b")
MARKS: Final = "\u0301\u0300\u0323\u0307\u0345\u0334\u08d3\u094d\u0e34\u20dd\u3099\ufe0f\u200d\u200c"
CONTRACTIONS: Final = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'\u017f", "\u2019s", "\u2019LL", "'", "''", "`s")
DIGITS: Final = (
    "0123456789",
    "0123456789",
    "\u0660\u0661\u0662\u0663\u06f4",
    "\u0966\u0967",
    "\u00bd\u00b2\u2167\u2460",
)
WORDS: Final = (
    "the",
    "hello",
    "camel",
    "http",
    "server",
    "stra\u00dfe",
    "\u0130i",
    "\u01c5ep",
    "\ufb01n",
    "\u03a3\u03c2",
)
EMOJI: Final = (
    "\U0001f468",
    "\U0001f469",
    "\u200d",
    "\ufe0f",
    "\U0001f3fd",
    "\U0001f1e9",
    "\U0001f1ea",
    "\u2764",
    "\u20e3",
)
SIGNS: Final = "!?.,;:/\\-_#$%&()*+<=>@[]^`{|}~\"'\u00ab\u2014\u3001\u30fb\u20ac\u2581\uff5c"
RANGES: Final = (
    *((0x20, 0x7F), (0x80, 0x250), (0x250, 0x900), (0x900, 0x1200), (0x1200, 0x3000)),
    *((0x3040, 0x3100), (0x4E00, 0xA000), (0xAC00, 0xD7A4), (0xE000, 0xF900), (0xF900, 0x10000)),
    *((0x10000, 0x20000), (0x1F300, 0x1FB00), (0x20000, 0x33480), (0xE0000, 0xE0200), (0xF0000, 0x110000)),
)
"""Scripts, blocks of one script, private use, what later versions of Unicode may assign, and astral planes."""


def hostile_texts(seed: int, n_texts: int, markers: Sequence[str] = ()) -> Iterator[str]:
    """Texts of up to 14 parts; `markers` are special tokens, which occur whole, cut, doubled and between blanks."""
    random = Random(seed)
    kinds: list[_Part] = [_hard, _hard, _hard, _scalar, _scalar, _blanks, _marks, _contraction, _digits, _word]
    kinds += [_cjk, _emoji, _signs, partial(_marker, markers or ("<|endoftext|>",))]
    for _ in range(n_texts):
        yield "".join([kind(random) for kind in random.choices(kinds, k=int(random.random() * 15))])


def _hard(random: Random) -> str:
    return random.choice(HARD_PARTS)


def _scalar(random: Random) -> str:
    return chr(random.randrange(*random.choice(RANGES)))


def _blanks(random: Random) -> str:
    return "".join(random.choices(BLANKS, k=random.randint(1, 6)))


def _marks(random: Random) -> str:
    return random.choice("eaqOK\u0928\u304b ") + "".join(random.choices(MARKS, k=random.randint(1, 4)))


def _contraction(random: Random) -> str:
    return random.choice(("", "he", "WE", "\u00e9")) + _any_case(random, random.choice(CONTRACTIONS))


def _digits(random: Random) -> str:
    return "".join(random.choices(random.choice(DIGITS), k=random.randint(1, 9)))


def _word(random: Random) -> str:
    return random.choice(("", " ", "_")) + "".join(
        _any_case(random, word) for word in random.choices(WORDS, k=random.randint(1, 3))
    )


def _cjk(random: Random) -> str:
    start, end = random.choice(
        ((0x4E00, 0xA000), (0x4E00, 0x5000), (0x3041, 0x30FF), (0xAC00, 0xD7A4), (0x1100, 0x1200))
    )
    return "".join(chr(random.randrange(start, end)) for _ in range(random.randint(1, 5)))


def _emoji(random: Random) -> str:
    return "".join(random.choices(EMOJI, k=random.randint(1, 5)))


def _signs(random: Random) -> str:
    return random.choice(("", " ")) + "".join(random.choices(SIGNS, k=random.randint(1, 5)))


def _marker(markers: Sequence[str], random: Random) -> str:
    marker = random.choice(markers)
    match random.randrange(6):
        case 0:
            return marker[: random.randint(1, len(marker))]
        case 1:
            return marker[random.randrange(len(marker)) :]
        case 2:
            return marker + random.choice(markers)
        case 3:
            return _any_case(random, marker)
        case _:
            return _blanks(random) + marker + random.choice(("", " ", "\n", "x"))


def _any_case(random: Random, word: str) -> str:
    """As it is, in one case, or in any mixture."""
    match random.randrange(5):
        case 0:
            return word.upper()
        case 1:
            return word.title()
        case 2:
            return "".join(random.choice((character.lower(), character.upper())) for character in word)
        case _:
            return word
