"""Facts about tokens, checked on small examples and against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.metrics import (
    cross_class_tokens,
    half_character_tokens,
    is_cross_class,
    is_half_character,
    longest_tokens,
    token_counts,
    token_lengths,
    token_usage,
)


@given(st.text())
def test_text_is_never_half_a_character(text: str) -> None:
    assert not is_half_character(text.encode())


@given(st.text(st.characters(min_codepoint=0x80, exclude_categories=["Cs"]), min_size=1))
def test_text_without_its_last_byte_is_half_a_character(text: str) -> None:
    assert is_half_character(text.encode()[:-1])


@pytest.mark.parametrize("token", [b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff"])
def test_bytes_that_utf8_forbids_are_half_characters(token: bytes) -> None:
    assert is_half_character(token)


def test_half_characters_among_the_bytes_are_those_above_ascii() -> None:
    assert sorted(half_character_tokens({byte: bytes([byte]) for byte in range(256)})) == list(range(128, 256))


@pytest.mark.parametrize(
    ("token", "crosses"),
    [
        (" straße", False),
        ("éa", False),
        ("e\u0301", False),
        ("你好", False),
        (" 2024", False),
        ("...", False),
        ("\n\n", False),
        ("  \t", False),
        ("20th", True),
        ("don't", True),
        (" (a", True),
        ("\ta", True),
        ("  a", True),
        ("a ", True),
        ("¼.", True),
        ("_a", True),
    ],
)
def test_tokens_cross_classes_as_defined(token: str, crosses: bool) -> None:
    assert is_cross_class(token.encode()) is crosses


def test_half_characters_have_no_class() -> None:
    assert not is_cross_class(b"a\xe4\xbd")
    assert is_cross_class(b"\xbd a.")


def test_cross_class_tokens_keep_their_ids() -> None:
    assert cross_class_tokens({7: b"a1", 9: b"a"}) == {7: b"a1"}


@given(st.lists(st.binary(max_size=8)))
def test_lengths_in_bytes_count_every_token(tokens: list[bytes]) -> None:
    lengths = token_lengths(tokens)
    assert sum(lengths.values()) == len(tokens)
    assert sum(length * n for length, n in lengths.items()) == sum(map(len, tokens))


@given(st.lists(st.text(max_size=8)))
def test_lengths_in_characters_are_those_of_the_text(texts: list[str]) -> None:
    lengths = token_lengths([text.encode() for text in texts], unit="chars")
    assert sum(length * n for length, n in lengths.items()) == sum(map(len, texts))


def test_longest_tokens_of_equal_length_come_by_id() -> None:
    assert list(longest_tokens({5: b"ab", 3: b"cd", 4: b"e"}, n=2)) == [3, 5]


@given(st.lists(st.lists(st.integers(0, 9))), st.sampled_from([np.uint16, np.uint32]))
def test_counts_over_arrays_are_those_of_all_ids(arrays: list[list[int]], dtype: type[np.unsignedinteger]) -> None:
    counts = token_counts([np.array(array, dtype) for array in arrays], n_ids=10)
    joined = [token_id for array in arrays for token_id in array]
    assert counts.tolist() == [joined.count(token_id) for token_id in range(10)]


def test_id_outside_the_vocabulary_is_refused() -> None:
    with pytest.raises(ValueError, match=r"ids: 4 is not below the number of ids, 4\."):
        token_counts([np.array([4], np.uint16)], n_ids=4)


def test_usage_orders_by_count_then_id_and_lists_the_unused() -> None:
    usage = token_usage([2, 9, 0, 2], ids=range(4))
    assert usage.frequent == ((1, 9), (0, 2), (3, 2))
    assert usage.unused_ids == (2,)
    assert usage.share_of_most_frequent(1) == 9 / 13


def test_usage_of_nothing_has_no_share() -> None:
    usage = token_usage([0, 0], ids=range(2))
    assert usage.share_of_most_frequent(5) == 0
    assert usage.unused_ids == (0, 1)


def test_ids_without_a_token_are_not_called_unused() -> None:
    assert token_usage([1, 0, 0], ids=[0, 2]).unused_ids == (2,)
