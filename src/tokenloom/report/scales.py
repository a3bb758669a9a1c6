"""From values to places on an axis, linear or logarithmic."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tokenloom.report.numbers import format_number
from tokenloom.report.ticks import linear_ticks, log_ticks, step_of, tick_labels
from tokenloom.wording import format_bytes

__all__ = ["Axis", "Scale"]

_NEAR_ZERO: Final = 0.2
"""A lowest value below this share of the highest is near 0."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows.

    Args:
        title: the quantity.
        unit: `"B"` for bytes, empty for plain numbers.
        is_log: equal ratios are equally far apart; values must be above 0.
    """

    title: str
    unit: str = ""
    is_log: bool = False

    def check(self, value: float, where: str) -> None:
        """Refuse a value that has no place: no finite number, or none above 0 on a logarithmic axis."""
        if not math.isfinite(value) or value < 0 or (self.is_log and not value):
            least = "above 0" if self.is_log else "from 0"
            raise ValueError(
                f"{where}: {value!r} has no place on the axis {self.title!r}. Pass finite numbers {least}."
            )

    def show(self, value: float) -> str:
        """A value with its unit."""
        return format_bytes(value) if self.unit == "B" else f"{format_number(value)} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis with its ends.

    >>> scale = Scale.of(Axis("tokens"), [3, 87], is_from_zero=True)
    >>> scale.low, scale.high, scale.share(50), [label for _, label in scale.labels()]
    (0, 100, 0.5, ['0', '20', '40', '60', '80', '100'])
    >>> Scale.of(Axis("tokens", is_log=True), [1, 100]).share(10)
    0.5
    """

    axis: Axis
    low: float
    high: float

    @classmethod
    def of(cls, axis: Axis, values: Sequence[float], *, is_from_zero: bool = False) -> "Scale":
        """An axis that holds all values.

        `is_from_zero` widens a linear one from 0 to the next round number; others begin at 0 if it is near.
        """
        low, high = min(values), max(values)
        if is_from_zero and not axis.is_log:
            step = step_of(high or 1)
            return cls(axis, 0, step * math.ceil((high or 1) / step))
        if low == high:  # one value stands in the middle
            return cls(axis, low / 2, high * 1.5 or 1)
        if not axis.is_log and low <= _NEAR_ZERO * high:
            low = 0
        return cls(axis, low, high)

    def share(self, value: float) -> float:
        """Where a value lies between the ends: 0 at the low, 1 at the high one."""
        if self.axis.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def labels(self) -> list[tuple[float, str]]:
        """The ticks with their texts."""
        ticks = (log_ticks if self.axis.is_log else linear_ticks)(self.low, self.high)
        if self.axis.is_log:
            return [(tick, tick_labels([tick], unit=self.axis.unit)[0]) for tick in ticks]
        return list(zip(ticks, tick_labels(ticks, unit=self.axis.unit), strict=True))
