"""How all binary files of ours begin: the first byte is no text, and the last two break if lines are translated."""

import os
from typing import Final

__all__ = ["MAGIC", "has_magic"]

MAGIC: Final = b"\x89TLOOM\r\n"


def has_magic(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a file that can be read and begins so; a pipe, which would hold whoever opens it, is none."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False
