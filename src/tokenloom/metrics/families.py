"""Which metrics there are, family by family, and what each takes from a measurement."""

from typing import Any, Final

from tokenloom.errors import MetricError
from tokenloom.metrics import (
    compression,
    entropy,
    fairness,
    numbers,
    ranks,
    reachable,
    round_trip,
    token_kinds,
    word_tokens,
)
from tokenloom.metrics.measurement import Measurement
from tokenloom.metrics.metric import Metric, table_of
from tokenloom.metrics.parallel import ParallelCosts

__all__ = ["METRICS", "RENYI_ORDER"]

RENYI_ORDER: Final = 2.5
"""That of Zouhar et al. 2023; it stands in the name of the metric."""


def renyi_efficiency_2_5(counts: entropy.Counts) -> float:
    """Rényi efficiency of order 2.5, divided by the logarithm of the full vocabulary; 0 to 1.

    See `renyi_efficiency` for the formula and what it was seen to tell.

    >>> renyi_efficiency_2_5([5, 5])
    1.0
    """
    return entropy.renyi_efficiency(counts, order=RENYI_ORDER)


def _counts(measured: Measurement) -> tuple[Any, ...]:
    return (measured.counts,)


def _normalized_entropy(measured: Measurement) -> tuple[Any, ...]:
    return measured.counts, measured.vocabulary.n_chars.tolist()


def _tokens_of(kind: str) -> Any:
    return lambda measured: (getattr(measured.vocabulary, kind), measured.counts)


def _learned_lengths(measured: Measurement) -> tuple[Any, ...]:
    return (measured.vocabulary.n_bytes[~measured.vocabulary.is_special],)


def _patterns(measured: Measurement) -> tuple[Any, ...]:
    if measured.subject is None:
        raise MetricError("numbers: the tokenizer is not known, only amounts are. Measure with the tokenizer itself.")
    return (numbers.number_patterns(measured.subject.tokenizer),)


def _reachability(measured: Measurement) -> tuple[Any, ...]:
    if measured.subject is None:
        raise MetricError("reachability: the tokenizer is not known, only amounts are. Measure with the tokenizer.")
    found = measured.subject.reachability
    return found.n_reachable, found.n_judged


_COMPRESSION: Final = (
    Metric(
        "bytes_per_token",
        compression.bytes_per_token,
        lambda measured: (measured.text.n_bytes, measured.tokens.n_tokens),
        "bytes/token",
        is_ratio=True,
        also=("compression", "compression_ratio"),
    ),
    Metric(
        "chars_per_token",
        compression.chars_per_token,
        lambda measured: (measured.text.n_chars, measured.tokens.n_tokens),
        "characters/token",
        is_ratio=True,
    ),
    Metric(
        "n_tokens",
        compression.corpus_token_count,
        lambda measured: (measured.tokens.n_tokens,),
        "tokens",
        also=("corpus_token_count",),
    ),
    Metric(
        "normalized_length",
        compression.normalized_sequence_length,
        lambda measured: (measured.tokens.n_tokens, measured.n_reference_tokens),
        is_ratio=True,
        also=("normalized_sequence_length", "nsl"),
    ),
)
_WORDS: Final = (
    Metric(
        "fertility",
        word_tokens.fertility,
        lambda measured: (measured.tokens.n_tokens, measured.n_words),
        "tokens/word",
        is_ratio=True,
    ),
    Metric(
        "continued_words",
        word_tokens.continued_words,
        lambda measured: (measured.n_continued_words, measured.n_words),
        is_ratio=True,
    ),
    Metric(
        "single_token_retention",
        word_tokens.single_token_retention,
        lambda measured: (measured.n_continued_words, measured.n_words),
        is_ratio=True,
        is_complement=True,
        also=("strr",),
    ),
)
_ENTROPY: Final = (
    Metric("shannon_efficiency", entropy.shannon_efficiency, _counts),
    Metric("renyi_efficiency_2.5", renyi_efficiency_2_5, _counts, also=("renyi_efficiency",)),
    Metric("normalized_entropy", entropy.normalized_entropy, _normalized_entropy, "nats/character"),
    Metric("effective_vocabulary", entropy.effective_vocabulary, _counts, "tokens"),
    Metric("percentile_frequency", entropy.percentile_frequency, _counts),
)
_RANKS: Final = (
    Metric("utilisation", ranks.utilisation, _counts, also=("utilization",)),
    Metric("mean_token_length", ranks.mean_token_length, _learned_lengths, "bytes"),
    Metric("average_rank", ranks.average_rank, _counts, "ranks"),
    Metric("zipf_slope", ranks.zipf_slope, _counts),
    Metric("zipf_deviation", ranks.zipf_deviation, _counts),
)
_KINDS: Final = (
    Metric("blank_tokens", token_kinds.blank_tokens, _tokens_of("is_blank")),
    Metric("digits_per_token", token_kinds.digits_per_token, _tokens_of("n_digits"), "digits/token"),
    Metric("right_aligned_numbers", numbers.right_aligned_numbers, _patterns),
    Metric(
        "whole_character_tokens",
        token_kinds.whole_character_tokens,
        lambda measured: (measured.vocabulary.is_half,),
        also=("utf8_completeness",),
    ),
    Metric("whole_character_use", token_kinds.whole_character_use, _tokens_of("is_half")),
)
_FAITH: Final = (
    Metric(
        "round_trip",
        round_trip.exact_match_rate,
        lambda measured: (measured.tokens.round_trip.n_exact, measured.tokens.round_trip.n_docs),
        also=("exact_match_rate",),
    ),
    Metric(
        "unknown_rate",
        token_kinds.unknown_rate,
        lambda measured: (measured.n_unknown, int(measured.tokens.n_tokens.sum())),
    ),
    Metric("reachable_tokens", reachable.reachable_tokens, _reachability, also=("reachability",)),
)


def _two_languages(amounts: str) -> Any:
    def of(costs: ParallelCosts, language: str) -> tuple[Any, ...]:
        return tuple(getattr(costs.languages[name], amounts) for name in (language, costs.reference))

    return of


def _costs(costs: ParallelCosts) -> tuple[Any, ...]:
    return ({name: row.n_tokens for name, row in costs.languages.items()},)


_FAIRNESS: Final = (
    Metric("premium", fairness.premium, _two_languages("n_tokens"), needs="language", also=("parity",)),
    Metric("byte_premium", fairness.byte_premium, _two_languages("n_bytes"), needs="language"),
    Metric("worst_language", fairness.worst_language, _costs, needs="parallel"),
    Metric("gini", fairness.gini, _costs, needs="parallel"),
    Metric("cost_ratio", fairness.cost_ratio, _costs, needs="parallel"),
    Metric("cost_variation", fairness.cost_variation, _costs, needs="parallel"),
)

METRICS: Final = table_of(
    ("compression", _COMPRESSION),
    ("word_tokens", _WORDS),
    ("entropy", _ENTROPY),
    ("ranks", _RANKS),
    ("token_kinds", _KINDS),
    ("round_trip, reachable", _FAITH),
    ("fairness", _FAIRNESS),
)
"""The metrics by name: of a tokenizer on a text, and of a tokenizer on parallel text."""
