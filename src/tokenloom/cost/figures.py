"""How figures of cost read: each kind of quantity with its unit, and no more digits than mean something."""

from typing import Final, Literal

from tokenloom.wording import format_bytes, format_seconds

__all__ = ["UNDEFINED", "Kind", "show_figure"]

Kind = Literal["count", "large", "share", "ratio", "times", "flops", "bytes", "memory", "seconds", "money"]
"""What a figure is: a whole number in full, a large one rounded, a share of a whole, a plain ratio, how many times the
first, FLOPs, bytes of text, bytes of memory, a time, an amount of money."""

UNDEFINED: Final = "undefined"
"""Stands where there is no figure, because nothing was measured; it is never 0."""

_YEAR: Final = 365 * 86_400
_PREFIXES: Final = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_COUNTS: Final = ((1e12, "T"), (1e9, "B"), (1e6, "M"))
_MEMORY: Final = ((2**50, "PiB"), (2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_MOST_PREFIXED: Final = 1e18
"""From here on powers of ten are better known than prefixes."""


def show_figure(kind: Kind, value: float | None) -> str:
    """A figure as people read it.

    >>> show_figure("count", 128_256), show_figure("large", 1.4e12), show_figure("share", 0.3102)
    ('128,256', '1.40 T', '31.0 %')
    >>> show_figure("flops", 122.4e6), show_figure("flops", 4.2e23), show_figure("memory", 31.3125 * 2**30)
    ('122 MFLOPs', '4.20e+23 FLOPs', '31.3 GiB')
    >>> show_figure("seconds", 5.9 * 365 * 86_400), show_figure("seconds", 466_560), show_figure("times", 19.36)
    ('5.9 years', '5 d 10 h', '19.4 x')
    >>> show_figure("money", 518_400.0), show_figure("ratio", None), show_figure("bytes", 4506)
    ('518,400.00', 'undefined', '4.51 kB')
    """
    if value is None:
        return UNDEFINED
    return _SHOWN[kind](value)


def _large(value: float) -> str:
    return _scaled(value, _COUNTS) if value >= 1e6 else f"{value:,.0f}"


def _share(value: float) -> str:
    percent = 100 * value
    return f"{percent:.1f} %" if percent >= 0.1 else f"{percent:.2g} %"


def _flops(value: float) -> str:
    return f"{value:.2e} FLOPs" if value >= _MOST_PREFIXED else f"{_scaled(value, _PREFIXES, ' ')}FLOPs"


def _memory(value: float) -> str:
    return _scaled(value, _MEMORY) if value >= 1024 else f"{value:,.4g} B"


def _text_bytes(value: float) -> str:
    return format_bytes(value) if value >= 1e-3 and value < 1e18 else f"{value:.2e} B"


def _seconds(value: float) -> str:
    if value >= 2 * _YEAR:
        return f"{value / _YEAR:,.1f} years"
    return format_seconds(value) if value >= 0.1 else f"{value * 1e3:.3g} ms"


def _money(value: float) -> str:
    return f"{value:,.2f}" if value >= 1 else f"{value:.3g}"


def _scaled(value: float, units: tuple[tuple[float, str], ...], bare: str = "") -> str:
    """Three digits and the largest unit that is not larger than the value."""
    for size, unit in units:
        if value >= size:
            return f"{_three_digits(value / size)} {unit}"
    return f"{_three_digits(value)}{bare}"


def _three_digits(value: float) -> str:
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:,.{digits}f}"


_SHOWN: Final = {
    "count": lambda value: f"{value:,.0f}",
    "large": _large,
    "share": _share,
    "ratio": lambda value: _three_digits(value),
    "times": lambda value: f"{_three_digits(value)} x",
    "flops": _flops,
    "bytes": _text_bytes,
    "memory": _memory,
    "seconds": _seconds,
    "money": _money,
}
