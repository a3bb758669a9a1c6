"""The core's encoding is its definition, `lessons.byte_pair`, for both semantics and on both sides of 48 bytes.

Pieces longer than 48 bytes take another way through the core, so every generated text is encoded short and repeated.
"""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import bytes_texts, corpora, random_bytes, random_corpus, runs
from tokenloom import Tokenizer
from tokenloom.lessons import byte_pair
from tokenloom.lessons.byte_pair import Pair
from tokenloom.lessons.pretokenizing import split_gpt2_bytes
from tokenloom.spec import Pretokenizer, build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}
WHOLE = Pretokenizer("none")
LONG = 49


def by_merges(merges: Sequence[Pair]) -> Tokenizer:
    tokens = {256 + rank: left + right for rank, (left, right) in enumerate(merges)}
    return Tokenizer(BYTES | tokens, merges, pattern=None)


def by_ranks(tokens: Sequence[bytes]) -> Tokenizer:
    vocabulary = BYTES | dict(enumerate(tokens, 256))
    return Tokenizer.from_spec(build_spec(vocabulary, [], pretokenizer=WHOLE, semantics="ranks"))


def segments(tokenizer: Tokenizer, text: bytes) -> list[bytes]:
    return [tokenizer.token_bytes(token_id) for token_id in tokenizer.encode(text)]


def random_tokens(random: Random, letters: bytes) -> list[bytes]:
    """Distinct tokens that no training made: many cannot be reached by merges."""
    tokens = {bytes(random.choices(letters, k=random.randint(2, 7))) for _ in range(random.randint(1, 25))}
    return random.sample(sorted(tokens), len(tokens))


@pytest.mark.parametrize("n_symbols", [2, 3, 5, 26, 300])
def test_trained_merges_encode_like_replay_and_lowest_rank(n_symbols: int) -> None:
    random = Random(n_symbols)
    for _ in range(60):
        merges = byte_pair.train_text(random_corpus(random, n_symbols=n_symbols), 25).merges
        tokenizer = by_merges(merges)
        short = random_corpus(random, n_symbols=n_symbols, most_symbols=20)
        for text in (short, short * (LONG // max(len(short), 1) + 1)):
            expected = byte_pair.encode_by_replay(merges, text)
            assert byte_pair.encode_by_lowest_rank(merges, text) == expected
            assert segments(tokenizer, text) == expected, (merges, text)


@pytest.mark.parametrize("letters", [b"ab", b"abc", b"ab\xc3\xa9"])
def test_merges_in_any_order_encode_like_lowest_rank(letters: bytes) -> None:
    """A merge may stand before one that makes its part; the core then follows the lowest rank."""
    random = Random(len(letters))
    for _ in range(150):
        trained = byte_pair.train_text(bytes(random.choices(letters, k=60)), 15).merges
        merges = random.sample(trained, len(trained))
        tokenizer = by_merges(merges)
        for n_bytes in (random.randint(0, 48), random.randint(LONG, 90)):
            text = bytes(random.choices(letters, k=n_bytes))
            assert segments(tokenizer, text) == byte_pair.encode_by_lowest_rank(merges, text), (merges, text)


@pytest.mark.parametrize("letters", [b"a", b"ab", b"abc", b"a\xff"])
def test_improper_ranks_encode_like_token_rank(letters: bytes) -> None:
    random = Random(len(letters))
    for _ in range(150):
        tokens = random_tokens(random, letters)
        tokenizer, ranks = by_ranks(tokens), {token: 256 + rank for rank, token in enumerate(tokens)}
        ranks |= {token: byte for byte, token in BYTES.items()}
        texts = [bytes(random.choices(letters, k=n)) for n in (random.randint(0, 12), 48, LONG, 80)]
        for text in [*texts, random.choice(tokens), random.choice(tokens) * 2]:
            assert segments(tokenizer, text) == byte_pair.encode_by_token_rank(ranks, text), (tokens, text)


def test_a_long_token_that_no_merge_reaches_is_found_whole() -> None:
    token = bytes(range(65, 125))
    tokenizer = by_ranks([token])
    assert len(token) >= LONG
    assert tokenizer.encode(token) == [256]
    assert tokenizer.encode(token + b"!") == [*token, 33]


def test_merges_ignore_a_token_that_no_merge_makes() -> None:
    tokenizer = Tokenizer(BYTES | {256: b"abc"}, [], pattern=None)
    assert tokenizer.encode("abc") == [97, 98, 99]


@pytest.mark.parametrize("n_bytes", [47, 48, 49, 50, 97])
def test_runs_are_the_same_on_both_sides_of_the_border(n_bytes: int) -> None:
    merges = [(b"a", b"a"), (b"aa", b"aa"), (b"aa", b"a"), (b"aaaa", b"aaaa")]
    text = b"a" * n_bytes
    assert segments(by_merges(merges), text) == byte_pair.encode_by_replay(merges, text)


def test_pairs_of_ids_beyond_16_bits_are_told_apart() -> None:
    """With 16 bits an id, bytes 1 and 5 would be the pair of byte 0 and the token 65,541."""
    vocabulary = BYTES | {65_541: b"xy", 65_542: b"\x00xy"}
    tokenizer = Tokenizer(vocabulary, [(b"x", b"y"), (b"\x00", b"xy")], pattern=None)
    assert tokenizer.encode(b"\x01\x05") == [1, 5]
    assert tokenizer.encode(b"\x00xy") == [65_542]


@given(corpora, st.lists(corpora | bytes_texts | runs.map(str.encode), max_size=3))
@settings(max_examples=60, deadline=None)
def test_gpt2_pieces_are_encoded_like_replay(corpus: bytes, texts: list[bytes]) -> None:
    merges = byte_pair.train_text(corpus, 25, split=split_gpt2_bytes).merges
    tokens = {256 + rank: left + right for rank, (left, right) in enumerate(merges)}
    tokenizer = Tokenizer(BYTES | tokens, merges)
    for text in [corpus, *texts]:
        pieces = [byte_pair.encode_by_replay(merges, piece) for piece in split_gpt2_bytes(text)]
        assert segments(tokenizer, text) == [token for piece in pieces for token in piece]


@pytest.mark.parametrize("cache_bytes", [0, 64, 256, 4 << 20])
def test_a_cache_of_any_size_changes_no_id(cache_bytes: int) -> None:
    """A small cache forgets all the time, so every piece is met known and unknown."""
    random = Random(5)
    merges = byte_pair.train_text(random_corpus(random, n_symbols=3, most_symbols=200), 25).merges
    spec = by_merges(merges).spec
    tokenizer = Tokenizer.from_spec(spec, cache_bytes=cache_bytes)
    texts = [random_bytes(random, most_bytes=16) for _ in range(300)]
    for text in texts + texts[::-1]:
        assert segments(tokenizer, text) == byte_pair.encode_by_lowest_rank(merges, text), text


@pytest.mark.parametrize("cache_bytes", [0, 1 << 16, 16 << 20])
def test_text_without_blanks_is_cut_only_where_no_token_spans(cache_bytes: int) -> None:
    """Characters, halves of them, and zeros, which also stand for bytes that are not there when cuts are found."""
    random = Random(7)
    parts = [text.encode() for text in ("中", "国", "é", "漢字", "😀", "\u200d", "a")]
    parts += [b"\x00", b"\xe4", b"\xe4\xb8", b"\xad", b"\xff", b"\xf0\x9f"]

    def joined(most: int) -> bytes:
        return b"".join(random.choices(parts, k=random.randint(1, most)))

    for _ in range(30):
        tokens = sorted({joined(3) for _ in range(25)} - set(BYTES.values()))
        vocabulary = BYTES | dict(enumerate(random.sample(tokens, len(tokens)), 256))
        spec = build_spec(vocabulary, [], pretokenizer=WHOLE, semantics="ranks")
        tokenizer = Tokenizer.from_spec(spec, cache_bytes=cache_bytes)
        ranks = {token: token_id for token_id, token in vocabulary.items()}
        texts = [joined(most) for most in (2, 5, 12, 40)]
        for text in texts + texts:
            assert segments(tokenizer, text) == byte_pair.encode_by_token_rank(ranks, text), (text, tokens)
