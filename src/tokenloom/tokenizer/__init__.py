"""Running a tokenizer: `Tokenizer`, `TokenBatch` for the ids of many documents, `DocumentEncoder` for a corpus.

`explain_pattern` says why a text is cut where it is.
"""

from tokenloom.tokenizer.batch import TokenBatch
from tokenloom.tokenizer.decoding import DecodeStream
from tokenloom.tokenizer.documents import MOST_UINT16_IDS, DocumentEncoder, IdType
from tokenloom.tokenizer.encoding import Encoding
from tokenloom.tokenizer.explain import ExplainedPretoken, explain_pattern
from tokenloom.tokenizer.options import (
    DEFAULT_CACHE_BYTES,
    RunOptions,
    SpecialText,
    Surrogates,
    check_choice,
    check_threads,
)
from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = [
    "DEFAULT_CACHE_BYTES",
    "MOST_UINT16_IDS",
    "DecodeStream",
    "DocumentEncoder",
    "Encoding",
    "ExplainedPretoken",
    "IdType",
    "RunOptions",
    "SpecialText",
    "Surrogates",
    "TokenBatch",
    "Tokenizer",
    "check_choice",
    "check_threads",
    "explain_pattern",
]
