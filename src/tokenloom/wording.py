"""What messages have in common: how a count reads, and whose line a warning points at."""

import os
import sys
import warnings
from pathlib import Path
from typing import Final

__all__ = ["counted", "warn_caller"]

_PACKAGE: Final = str(Path(__file__).parent) + os.sep


def counted(n: int, noun: str) -> str:
    """A count and its noun, in the plural unless it is one.

    >>> counted(1, "merge"), counted(0, "merge"), counted(50_000, "special token")
    ('1 merge', '0 merges', '50,000 special tokens')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning that points at the line outside this package which called it, however deep we are.

    The `skip_file_prefixes` of `warnings.warn` does the same from Python 3.12 on.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
