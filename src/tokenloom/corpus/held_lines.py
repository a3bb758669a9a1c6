"""Lines that are too long for the memory: refused before they are held."""

import os
from collections.abc import Iterable, Iterator

from tokenloom.corpus.pieces import Piece
from tokenloom.errors import MemoryLimitError
from tokenloom.wording import format_bytes

__all__ = ["lines_within"]


def lines_within(pieces: Iterable[Piece], path: str | os.PathLike[str], *, most_bytes: int) -> Iterator[Piece]:
    r"""The pieces of a file, as long as no line that goes over several of them is longer than `most_bytes`.

    Raises: MemoryLimitError for one that is. It is no broken record: whether a record is taken must not depend on the
        memory that there is.

    >>> pieces = [Piece(b"a\nbb", 0), Piece(b"bb\nc", 0, is_last=True)]
    >>> len(list(lines_within(pieces, "cats.jsonl", most_bytes=4)))
    2
    """
    begin = n_held = 0
    for piece in pieces:
        if not n_held:
            begin = piece.begin
        first_end = piece.data.find(b"\n")
        n_held += len(piece.data) if first_end < 0 else first_end
        if n_held > most_bytes:
            raise MemoryLimitError(
                f"{os.fspath(path)!r}: the line at byte {begin:,} is longer than {format_bytes(most_bytes)}, and the "
                "memory limit has no room for parsing it, which takes several times its length. Raise --memory-limit, "
                "use fewer --processes, or cut its document into several."
            )
        if first_end >= 0:
            last_end = piece.data.rfind(b"\n")
            begin, n_held = piece.begin + last_end + 1, len(piece.data) - last_end - 1
        yield piece
