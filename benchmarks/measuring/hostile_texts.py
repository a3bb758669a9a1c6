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

_DIGITS: Final = bytes(48 + i % 10 for i in range(256))

Draw = Callable[[random.Random, int, Sequence[str]], str]

KINDS: Final[dict[str, Draw]] = {
    "a": lambda _, n_bytes, __: "a" * n_bytes,
    "spaces": lambda _, n_bytes, __: " " * n_bytes,
    "latin-1 noise": lambda draw, n_bytes, _: draw.randbytes(n_bytes).decode("latin-1"),
    "Han": lambda draw, n_bytes, han: "".join(draw.choices(han, k=n_bytes // 3 + 1)),
    "ZWJ emoji": lambda draw, n_bytes, _: "".join(draw.choices(_EMOJI, k=n_bytes // min(map(_n_bytes, _EMOJI)) + 1)),
    "digits": lambda draw, n_bytes, _: draw.randbytes(n_bytes).translate(_DIGITS).decode(),
}
"""Draws so many bytes of each kind, or more."""


def hostile_text(kind: str, n_bytes: int, *, han: Sequence[str], seed: int = 7) -> str:
    """A string of one kind, n_bytes of UTF-8 but for a last character that would be cut."""
    drawn = KINDS[kind](random.Random(seed), n_bytes, han)
    return drawn.encode()[:n_bytes].decode("utf-8", "ignore")


def _n_bytes(text: str) -> int:
    return len(text.encode())


def han_of(data: bytes) -> str:
    """Han characters as a text has them; if it has few, all of the basic block, each as often as the others."""
    found = [char for char in data[: 3 * _LOOKED_AT].decode("utf-8", "ignore") if _FIRST_HAN <= char <= _LAST_HAN]
    if len(found) >= FEWEST_HAN:
        return "".join(found)
    return "".join(map(chr, range(ord(_FIRST_HAN), ord(_LAST_HAN) + 1)))
