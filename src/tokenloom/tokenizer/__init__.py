"""Running a tokenizer: `Tokenizer`, and `TokenBatch` for the ids of many documents."""

from tokenloom.tokenizer.batch import TokenBatch
from tokenloom.tokenizer.tokenizer import SpecialText, Surrogates, Tokenizer

__all__ = ["SpecialText", "Surrogates", "TokenBatch", "Tokenizer"]
