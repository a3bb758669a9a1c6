"""What a tokenizer costs a language model, by formulas: parameters, FLOPs, memory, time, money.

No figure here is measured, and none says that a tokenizer is better: a cheaper one may teach a model less.
"""

from tokenloom.cost.budgets import (
    CHINCHILLA_TOKENS,
    chinchilla_tokens,
    decoding_seconds,
    rent,
    text_bytes,
    token_price,
    training_seconds,
)
from tokenloom.cost.flops import (
    TRAINING_PASSES,
    attention_flops,
    attention_growth,
    attention_ratio,
    body_flops,
    cheapest_vocabulary,
    flops_per_byte,
    forward_flops,
    head_flops,
    training_flops,
)
from tokenloom.cost.hardware import ACCELERATORS, HARDWARE_DATE, Accelerator, accelerator
from tokenloom.cost.lines import CostLine, CostPlan, TokenizerText, cost_lines
from tokenloom.cost.memory import BYTES_PER_NUMBER, kv_cache_bytes, logits_bytes, number_bytes, weight_bytes
from tokenloom.cost.models import MODELS, MODELS_DATE, model_shape
from tokenloom.cost.shapes import ModelShape, plain_decoder
from tokenloom.cost.vocabularies import VOCABULARIES, VOCABULARIES_DATE, PublishedVocabulary, published_vocabulary

__all__ = [
    "ACCELERATORS",
    "BYTES_PER_NUMBER",
    "CHINCHILLA_TOKENS",
    "HARDWARE_DATE",
    "MODELS",
    "MODELS_DATE",
    "TRAINING_PASSES",
    "VOCABULARIES",
    "VOCABULARIES_DATE",
    "Accelerator",
    "CostLine",
    "CostPlan",
    "ModelShape",
    "PublishedVocabulary",
    "TokenizerText",
    "accelerator",
    "attention_flops",
    "attention_growth",
    "attention_ratio",
    "body_flops",
    "cheapest_vocabulary",
    "chinchilla_tokens",
    "cost_lines",
    "decoding_seconds",
    "flops_per_byte",
    "forward_flops",
    "head_flops",
    "kv_cache_bytes",
    "logits_bytes",
    "model_shape",
    "number_bytes",
    "plain_decoder",
    "published_vocabulary",
    "rent",
    "text_bytes",
    "token_price",
    "training_flops",
    "training_seconds",
    "weight_bytes",
]
