r"""Whole lines from the pieces of a file. They end at `\n` alone."""

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from tokenloom.corpus.pieces import Piece

__all__ = ["WholeLines", "whole_lines"]


class WholeLines(NamedTuple):
    """Lines that follow each other, without their ends.

    Args:
        lines: the lines; the last one of a file is empty if the file ends with the end of a line.
        n_read_bytes: how far the file on the disk was read.
        number: of the first line, from 1.
        begin: the place of the first line in the decompressed file.
    """

    lines: list[bytes]
    n_read_bytes: int
    number: int
    begin: int

    def places(self) -> Iterator[int]:
        """Where each line begins in the decompressed file."""
        return accumulate((len(line) + 1 for line in self.lines), initial=self.begin)


def whole_lines(
    pieces: Iterable[Piece],
    *,
    most_bytes: int | None = None,
    refuse: Callable[[int, int], object] | None = None,
) -> Iterator[WholeLines]:
    r"""The lines that end in each piece. One that goes over many pieces is joined once, so work follows its length.

    Args:
        pieces: the bytes of a file, or of some whole lines of it. Of a file that is cut, the last line is left out.
        most_bytes: a line that goes over several pieces and is longer is not held; None holds all.
        refuse: called with the number and the place of such a line.

    >>> pieces = [Piece(b"a\nb", 0), Piece(b"b\nc", 0, is_last=True, begin=3)]
    >>> [(group.lines, group.number, group.begin) for group in whole_lines(pieces)]
    [([b'a'], 1, 0), ([b'bb', b'c'], 2, 2)]
    """
    held = [b""]  # of the line that goes on; nothing at all while one that is too long passes by
    n_held = n_lines = 0
    for piece in pieces:
        lines = piece.data.split(b"\n")
        end = piece.begin + len(lines[0])
        n_held += len(lines[0])
        if held and most_bytes is not None and n_held > most_bytes:
            if refuse:
                refuse(n_lines + 1, end - n_held)
            held.clear()
        elif held:
            held.append(lines[0])
        if len(lines) == 1 and not piece.is_last:
            continue
        lines[0] = b"".join(held)
        begin = end - len(lines[0])
        rest = b"" if piece.is_last and not piece.is_cut else lines.pop()
        held, n_held = [rest], len(rest)
        yield WholeLines(lines, piece.n_read_bytes, n_lines + 1, begin)
        n_lines += len(lines)
