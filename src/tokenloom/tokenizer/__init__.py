"""Running a tokenizer: `Tokenizer`, `TokenBatch` for the ids of many documents, `DocumentEncoder` for a corpus."""

from tokenloom.tokenizer.batch import TokenBatch
from tokenloom.tokenizer.documents import DocumentEncoder, IdType
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
    "DocumentEncoder",
    "IdType",
    "RunOptions",
    "SpecialText",
    "Surrogates",
    "TokenBatch",
    "Tokenizer",
    "check_choice",
    "check_threads",
]
