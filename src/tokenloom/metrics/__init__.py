"""What can be measured about a tokenizer. Metrics describe; none of them says alone which tokenizer is better.

`METRICS` has those of one tokenizer on one corpus by name, each a function with its formula, unit, range and source. A
value that is not defined is a MetricError or None, never 0. Here come iterables of documents, sentences and counts;
`tokenloom.jobs.measure_corpus.measure_corpus` reads files.
"""

from tokenloom.metrics.compression import (
    bytes_per_token,
    chars_per_token,
    corpus_token_count,
    normalized_sequence_length,
    sequence_lengths,
    tokens_per_byte,
)
from tokenloom.metrics.entropy import (
    effective_vocabulary,
    normalized_entropy,
    percentile_frequency,
    renyi_efficiency,
    renyi_entropy,
    shannon_efficiency,
    shannon_entropy,
)
from tokenloom.metrics.fairness import byte_premium, cost_ratio, cost_variation, gini, parity, premium, worst_language
from tokenloom.metrics.families import METRICS
from tokenloom.metrics.intervals import DEFAULT_RESAMPLES, Interval, Resamples
from tokenloom.metrics.losses import Losses, LossyPlace, losses_of
from tokenloom.metrics.measurement import Measurement, Meters, Subject, joined, measure_documents
from tokenloom.metrics.metric import Metric, Value, difference_of, find_metric, value_of
from tokenloom.metrics.numbers import number_patterns, right_aligned_numbers
from tokenloom.metrics.parallel import LanguageCost, ParallelCosts, check_parallel, parallel_costs
from tokenloom.metrics.ranks import (
    average_rank,
    mean_token_length,
    rank_frequencies,
    utilisation,
    zipf_deviation,
    zipf_slope,
)
from tokenloom.metrics.reachable import Reachability, reachability, reachable_tokens
from tokenloom.metrics.round_trip import Difference, RoundTrip, exact_match_rate
from tokenloom.metrics.surfaces import Vocabulary, vocabulary_of
from tokenloom.metrics.token_kinds import (
    blank_tokens,
    digits_per_token,
    unknown_rate,
    whole_character_tokens,
    whole_character_use,
)
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
from tokenloom.metrics.word_tokens import continued_words, fertility, single_token_retention
from tokenloom.metrics.words import SPLITTERS, WordSplitter, word_splitter

__all__ = [
    "DEFAULT_RESAMPLES",
    "METRICS",
    "SPLITTERS",
    "Difference",
    "Interval",
    "LanguageCost",
    "Losses",
    "LossyPlace",
    "Measurement",
    "Meters",
    "Metric",
    "ParallelCosts",
    "Reachability",
    "Resamples",
    "RoundTrip",
    "Subject",
    "TokenUsage",
    "UnknownShares",
    "Value",
    "Vocabulary",
    "WordSplitter",
    "average_rank",
    "blank_tokens",
    "byte_premium",
    "bytes_per_token",
    "character_class",
    "chars_per_token",
    "check_parallel",
    "continued_words",
    "corpus_token_count",
    "cost_ratio",
    "cost_variation",
    "cross_class_tokens",
    "difference_of",
    "digits_per_token",
    "effective_vocabulary",
    "exact_match_rate",
    "fertility",
    "find_metric",
    "gini",
    "half_character_tokens",
    "is_cross_class",
    "is_half_character",
    "joined",
    "longest_tokens",
    "losses_of",
    "mean_token_length",
    "measure_documents",
    "normalized_entropy",
    "normalized_sequence_length",
    "number_patterns",
    "parallel_costs",
    "parity",
    "percentile_frequency",
    "premium",
    "rank_frequencies",
    "reachability",
    "reachable_tokens",
    "renyi_efficiency",
    "renyi_entropy",
    "right_aligned_numbers",
    "sequence_lengths",
    "shannon_efficiency",
    "shannon_entropy",
    "single_token_retention",
    "token_counts",
    "token_lengths",
    "token_usage",
    "tokens_per_byte",
    "unknown_by_size",
    "unknown_rate",
    "utilisation",
    "value_of",
    "vocabulary_of",
    "whole_character_tokens",
    "whole_character_use",
    "word_splitter",
    "worst_language",
    "zipf_deviation",
    "zipf_slope",
]
