"""Segmentations of Unigram models: the core's are those of the lesson, and the laws of chance hold."""

import math
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from random import Random
from typing import Any, Final, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lattices import UNKNOWN, random_scores, tokens_of, unigram_of, unknown_score
from tokenloom import Tokenizer, train
from tokenloom.errors import EncodeError, SpecError
from tokenloom.lessons import segmentations as lesson
from tokenloom.lessons.unigram_training import in_32_bits
from tokenloom.spec.other_models import UnigramSemantics

SCORES: Final = {"a": -1.0, "b": -1.5, "ab": -2.25, "ba": -2.0, "aba": -3.125, "bab": -4.0}
SMALL: Final = unigram_of(SCORES)
seeds = st.integers(0, 2**64 - 1)


def fused(tokens: Iterable[str], scores: dict[str, float], *, looks_up: bool = False) -> list[str]:
    """What is written of tokens: unknown characters side by side are one unknown token, or the token that they make."""
    written: list[str] = []
    for is_known, group in groupby(tokens, key=scores.__contains__):
        joined = "".join(run := list(group))
        written += run if is_known else [joined if looks_up and joined in scores else UNKNOWN]
    return written


@given(seeds, st.sampled_from(get_args(UnigramSemantics)))
@settings(max_examples=150, deadline=None)
def test_segmentations_are_those_of_the_lesson(seed: int, semantics: Any) -> None:
    random = Random(seed)
    letters = random.choice(["ab", "abc", "aé文", "a"])
    scores = random_scores(random, letters, random.randint(1, 12))
    tokenizer = unigram_of(scores, semantics=semantics)
    unknown = unknown_score(scores, of_unknown=0.0 if semantics == "tokenizers" else None)
    if semantics == "sentencepiece":
        unknown = in_32_bits(unknown)
    text, alpha = "".join(random.choices(letters + "x", k=random.randint(0, 9))), random.choice([0.0, 0.3, 1.0, 5.0])
    found = tokenizer.encode_n_best(text, n := random.choice([1, 3, 40, 1024]))
    expected = lesson.n_best([text] if text else [], n, scores, unknown)
    looks_up = semantics == "tokenizers"
    assert [(score, tokens_of(tokenizer, ids)) for ids, score in found] == [
        (score, fused(tokens, scores, looks_up=looks_up)) for score, tokens in expected
    ]
    drawn = lesson.sampled(text.encode(), [text] if text else [], scores, unknown, alpha=alpha, seed=seed)
    ids = tokenizer.encode_sampled(text, seed=seed, alpha=alpha)
    assert tokens_of(tokenizer, ids) == fused(drawn, scores, looks_up=looks_up)
    sums = lesson.log_sums(text, scores, unknown)
    assert tokenizer.log_probability(text) == pytest.approx(sums[0], rel=1e-9, abs=1e-9)
    entropy = lesson.entropy(text, scores, unknown, alpha=alpha)
    assert tokenizer.segmentation_entropy(text, alpha=alpha) == pytest.approx(entropy, rel=1e-9, abs=1e-9)


def test_pieces_are_cut_together_and_drawn_by_number() -> None:
    tokenizer, words = unigram_of(SCORES, regex="[ab]{3}"), ["aba", "bab", "aba"]
    text = "".join(words)
    expected = lesson.n_best(words, 20, SCORES)
    assert [(score, tuple(tokens_of(tokenizer, ids))) for ids, score in tokenizer.encode_n_best(text, 20)] == expected
    for seed in range(50):
        drawn = lesson.sampled(text.encode(), words, SCORES, alpha=0.5, seed=seed)
        assert tokens_of(tokenizer, tokenizer.encode_sampled(text, seed=seed, alpha=0.5)) == drawn


@pytest.mark.parametrize("text", ["abab", "bababa", "a", "aabba"])
def test_first_of_the_best_is_what_encoding_gives(text: str) -> None:
    assert SMALL.encode_n_best(text, 1)[0][0] == SMALL.encode(text)


def test_all_ways_together_have_the_probability_of_the_text() -> None:
    ways = SMALL.encode_n_best("ababbaab", 1024)
    assert len({tuple(ids) for ids, _ in ways}) == len(ways) < 1024
    assert math.log(sum(math.exp(score) for _, score in ways)) == pytest.approx(SMALL.log_probability("ababbaab"))


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0, 3.0])
def test_ways_are_drawn_as_often_as_they_are_probable(alpha: float) -> None:
    """Pearson's chi-square of 4,000 draws; 99.9 percent of true dice are below the bound."""
    ways = {tuple(ids): math.exp(alpha * score) for ids, score in SMALL.encode_n_best("ababa", 1024)}
    total, n = sum(ways.values()), 4_000
    drawn = Counter(tuple(SMALL.encode_sampled("ababa", seed=seed, alpha=alpha)) for seed in range(n))
    assert drawn.keys() <= ways.keys()
    square = sum((drawn[way] - n * share / total) ** 2 / (n * share / total) for way, share in ways.items())
    degrees = len(ways) - 1
    assert square < degrees + 3.1 * math.sqrt(2 * degrees) + 6.4


def test_alpha_zero_makes_all_ways_equal_and_a_large_one_gives_the_best() -> None:
    ways = SMALL.encode_n_best("ababa", 1024)
    assert SMALL.segmentation_entropy("ababa", alpha=0) == pytest.approx(math.log(len(ways)))
    assert all(SMALL.encode_sampled("ababa", seed=seed, alpha=1e6) == ways[0][0] for seed in range(20))
    assert SMALL.segmentation_entropy("ababa", alpha=1e6) == pytest.approx(0.0, abs=1e-9)


def test_threads_and_other_texts_do_not_change_what_is_drawn() -> None:
    texts = ["".join(Random(n).choices("ab", k=40)) for n in range(60)]
    alone = [SMALL.encode_sampled(text, seed=3) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        backwards = list(pool.map(lambda text: SMALL.encode_sampled(text, seed=3), reversed(texts)))
    assert backwards[::-1] == alone
    assert [SMALL.encode_sampled(text, seed=4) for text in texts] != alone


def test_bytes_are_as_their_text_and_bad_ones_unknown() -> None:
    assert SMALL.encode_n_best(b"aba", 5) == SMALL.encode_n_best("aba", 5)
    assert SMALL.encode_sampled(b"a\xff\xc3", seed=1) == [1, 0]


def test_empty_text_has_one_way() -> None:
    assert SMALL.encode_n_best("", 3) == [([], 0.0)]
    assert (SMALL.encode_sampled("", seed=0), SMALL.log_probability("")) == ([], 0.0)


def test_special_tokens_are_as_in_encode_and_certain() -> None:
    tokenizer = unigram_of(SCORES, special="<s>")
    with pytest.raises(EncodeError, match="'<s>' found at byte 1"):
        tokenizer.encode_n_best("a<s>b", 2)
    assert tokenizer.encode_n_best("a<s>b", 2, allowed_special="all") == [([1, 7, 2], -2.5)]
    assert tokenizer.encode_sampled("a<s>b", seed=1, allowed_special="all") == [1, 7, 2]
    assert tokenizer.log_probability("a<s>b", allowed_special="all") == -2.5
    assert tokenizer.encode_sampled("<s>", seed=1, disallowed_special=()) == [0]


def test_unknown_character_is_no_way_where_nothing_stands_for_it() -> None:
    tokenizer = unigram_of({"ab": -1.0, "a": -1.0, "bc": -2.0}, unk_token=None)
    assert [tokens_of(tokenizer, ids) for ids, _ in tokenizer.encode_n_best("abab", 9)] == [["ab", "ab"]]
    for call in (lambda: tokenizer.encode_n_best("abac", 9), lambda: tokenizer.encode_sampled("abac", seed=1)):
        with pytest.raises(EncodeError, match="'c'"):
            call()


@pytest.mark.parametrize("n", [0, 1025, True, 1.5, "3", None])
def test_number_of_segmentations_is_checked(n: Any) -> None:
    with pytest.raises(EncodeError, match=r"is no number of segmentations. Use a whole number, 1 to 1024"):
        SMALL.encode_n_best("a", n)


@pytest.mark.parametrize("alpha", [-0.1, float("nan"), float("inf"), 1e7, True, "1", None])
def test_exponent_is_checked(alpha: Any) -> None:
    with pytest.raises(EncodeError, match=r"is no exponent. Use a number from 0"):
        SMALL.encode_sampled("a", seed=1, alpha=alpha)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, True, None])
def test_seed_is_checked(seed: Any) -> None:
    with pytest.raises(EncodeError, match=r"is no seed. Use a whole number"):
        SMALL.encode_sampled("a", seed=seed)


@pytest.mark.parametrize("call", ["encode_n_best", "encode_sampled", "log_probability", "segmentation_entropy"])
def test_other_models_have_no_probabilities(call: str) -> None:
    tokenizer: Tokenizer = train(["ab"], 257)
    arguments: dict[str, Any] = {"encode_n_best": {"n": 2}, "encode_sampled": {"seed": 1}}.get(call, {})
    with pytest.raises(SpecError, match=r"only a Unigram model gives tokens probabilities. Use a Unigram tokenizer"):
        getattr(tokenizer, call)("ab", **arguments)


def test_too_many_ways_of_a_long_text_are_refused() -> None:
    with pytest.raises(EncodeError, match=r"n 1024: the text has 9000 bytes, and so many .* 8191 bytes at most"):
        SMALL.encode_n_best("ab" * 4_500, 1024)
    assert len(SMALL.encode_n_best("ab" * 400, 1024)) == 1024


def test_scores_of_any_size_make_no_sum_infinite() -> None:
    tokenizer = unigram_of({"a": -1e308, "b": 1e308, "ab": 0.0})
    assert math.isfinite(tokenizer.log_probability("ab" * 100))
    assert tokenizer.encode_sampled("ab", seed=1, alpha=1e6) in ([1, 2], [3])


def test_time_to_draw_grows_with_the_length() -> None:
    def seconds(n: int) -> float:
        start = time.process_time()
        SMALL.encode_sampled("ab" * n, seed=1)
        return time.process_time() - start

    short, long = (min(seconds(n) for _ in range(3)) for n in (20_000, 200_000))
    assert long < 12 * short
