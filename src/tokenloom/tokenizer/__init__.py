"""Running a tokenizer: `Tokenizer`, and `TokenBatch` for the ids of many documents."""

from tokenloom.tokenizer.batch import TokenBatch
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
    "RunOptions",
    "SpecialText",
    "Surrogates",
    "TokenBatch",
    "Tokenizer",
    "check_choice",
    "check_threads",
]
