"""BPE-dropout: the core's ids are those of its lesson, and the laws that hold for every seed."""

import re
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.test_tokenizer_laws import LOSSLESS, LOSSY
from tests.strategies import bytes_texts, hard_texts, random_bytes, random_corpus, runs
from tests.tokenizer.test_characters_equal_lesson import LETTERS, OTHERS, random_vocabulary, tokenizer_of
from tests.tokenizer.test_encode_equals_lesson import by_merges, by_ranks, random_tokens
from tokenloom import EncodeError, Tokenizer, train
from tokenloom.lessons import byte_pair, characters
from tokenloom.lessons.dropout import (
    encode_with_dropout,
    merge_with_dropout,
    ranks_of_merges,
    ranks_of_tokens,
    throw_dice,
)
from tokenloom.lessons.pretokenizing import split_gpt2_bytes

HAT = "the cat in the hat "
TRAINED = train([HAT * 3], 264)
SHARES = (0.1, 0.5, 0.9)
MERGING = {name: tokenizer for name, tokenizer in (LOSSLESS | LOSSY).items() if tokenizer.spec.model.type == "bpe"}
every_tokenizer = pytest.mark.parametrize("tokenizer", MERGING.values(), ids=MERGING)
lossless_tokenizer = pytest.mark.parametrize("tokenizer", LOSSLESS.values(), ids=LOSSLESS)
shares = st.sampled_from([*SHARES, 1, 1e-300]) | st.floats(0, 1)
seeds = st.integers(0, 2**64 - 1)
texts = hard_texts | bytes_texts | runs
few = settings(max_examples=25)


def tokens_of(tokenizer: Tokenizer, text: bytes, dropout: float, seed: int) -> list[bytes]:
    ids = tokenizer.encode(text, disallowed_special=(), dropout=dropout, seed=seed)
    return [tokenizer.token_bytes(token_id) for token_id in ids]


@pytest.mark.parametrize("n_symbols", [1, 2, 3, 26])
def test_merges_are_left_out_as_in_the_lesson(n_symbols: int) -> None:
    random = Random(n_symbols)
    for _ in range(60):
        merges = byte_pair.train_text(random_corpus(random, n_symbols=n_symbols), 25).merges
        merges = random.sample(merges, len(merges)) if random.random() < 0.3 else merges
        tokenizer, text = by_merges(merges), random_corpus(random, n_symbols=n_symbols, most_symbols=70)
        for dropout in SHARES:
            seed = random.getrandbits(64)
            expected = encode_with_dropout(text, [text], ranks_of_merges(merges), dropout=dropout, seed=seed)
            assert tokens_of(tokenizer, text, dropout, seed) == expected, (merges, text, dropout, seed)


@pytest.mark.parametrize("letters", [b"a", b"ab", b"abc", b"a\xff"])
def test_ranks_are_left_out_as_in_the_lesson(letters: bytes) -> None:
    random = Random(len(letters))
    for _ in range(60):
        tokens = random_tokens(random, letters)
        tokenizer, ranks = by_ranks(tokens), {token: 256 + rank for rank, token in enumerate(tokens)}
        for text in (bytes(random.choices(letters, k=60)), random.choice(tokens)):
            dropout, seed = random.choice(SHARES), random.getrandbits(64)
            expected = encode_with_dropout(text, [text], ranks_of_tokens(ranks), dropout=dropout, seed=seed)
            assert tokens_of(tokenizer, text, dropout, seed) == expected, (tokens, text, dropout, seed)


def test_each_pretoken_has_the_dice_of_its_number() -> None:
    random, rank_of = Random(5), ranks_of_merges(TRAINED.merges)
    for _ in range(100):
        text = random_bytes(random) + random.choice([HAT, "cat's  hat\n"]).encode()
        dropout, seed = random.choice(SHARES), random.getrandbits(64)
        expected = encode_with_dropout(text, split_gpt2_bytes(text), rank_of, dropout=dropout, seed=seed)
        assert tokens_of(TRAINED, text, dropout, seed) == expected, (text, dropout, seed)


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize(
    ("prefix", "suffix", "is_symbol"),
    [("", "", False), ("##", "", False), ("", "</w>", False), ("##", "</w>", False), ("", "</w>", True)],
)
def test_merges_of_characters_are_left_out_as_in_the_lesson(
    byte_fallback: bool, prefix: str, suffix: str, is_symbol: bool
) -> None:
    random = Random(repr((byte_fallback, prefix, suffix, is_symbol)))
    for _ in range(25):
        rules = characters.Rules(byte_fallback, "<unk>", random.random() < 0.5, prefix, suffix, is_symbol)
        tokens, merges = random_vocabulary(random, rules)
        tokenizer = tokenizer_of(tokens, merges, rules)
        text = "".join(random.choice(LETTERS * 2 + OTHERS) for _ in range(random.choice([1, 12, 90])))
        dropout, seed = random.choice(SHARES), random.getrandbits(64)
        symbols, dice = characters.symbols(text, tokens, rules), throw_dice(text.encode(), 0, seed=seed)
        rank_of = ranks_of_merges(merges)
        expected = merge_with_dropout(symbols, rank_of, dropout=dropout, dice=dice, n_prefix=len(prefix))
        ids = tokenizer.encode(text, dropout=dropout, seed=seed)
        assert [tokens[token_id] for token_id in ids] == expected, (text, merges, rules)


@every_tokenizer
@given(text=texts, seed=seeds)
@few
def test_without_dropout_the_seed_decides_nothing(tokenizer: Tokenizer, text: str | bytes, seed: int) -> None:
    plain = tokenizer.encode(text, allowed_special="all")
    assert tokenizer.encode(text, allowed_special="all", dropout=0.0, seed=seed) == plain
    batch = tokenizer.encode_batch([text], allowed_special="all", dropout=0, seed=seed)
    assert batch[0].tolist() == plain


@given(text=texts, seed=seeds)
@few
def test_with_full_dropout_a_text_is_its_bytes(text: str | bytes, seed: int) -> None:
    data = text.encode() if isinstance(text, str) else text
    assert TRAINED.encode(text, dropout=1.0, seed=seed) == list(data)


@lossless_tokenizer
@given(text=texts, dropout=shares, seed=seeds)
@few
def test_decoding_gives_the_text_back(tokenizer: Tokenizer, text: str | bytes, dropout: float, seed: int) -> None:
    for policy in ((), "all"):
        ids = tokenizer.encode(text, allowed_special=policy, disallowed_special=(), dropout=dropout, seed=seed)
        assert tokenizer.decode_bytes(ids) == (text.encode() if isinstance(text, str) else text)


@every_tokenizer
@given(documents=st.lists(texts, max_size=5), dropout=shares, seed=seeds, n_threads=st.integers(1, 3))
@few
def test_batches_and_threads_change_nothing(
    tokenizer: Tokenizer, documents: list[str | bytes], dropout: float, seed: int, n_threads: int
) -> None:
    options: dict[str, Any] = {"allowed_special": "all", "dropout": dropout, "seed": seed}
    batch = tokenizer.encode_batch(documents, n_threads=n_threads, **options)
    assert [ids.tolist() for ids in batch] == [tokenizer.encode(document, **options) for document in documents]


def test_many_texts_are_divided_among_threads_and_stay_in_order() -> None:
    documents = [HAT * (n % 50) + str(n) for n in range(1500)]
    one, two = (TRAINED.encode_batch(documents, dropout=0.3, seed=5, n_threads=n) for n in (1, 2))
    assert (one.ids == two.ids).all()
    assert (one.starts == two.starts).all()
    assert list(map(TRAINED.decode, two)) == documents


def test_a_result_is_had_again_whatever_was_encoded_before() -> None:
    fresh = train([HAT * 3], 264)
    first = fresh.encode(HAT * 5, dropout=0.5, seed=1)
    assert first != fresh.encode(HAT * 5) != fresh.encode(HAT * 5, dropout=0.5, seed=2)
    assert fresh.encode(HAT * 5, dropout=0.5, seed=1) == first == TRAINED.encode(HAT * 5, dropout=0.5, seed=1)


def test_the_same_word_is_cut_in_many_ways_in_one_text() -> None:
    """A cache would give each word its first cut again."""
    whole = TRAINED.encode(" the")
    assert len(whole) == 1
    ids = TRAINED.encode(" the" * 200, dropout=0.5, seed=9)
    words = " ".join(TRAINED.decode([token_id]).replace(" ", "_") for token_id in ids).split("_")
    assert len(set(words)) > 3
    assert TRAINED.encode(" the" * 200) == whole * 200, "plain encoding keeps no trace of it"


def test_special_tokens_and_those_of_the_template_stay_whole() -> None:
    tokenizer = LOSSLESS["added tokens"]
    around = tokenizer.encode("", add_special_tokens=True)
    assert around
    ids = tokenizer.encode("x the x", dropout=1.0, seed=0, add_special_tokens=True)
    assert ids[: len(around)].count(around[0]) == 1
    assert len(ids) == len(around) + len("x ") + 1 + len(" x")
    with pytest.raises(EncodeError, match=r"special token '<\|end\|>' found at byte 2"):
        train(["ab"], 258, ["<|end|>"]).encode("a <|end|>", dropout=0.1, seed=0)


@pytest.mark.parametrize("dropout", [-0.1, 1.1, float("nan"), float("inf"), "0.1", None, True, False, "", ()])
def test_what_is_no_probability_is_refused(dropout: Any) -> None:
    message = re.escape(f"dropout {dropout!r}: is no probability. Use a number from 0")
    with pytest.raises(EncodeError, match=message):
        TRAINED.encode("a", dropout=dropout, seed=1)
    with pytest.raises(EncodeError, match=message):
        TRAINED.encode_batch(["a"], dropout=dropout, seed=1)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True])
def test_what_is_no_seed_is_refused_also_where_nothing_is_left_out(seed: Any) -> None:
    for dropout in (0.0, 0.1):
        with pytest.raises(
            EncodeError, match=f"seed {seed!r}: is no seed. Use a whole number from 0 to 1844674407370955"
        ):
            TRAINED.encode("a", dropout=dropout, seed=seed)


def test_numbers_of_numpy_are_numbers() -> None:
    expected = TRAINED.encode(HAT, dropout=0.5, seed=7)
    pairs: Any = ((np.float32(0.5), np.int64(7)), (np.float64(0.5), np.uint8(7)), (Fraction(1, 2), 7))
    for dropout, seed in pairs:
        assert TRAINED.encode(HAT, dropout=dropout, seed=seed) == expected
        assert TRAINED.encode_batch([HAT], dropout=dropout, seed=seed)[0].tolist() == expected
    nothing: Any = np.float32(0)
    assert TRAINED.encode(HAT, dropout=nothing) == TRAINED.encode(HAT)


@pytest.mark.parametrize(
    "dropout", [np.array([0.1, 0.2]), np.array(0.1), np.False_, 10**5000, -(10**5000)], ids=lambda _: ""
)
def test_what_is_no_number_or_a_huge_one_is_refused_with_our_error(dropout: Any) -> None:
    with pytest.raises(EncodeError, match=r"dropout .*is no probability"):
        TRAINED.encode("a", dropout=dropout, seed=1)
    with pytest.raises(EncodeError, match=r"seed .*is no seed"):
        TRAINED.encode("a", dropout=0.1, seed=dropout)


def test_dropout_without_a_seed_is_refused() -> None:
    with pytest.raises(EncodeError, match=r"dropout 0\.1: has no seed.*Pass seed=0"):
        TRAINED.encode("a", dropout=0.1)


def test_a_fault_names_the_document() -> None:
    with pytest.raises(EncodeError, match="document 1: the text has the lone surrogate"):
        TRAINED.encode_batch(["a", "\ud800"], dropout=0.1, seed=1)


def test_a_million_equal_letters_are_encoded() -> None:
    tokenizer = train(["a" * 64], 262, pattern=None)
    ids = tokenizer.encode("a" * 1_000_000, dropout=0.1, seed=1)
    assert tokenizer.decode(ids) == "a" * 1_000_000
    assert len(tokenizer.encode("a" * 1_000_000)) < len(ids) < 200_000


def test_a_long_piece_of_which_nearly_all_is_left_out_is_encoded() -> None:
    """To throw for each pair at each step anew would take minutes."""
    tokenizer = train(["a" * 64], 262, pattern=None)
    ids = tokenizer.encode("a" * 300_000, dropout=0.999, seed=1)
    assert tokenizer.decode(ids) == "a" * 300_000
    assert len(ids) < 150_000
