"""What messages have in common: how values, counts, sizes and times read, and whose line a warning points at."""

import math
import os
import reprlib
import sys
import warnings
from typing import Final

__all__ = ["counted", "format_bytes", "format_seconds", "quoted", "warn_caller"]

_PACKAGE: Final = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MOST_QUOTED: Final = 200
"""Characters of a value that a message shows: most patterns are shorter, and a screen holds several."""
_MOST_ITEMS: Final = 30
_MOST_LEVELS: Final = 3
_MOST_BITS: Final = 2000


def counted(n: int, noun: str) -> str:
    """A count and its noun, in the plural unless it is one.

    >>> counted(1, "merge"), counted(0, "merge"), counted(50_000, "special token")
    ('1 merge', '0 merges', '50,000 special tokens')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def quoted(value: object) -> str:
    """A value from outside as messages show it: whole if it is short, else its beginning and its length.

    >>> quoted("the"), quoted(b"a" * 1000).endswith("aaa'... (1,000 bytes)"), len(quoted(list(range(1000)))) < 220
    ("'the'", True, True)
    """
    if not isinstance(value, (str, bytes)):
        text = _Brief().repr(value)
        return text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}..."
    if len(value) <= _MOST_QUOTED:
        return repr(value)
    return f"{value[:_MOST_QUOTED]!r}... ({counted(len(value), 'byte' if isinstance(value, bytes) else 'character')})"


class _Brief(reprlib.Repr):
    """`repr` that looks at little more than is shown of a value which is nested deeply or holds a million others."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = _MOST_LEVELS
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = self.maxfrozenset = _MOST_ITEMS
        self.maxstring = self.maxlong = _MOST_QUOTED
        self.maxother = sys.maxsize

    def repr_int(self, x: int, level: int) -> str:
        """Python refuses to write numbers of thousands of digits."""
        n_bits = x.bit_length()
        return super().repr_int(x, level) if n_bits <= _MOST_BITS else f"<a whole number of {counted(n_bits, 'bit')}>"


def format_bytes(n_bytes: float) -> str:
    """Bytes with a decimal unit and three digits.

    >>> format_bytes(12), format_bytes(1_234_567), format_bytes(99_960_000), format_bytes(825e9)
    ('12 B', '1.23 MB', '100 MB', '825 GB')
    """
    if n_bytes < 999.5:
        return f"{n_bytes:.0f} B"
    for unit in ("kB", "MB", "GB", "TB", "PB"):
        n_bytes /= 1000
        if n_bytes < 999.5 or unit == "PB":
            break
    digits = 2 if n_bytes < 9.995 else 1 if n_bytes < 99.95 else 0
    return f"{n_bytes:,.{digits}f} {unit}"


def format_seconds(seconds: float) -> str:
    """A time in the two largest units that it has; a whole number of seconds stays whole.

    >>> format_seconds(0.0421), format_seconds(12.34), format_seconds(12), format_seconds(75), format_seconds(7500)
    ('0.042 s', '12.3 s', '12 s', '1 min 15 s', '2 h 5 min')
    >>> format_seconds(90_000), format_seconds(86_400 * 1000)
    ('1 d 1 h', '1,000 d')
    """
    if seconds < 59.95:
        return f"{seconds} s" if isinstance(seconds, int) else f"{seconds:.{3 if seconds < 0.9995 else 1}f} s"
    whole = round(seconds)
    large, small, n_large, n_small = next(units for limit, units in _UNITS if whole < limit)
    n, rest = divmod(round(whole / n_small), n_large // n_small)
    return f"{n:,} {large} {rest} {small}" if rest else f"{n:,} {large}"


_UNITS: Final = (
    (3600, ("min", "s", 60, 1)),
    (86_370, ("h", "min", 3600, 60)),
    (math.inf, ("d", "h", 86_400, 3600)),
)
"""Below which number of seconds, rounded, which two units are used, and how many seconds they have."""


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning that points at the line outside this package which called it, however deep we are.

    The `skip_file_prefixes` of `warnings.warn` does the same from Python 3.12 on.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
