"""The description of a tokenizer as plain values: `TokenizerSpec`, its parts, and how to build one."""

from tokenloom.spec.alphabets import Alphabet, byte_order
from tokenloom.spec.build import build_spec
from tokenloom.spec.components import BpeModel, Pretokenizer, Semantics, SpecialToken, special_contents
from tokenloom.spec.resize import padded_spec, reserved_spec, truncated_spec
from tokenloom.spec.tokenizer_spec import TokenizerSpec

__all__ = [
    "Alphabet",
    "BpeModel",
    "Pretokenizer",
    "Semantics",
    "SpecialToken",
    "TokenizerSpec",
    "build_spec",
    "byte_order",
    "padded_spec",
    "reserved_spec",
    "special_contents",
    "truncated_spec",
]
