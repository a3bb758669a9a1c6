"""The gpt2 scanner equals GPT-2's pattern in the module `regex`, whose tables are also those of Unicode 16.

Contexts are pairs of neighbours of a character, one for each kind that the pattern tells apart. Here every scalar value
stands in some contexts, and the ends of each stretch of one kind, with all of U+0000 to U+2FFF, in every context.
`crates/tokenloom-core/tests/gpt2_scanner.rs` shows for every scalar value in every context that only its kind matters.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, product
from random import Random
from typing import Final

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given, settings

from tests.strategies import HARD_PARTS, bytes_texts, hard_texts, random_bytes
from tokenloom import Tokenizer
from tokenloom.lessons.pretokenizing import GPT2_PATTERN, split_gpt2_bytes

PATTERN: Final = regex.compile(GPT2_PATTERN)
NEIGHBOURS: Final = ("a", "7", " ", "\n", "\xa0", "!", "'s", "\u0301")
"""A letter, a number, the space, a line feed, another blank, something else, a contraction, a mark."""

EVERY_SCALAR: Final = [chr(scalar) for scalar in chain(range(0xD800), range(0xE000, 0x110000))]
STRETCHES: Final[list[str]] = regex.findall(r"\p{L}+|\p{N}+|\s+|[^\s\p{L}\p{N}]+", "".join(EVERY_SCALAR))
TELLING: Final = sorted({*EVERY_SCALAR[:0x3000], *chain.from_iterable(run[:2] + run[-2:] for run in STRETCHES)})

SEPARATOR: Final = "<>"
TOKENIZER: Final = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], [SEPARATOR], special_text="parse")


def cut_by_core(text: str | bytes) -> list[bytes]:
    return TOKENIZER.pretokens(text, allowed_special=(), disallowed_special=())


def cut_by_regex(text: str) -> list[bytes]:
    return list(map(str.encode, PATTERN.findall(text)))


def cut_apart(texts: Sequence[str]) -> tuple[list[bytes], Iterator[str]]:
    """Texts that begin and end on their own: all at once in the core, cut by a special token; one by one by `regex`."""
    pieces = TOKENIZER.pretokens(SEPARATOR.join(texts))
    separators = [[SEPARATOR]] * (len(texts) - 1) + [[]]
    findall = PATTERN.findall
    return pieces, chain.from_iterable(findall(text) + end for text, end in zip(texts, separators, strict=True))


def in_context(scalars: Sequence[str], before: str, after: str) -> str:
    return before + (after + before).join(scalars) + after


@pytest.mark.parametrize(("before", "after"), [("a", " "), (" ", "a"), ("!", "\n")])
def test_every_scalar_value_in_some_contexts(before: str, after: str) -> None:
    text = in_context(EVERY_SCALAR, before, after)
    assert cut_by_core(text) == cut_by_regex(text)


@pytest.mark.parametrize("before", NEIGHBOURS)
@pytest.mark.parametrize("after", NEIGHBOURS)
def test_telling_scalar_values_in_every_context(before: str, after: str) -> None:
    text = in_context(TELLING, before, after)
    assert cut_by_core(text) == cut_by_regex(text)


@pytest.mark.parametrize("neighbour", ["", *NEIGHBOURS])
def test_telling_scalar_values_at_both_ends_of_a_text(neighbour: str) -> None:
    scalars = [scalar for scalar in TELLING if scalar not in SEPARATOR]
    for texts in ([scalar + neighbour for scalar in scalars], [neighbour + scalar for scalar in scalars]):
        pieces, expected = cut_apart(texts)
        assert pieces == [piece.encode() for piece in expected]


def test_every_scalar_value_after_its_predecessor() -> None:
    text = "".join(EVERY_SCALAR)
    assert cut_by_core(text) == cut_by_regex(text)


@pytest.mark.parametrize("letter", "abcdefghijklmnopqrstuvwxyzSDMTLVR\u017f")
def test_contractions_are_cut_before_every_letter(letter: str) -> None:
    parts = product(["", "a", " ", "'"], ["", "e", "l"], ["", "x", "'s", " "])
    texts = [f"{start}'{letter}{end}{after}" for start, end, after in parts]
    assert [cut_by_core(text) for text in texts] == [cut_by_regex(text) for text in texts]


@given(hard_texts)
@settings(max_examples=300)
def test_hard_text_is_cut_like_regex(text: str) -> None:
    assert cut_by_core(text) == cut_by_regex(text)


@given(bytes_texts)
@settings(max_examples=300)
def test_invalid_bytes_are_cut_like_the_lesson(data: bytes) -> None:
    assert cut_by_core(data) == split_gpt2_bytes(data)


def test_thousands_of_broken_texts_are_cut_like_the_lesson() -> None:
    random = Random(3)
    for _ in range(2000):
        data = random_bytes(random)
        assert cut_by_core(data) == split_gpt2_bytes(data), data


def test_every_pair_of_hard_parts_is_cut_like_regex() -> None:
    for first, second in product(HARD_PARTS, repeat=2):
        assert cut_by_core(first + second) == cut_by_regex(first + second), (first, second)


@pytest.mark.parametrize("length", [16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 65_537])
@pytest.mark.parametrize("unit", ["a", " ", "\u4f60", "'s", " a", "a\n"])
def test_a_text_longer_than_a_block_is_cut_like_regex(unit: str, length: int) -> None:
    """The core works in blocks of 16 and 32 KiB."""
    text = "x" + unit * length + "y  "
    assert cut_by_core(text) == cut_by_regex(text)
