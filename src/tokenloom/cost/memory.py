"""Memory of what grows with tokens: the scores of a training step, the keys and values of a running text, the weights.

All figures are bytes; 2**30 of them are a GiB.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tokenloom.cost.checks import check_positive, check_whole, unknown_name
from tokenloom.cost.shapes import ModelShape

__all__ = ["BYTES_PER_NUMBER", "kv_cache_bytes", "logits_bytes", "number_bytes", "weight_bytes"]

BYTES_PER_NUMBER: Final[Mapping[str, float]] = MappingProxyType(
    {"fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "int8": 1, "fp4": 0.5, "int4": 0.5}
)
"""Bytes that a number takes in memory, by type; scales of blocks, which fp8 and below need, are left out."""


def number_bytes(dtype: str) -> float:
    """Bytes of a number. Raises: CostError for a type that is not known.

    >>> number_bytes("bf16")
    2
    """
    try:
        return BYTES_PER_NUMBER[dtype]
    except KeyError:
        raise unknown_name(dtype, BYTES_PER_NUMBER, "number type") from None


def logits_bytes(*, n_sequences: int, n_tokens: int, vocabulary_size: int, dtype: str) -> float:
    """Scores of all tokens at all positions: sequences x length x V x bytes of a number.

    A training step that computes them at once holds their gradient too, which is as large again.

    >>> size = logits_bytes(n_sequences=8, n_tokens=8192, vocabulary_size=128_256, dtype="fp32")
    >>> round(size / 2**30, 1)
    31.3
    >>> size = logits_bytes(n_sequences=4, n_tokens=4096, vocabulary_size=128_256, dtype="bf16")
    >>> round(size / 2**30, 1)
    3.9
    """
    for value, what in ((n_sequences, "n_sequences"), (n_tokens, "n_tokens"), (vocabulary_size, "vocabulary_size")):
        check_whole(value, what)
    return n_sequences * n_tokens * vocabulary_size * number_bytes(dtype)


def kv_cache_bytes(shape: ModelShape, *, n_tokens: float, dtype: str, n_sequences: int = 1) -> float:
    """Keys and values that a running text keeps: 2 x layers x kv heads x head width x tokens x bytes of a number.

    Fewer kv heads than heads (grouped queries) save their ratio.
    Source: Ainslie et al. 2023, "GQA: Training Generalized Multi-Query Transformer Models".

    >>> from tokenloom.cost import model_shape
    >>> kv_cache_bytes(model_shape("llama-3-8b"), n_tokens=8192, dtype="bf16") / 2**30
    1.0
    >>> kv_cache_bytes(model_shape("llama-2-7b"), n_tokens=4096, dtype="bf16") / 2**30
    2.0
    """
    check_positive(n_tokens, "n_tokens")
    check_whole(n_sequences, "n_sequences")
    per_token = 2 * shape.cached_layers * shape.n_kv_heads * shape.head_width * number_bytes(dtype)
    return per_token * n_tokens * n_sequences


def weight_bytes(n_parameters: float, *, dtype: str) -> float:
    """Parameters x bytes of a number; training holds gradients and the state of the optimizer beside them.

    >>> weight_bytes(8_030_261_248, dtype="bf16") / 1e9
    16.060522496
    """
    check_positive(n_parameters, "n_parameters")
    return n_parameters * number_bytes(dtype)
