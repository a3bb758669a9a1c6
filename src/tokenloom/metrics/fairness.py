"""What the same text costs in several languages. All of this needs parallel text: the same sentences in each.

Costs are tokens for the same sentences, so they are proportional to price, time and context.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenloom.errors import MetricError
from tokenloom.metrics.ratios import Amounts, ratio_of_sums

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

__all__ = ["byte_premium", "cost_ratio", "cost_variation", "gini", "parity", "premium", "worst_language"]


def premium(n_tokens: Amounts, n_reference_tokens: Amounts) -> float:
    """Tokens of a language divided by those of the reference language, on parallel text; 1 is parity.

    Formula: sum of tokens / sum of tokens of the reference. No unit; from 0. Name the reference. Part of it is the
    script: `byte_premium` says how many bytes the language takes.
    Raises: MetricError if the reference has no tokens.
    Source: Petrov et al. 2023, "Language Model Tokenizers Introduce Unfairness Between Languages".

    >>> premium([10, 20], [6, 4])
    3.0
    """
    return ratio_of_sums(n_tokens, n_reference_tokens, metric="premium", of="tokens of the reference language")


def parity(n_tokens: Amounts, n_reference_tokens: Amounts) -> float:
    """The same ratio as `premium`, by the name that goes with its aim: a tokenizer is at parity where it is about 1.

    >>> parity(12, 12)
    1.0
    """
    return premium(n_tokens, n_reference_tokens)


def byte_premium(n_bytes: Amounts, n_reference_bytes: Amounts) -> float:
    """UTF-8 bytes of a language divided by those of the reference language, on parallel text: no tokenizer is in it.

    Formula: sum of bytes / sum of bytes of the reference. No unit; from 0.
    Raises: MetricError if the reference has no bytes.
    Source: Arnett et al. 2024, "A Bit of a Problem: Measurement Disparities in Dataset Sizes Across Languages".

    >>> byte_premium(30, 20)
    1.5
    """
    return ratio_of_sums(n_bytes, n_reference_bytes, metric="byte_premium", of="bytes of the reference language")


def gini(costs: Sequence[float] | Mapping[str, float]) -> float:
    """Gini coefficient of the costs of languages: 0 where all are equal, towards 1 where one bears all.

    Formula: 2 * sum of i * c_i / (n * sum of c) - (n + 1) / n, for the n costs c in rising order, i from 1. No unit, 0
    to 1 - 1/n. The unit of the costs does not matter, but it must be one, such as tokens for the same sentences.
    Raises: MetricError without costs, if one is negative or no number, or if all are 0.
    Source: Foroutan et al. 2025, "Parity-Aware Byte-Pair Encoding".

    >>> gini([5, 5]), gini([0, 1]), round(gini([1, 2, 3]), 6)
    (0.0, 0.5, 0.222222)
    """
    values = np.sort(_costs("gini", costs))
    n = len(values)
    places = np.arange(1, n + 1)
    return float(2 * (places * values).sum() / (n * values.sum()) - (n + 1) / n)


def worst_language(costs: Mapping[str, float]) -> tuple[str, float]:
    """The language with the highest cost, and this cost; the first of several in the order of names.

    Raises: as `gini`. Source: what parity-aware BPE makes small (Foroutan et al. 2025).

    >>> worst_language({"eng": 100, "lao": 830, "fra": 135})
    ('lao', 830.0)
    """
    _costs("worst_language", costs)
    name = max(sorted(costs), key=lambda name: costs[name])
    return name, float(costs[name])


def cost_ratio(costs: Sequence[float] | Mapping[str, float]) -> float:
    """The highest cost divided by the lowest; from 1. No unit.

    Raises: as `gini`, and if the lowest is 0.

    >>> cost_ratio([100, 830])
    8.3
    """
    values = _costs("cost_ratio", costs)
    if not values.min():
        raise MetricError("cost_ratio: is undefined, since the lowest cost is 0. Leave out languages without text.")
    return float(values.max() / values.min())


def cost_variation(costs: Sequence[float] | Mapping[str, float]) -> float:
    """Coefficient of variation: standard deviation (of all, divisor n) divided by the mean; from 0. No unit.

    Raises: as `gini`.

    >>> cost_variation([1, 3])
    0.5
    """
    values = _costs("cost_variation", costs)
    return float(values.std() / values.mean())


def _costs(metric: str, costs: "Sequence[float] | Mapping[str, float] | NDArray[Any]") -> "NDArray[float64]":
    values = np.asarray(list(costs.values()) if isinstance(costs, Mapping) else costs, dtype=np.float64)
    if not len(values):
        raise MetricError(f"{metric}: is undefined without costs. Pass one a language.")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise MetricError(f"{metric}: a cost is below 0 or no number. Pass the tokens of each language.")
    if not values.any():
        raise MetricError(f"{metric}: is undefined, since all costs are 0. Measure on text that has tokens.")
    return values
