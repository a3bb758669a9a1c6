from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.strategies import random_corpus
from tokenloom import Tokenizer, train
from tokenloom.errors import SpecError
from tokenloom.spec import (
    AddedToken,
    TokenizerSpec,
    build_spec,
    grown_spec,
    padded_spec,
    reserved_spec,
    truncated_spec,
)
from tokenloom.spec.packing import pack_uint32
from tokenloom.trainers import CharacterAlphabet

BYTES = {byte: bytes([byte]) for byte in range(256)}
CORPUS = random_corpus(Random(1), n_symbols=5, most_symbols=400).decode() + " the cat in the hat" * 20
RULES = list(product(["lexicographic", "lowest-id", "first-seen"], ["bytes", "gpt2"], [(), ("<|end|>", "\n", "é")]))


def trained(size: int, tie_break: Any, alphabet: Any, specials: tuple[str, ...]) -> TokenizerSpec:
    return train([CORPUS], size, specials, tie_break=tie_break, alphabet=alphabet).spec


@pytest.mark.parametrize(("tie_break", "alphabet", "specials"), RULES)
def test_truncated_training_is_the_smaller_training(tie_break: str, alphabet: str, specials: tuple[str, ...]) -> None:
    large = trained(290, tie_break, alphabet, specials)
    for size in (258, 270, 289, 290):
        small = trained(size, tie_break, alphabet, specials)
        assert truncated_spec(large, size).fingerprint == small.fingerprint
        assert len(Tokenizer.from_spec(small)) == size


def test_all_merges_can_go() -> None:
    spec = trained(270, "lexicographic", "bytes", ("<|end|>",))
    assert truncated_spec(spec, 257) == build_spec(BYTES, [], ["<|end|>"])


def test_ids_of_a_file_are_compacted_in_their_order() -> None:
    vocabulary = {byte + 10: bytes([byte]) for byte in range(256)} | {0: b"abc", 3: b"ab", 900: b"cd"}
    spec = build_spec(vocabulary, [(b"a", b"b"), (b"c", b"d"), (b"ab", b"c")], ["<s>"])
    small = truncated_spec(spec, 258)
    assert small.vocabulary() == {0: b"ab", 257: b"<s>"} | {byte + 1: bytes([byte]) for byte in range(256)}
    assert small.merge_list() == [(b"a", b"b")]
    assert truncated_spec(spec, 259).special_tokens == (AddedToken("<s>", 258),)


def test_merge_that_makes_a_token_again_stays_with_it() -> None:
    spec = build_spec(BYTES | {256: b"aa", 257: b"aaa"}, [(b"a", b"a"), (b"aa", b"a"), (b"a", b"aa")])
    assert truncated_spec(spec, 258) == spec
    assert truncated_spec(spec, 257).merge_list() == [(b"a", b"a")]


def test_special_token_that_a_dropped_merge_made_stays_special() -> None:
    spec = build_spec(BYTES | {256: b"cd", 257: b"ab"}, [(b"c", b"d"), (b"a", b"b")], ["ab"])
    small = truncated_spec(spec, 257)
    assert small.special_tokens == (AddedToken("ab", 256),)
    assert small.merge_list() == []
    assert Tokenizer.from_spec(small).encode("cab", allowed_special="all") == [ord("c"), 256]
    assert Tokenizer.from_spec(small).encode("cab", disallowed_special=()) == list(b"cab")


def test_token_that_no_merge_makes_stays() -> None:
    spec = build_spec(BYTES | {256: b"<s>", 257: b"ab"}, [(b"a", b"b")])
    assert truncated_spec(spec, 257).vocabulary()[256] == b"<s>"


def test_a_merge_that_makes_no_token_is_refused() -> None:
    """A spec may say so until a tokenizer is made of it."""
    spec = build_spec({i: bytes([i]) for i in range(256)} | {256: b"ab"}, [(b"a", b"b")])
    broken = replace(spec, merges=pack_uint32([97, 98, 97, 99]))
    with pytest.raises(SpecError, match=r"merges: a merge makes b'ac', which is not in the vocabulary\. Add"):
        truncated_spec(broken, 256)


def test_a_model_of_characters_is_not_cut() -> None:
    spec = train(["ab"], 3, pattern=None, characters=CharacterAlphabet()).spec
    with pytest.raises(SpecError, match="vocabulary_size: a model that does not join bytes cannot be cut"):
        truncated_spec(spec, 2)


def test_lowest_ranks_stay() -> None:
    spec = build_spec(BYTES | {300: b"abc", 258: b"bc"}, [], ["<s>"], semantics="ranks")
    assert truncated_spec(spec, 258).vocabulary() == BYTES | {256: b"bc", 257: b"<s>"}


def test_reserved_and_padding_tokens_stay() -> None:
    spec = padded_spec(build_spec(BYTES | {256: b"ab"}, [(b"a", b"b")]), 4)
    assert truncated_spec(spec, 259) == reserved_spec(build_spec(BYTES, []), 3)
    with pytest.raises(SpecError, match="from 259"):
        truncated_spec(spec, 258)


@pytest.mark.parametrize("size", [-1, 256, 260, 258.0, True, "258", None])
def test_size_that_cannot_be_had_is_refused_with_the_range(size: Any) -> None:
    spec = build_spec(BYTES | {256: b"ab", 257: b"abc"}, [(b"a", b"b"), (b"ab", b"c")], ["<s>"])
    with pytest.raises(SpecError, match=r"vocabulary_size .*from 257 .* to 259, as it has 259 tokens\. Choose"):
        truncated_spec(spec, size)


def test_reserved_tokens_follow_the_highest_id_and_number() -> None:
    spec = reserved_spec(build_spec(BYTES | {400: b"<|reserved_special_token_6|>"}, [], ["<s>"]), 2)
    assert spec.special_tokens == (
        AddedToken("<s>", 401),
        AddedToken("<|reserved_special_token_7|>", 402),
        AddedToken("<|reserved_special_token_8|>", 403),
    )
    assert Tokenizer.from_spec(spec).decode([403]) == "<|reserved_special_token_8|>"
    assert reserved_spec(spec, 0) == spec


@pytest.mark.parametrize(("multiple", "n_ids"), [(1, 257), (64, 320), (257, 257), (1000, 1000)])
def test_padding_fills_up_to_the_multiple(multiple: int, n_ids: int) -> None:
    assert len(Tokenizer.from_spec(padded_spec(build_spec(BYTES, [], ["<s>"]), multiple))) == n_ids


@pytest.mark.parametrize("value", [-1, 1.0, True, "2", None])
def test_numbers_that_are_none_are_refused(value: Any) -> None:
    spec = build_spec(BYTES, [])
    with pytest.raises(SpecError, match=r"argument n: .* is not a number of tokens\. Pass"):
        reserved_spec(spec, value)
    with pytest.raises(SpecError, match=r"argument multiple: .* is not a multiple\. Pass"):
        padded_spec(spec, value)


def test_padding_with_zero_is_refused() -> None:
    with pytest.raises(SpecError, match="argument multiple: 0 is not"):
        padded_spec(build_spec(BYTES, []), 0)


def test_more_reserved_tokens_than_ids_are_refused_before_they_are_made() -> None:
    spec = build_spec(BYTES, [])
    with pytest.raises(SpecError, match="Ask for fewer"):
        padded_spec(spec, 10**14)
    with pytest.raises(SpecError, match="Ask for fewer"):
        reserved_spec(spec, 10**14)


def test_a_grown_tokenizer_is_the_larger_training() -> None:
    small, large = trained(262, "lexicographic", "bytes", ()), trained(270, "lexicographic", "bytes", ())
    ids = {token: token_id for token_id, token in large.vocabulary().items()}
    merges = [(ids[left], ids[right]) for left, right in large.merge_list()[6:]]
    assert grown_spec(small, merges) == large


def test_ranks_grow_by_tokens_alone() -> None:
    spec = build_spec(BYTES, [], ["<s>"], semantics="ranks")
    grown = grown_spec(spec, [(97, 98), (257, 99)])
    assert (grown.vocabulary()[257], grown.vocabulary()[258], grown.merges) == (b"ab", b"abc", b"")


def test_a_tokenizer_cannot_grow_past_the_highest_id() -> None:
    spec = build_spec(BYTES | {2**24 - 2: b"ab"}, [(b"a", b"b")])
    with pytest.raises(SpecError, match="16,777,215 ids and 2 more: are over 16,777,216"):
        grown_spec(spec, [(99, 99), (100, 100)])
