"""SentencePiece's own library on Unigram models that it trains: the best segmentations, their scores, and chance."""

import math
from collections import Counter
from typing import Any, Final

import pytest
import sentencepiece

from tests.interop.sentencepiece_training import trained
from tests.lattices import unigram_of
from tokenloom import Tokenizer

pytestmark = pytest.mark.interop

WORDS: Final = (
    "thecat",
    "onthemat",
    "resumé",
    "文字日本語",
    "textencode",
    "abcabababc",
    "слова",
    "snake_case",
    "returnids",
)


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Tokenizer]:
    data = trained(
        model_type="unigram", normalization_rule_name="identity", add_dummy_prefix=False, bos_id=-1, eos_id=-1
    )
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    scores = {theirs.id_to_piece(n): theirs.get_score(n) for n in range(1, theirs.get_piece_size())}
    return theirs, unigram_of(scores, semantics="sentencepiece")


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("n", [1, 5, 64])
def test_best_segmentations_are_those_of_the_library(pair: tuple[Any, Tokenizer], word: str, n: int) -> None:
    theirs, ours = pair
    found = ours.encode_n_best(word, n)
    ids = theirs.nbest_encode_as_ids(word, n)
    scores = {tuple(way): score for way, score in ours.encode_n_best(word, 1024)}
    assert len(found) == len(ids)
    # Theirs are sums of 32 bits, so neighbours that differ by less than that may stand in another order.
    assert [scores[tuple(way)] for way in ids] == pytest.approx([score for _, score in found], abs=1e-3)
    least = found[-1][1] + 1e-3
    assert {tuple(way) for way in ids if scores[tuple(way)] > least} == {
        tuple(way) for way, score in found if score > least
    }
    assert found[0][0] == ours.encode(word) == theirs.encode(word)


def test_library_draws_as_often_as_our_probabilities_say(pair: tuple[Any, Tokenizer]) -> None:
    theirs, ours = pair
    alpha, n, word = 0.3, 3_000, "thecat"
    shares = {tuple(ids): math.exp(alpha * score) for ids, score in ours.encode_n_best(word, 1024)}
    total = sum(shares.values())
    way, share = max(shares.items(), key=lambda item: item[1])
    for draw in (
        lambda _: theirs.sample_encode_as_ids(word, -1, alpha),
        lambda seed: ours.encode_sampled(word, seed=seed, alpha=alpha),
    ):
        drawn = Counter(tuple(draw(seed)) for seed in range(n))
        deviation = math.sqrt(share / total * (1 - share / total) / n)
        assert abs(drawn[way] / n - share / total) < 5 * deviation
