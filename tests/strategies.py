"""Generated inputs that find what ordinary text hides; shared by all property tests.

Texts are joined from hard parts rather than drawn character by character, so that every example has some. Corpora have
few symbols, so that runs, overlaps and ties are the rule.
"""

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Final

from hypothesis import strategies as st

__all__ = [
    "HARD_PARTS",
    "SPECIAL_TOKENS",
    "bytes_texts",
    "chunked",
    "corpora",
    "hard_texts",
    "overlapping_specials",
    "random_bytes",
    "random_corpus",
    "runs",
]

SPECIAL_TOKENS: Final = ("<|endoftext|>", "<|endoftext|><|endoftext|>", "<|end|>", "  ", "é")
"""One is the double of another, one is a run of blanks, one has a character of two bytes."""

HARD_PARTS: Final = (
    *("e\u0301", "\u0301", "q\u0323\u0307", "\u0928\u094d\u092f", "\u1100\u1161\u11a8"),
    *("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f3f4\U000e0067\U000e007f", "\u2764\ufe0f", "\U0001f680"),
    *("'s", "'ll", "'RE", "'l", "'", "''ve", "\u2019s", "don't", "DON'T"),
    *("\r\n", "\r", "\n", "\t", "\x85", "\xa0", "\u180e", "\u200b", "\u2028", "\u3000", "\ufeff", "\x1c", "\x00"),
    *(" ", "  ", "   x", "x   ", " \n ", "1", " 23", "\u00bd", "\u0663", "\u2167", "_", "snake_case", "!?", " #"),
    *("<|endoftext|>", "<|endoftext|", "<|end|>", "<|", "|>", "<|endoftext|><|endoftext|>"),
    *("\u4f60\u597d", "the cat", "Hello", "\u1c89", "\U00010d40", "\U000323b0", "\u0378", "\U0010ffff", "\ufffd"),
    *("a" * 60, " " * 70, "\u2603" * 20, "ab" * 40, "1" * 50, "^" * 55),
)

_DAMAGE: Final = (b"\xff", b"\x80", b"\xc3", b"\xe4\xbd", b"\xf0\x9f\x91", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5")

_scalars = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)

hard_texts: st.SearchStrategy[str] = st.lists(st.sampled_from(HARD_PARTS) | _scalars, max_size=12).map("".join)
"""Valid text, without lone surrogates."""

bytes_texts: st.SearchStrategy[bytes] = st.lists(
    st.sampled_from(HARD_PARTS).map(str.encode) | st.sampled_from(_DAMAGE) | st.binary(max_size=6), max_size=12
).map(b"".join)
"""Bytes that need not be UTF-8."""

runs: st.SearchStrategy[str] = st.builds(
    lambda unit, times, tail: unit * times + tail,
    st.sampled_from(["a", "ab", " ", "\n", "\u4f60", "aab"]),
    st.integers(1, 130),
    st.sampled_from(["", "b", " x"]),
)

overlapping_specials: st.SearchStrategy[list[str]] = st.lists(
    st.sampled_from([*SPECIAL_TOKENS, "a", "ab", "aba", "bab", "<", "<|", "\n"]), max_size=5, unique=True
)
"""Sets in which one token is a part, the start or the double of another."""


def random_corpus(random: Random, *, n_symbols: int, most_symbols: int = 60) -> bytes:
    """A text over an alphabet of so many symbols; above 26 most are characters of two or three bytes."""
    symbols = [chr(97 + n) if n < 26 else chr(0x00C0 + 7 * n) for n in range(n_symbols)]
    parts = random.choices(symbols, k=random.randint(0, most_symbols))
    for _ in range(random.randint(0, 3)):
        at = random.randint(0, len(parts))
        parts[at:at] = [random.choice(symbols)] * random.randint(2, 9)
    return _with_blanks(random, parts).encode()


def random_bytes(random: Random, *, most_bytes: int = 40) -> bytes:
    """Bytes from a small set, half of which never occurs in valid UTF-8."""
    return bytes(random.choices(b"ab \n'\x80\xc3\xa9\xff\xf0", k=random.randint(0, most_bytes)))


def _with_blanks(random: Random, parts: Sequence[str]) -> str:
    return "".join(part + random.choice(["", "", "", " ", "  ", "\n", "'s"]) for part in parts)


corpora: st.SearchStrategy[bytes] = st.builds(
    lambda random, n_symbols: random_corpus(random, n_symbols=n_symbols),
    st.randoms(use_true_random=False),
    st.sampled_from([2, 3, 5, 26, 100, 300]),
)


def chunked(random: Random, data: bytes, *, n_cuts: int) -> list[bytes]:
    """The same bytes in parts; parts may be empty and may cut characters and special tokens."""
    cuts = [0, *sorted(random.randint(0, len(data)) for _ in range(n_cuts)), len(data)]
    return [data[start:end] for start, end in pairwise(cuts)]
