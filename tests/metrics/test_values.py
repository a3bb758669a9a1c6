"""Values that are known from elsewhere: lectures, papers, and parallel text counted before."""

import math
from pathlib import Path

import numpy as np
import pytest

from tokenloom.errors import MetricError
from tokenloom.jobs.measure_parallel import read_parallel
from tokenloom.metrics import (
    METRICS,
    Subject,
    bytes_per_token,
    gini,
    measure_documents,
    normalized_entropy,
    parallel_costs,
    premium,
    renyi_efficiency,
    renyi_entropy,
    shannon_entropy,
    value_of,
    zipf_slope,
)
from tokenloom.tokenizer import Tokenizer

SLIDE = {"a": 100, "aes": 90, "cat": 30}


def test_normalized_entropy_of_the_exercise() -> None:
    assert normalized_entropy([50, 30, 20], [1, 2, 3]) == pytest.approx(0.515, abs=5e-4)


def test_normalized_entropy_of_single_letters_is_their_entropy() -> None:
    letters = {"a": 200, "e": 90, "c": 30, "t": 30, "s": 90}
    assert normalized_entropy(letters) == pytest.approx(1.374, abs=5e-4)
    assert normalized_entropy(letters) == pytest.approx(shannon_entropy(list(letters.values())))


@pytest.mark.parametrize(("normalizer", "value"), [("mean", 0.427), ("sum", 0.142)])
def test_slide_and_lecture_divide_the_same_entropy_by_two_lengths(normalizer: str, value: float) -> None:
    assert normalized_entropy(SLIDE, normalizer=normalizer) == pytest.approx(value, abs=5e-4)  # type: ignore[arg-type]


def test_uniform_use_is_full_efficiency_of_every_order() -> None:
    assert [renyi_efficiency([5, 5], order=order) for order in (0.5, 1.0, 2.0, 2.5, 7.0, math.inf)] == [1.0] * 6


@pytest.mark.parametrize("order", [0.3, 0.999999, 1.000001, 2.5, 1e6])
def test_renyi_entropy_is_continuous_and_survives_high_orders(order: float) -> None:
    near = renyi_entropy(list(SLIDE.values()), order=order)
    if abs(order - 1) < 1e-5:
        assert near == pytest.approx(shannon_entropy(list(SLIDE.values())), abs=1e-5)
    assert 0.78 < near < math.log(3)  # from -ln(100/220) to ln 3


def test_emoji_text_of_the_lecture(shared: Path) -> None:
    """The 1.6 bytes a token that a lecture gives for English belong to this short text."""
    text = "Hello, 🌍! 你好!"
    for name, ratio in (("gpt2", 20 / 12), ("cl100k_base", 2.0), ("o200k_base", 2.5)):
        tokenizer = Tokenizer.load(shared / "vocabs" / f"{name}.tiktoken")
        assert bytes_per_token(len(text.encode()), tokenizer.count(text)) == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("name", "chinese", "lao", "worst"),
    [
        ("gpt2", 3.2, 13.11, "mya_Mymr"),
        ("cl100k_base", 1.89, 9.6, "mya_Mymr"),
        ("o200k_base", 1.27, 8.26, "lao_Laoo"),
    ],
)
def test_premiums_on_parallel_sentences_without_line_feeds(
    shared: Path, name: str, chinese: float, lao: float, worst: str
) -> None:
    languages = read_parallel(shared / "corpora" / "parallel")
    assert {len(sentences) for sentences in languages.values()} == {997}
    tokenizer = Tokenizer.load(shared / "vocabs" / f"{name}.tiktoken")
    costs = parallel_costs(tokenizer, languages, reference="eng_Latn")
    assert round(costs.languages["cmn_Hani"].premium or 0, 2) == chinese
    assert round(costs.languages["lao_Laoo"].premium or 0, 2) == lao
    assert costs.worst == worst
    assert costs.languages["eng_Latn"].premium == 1.0


def test_numbers_of_four_digits_of_published_vocabularies(shared: Path) -> None:
    """GPT-2 cuts as its merges have it, o200k in threes from the left."""
    values = {}
    for name in ("gpt2", "o200k_base"):
        tokenizer = Tokenizer.load(shared / "vocabs" / f"{name}.tiktoken")
        [measured] = measure_documents([Subject(tokenizer)], ["the cat"])
        values[name] = value_of(METRICS["right_aligned_numbers"], measured).value
    assert values == {"gpt2": pytest.approx(0.282), "o200k_base": 0.0}


def test_gini_of_one_that_bears_all() -> None:
    assert gini([0, 0, 0, 1]) == pytest.approx(0.75)
    assert gini({"a": 3, "b": 3, "c": 3}) == pytest.approx(0)


def test_zipf_slope_of_a_power_law() -> None:
    assert zipf_slope((1e6 / np.arange(1, 500) ** 1.3).round()) == pytest.approx(-1.3, abs=1e-3)


@pytest.mark.parametrize(
    "undefined",
    [
        lambda: bytes_per_token(0, 0),
        lambda: premium([], []),
        lambda: shannon_entropy([0, 0]),
        lambda: renyi_efficiency([5], order=2.0),
        lambda: renyi_efficiency([5, 5], order=0),
        lambda: renyi_entropy([1], order=float("nan")),
        lambda: normalized_entropy([1, 2], [1]),
        lambda: normalized_entropy([1, 2], [0, 0]),
        lambda: gini([]),
        lambda: gini([0, 0]),
        lambda: gini([1, -1]),
        lambda: gini([1, float("nan")]),
        lambda: zipf_slope([5]),
        lambda: bytes_per_token([4, -1], [1, 1]),
    ],
)
def test_what_is_undefined_raises_and_is_never_zero(undefined: object) -> None:
    with pytest.raises(MetricError):
        undefined()  # type: ignore[operator]
