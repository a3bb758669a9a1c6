r"""The lines that begin in a range of a plain file, so that many readers can share one large file.

A line belongs to the range that its first byte lies in, wherever it ends. So a reader passes over the line that goes on
at the start of its range, and reads on behind the end until its last line is over: all ranges together give each line
once, and no reader needs to know of another. Lines end at `\n` alone.
"""

import os
from collections.abc import Iterable, Iterator

from tokenloom.corpus.blocks import BLOCK_BYTES
from tokenloom.corpus.pieces import Piece, stream_pieces
from tokenloom.storage import open_input
from tokenloom.storage.paths import StorageOptions

__all__ = ["read_line_range"]


def read_line_range(
    path: str | os.PathLike[str],
    start: int,
    end: int,
    *,
    block_bytes: int = BLOCK_BYTES,
    storage_options: StorageOptions = None,
) -> Iterator[Piece]:
    """The lines that begin at a byte from `start` up to `end`, without it, in pieces; none if no line begins there.

    Raises: CorpusError if the file cannot be opened or read.
    """
    with open_input(path, storage_options) as file:
        first = max(0, start - 1)  # whether a line begins at `start` is told by the byte before it
        file.seek(first)
        pieces = stream_pieces(file, place=repr(os.fspath(path)), name="", block_bytes=block_bytes, begin=first)
        for piece in _within(pieces, start, end):
            yield piece._replace(n_read_bytes=piece.begin + len(piece.data) - start)


def _within(pieces: Iterable[Piece], start: int, end: int) -> Iterator[Piece]:
    is_line_begun = start == 0
    for piece in pieces:
        data, begin = piece.data, piece.begin
        behind = begin + len(data)
        if not is_line_begun:
            n_before = data.find(b"\n") + 1
            if n_before == 0 and behind < end:
                continue
            if n_before == 0 or begin + n_before >= end:
                return
            data, begin, is_line_begun = data[n_before:], begin + n_before, True
        n_kept = data.find(b"\n", max(0, end - 1 - begin)) + 1 if behind >= end else 0
        if n_kept:
            yield Piece(data[:n_kept], 0, is_last=True, begin=begin)
            return
        yield Piece(data, 0, is_last=piece.is_last, begin=begin)
