"""Running a tokenizer: `Tokenizer`, `TokenBatch` for the ids of many documents, `DocumentEncoder` for a corpus.

`explain_pattern` says why a text is cut where it is. Names are loaded when first used: encoding a text needs few.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tokenloom.tokenizer.baselines import byte_tokenizer, code_point_tokenizer
    from tokenloom.tokenizer.batch import TokenBatch
    from tokenloom.tokenizer.decoding import Decoder, DecodeStream
    from tokenloom.tokenizer.documents import MOST_UINT16_IDS, DocumentEncoder, IdType
    from tokenloom.tokenizer.encoding import Encoder, Encoding
    from tokenloom.tokenizer.explain import ExplainedPretoken, explain_pattern
    from tokenloom.tokenizer.options import (
        DEFAULT_CACHE_BYTES,
        RunOptions,
        SpecialText,
        Surrogates,
        check_choice,
        check_threads,
    )
    from tokenloom.tokenizer.other_cuts import OtherCuts
    from tokenloom.tokenizer.progress import part_progress
    from tokenloom.tokenizer.subword_units import SubwordUnits
    from tokenloom.tokenizer.tokenizer import Tokenizer
    from tokenloom.tokenizer.word_segmenter import WordCut, WordSegmenter

__all__ = [
    "DEFAULT_CACHE_BYTES",
    "MOST_UINT16_IDS",
    "DecodeStream",
    "Decoder",
    "DocumentEncoder",
    "Encoder",
    "Encoding",
    "ExplainedPretoken",
    "IdType",
    "OtherCuts",
    "RunOptions",
    "SpecialText",
    "SubwordUnits",
    "Surrogates",
    "TokenBatch",
    "Tokenizer",
    "WordCut",
    "WordSegmenter",
    "byte_tokenizer",
    "check_choice",
    "check_threads",
    "code_point_tokenizer",
    "explain_pattern",
    "part_progress",
]

_HOMES: Final = {
    "baselines": ("byte_tokenizer", "code_point_tokenizer"),
    "batch": ("TokenBatch",),
    "decoding": ("DecodeStream", "Decoder"),
    "documents": ("MOST_UINT16_IDS", "DocumentEncoder", "IdType"),
    "encoding": ("Encoder", "Encoding"),
    "explain": ("ExplainedPretoken", "explain_pattern"),
    "options": (
        "DEFAULT_CACHE_BYTES",
        "RunOptions",
        "SpecialText",
        "Surrogates",
        "check_choice",
        "check_threads",
    ),
    "other_cuts": ("OtherCuts",),
    "progress": ("part_progress",),
    "subword_units": ("SubwordUnits",),
    "tokenizer": ("Tokenizer",),
    "word_segmenter": ("WordCut", "WordSegmenter"),
}
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'tokenloom.tokenizer' has no attribute {name!r}")
    value = getattr(import_module(f"tokenloom.tokenizer.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
