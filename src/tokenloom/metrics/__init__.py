"""What can be measured about a tokenizer. Metrics describe; none of them says alone which tokenizer is better."""

from tokenloom.metrics.round_trip import LossyPlace, RoundTrip, round_trip
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
from tokenloom.metrics.unknown import UnknownShares, unknown_by_size

__all__ = [
    "LossyPlace",
    "RoundTrip",
    "TokenUsage",
    "UnknownShares",
    "character_class",
    "cross_class_tokens",
    "half_character_tokens",
    "is_cross_class",
    "is_half_character",
    "longest_tokens",
    "round_trip",
    "token_counts",
    "token_lengths",
    "token_usage",
    "unknown_by_size",
]
