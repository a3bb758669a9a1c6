"""Where an axis has its marks: steps of 1, 2 or 5 times a power of ten, and labels short enough for a phone."""

import math
from collections.abc import Sequence
from typing import Final

__all__ = ["linear_ticks", "log_ticks", "step_of", "tick_labels"]

_PREFIXES: Final = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
_ROUNDING: Final = 1e-9
"""A value that misses a tick by this share of a step is on the tick: the step 0.1 is no exact number."""


def step_of(span: float, *, n_steps: int = 5) -> float:
    """The smallest step of 1, 2 or 5 times a power of ten that covers `span` in `n_steps` steps.

    >>> step_of(100), step_of(7), step_of(0.3), step_of(9, n_steps=10)
    (20, 2, 0.1, 1)
    """
    exact = span / n_steps
    exponent = math.floor(math.log10(exact))
    for digit, power in ((1, exponent), (2, exponent), (5, exponent), (1, exponent + 1)):
        step: float = digit * 10**power if power >= 0 else digit / 10**-power
        if step >= exact * (1 - _ROUNDING):
            break
    return step


def linear_ticks(low: float, high: float, *, n_steps: int = 5) -> list[float]:
    """Multiples of a round step from `low` to `high`; one tick if the two are equal.

    >>> linear_ticks(0, 100), linear_ticks(3, 9), linear_ticks(0, 0.3), linear_ticks(4, 4)
    ([0, 20, 40, 60, 80, 100], [4, 6, 8], [0.0, 0.1, 0.2, 0.3], [4])
    """
    if high <= low:
        return [low]
    step = step_of(high - low, n_steps=n_steps)
    digits = max(0, -math.floor(math.log10(step)))
    first, last = math.ceil(low / step - _ROUNDING), math.floor(high / step + _ROUNDING)
    return [round(number * step, digits) for number in range(first, last + 1)]


def log_ticks(low: float, high: float, *, n_ticks: int = 6) -> list[float]:
    """Powers of ten from `low` to `high`, with their doubles and fives where they alone would be too few.

    >>> log_ticks(1, 1000), log_ticks(30, 400), log_ticks(5, 5)
    ([1, 10, 100, 1000], [50, 100, 200], [5])
    >>> log_ticks(21, 42)
    [25, 30, 35, 40]
    """
    if high <= low:
        return [low]
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1,), (1, 2, 5)):
        ticks: list[float] = [digit * 10**power for power in exponents for digit in digits]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) >= 3:
            break
    if len(inside) < 2:  # less than a factor of 2.5 is read as on a linear axis
        return linear_ticks(low, high)
    return inside[:: math.ceil(len(inside) / n_ticks)]


def tick_labels(ticks: Sequence[float], *, unit: str = "") -> list[str]:
    """The ticks in one common multiple of the unit; without a unit, numbers below 100,000 stand in full.

    >>> tick_labels([0, 500_000, 1_000_000], unit="B")
    ['0', '0.5 MB', '1 MB']
    >>> tick_labels([0, 2500, 5000]), tick_labels([0, 500_000])
    (['0', '2,500', '5,000'], ['0', '500 k'])
    """
    largest = max(map(abs, ticks), default=0)
    least = 1000 if unit else 100_000
    factor, prefix = next((found for found in _PREFIXES if largest >= max(found[0], least)), (1, ""))
    suffix = f" {prefix}{unit}".rstrip()
    return [_label(tick / factor) + suffix if tick else "0" for tick in ticks]


def _label(value: float) -> str:
    return f"{value:,.6f}".rstrip("0").rstrip(".")
