r"""Text files: one file is one document, read in blocks, its bytes kept exactly.

No newline is translated and nothing is decoded: `\r\n` and invalid UTF-8 reach training and encoding as they are.
"""

import os
from collections.abc import Iterator

from tokenloom.corpus.blocks import BLOCK_BYTES
from tokenloom.errors import CorpusError
from tokenloom.storage import open_input

__all__ = ["read_blocks", "read_parts"]


def read_blocks(path: str | os.PathLike[str], *, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
    """The bytes of a file in blocks of at most `block_bytes`. An empty file has none.

    Raises: CorpusError, when the first block is asked for, if the file cannot be opened, and later if reading fails.
    """
    with open_input(path) as file:
        position = 0
        while True:
            try:
                block = file.read(block_bytes)
            except OSError as error:
                raise CorpusError(
                    f"{os.fspath(path)!r}: cannot be read at byte {position} ({error.strerror}). "
                    "Check the disk, or copy the file elsewhere."
                ) from error
            if not block:
                return
            yield block
            position += len(block)


def read_parts(path: str | os.PathLike[str], *, part_bytes: int) -> Iterator[bytes]:
    """The bytes of a file in parts of about `part_bytes` that end behind a line feed where there is one near.

    Raises: CorpusError as `read_blocks`.
    """
    held = b""
    for block in read_blocks(path, block_bytes=part_bytes):
        end = block.rfind(b"\n") + 1 or len(block)
        yield held + block[:end]
        held = block[end:]
    if held:
        yield held
