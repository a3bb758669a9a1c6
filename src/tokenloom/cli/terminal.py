"""What an output can show: its width, its colours, its characters.

`rich` knows this too, but takes as long to load as `tokenloom show` to do all of its work; only bars need it.
"""

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TextIO

__all__ = ["Terminal"]

_NO_COLORS: Final = 0
_FEW_COLORS: Final = 8
_MANY_COLORS: Final = 256


@dataclass(frozen=True, slots=True)
class Terminal:
    """An output.

    Args:
        width: columns; 80 where there is no terminal and COLUMNS does not say otherwise.
        n_colors: 0, 8 or 256. NO_COLOR turns colours off, FORCE_COLOR turns them on for files and pipes too.
        encoding: of the characters.
    """

    width: int = 80
    n_colors: int = 0
    encoding: str = "utf-8"

    @classmethod
    def of(cls, stream: TextIO, *, environment: Mapping[str, str] = os.environ) -> "Terminal":
        """The terminal that a stream writes to."""
        return cls(shutil.get_terminal_size().columns, _n_colors(stream, environment), stream.encoding or "ascii")

    def can_show(self, characters: Iterable[str]) -> bool:
        """Whether the output has these characters.

        >>> Terminal(encoding="ascii").can_show("·"), Terminal().can_show("·")
        (False, True)
        """
        try:
            "".join(characters).encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True


def _n_colors(stream: TextIO, environment: Mapping[str, str]) -> int:
    if environment.get("NO_COLOR"):
        return _NO_COLORS
    term = environment.get("TERM", "")
    is_forced = environment.get("FORCE_COLOR", "0") not in {"", "0"}
    if not is_forced and (not stream.isatty() or term in {"dumb", "unknown"}):
        return _NO_COLORS
    has_many = "256color" in term or environment.get("COLORTERM") in {"truecolor", "24bit"} or os.name == "nt"
    return _MANY_COLORS if has_many else _FEW_COLORS
