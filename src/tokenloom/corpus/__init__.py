"""Reading documents."""

from tokenloom.corpus.text import BLOCK_BYTES, read_blocks

__all__ = ["BLOCK_BYTES", "read_blocks"]
