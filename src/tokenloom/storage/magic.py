"""How all binary files of ours begin: the first byte is no text, and the last two break if lines are translated."""

from typing import Final

__all__ = ["MAGIC"]

MAGIC: Final = b"\x89TLOOM\r\n"
