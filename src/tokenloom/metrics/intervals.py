"""How sure a ratio is: bootstrap intervals over documents, and paired differences of two tokenizers.

Documents are drawn with replacement as many times as there are, the ratio of sums is taken, and that is repeated; the
interval holds the middle of the results. It speaks of other documents of the same kind, not of other kinds. What is
compared is drawn together, since two tokenizers see the same documents: their difference is surer than either value.

The draws are the same everywhere: raw 64-bit numbers of PCG64 (numpy's, whose raw output is fixed by its definition),
of which the upper 32 bits, times the number of groups, shifted by 32, are a group.
Source: Efron 1979, "Bootstrap methods"; percentile intervals as in Efron & Tibshirani 1993.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy import float64
from numpy.typing import NDArray

from tokenloom.errors import MetricError

__all__ = ["DEFAULT_RESAMPLES", "Interval", "Resamples"]

DEFAULT_RESAMPLES: Final = 1000
_MOST_GROUPS: Final = 2000
"""More documents are dealt into so many groups of equal size, at random: the interval is the same but for chance."""
_MOST_RESAMPLES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the value would lie with other documents, in `level` of all cases."""

    low: float
    high: float
    level: float


class Resamples:
    """Draws of documents, made once and used for every ratio over the same documents.

    Args:
        n_docs: how many there are.
        seed: which draws; the same seed gives the same intervals on every machine.
        n_resamples: how many times all documents are drawn.
        level: the share of the results that an interval holds.
    Raises: MetricError for a value out of its range.

    >>> resamples = Resamples(4, seed=0)
    >>> interval = resamples.ratio([4, 8, 6, 2], [1, 2, 2, 1])
    >>> interval.low <= 20 / 6 <= interval.high
    True
    >>> Resamples(1, seed=0).ratio([4], [1]) is None
    True
    """

    def __init__(self, n_docs: int, *, seed: int, n_resamples: int = DEFAULT_RESAMPLES, level: float = 0.95) -> None:
        if type(seed) is not int or not 0 <= seed < 2**64:
            raise MetricError(f"seed {seed!r}: must be a whole number from 0 to 2**64 - 1. Use 0, say.")
        if type(n_resamples) is not int or not 1 <= n_resamples <= _MOST_RESAMPLES:
            raise MetricError(f"n_resamples {n_resamples!r}: must be from 1 to {_MOST_RESAMPLES:,}. Use 1000, say.")
        if not 0 < level < 1:
            raise MetricError(f"level {level!r}: must lie between 0 and 1. Use 0.95, say.")
        self.n_docs = n_docs
        self.level = level
        self._shape = (n_resamples, min(n_docs, _MOST_GROUPS))
        self._bits = np.random.PCG64(seed)
        self._order = np.argsort(self._raw(n_docs), kind="stable") if n_docs > _MOST_GROUPS else None
        self._times = self._draw()

    def ratio(self, above: Any, below: Any) -> Interval | None:
        """The interval of `sum(above) / sum(below)`, one number a document each; None if it is undefined.

        That is so with fewer than two documents, or where draws have nothing to divide by.
        """
        return self._middle(self._ratios(above, below))

    def difference(self, first: tuple[Any, Any], second: tuple[Any, Any]) -> Interval | None:
        """The interval of the second ratio less the first one, drawn from the same documents; None as in `ratio`.

        >>> Resamples(3, seed=1).difference(([3, 6, 9], [1, 2, 3]), ([4, 8, 12], [1, 2, 3]))
        Interval(low=1.0, high=1.0, level=0.95)
        """
        before, after = self._ratios(*first), self._ratios(*second)
        return self._middle(None if before is None or after is None else after - before)

    def _ratios(self, above: Any, below: Any) -> NDArray[float64] | None:
        if self.n_docs < 2:
            return None
        dividends, divisors = self._sums(above), self._sums(below)
        return dividends / divisors if divisors.all() else None

    def _sums(self, amounts: Any) -> NDArray[float64]:
        """The sum of each draw; exact below 2**53."""
        values = np.asarray(amounts, dtype=np.float64)
        if values.shape != (self.n_docs,):
            raise MetricError(f"amounts: have shape {values.shape}, for {self.n_docs} documents. Pass one a document.")
        if self._order is not None:
            groups = np.arange(self.n_docs) % _MOST_GROUPS
            values = np.bincount(groups, weights=values[self._order], minlength=_MOST_GROUPS).astype(np.float64)
        sums: NDArray[float64] = self._times @ values
        return sums

    def _middle(self, results: NDArray[float64] | None) -> Interval | None:
        if results is None:
            return None
        tail = (1 - self.level) / 2
        low, high = np.quantile(results, [tail, 1 - tail])
        return Interval(float(low), float(high), self.level)

    def _draw(self) -> NDArray[float64]:
        """How often each group is in each draw, of shape (n_resamples, n_groups)."""
        n_resamples, n_groups = self._shape
        chosen = (self._raw(n_resamples * n_groups) >> 32) * n_groups >> 32
        rows = np.repeat(np.arange(n_resamples) * n_groups, n_groups)
        return (
            np.bincount(rows + chosen.astype(np.int64), minlength=n_resamples * n_groups)
            .reshape(self._shape)
            .astype(np.float64)
        )

    def _raw(self, n: int) -> NDArray[Any]:
        return np.asarray(self._bits.random_raw(n), dtype=np.uint64)
