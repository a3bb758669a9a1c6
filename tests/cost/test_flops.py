"""FLOPs of tokens, of bytes and of trainings."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenloom
from tokenloom.cost import (
    TRAINING_PASSES,
    attention_flops,
    attention_growth,
    attention_ratio,
    body_flops,
    cheapest_vocabulary,
    flops_per_byte,
    forward_flops,
    model_shape,
    plain_decoder,
    training_flops,
)
from tokenloom.errors import CostError


def plain(n_layers: int, width: int, vocabulary_size: int = 2000) -> tokenloom.cost.ModelShape:
    return plain_decoder(n_layers=n_layers, width=width, vocabulary_size=vocabulary_size)


def test_shorter_text_is_worth_a_larger_head() -> None:
    shape = plain(12, 1024)
    assert body_flops(shape) == 2 * 12 * 12 * 1024**2
    small = flops_per_byte(shape, bytes_per_token=1 / 0.40)
    large = flops_per_byte(shape.with_vocabulary(4000), bytes_per_token=1 / 0.35)
    assert (round(small / 1e6, 1), round(large / 1e6, 1)) == (122.4, 108.6)


@pytest.mark.parametrize(("name", "length", "ratio"), [("gpt2", 1024, 0.222), ("gpt-3", 2048, 0.028)])
def test_attention_beside_the_body_is_the_length_over_six_widths(name: str, length: int, ratio: float) -> None:
    shape = model_shape(name)
    assert attention_ratio(shape, n_tokens=length) == pytest.approx(length / (6 * shape.width))
    assert round(attention_ratio(shape, n_tokens=length), 3) == ratio


def test_attention_of_a_text_grows_with_the_square_of_its_length() -> None:
    assert round(attention_growth(4.4)) == 19
    assert 209**2 == 43_681
    assert round(attention_growth(209 / 106), 1) == 3.9


@given(st.integers(1, 4), st.integers(1, 8), st.integers(1, 10_000))
def test_attention_is_four_length_width_a_layer(layers: int, heads: int, length: int) -> None:
    shape = plain(layers, 64 * heads)
    assert attention_flops(shape, attended_tokens=length) == 4 * length * 64 * heads * layers


@pytest.mark.parametrize("name", ["gpt2-xl", "llama-3-8b", "mixtral-8x7b", "qwen3-30b-a3b"])
def test_six_n_d_is_near_the_exact_count(name: str) -> None:
    shape = model_shape(name)
    exact = TRAINING_PASSES * forward_flops(shape)
    assert training_flops(shape.active_parameters, 1) == pytest.approx(exact, rel=0.12)


def test_layers_without_growing_keys_have_no_attention_of_this_kind() -> None:
    shape = model_shape("qwen3.8-27b")
    assert attention_flops(shape, attended_tokens=100) == 4 * 100 * 24 * 256 * 16


def test_larger_models_want_larger_vocabularies(shared: Path) -> None:
    text = (shared / "corpora" / "english-2MB.txt").read_bytes()
    train, held_out = text[:1_500_000], text[1_500_000:]
    tokenizer = tokenloom.train([train], vocab_size=16_000)
    sizes = [500, 1000, 2000, 4000, 8000, 16_000]
    ratios = {size: len(held_out) / tokenizer.truncated(size).count(held_out) for size in sizes}
    small, medium, large = (cheapest_vocabulary(plain(n, d), ratios) for n, d in ((2, 128), (8, 512), (24, 2048)))
    assert small < medium < large


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), 10**400, "4", None, True])
def test_numbers_out_of_range_are_refused(value: float) -> None:
    with pytest.raises(CostError, match="is no number above 0"):
        flops_per_byte(plain(1, 64), bytes_per_token=value)
    with pytest.raises(CostError, match="is no number above 0"):
        training_flops(value, 1e9)


def test_no_sizes_to_choose_from_are_refused() -> None:
    with pytest.raises(CostError, match="there is no size to choose from"):
        cheapest_vocabulary(plain(1, 64), {})
