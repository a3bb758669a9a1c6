"""How evenly tokens are used: entropies of their distribution, and what is made of them.

Rényi efficiency of order 2.5 went with translation quality in one study (Zouhar et al. 2023), and two families of
tokenizers raise it while quality falls (Cognetta et al. 2024, "Two Counterexamples to Tokenization and the Noiseless
Channel"): read it as a description. Counts must be those of one corpus; more text gives more distinct tokens.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy import float64
from numpy.typing import NDArray

from tokenloom.errors import MetricError

__all__ = [
    "Counts",
    "Normalizer",
    "effective_vocabulary",
    "normalized_entropy",
    "percentile_frequency",
    "renyi_efficiency",
    "renyi_entropy",
    "shannon_efficiency",
    "shannon_entropy",
]

Counts: TypeAlias = Sequence[int] | NDArray[Any]
Normalizer = Literal["mean", "sum"]


def shannon_entropy(counts: Counts) -> float:
    """Shannon entropy of a token distribution; 0 to the logarithm of how many tokens occur.

    Formula: -sum of p ln p. Unit: nats (divide by ln 2 for bits).
    Args: counts: occurrences of each token, shape (n,); zeros change nothing.
    Raises: MetricError if no token occurs.

    >>> round(shannon_entropy([100, 90, 30]), 4)
    0.9957
    """
    shares = _shares("shannon_entropy", counts)
    shares = shares[shares > 0]
    return max(0.0, float(-(shares * np.log(shares)).sum()))


def renyi_entropy(counts: Counts, *, order: float) -> float:
    """Rényi entropy of a token distribution, which falls with its order.

    Formula: ln(sum of p^order) / (1 - order); order 1 is Shannon, infinity is -ln of the largest share. Unit: nats.
    Raises: MetricError if no token occurs, or the order is not above 0.

    >>> round(renyi_entropy([1, 1, 2], order=2.0), 4)
    0.9808
    """
    if not order > 0:
        raise MetricError(
            f"renyi_entropy: order {order!r} is not above 0. Use 2.5 as Zouhar et al. 2023 do, or another."
        )
    if order == 1:
        return shannon_entropy(counts)
    shares = _shares("renyi_entropy", counts)
    logs = np.log(shares[shares > 0])
    top = float(logs.max())
    if order == math.inf:
        return max(0.0, -top)
    powers = order * top + math.log(float(np.exp(order * (logs - top)).sum()))  # of high orders, which would underflow
    return max(0.0, powers / (1 - order))


def renyi_efficiency(counts: Counts, *, order: float) -> float:
    """Share of the vocabulary's capacity that a token distribution uses.

    Formula: Rényi entropy / ln n, where n is the length of `counts`. No unit, 0 to 1; 1 when all are equally frequent.

    Args:
        counts: occurrences of each token of the vocabulary, shape (n,). Tokens that never occur count in n: leave them
            out to divide by the used vocabulary, as tokenization-scorer does, and say so.
        order: above 0; 1 means Shannon. Larger orders weigh frequent tokens more. There is no default, since tools
            differ: the paper has 2.5.
    Raises: MetricError if no token occurs, or the vocabulary has fewer than two.
    Source: Zouhar et al. 2023, "Tokenization and the Noiseless Channel".

    >>> renyi_efficiency([5, 5], order=2.0), round(renyi_efficiency([5, 5, 0, 0], order=2.5), 9)
    (1.0, 0.5)
    """
    return _efficiency("renyi_efficiency", renyi_entropy(counts, order=order), len(counts))


def shannon_efficiency(counts: Counts) -> float:
    """Shannon entropy as a share of that of the uniform distribution: `renyi_efficiency` of order 1; 0 to 1.

    Formula: Shannon entropy / ln n. Raises: as `renyi_efficiency`.

    >>> shannon_efficiency([5, 5]), shannon_efficiency([1, 1, 0, 0])
    (1.0, 0.5)
    """
    return _efficiency("shannon_efficiency", shannon_entropy(counts), len(counts))


def effective_vocabulary(counts: Counts) -> float:
    """How many equally frequent tokens would have the same Shannon entropy; from 1 to how many tokens occur.

    Formula: exp(Shannon entropy in nats). Unit: tokens. Raises: MetricError if no token occurs.

    >>> round(effective_vocabulary([5, 5, 5, 5]), 9)
    4.0
    """
    return math.exp(shannon_entropy(counts))


def normalized_entropy(
    counts: Counts | Mapping[str, int], lengths: Iterable[int] | None = None, *, normalizer: Normalizer = "mean"
) -> float:
    """Entropy of a token distribution for each character of its tokens, as VOLT weighs vocabularies.

    Formula: -(1 / l) * sum of p ln p, with l the mean length of the tokens of the vocabulary, each once. Unit: nats a
    character; from 0. VOLT calls more text a token at little loss of entropy better, so lower is better there.

    Args:
        counts: occurrences by token, as a mapping from its text, or an array with `lengths` beside it.
        lengths: characters of each token; needless for a mapping. A token that does not occur counts in the mean.
        normalizer: `"mean"` is VOLT's; `"sum"`, the summed length, is what lecture slides divide by that give 0.14
            for {a, aes, cat} where the mean gives 0.43.
    Raises: MetricError if no token occurs, no token has a length, or there is not one length a count.
    Source: Xu et al. 2021, "Vocabulary Learning via Optimal Transport for Neural Machine Translation".

    >>> round(normalized_entropy([50, 30, 20], [1, 2, 3]), 3)
    0.515
    >>> slide = {"a": 100, "aes": 90, "cat": 30}
    >>> round(normalized_entropy(slide), 3), round(normalized_entropy(slide, normalizer="sum"), 3)
    (0.427, 0.142)
    """
    if normalizer not in ("mean", "sum"):
        raise MetricError(f"normalized_entropy: normalizer {normalizer!r} is unknown. Use 'mean' or 'sum'.")
    if isinstance(counts, Mapping):
        lengths = [len(token) for token in counts]
        counts = list(counts.values())
    sizes = np.asarray(list(lengths if lengths is not None else ()), dtype=np.float64)
    if len(sizes) != len(counts):
        raise MetricError(
            f"normalized_entropy: {len(sizes)} lengths for {len(counts)} counts. Pass one length a count."
        )
    entropy = shannon_entropy(counts)
    divisor = float(sizes.mean() if normalizer == "mean" else sizes.sum())
    if not divisor > 0:
        raise MetricError("normalized_entropy: is undefined, since no token has a length. Pass lengths in characters.")
    return entropy / divisor


def percentile_frequency(counts: Counts, *, low: float = 0.03, high: float = 0.83) -> float:
    """Share of all occurrences that tokens of middle rank have: neither the most frequent ones nor the rare ones.

    Formula: sum of p over the tokens of the vocabulary, the most frequent first, from share `low` to share `high` of
    their number, ranks rounded down. No unit, 0 to 1.
    Raises: MetricError if no token occurs, or the shares are no part of 0 to 1 in order.
    Source: Zouhar et al. 2023; Cognetta et al. 2024 find it more robust than Rényi efficiency.

    >>> percentile_frequency([10, 5, 3, 1, 1], low=0.2, high=0.8)
    0.45
    """
    if not 0 <= low < high <= 1:
        raise MetricError(f"percentile_frequency: {low!r} to {high!r} is no part of 0 to 1. Use 0.03 and 0.83.")
    shares = np.sort(_shares("percentile_frequency", counts))[::-1]
    return float(shares[int(low * len(shares)) : int(high * len(shares))].sum())


def _efficiency(metric: str, entropy: float, n_tokens: int) -> float:
    if n_tokens < 2:
        raise MetricError(
            f"{metric}: is undefined for a vocabulary of {n_tokens}. Pass the counts of two or more tokens."
        )
    return min(1.0, entropy / math.log(n_tokens))


def _shares(metric: str, counts: Counts) -> NDArray[float64]:
    values = np.asarray(counts, dtype=np.float64)
    if values.size and not values.min() >= 0:
        raise MetricError(f"{metric}: a count is below 0 or no number. Pass how often each token occurs.")
    n_all = float(values.sum())
    if not n_all:
        raise MetricError(f"{metric}: is undefined, since no token occurs. Measure on text that has tokens.")
    return values / n_all
