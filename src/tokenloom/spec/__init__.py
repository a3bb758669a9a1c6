"""The description of a tokenizer as plain values: `TokenizerSpec`, its parts, and how to build one."""

from tokenloom.spec.alphabets import Alphabet, byte_order
from tokenloom.spec.build import build_spec
from tokenloom.spec.components import (
    BpeModel,
    PatternName,
    Pretokenizer,
    Semantics,
    SpecialToken,
    pretokenizer_of,
    special_contents,
)
from tokenloom.spec.tokenizer_spec import TokenizerSpec

__all__ = [
    "Alphabet",
    "BpeModel",
    "PatternName",
    "Pretokenizer",
    "Semantics",
    "SpecialToken",
    "TokenizerSpec",
    "build_spec",
    "byte_order",
    "pretokenizer_of",
    "special_contents",
]
