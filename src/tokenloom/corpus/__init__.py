"""Reading documents."""

from tokenloom.corpus.files import list_files, standard_library_files, total_bytes
from tokenloom.corpus.text import BLOCK_BYTES, read_blocks, read_parts

__all__ = ["BLOCK_BYTES", "list_files", "read_blocks", "read_parts", "standard_library_files", "total_bytes"]
