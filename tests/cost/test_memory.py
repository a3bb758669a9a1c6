"""Memory of scores, of keys and values, of weights."""

import pytest

from tokenloom.cost import kv_cache_bytes, logits_bytes, model_shape, weight_bytes
from tokenloom.errors import CostError

GIB = 2**30


@pytest.mark.parametrize(("sequences", "length", "dtype", "gib"), [(8, 8192, "fp32", 31.3), (4, 4096, "bf16", 3.9)])
def test_scores_of_a_training_step(sequences: int, length: int, dtype: str, gib: float) -> None:
    size = logits_bytes(n_sequences=sequences, n_tokens=length, vocabulary_size=128_256, dtype=dtype)
    assert round(size / GIB, 1) == gib


def test_scores_can_take_more_than_the_weights() -> None:
    scores = logits_bytes(n_sequences=8, n_tokens=8192, vocabulary_size=128_256, dtype="fp32")
    weights = weight_bytes(model_shape("llama-3-8b").total_parameters, dtype="bf16")
    assert round(weights / 1e9) == 16
    assert scores > 2 * weights


def test_keys_and_values_by_hand() -> None:
    # llama-3-8b: keys and values, 32 layers, 8 heads of 128 numbers, 2 bytes
    assert kv_cache_bytes(model_shape("llama-3-8b"), n_tokens=1, dtype="bf16") == 2 * 32 * 8 * 128 * 2 == 131_072


def test_shared_heads_save_their_ratio() -> None:
    own, shared = model_shape("llama-2-7b"), model_shape("llama-3-8b")
    assert kv_cache_bytes(own, n_tokens=9, dtype="fp8") == 4 * kv_cache_bytes(shared, n_tokens=9, dtype="fp8")


def test_unknown_number_type_is_refused_with_all_known() -> None:
    with pytest.raises(CostError, match=r"number type 'bf61': .* Did you mean 'bf16'.* Known are: fp32, "):
        weight_bytes(1, dtype="bf61")
    with pytest.raises(CostError, match="n_sequences: 0 is no whole number from 1 on"):
        logits_bytes(n_sequences=0, n_tokens=1, vocabulary_size=1, dtype="fp32")
