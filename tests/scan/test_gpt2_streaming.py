"""A text that arrives in parts gives the ids of the whole, wherever it is cut, also inside a character."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import HARD_PARTS, bytes_texts, chunked, hard_texts
from tokenloom import EncodeError, Tokenizer, train

SPECIALS = ["<|endoftext|>", "<|endoftext|><|endoftext|>", "<|"]
CORPUS = " ".join(HARD_PARTS) * 2 + "we'll we're we've " * 20
"""Contractions are tokens, so a wrong cut inside one changes ids."""
TOKENIZERS = [
    train([CORPUS], 450, SPECIALS, special_text="parse"),
    train([CORPUS], 450, SPECIALS, special_text="parse", pattern=None),
    train([CORPUS], 450),
]

every_tokenizer = pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=["gpt2", "no pattern", "no special tokens"])


def one_by_one(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def with_cuts(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    return [data[start:end] for start, end in pairwise((0, *cuts, len(data)))]


@every_tokenizer
@given(data=bytes_texts)
@settings(max_examples=200)
def test_single_bytes_give_the_ids_of_the_whole(tokenizer: Tokenizer, data: bytes) -> None:
    assert list(tokenizer.encode_iterable(one_by_one(data))) == tokenizer.encode(data)


@every_tokenizer
@given(text=hard_texts)
@settings(max_examples=100)
def test_single_characters_give_the_ids_of_the_whole(tokenizer: Tokenizer, text: str) -> None:
    assert list(tokenizer.encode_iterable([*text])) == tokenizer.encode(text)


@every_tokenizer
@given(data=bytes_texts, random=st.randoms(use_true_random=False), n_cuts=st.integers(0, 6))
@settings(max_examples=200)
def test_parts_of_any_size_give_the_ids_of_the_whole(
    tokenizer: Tokenizer, data: bytes, random: Random, n_cuts: int
) -> None:
    assert list(tokenizer.encode_iterable(chunked(random, data, n_cuts=n_cuts))) == tokenizer.encode(data)


@every_tokenizer
@pytest.mark.parametrize(
    "text",
    ["I'll  x\u00e9\U0001f680 \n y", "'re'v' 's", "a<|endoftext|><|endoftext|>b", "\u3000\u3000a \xa0", "a  <|b"],
)
def test_every_pair_of_cuts_gives_the_ids_of_the_whole(tokenizer: Tokenizer, text: str) -> None:
    data, expected = text.encode(), tokenizer.encode(text)
    for cuts in combinations(range(len(data) + 1), 2):
        assert list(tokenizer.encode_iterable(with_cuts(data, cuts))) == expected, cuts


@pytest.mark.parametrize("n_bytes", [1000, 4096, 65_536])
def test_a_long_text_in_parts_gives_the_ids_of_the_whole(n_bytes: int) -> None:
    random = Random(n_bytes)
    data = "".join(random.choices([*HARD_PARTS, " word", "\n"], k=20_000)).encode()
    parts = [data[at : at + n_bytes] for at in range(0, len(data), n_bytes)]
    for tokenizer in TOKENIZERS:
        assert list(tokenizer.encode_iterable(parts)) == tokenizer.encode(data)


def test_ids_come_before_the_text_has_ended() -> None:
    def parts() -> Iterator[str]:
        yield "the cat sat on the mat, " * 9
        raise AssertionError("read too far")

    assert next(TOKENIZERS[0].encode_iterable(parts())) == TOKENIZERS[0].encode("the cat")[0]


def test_a_run_of_one_piece_in_small_parts_is_not_scanned_again_each_time() -> None:
    """Quadratic work would be 250 times the work of the whole, and take minutes."""
    parts = ["a" * 1000] * 1000
    assert list(TOKENIZERS[0].encode_iterable(parts)) == TOKENIZERS[0].encode("a" * 1_000_000)


@pytest.mark.parametrize("cut", [len, lambda text: 1])
def test_a_refused_token_is_found_at_its_place_in_the_whole(cut: Callable[[str], int]) -> None:
    text = "x" * 40_000 + " <|endoftext|>"
    size = cut(text)
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    with pytest.raises(EncodeError, match="at byte 40001 of the text"):
        list(TOKENIZERS[0].encode_iterable(parts, disallowed_special={"<|endoftext|>"}))


@every_tokenizer
def test_empty_parts_change_nothing(tokenizer: Tokenizer) -> None:
    assert list(tokenizer.encode_iterable(["", "a", "", b"", "b c", ""])) == tokenizer.encode("ab c")
    assert list(tokenizer.encode_iterable([])) == list(tokenizer.encode_iterable([""])) == []
