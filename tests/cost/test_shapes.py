"""Parameters of a decoder, counted from its shape."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.cost import ModelShape, model_shape, plain_decoder
from tokenloom.errors import CostError


def gated(width: int, ffn_width: int) -> ModelShape:
    return plain_decoder(
        n_layers=4, width=width, vocabulary_size=2048, ffn_width=ffn_width, is_tied=True, is_gated=True
    )


@pytest.mark.parametrize(("width", "ffn_width", "total"), [(128, 352, 1_066_112), (256, 688, 3_688_704)])
def test_parameters_grow_with_the_square_of_the_width(width: int, ffn_width: int, total: int) -> None:
    assert gated(width, ffn_width).total_parameters == total


def test_a_large_vocabulary_is_most_of_a_narrow_model() -> None:
    assert round(gated(256, 688).with_vocabulary(248_320).vocabulary_share, 3) == 0.953


def test_embedding_has_as_many_numbers_as_rows_times_width() -> None:
    assert model_shape("qwen3.8-27b").embedding_parameters == 1_271_398_400


def test_a_plain_layer_by_hand() -> None:
    # 4 matrices of 2 x 2, two of 2 x 8, two norms of 2; a last norm of 2; tables of 3 x 2 and 2 x 3
    shape = plain_decoder(n_layers=1, width=2, vocabulary_size=3, n_heads=1)
    assert shape.body_parameters == 4 * 4 + 2 * 16 + 2 * 2 + 2
    assert shape.total_parameters == shape.body_parameters + 12


def test_experts_that_a_token_leaves_out_are_not_active() -> None:
    shape = model_shape("mixtral-8x7b")
    assert round(shape.active_parameters / 1e9, 1) == 12.9
    assert shape.total_parameters - shape.active_parameters == 32 * 6 * 3 * 4096 * 14_336


@given(st.integers(1, 8), st.integers(1, 64), st.integers(1, 100_000), st.integers(1, 100_000), st.booleans())
def test_only_the_tables_depend_on_the_vocabulary(layers: int, heads: int, one: int, two: int, is_tied: bool) -> None:
    shape = plain_decoder(n_layers=layers, width=8 * heads, vocabulary_size=one, n_heads=heads, is_tied=is_tied)
    other = shape.with_vocabulary(two)
    assert other.body_parameters == shape.body_parameters
    tables = 1 if is_tied else 2
    assert other.total_parameters - shape.total_parameters == tables * (two - one) * shape.width


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("n_layers", 0, "n_layers: 0 is no whole number from 1 on"),
        ("width", -4096, "width: -4096 is no whole number from 1 on"),
        ("vocabulary_size", 1.5, "vocabulary_size: 1.5 is no whole number"),
        ("n_kv_heads", 64, "n_kv_heads: 64 is more than n_heads, 32"),
        ("n_kv_heads", 5, "n_kv_heads: 5 does not divide n_heads, 32"),
        ("n_active_experts", 2, "n_active_experts: 2 is more than n_experts, 1"),
        ("n_attention_layers", 33, "n_attention_layers: 33 is more than n_layers, 32"),
        ("ffn_width", True, "ffn_width: True is no whole number"),
        ("width", 10**4000, "a whole number of .* is no whole number up to 1,000,000,000,000"),
    ],
)
def test_impossible_shapes_are_refused(field: str, value: object, message: str) -> None:
    with pytest.raises(CostError, match=message):
        replace(model_shape("llama-3-8b"), **{field: value})  # type: ignore[arg-type]


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(CostError, match="width 1,000: 3 heads do not divide it"):
        plain_decoder(n_layers=1, width=1000, vocabulary_size=1, n_heads=3)
