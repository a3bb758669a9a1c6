"""Tokenizers on one model, side by side."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.cost import CostLine, CostPlan, TokenizerText, accelerator, cost_lines, model_shape, plain_decoder
from tokenloom.errors import CostError

SMALL = TokenizerText("small", 32_000, n_tokens=4400, n_bytes=10_000)
LARGE = TokenizerText("large", 128_256, n_tokens=1000, n_bytes=10_000)


def lines(*tokenizers: TokenizerText, model: str = "llama-3-8b", **plan: Any) -> dict[str, CostLine]:
    return {line.key: line for line in cost_lines(model_shape(model), tokenizers or (SMALL, LARGE), CostPlan(**plan))}


def test_what_a_vocabulary_costs_and_what_it_saves() -> None:
    found = lines(LARGE, SMALL)
    assert found["embedding_parameters"].values == (525_336_576, 131_072_000)
    assert found["vocabulary_share"].shown() == ["13.1 %", "3.6 %"]
    assert found["relative_length"].shown() == ["1.00 x", "4.40 x"]
    assert found["relative_attention"].shown() == ["1.00 x", "19.4 x"]


def test_the_same_text_is_trained_on_by_all() -> None:
    found = lines(training_bytes=1e12)
    assert list(found["training_bytes"].values) == pytest.approx([1e12, 1e12])
    assert list(found["training_tokens"].values) == pytest.approx([4.4e11, 1e11])


def test_without_a_text_what_needs_one_is_undefined_and_never_zero() -> None:
    found = lines(TokenizerText("own", 128_256))
    undefined = {key for key, line in found.items() if line.values == (None,)}
    assert undefined == {
        "bytes_per_token", "relative_length", "relative_attention", "context_bytes", "flops_per_byte",
        "training_flops_per_byte", "kv_bytes_per_byte", "training_bytes",
    }  # fmt: skip
    assert found["bytes_per_token"].shown() == ["undefined"]


def test_lines_that_nobody_asked_for_are_left_out() -> None:
    assert not {"training_seconds", "training_price", "price_of_text"} & lines().keys()
    asked = lines(accelerator=accelerator("b200"), n_accelerators=1000, price_per_hour=3.0, price_per_million=2.0)
    hours = [(seconds or 0) / 3600 for seconds in asked["training_seconds"].values]
    assert list(asked["training_price"].values) == pytest.approx([3000 * hours_of_one for hours_of_one in hours])
    assert list(asked["price_of_text"].values) == pytest.approx([0.0088, 0.002])


def test_a_model_that_one_accelerator_does_not_hold_generates_nothing_there() -> None:
    found = lines(model="llama-3.1-405b", accelerator=accelerator("h100"))
    assert found["decoding_seconds"].values == (None, None)
    assert lines(accelerator=accelerator("h100"))["decoding_seconds"].values[0]


def test_scores_and_cache_follow_sequences_and_context() -> None:
    found = lines(LARGE, n_sequences=8, context_tokens=8192)
    assert found["logits_bytes"].shown() == ["31.3 GiB"]
    assert found["kv_cache_bytes"].shown() == ["8.00 GiB"]


def test_training_of_experts_counts_what_a_token_passes() -> None:
    found = lines(model="mixtral-8x7b", training_tokens=1e12)
    assert found["training_flops"].values[0] == pytest.approx(6 * 12.9e9 * 1e12, rel=0.01)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"training_tokens": 1, "training_bytes": 1}, "Give one of the two"),
        ({"price_per_hour": 1.0}, "Name the hardware too"),
        ({"context_tokens": 0}, "context_tokens: 0 is no whole number"),
        ({"n_sequences": -1}, "n_sequences: -1 is no whole number"),
        ({"price_per_million": 0.0}, "price_per_million: 0.0 is no number above 0"),
        ({"logits_dtype": "fp23"}, "number type 'fp23'"),
        ({"accelerator": accelerator("t4")}, "no peak for the number type 'bf16'"),
        ({"utilisation": 40}, "utilisation: 40 is more than the whole"),
    ],
)
def test_plans_that_cannot_be_are_refused(plan: dict[str, Any], message: str) -> None:
    with pytest.raises(CostError, match=message):
        CostPlan(**plan)


_SIZES = st.integers(-1, 10**12 + 1)


@given(_SIZES, _SIZES, _SIZES, _SIZES, _SIZES, st.floats())
def test_any_numbers_give_figures_or_are_refused(
    layers: int, width: int, rows: int, context: int, tokens: int, price: float
) -> None:
    try:
        shape = plain_decoder(n_layers=layers, width=width, vocabulary_size=rows, context_tokens=context)
        plan = CostPlan(n_sequences=context, accelerator=accelerator("h100"), price_per_hour=price)
        found = cost_lines(shape, [TokenizerText("a", rows, n_tokens=tokens, n_bytes=rows)], plan)
    except CostError:
        return
    assert all(shown for line in found for shown in line.shown())


def test_tokens_of_a_text_come_with_its_bytes() -> None:
    with pytest.raises(CostError, match="Give both, or neither"):
        TokenizerText("a", 300, n_tokens=3)
    with pytest.raises(CostError, match="n_tokens: 0 is no whole number"):
        TokenizerText("a", 300, n_tokens=0, n_bytes=0)
    with pytest.raises(CostError, match="without a text to measure on"):
        lines(TokenizerText("a", 300), training_bytes=1e9)
    with pytest.raises(CostError, match="there is none"):
        cost_lines(model_shape("gpt2"), [], CostPlan())
