"""What can be measured about a tokenizer. Metrics describe; none of them says alone which tokenizer is better."""

from tokenloom.metrics.tokens import (
    TokenUsage,
    character_class,
    cross_class_tokens,
    half_character_tokens,
    is_cross_class,
    is_half_character,
    longest_tokens,
    token_counts,
    token_lengths,
    token_usage,
)

__all__ = [
    "TokenUsage",
    "character_class",
    "cross_class_tokens",
    "half_character_tokens",
    "is_cross_class",
    "is_half_character",
    "longest_tokens",
    "token_counts",
    "token_lengths",
    "token_usage",
]
