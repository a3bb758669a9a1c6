"""The description of a tokenizer as plain values: `TokenizerSpec`, its parts, and how to build one."""

from tokenloom.spec.added_tokens import AddedToken, special_contents
from tokenloom.spec.alphabets import Alphabet, byte_order
from tokenloom.spec.build import build_spec
from tokenloom.spec.components import PatternName, Pretokenizer, pretokenizer_of
from tokenloom.spec.decoder import (
    DecodeByteFallback,
    DecodeByteLevel,
    DecodeEndOfWord,
    DecodeFuse,
    DecodeJoin,
    DecodeMetaspace,
    Decoder,
    DecodeReplace,
    DecoderStep,
    DecodeSentencepiece,
    DecodeStrip,
    DecodeWordpiece,
)
from tokenloom.spec.model import BpeModel, Semantics, Unit
from tokenloom.spec.models import Model
from tokenloom.spec.normalizer import (
    BertText,
    Lowercase,
    Normalizer,
    NormalizerName,
    NormalizerStep,
    Prepend,
    Replace,
    Strip,
    UnicodeForm,
    normalizer_of,
)
from tokenloom.spec.other_models import UnigramModel, UnigramSemantics, WordModel, WordpieceModel
from tokenloom.spec.postprocessor import Template
from tokenloom.spec.pretokenizer_steps import (
    BertStep,
    ByteLevelStep,
    DigitsStep,
    MetaspaceStep,
    PretokenizerStep,
    PunctuationStep,
    SplitStep,
    WhitespaceSplitStep,
    WhitespaceStep,
)
from tokenloom.spec.resize import enlarged_spec, grown_spec, padded_spec, reserved_spec, truncated_spec
from tokenloom.spec.sentencepiece import Precompiled, SentencepieceRules
from tokenloom.spec.tokenizer_spec import TokenizerSpec

__all__ = [
    "AddedToken",
    "Alphabet",
    "BertStep",
    "BertText",
    "BpeModel",
    "ByteLevelStep",
    "DecodeByteFallback",
    "DecodeByteLevel",
    "DecodeEndOfWord",
    "DecodeFuse",
    "DecodeJoin",
    "DecodeMetaspace",
    "DecodeReplace",
    "DecodeSentencepiece",
    "DecodeStrip",
    "DecodeWordpiece",
    "Decoder",
    "DecoderStep",
    "DigitsStep",
    "Lowercase",
    "MetaspaceStep",
    "Model",
    "Normalizer",
    "NormalizerName",
    "NormalizerStep",
    "PatternName",
    "Precompiled",
    "Prepend",
    "Pretokenizer",
    "PretokenizerStep",
    "PunctuationStep",
    "Replace",
    "Semantics",
    "SentencepieceRules",
    "SplitStep",
    "Strip",
    "Template",
    "TokenizerSpec",
    "UnicodeForm",
    "UnigramModel",
    "UnigramSemantics",
    "Unit",
    "WhitespaceSplitStep",
    "WhitespaceStep",
    "WordModel",
    "WordpieceModel",
    "build_spec",
    "byte_order",
    "enlarged_spec",
    "grown_spec",
    "normalizer_of",
    "padded_spec",
    "pretokenizer_of",
    "reserved_spec",
    "special_contents",
    "truncated_spec",
]
