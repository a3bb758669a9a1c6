"""Ratios of sums, which most metrics of text are: the sum over all documents above, the sum over all documents below.

A mean of the ratios of documents would weigh a line of three bytes like a book.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokenloom.errors import MetricError

__all__ = ["Amounts", "ratio_of_sums", "total"]

Amounts: TypeAlias = int | Sequence[int] | NDArray[Any]
"""A number, or one a document."""


def total(amounts: Amounts) -> int:
    """The sum of amounts, each from 0.

    >>> total(5), total([1, 2])
    (5, 3)
    """
    values = np.asarray(amounts)
    if values.size and values.min() < 0:
        raise MetricError(f"amounts: {values.min()} is below 0. Pass numbers of bytes, characters, words or tokens.")
    return int(values.sum())


def ratio_of_sums(above: Amounts, below: Amounts, *, metric: str, of: str) -> float:
    """`sum(above) / sum(below)`.

    Args:
        above: a number, or one a document.
        below: the same for what is divided by.
        metric: its name, for the error.
        of: what the numbers below count.
    Raises: MetricError if those below sum to 0: the ratio is undefined, which is not 0.

    >>> ratio_of_sums([4, 6], [1, 3], metric="bytes_per_token", of="tokens")
    2.5
    """
    divisor = total(below)
    if not divisor:
        raise MetricError(f"{metric}: is undefined, since there are no {of}. Measure on text that has some.")
    return total(above) / divisor
