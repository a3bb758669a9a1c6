"""Texts without cheap places to cut: one kind of character, on and on."""

import random
from collections.abc import Callable, Sequence
from typing import Final

__all__ = ["FEWEST_HAN", "KINDS", "han_of", "hostile_text"]

_EMOJI: Final = ("👨‍👩‍👧‍👦", "👩🏽‍🚀", "🏳️‍🌈", "👩‍❤️‍💋‍👨", "🧑🏿‍🤝‍🧑🏻")
_FIRST_HAN, _LAST_HAN = "\u4e00", "\u9fa5"
FEWEST_HAN: Final = 10_000
"""Han characters that a text must have to be one from which they are drawn as often as they occur."""
_LOOKED_AT: Final = 200_000

Draw = Callable[[random.Random, Sequence[str]], str]

KINDS: Final[dict[str, Draw]] = {
    "a": lambda _, __: "a",
    "spaces": lambda _, __: " ",
    "latin-1 noise": lambda draw, _: chr(draw.randrange(256)),
    "Han": lambda draw, han: draw.choice(han),
    "ZWJ emoji": lambda draw, _: draw.choice(_EMOJI),
    "digits": lambda draw, _: chr(48 + draw.randrange(10)),
}
"""How the next character of each kind is drawn."""


def hostile_text(kind: str, n_bytes: int, *, han: Sequence[str], seed: int = 7) -> str:
    """A string of one kind, n_bytes of UTF-8 but for a last character that would be cut."""
    draw, drawn = random.Random(seed), []
    left = n_bytes
    while left > 0:
        drawn.append(KINDS[kind](draw, han))
        left -= len(drawn[-1].encode())
    return "".join(drawn).encode()[:n_bytes].decode("utf-8", "ignore")


def han_of(data: bytes) -> str:
    """Han characters as a text has them; if it has few, all of the basic block, each as often as the others."""
    found = [char for char in data[: 3 * _LOOKED_AT].decode("utf-8", "ignore") if _FIRST_HAN <= char <= _LAST_HAN]
    if len(found) >= FEWEST_HAN:
        return "".join(found)
    return "".join(map(chr, range(ord(_FIRST_HAN), ord(_LAST_HAN) + 1)))
