"""Published models by name: a table of shapes with its date and sources.

Where a model is a decoder of the common kind, its parameters are counted from its shape, and the count is the published
one to the last parameter (`tests/cost/test_models.py`). Of others the count outside the two tables is stated.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tokenloom.cost.checks import unknown_name
from tokenloom.cost.shapes import ModelShape

__all__ = ["MODELS", "MODELS_DATE", "model_shape"]

MODELS_DATE: Final = "2026-11"
"""When the table was written; a new row or a changed one moves it."""


def model_shape(name: str) -> ModelShape:
    """The shape of a published model, upper case or lower. Raises: CostError with the nearest name and all there are.

    >>> gpt2, llama = model_shape("gpt2"), model_shape("Llama-3-8B")
    >>> gpt2.vocabulary_parameters, f"{gpt2.vocabulary_share:.0%}", gpt2.total_parameters
    (38597376, '31%', 124439808)
    >>> llama.embedding_parameters, llama.head_parameters, f"{llama.vocabulary_share:.1%}", llama.total_parameters
    (525336576, 525336576, '13.1%', 8030261248)
    >>> qwen = model_shape("qwen3.8-27b")
    >>> qwen.vocabulary_parameters, f"{qwen.vocabulary_share:.1%}"
    (2542796800, '9.2%')
    """
    try:
        return MODELS[name.strip().lower()]
    except (KeyError, AttributeError):
        raise unknown_name(name, MODELS, "model") from None


def _gpt(name: str, n_layers: int, width: int, n_heads: int, *, context_tokens: int, source: str) -> ModelShape:
    """GPT-2 and GPT-3: learned positions, biases everywhere, one table for embedding and head."""
    return ModelShape(
        name=name,
        n_layers=n_layers,
        width=width,
        n_heads=n_heads,
        n_kv_heads=n_heads,
        head_width=width // n_heads,
        ffn_width=4 * width,
        vocabulary_size=50_257,
        context_tokens=context_tokens,
        is_tied=True,
        is_gated=False,
        n_position_rows=context_tokens,
        norm="layer",
        biases="all",
        source=source,
    )


def _llama(
    name: str,
    n_layers: int,
    width: int,
    n_heads: int,
    n_kv_heads: int,
    ffn_width: int,
    vocabulary_size: int,
    context_tokens: int,
    *,
    source: str,
    **others: Any,
) -> ModelShape:
    """Llama and what is built like it: gated, rotated positions, RMS norms, no biases."""
    return ModelShape(
        name=name,
        n_layers=n_layers,
        width=width,
        n_heads=n_heads,
        n_kv_heads=n_kv_heads,
        ffn_width=ffn_width,
        vocabulary_size=vocabulary_size,
        context_tokens=context_tokens,
        is_gated=True,
        source=source,
        **{"head_width": width // n_heads, "is_tied": False} | others,
    )


_GPT2: Final = "Radford et al. 2019, Language Models are Unsupervised Multitask Learners; its published checkpoints"
_GPT3: Final = "Brown et al. 2020, Language Models are Few-Shot Learners, table 2.1"
_LLAMA2: Final = "Touvron et al. 2023, Llama 2: Open Foundation and Fine-Tuned Chat Models; config.json"
_LLAMA3: Final = "Grattafiori et al. 2024, The Llama 3 Herd of Models, table 3; config.json"
_LLAMA32: Final = "Meta 2024, Llama 3.2 model card; config.json"
_MISTRAL: Final = "Jiang et al. 2023, Mistral 7B, table 1"
_MIXTRAL: Final = "Jiang et al. 2024, Mixtral of Experts, table 1"
_GEMMA: Final = "Gemma Team 2024, Gemma: Open Models Based on Gemini Research and Technology, table 1"
_TINY: Final = "Zhang et al. 2024, TinyLlama: An Open-Source Small Language Model, table 2"
_QWEN25: Final = "Qwen Team 2024, Qwen2.5 Technical Report, table 1; config.json"
_QWEN3: Final = "Qwen Team 2025, Qwen3 Technical Report, tables 1 and 2; config.json"
_QWEN38: Final = (
    "width and vocabulary: Qwen3.8-27B (2026), as a course lists its config.json; layers, heads, 27.78 B parameters: "
    "model card of Qwen3.6-27B (2026), which has tables of the same size"
)

_QWEN3_KIND: Final = {"head_width": 128, "has_head_norms": True}
_QWEN3_TIED: Final = _QWEN3_KIND | {"is_tied": True}

MODELS: Final[Mapping[str, ModelShape]] = MappingProxyType(
    {
        shape.name: shape
        for shape in (
            _gpt("gpt2", 12, 768, 12, context_tokens=1024, source=_GPT2),
            _gpt("gpt2-medium", 24, 1024, 16, context_tokens=1024, source=_GPT2),
            _gpt("gpt2-large", 36, 1280, 20, context_tokens=1024, source=_GPT2),
            _gpt("gpt2-xl", 48, 1600, 25, context_tokens=1024, source=_GPT2),
            _gpt("gpt-3", 96, 12_288, 96, context_tokens=2048, source=_GPT3),
            _llama("llama-2-7b", 32, 4096, 32, 32, 11_008, 32_000, 4096, source=_LLAMA2),
            _llama("llama-2-13b", 40, 5120, 40, 40, 13_824, 32_000, 4096, source=_LLAMA2),
            _llama("llama-2-70b", 80, 8192, 64, 8, 28_672, 32_000, 4096, source=_LLAMA2),
            _llama("llama-3-8b", 32, 4096, 32, 8, 14_336, 128_256, 8192, source=_LLAMA3),
            _llama("llama-3-70b", 80, 8192, 64, 8, 28_672, 128_256, 8192, source=_LLAMA3),
            _llama("llama-3.1-405b", 126, 16_384, 128, 8, 53_248, 128_256, 131_072, source=_LLAMA3),
            _llama("llama-3.2-1b", 16, 2048, 32, 8, 8192, 128_256, 131_072, source=_LLAMA32, is_tied=True),
            _llama("llama-3.2-3b", 28, 3072, 24, 8, 8192, 128_256, 131_072, source=_LLAMA32, is_tied=True),
            _llama("tinyllama-1.1b", 22, 2048, 32, 4, 5632, 32_000, 2048, source=_TINY),
            _llama("mistral-7b", 32, 4096, 32, 8, 14_336, 32_000, 8192, source=_MISTRAL),
            _llama(
                "mixtral-8x7b", 32, 4096, 32, 8, 14_336, 32_000, 32_768, source=_MIXTRAL,
                n_experts=8, n_active_experts=2,
            ),
            _llama("gemma-2b", 18, 2048, 8, 1, 16_384, 256_000, 8192, source=_GEMMA, head_width=256, is_tied=True),
            _llama("qwen2.5-0.5b", 24, 896, 14, 2, 4864, 151_936, 32_768, source=_QWEN25, is_tied=True, biases="qkv"),
            _llama("qwen2.5-7b", 28, 3584, 28, 4, 18_944, 152_064, 131_072, source=_QWEN25, biases="qkv"),
            _llama("qwen3-0.6b", 28, 1024, 16, 8, 3072, 151_936, 32_768, source=_QWEN3, **_QWEN3_TIED),
            _llama("qwen3-1.7b", 28, 2048, 16, 8, 6144, 151_936, 32_768, source=_QWEN3, **_QWEN3_TIED),
            _llama("qwen3-4b", 36, 2560, 32, 8, 9728, 151_936, 131_072, source=_QWEN3, **_QWEN3_TIED),
            _llama("qwen3-8b", 36, 4096, 32, 8, 12_288, 151_936, 131_072, source=_QWEN3, **_QWEN3_KIND),
            _llama("qwen3-14b", 40, 5120, 40, 8, 17_408, 151_936, 131_072, source=_QWEN3, **_QWEN3_KIND),
            _llama("qwen3-32b", 64, 5120, 64, 8, 25_600, 151_936, 131_072, source=_QWEN3, **_QWEN3_KIND),
            _llama(
                "qwen3-30b-a3b", 48, 2048, 32, 4, 768, 151_936, 131_072, source=_QWEN3,
                n_experts=128, n_active_experts=8, **_QWEN3_KIND,
            ),
            _llama(
                "qwen3.8-27b", 64, 5120, 24, 4, 17_408, 248_320, 262_144, source=_QWEN38, head_width=256,
                n_attention_layers=16, stated_body_parameters=27_780_000_000 - 2 * 248_320 * 5120,
            ),
        )
    }
)  # fmt: skip
"""Shapes by name. `gpt2` is the small one."""
