"""Lengths of tokens, and their frequency by rank: how much of the vocabulary a text uses, and how Zipf's law fits.

Lotz et al. 2025 find that properties of the rank-frequency curve tell more about unseen languages than compression
does; it is one study.
"""

from typing import TYPE_CHECKING

import numpy as np

from tokenloom.errors import MetricError
from tokenloom.metrics.entropy import Counts
from tokenloom.metrics.ratios import Amounts, ratio_of_sums

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

__all__ = ["average_rank", "mean_token_length", "rank_frequencies", "utilisation", "zipf_deviation", "zipf_slope"]


def utilisation(counts: Counts, *, least: int = 1) -> float:
    """Share of the vocabulary that occurs in a text at least `least` times; 0 to 1. Held-out text says most.

    Formula: tokens with a count from `least` on / tokens of the vocabulary. No unit.
    Args: counts: occurrences of each token of the vocabulary, shape (n,); ids without a token left out.
    Raises: MetricError for an empty vocabulary or a `least` below 1.

    >>> utilisation([5, 0, 1, 0]), utilisation([5, 0, 1, 0], least=2)
    (0.5, 0.25)
    """
    if least < 1:
        raise MetricError(f"utilisation: least {least!r} is below 1, which every token reaches. Use 1 or more.")
    values = np.asarray(counts)
    return ratio_of_sums(int((values >= least).sum()), len(values), metric="utilisation", of="tokens in the vocabulary")


def mean_token_length(lengths: Amounts, counts: Counts | None = None) -> float:
    """Mean length of tokens: of those in the vocabulary, or with `counts` of those in a text; from 0.

    Formula: sum of lengths / tokens, or sum of count * length / sum of counts. Unit: that of the lengths.
    Raises: MetricError without tokens.

    >>> mean_token_length([1, 3]), mean_token_length([1, 3], [3, 1])
    (2.0, 1.5)
    """
    sizes = np.atleast_1d(np.asarray(lengths))
    weights = np.ones(len(sizes), dtype=np.int64) if counts is None else np.asarray(counts)
    return ratio_of_sums(sizes * weights, weights, metric="mean_token_length", of="tokens")


def average_rank(counts: Counts) -> float:
    """Mean rank of the tokens of a text, where the most frequent token has rank 1; from 1 to how many occur.

    Formula: sum of count * rank / sum of counts, equally frequent ones in any order. Unit: ranks.
    Raises: MetricError if no token occurs.
    Source: Lotz et al. 2025, "Beyond Text Compression: Evaluating Tokenizers Across Scales".

    >>> average_rank([1, 6, 3])
    1.5
    """
    values = np.sort(np.asarray(counts))[::-1]
    ranks = np.arange(1, len(values) + 1)
    return ratio_of_sums(values * ranks, values, metric="average_rank", of="tokens")


def zipf_slope(counts: Counts) -> float:
    """Slope of the line through the logarithms of frequency and rank; about -1 in natural text.

    Formula: least squares of ln(count) over ln(rank), each token that occurs with the same weight. No unit.
    Raises: MetricError if fewer than two tokens occur.
    Source: Zipf 1949; as a metric of tokenizers Lotz et al. 2025.

    >>> round(zipf_slope([1200, 600, 400, 300]), 6)
    -1.0
    """
    return _line("zipf_slope", counts)[0]


def zipf_deviation(counts: Counts) -> float:
    """How far the frequencies lie from the line of `zipf_slope`: root mean square of the residuals; from 0.

    Unit: natural logarithm of a count. Raises: as `zipf_slope`.

    >>> round(zipf_deviation([1200, 600, 400, 300]), 6), round(zipf_deviation([8, 8, 1]), 3)
    (0.0, 0.612)
    """
    slope, intercept = _line("zipf_deviation", counts)
    ranks, values = rank_frequencies(counts)
    residuals = np.log(values) - (slope * np.log(ranks) + intercept)
    return float(np.sqrt((residuals**2).mean()))


def rank_frequencies(counts: Counts) -> "tuple[NDArray[float64], NDArray[float64]]":
    """Ranks from 1 on and the counts that fall with them, of the tokens that occur.

    >>> [values.tolist() for values in rank_frequencies([1, 0, 6])]
    [[1.0, 2.0], [6.0, 1.0]]
    """
    values = np.sort(np.asarray(counts, dtype=np.float64))[::-1]
    values = values[values > 0]
    return np.arange(1, len(values) + 1, dtype=np.float64), values


def _line(metric: str, counts: Counts) -> tuple[float, float]:
    ranks, values = rank_frequencies(counts)
    if len(values) < 2:
        raise MetricError(f"{metric}: is undefined, since fewer than two tokens occur. Measure on more text.")
    x, y = np.log(ranks), np.log(values)
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    return slope, float(y.mean() - slope * x.mean())
