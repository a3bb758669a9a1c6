"""Numbers for readers: thousands separated, units decimal, no more digits than mean something."""

import math
from typing import Final

__all__ = ["format_bytes", "format_number", "format_seconds", "format_share"]

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


def format_bytes(n_bytes: float) -> str:
    """Bytes with a decimal unit and three digits.

    >>> format_bytes(12), format_bytes(1_234_567), format_bytes(99_960_000), format_bytes(825e9)
    ('12 B', '1.23 MB', '100 MB', '825 GB')
    """
    if n_bytes < 1000:
        return f"{n_bytes:.0f} B"
    for unit in ("kB", "MB", "GB", "TB", "PB"):
        n_bytes /= 1000
        if n_bytes < 999.5 or unit == "PB":
            break
    digits = 2 if n_bytes < 9.995 else 1 if n_bytes < 99.95 else 0
    return f"{n_bytes:,.{digits}f} {unit}"


def format_seconds(seconds: float) -> str:
    """A duration in the two largest units that it has.

    >>> format_seconds(0.0421), format_seconds(12.34), format_seconds(75), format_seconds(7500)
    ('0.042 s', '12.3 s', '1 min 15 s', '2 h 5 min')
    >>> format_seconds(86400 * 40)
    '40 days'
    """
    if seconds < 0.9995:
        return f"{seconds:.3f} s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{round(seconds / 86400):,} days"


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
