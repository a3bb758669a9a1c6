"""The core's Unigram is its definition, `lessons.unigram`, in both arithmetics."""

from random import Random
from struct import pack, unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unigrams import random_pieces, unigram_spec
from tokenloom import Tokenizer
from tokenloom.lessons import unigram as lesson
from tokenloom.spec import UnigramModel

ALPHABETS = ("ab", "abc", "aé字▁", "a▁b")
RANDOM = st.randoms(use_true_random=False)


def narrow(score: float) -> float:
    """A score as a file of SentencePiece holds it."""
    value: float = unpack("<f", pack("<f", score))[0]
    return value


def random_text(random: Random, alphabet: str, most: int = 60) -> str:
    parts = [*alphabet * 6, "x", "é", "\U0001f30d", "<unk>"]
    return "".join(random.choices(parts, k=random.randint(0, most)))


@given(RANDOM, st.sampled_from(ALPHABETS), st.booleans(), st.sampled_from([0, 1, 6]))
def test_sums_in_64_bits(random: Random, alphabet: str, byte_fallback: bool, digits: int) -> None:
    pieces = random_pieces(random, alphabet, byte_pieces=byte_fallback, digits=digits)
    model = UnigramModel("tokenizers", "<unk>", byte_fallback)
    ours = Tokenizer.from_spec(unigram_spec(pieces, model))
    ids = {piece: token_id for token_id, (piece, _) in enumerate(pieces)}
    for _ in range(4):
        text = random_text(random, alphabet)
        tokens = lesson.encode_tokenizers(text, dict(pieces), byte_fallback=byte_fallback)
        assert ours.encode(text) == [ids[token] for token in tokens]


@given(
    RANDOM, st.sampled_from(ALPHABETS), st.booleans(), st.sampled_from([0, 1, 6]), st.sampled_from([1, 1000, 20_000])
)
def test_sums_in_32_bits(random: Random, alphabet: str, byte_fallback: bool, digits: int, scale: int) -> None:
    """Large scores soon come to where the library counts anew."""
    drawn = random_pieces(random, alphabet, byte_pieces=byte_fallback, digits=digits)
    pieces = [(piece, narrow(score * scale)) for piece, score in drawn]
    texts = [piece for piece, _ in pieces[1:] if not piece.startswith("<")]
    chosen = random.sample(texts, k=random.randint(0, min(4, len(texts) - 1)))
    model = UnigramModel("sentencepiece", "<unk>", byte_fallback, tuple(chosen[:2]), tuple(chosen[2:]))
    ours = Tokenizer.from_spec(unigram_spec(pieces, model))
    ids = {piece: token_id for token_id, (piece, _) in enumerate(pieces)}
    for _ in range(4):
        text = random_text(random, alphabet)
        tokens = lesson.encode_sentencepiece(
            text,
            dict(pieces),
            byte_fallback=byte_fallback,
            user_defined=model.user_defined,
            unused=model.unused,
        )
        assert ours.encode(text) == [ids[token] for token in tokens]


@pytest.mark.parametrize("cache_bytes", [1 << 16, 1 << 20, 1 << 26])
def test_what_is_kept_changes_nothing(cache_bytes: int) -> None:
    random = Random(7)
    drawn = random_pieces(random, "abc▁", byte_pieces=False, digits=1)
    pieces = [(piece, narrow(score)) for piece, score in drawn]
    ours = Tokenizer.from_spec(unigram_spec(pieces, UnigramModel("sentencepiece", "<unk>")), cache_bytes=cache_bytes)
    ids = {piece: token_id for token_id, (piece, _) in enumerate(pieces)}
    text = random_text(random, "abc▁", 3000)
    assert ours.encode(text) == [ids[token] for token in lesson.encode_sentencepiece(text, dict(pieces))]
