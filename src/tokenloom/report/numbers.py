"""Numbers and shares for readers: thousands separated, no more digits than mean something."""

import math
from typing import Final

__all__ = ["format_number", "format_share"]

NOTHING: Final = "–"
"""Stands where there is no value."""


def format_number(value: float) -> str:
    """A count in full, another number with three digits or all of those before the point.

    >>> format_number(1234567), format_number(3.14159), format_number(43210.5), format_number(float("nan"))
    ('1,234,567', '3.14', '43,210', '–')
    """
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return NOTHING
    if value == 0 or abs(value) >= 99.95:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{digits}f}"


def format_share(part: float, whole: float) -> str:
    """A part of a whole in percent; a part that is there is never called 0, nor a missing one 100.

    >>> format_share(1, 8), format_share(1, 5000), format_share(4999, 5000), format_share(0, 0), format_share(7, 7)
    ('12.5 %', '< 0.1 %', '> 99.9 %', '–', '100 %')
    """
    if not whole:
        return NOTHING
    share = 100 * part / whole
    if part in (0, whole):
        return f"{share:.0f} %"
    if share < 0.1:
        return "< 0.1 %"
    return "> 99.9 %" if share > 99.9 else f"{share:.1f} %"
