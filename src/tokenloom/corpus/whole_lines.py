r"""Whole lines from the pieces of a file. They end at `\n` alone."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from tokenloom.corpus.pieces import Piece

__all__ = ["LineBound", "WholeLines", "whole_lines"]


class LineBound(NamedTuple):
    """How long a line may be, and who hears of a longer one.

    Args:
        most_bytes: a longer line is not held.
        refuse: called once with its number, its place and its length, or how much of it there is up to now.
    """

    most_bytes: int
    refuse: Callable[[int, int, int], object]


class WholeLines(NamedTuple):
    """Lines that follow each other, without their ends.

    Args:
        lines: the lines; the last one of a file is empty if the file ends with the end of a line. One that was refused
            is not among them, and is always before the first.
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


def whole_lines(pieces: Iterable[Piece], *, bounds: Sequence[LineBound] = ()) -> Iterator[WholeLines]:
    r"""The lines that end in each piece. One that goes over many pieces is joined once, so work follows its length.

    Args:
        pieces: the bytes of a file, or of some whole lines of it. Of a file that is cut, the last line is left out.
        bounds: ascending; none holds all. A line that goes over several pieces and is above the first one is not held
            any more, and not yielded. The last bound below its length refuses it: that is known where it ends, or as
            soon as it is above all of them. What has gone by in one piece is the matter of the caller.

    >>> pieces = [Piece(b"a\nb", 0), Piece(b"b\nc", 0, is_last=True, begin=3)]
    >>> [(group.lines, group.number, group.begin) for group in whole_lines(pieces)]
    [([b'a'], 1, 0), ([b'bb', b'c'], 2, 2)]
    >>> bound = LineBound(1, lambda *line: print("number, place, length:", *line))
    >>> [(group.lines, group.number, group.begin) for group in whole_lines(pieces, bounds=[bound])]
    number, place, length: 2 2 2
    [([b'a'], 1, 0), ([b'c'], 3, 5)]
    """
    line, n_lines = _OpenLine(b"", bounds), 0
    for piece in pieces:
        lines = piece.data.split(b"\n")
        rest = b"" if piece.is_last and not piece.is_cut else lines.pop()
        first = lines[0] if lines else rest
        begin = piece.begin - line.n_bytes
        line.add(first, n_lines + 1, begin, ends=bool(lines))
        if not lines:
            continue
        n_ended = len(lines)
        if line.parts:
            lines[0] = b"".join(line.parts)
        else:
            del lines[0]
            begin = piece.begin + len(first) + 1
        number = n_lines + 1 + n_ended - len(lines)
        yield WholeLines(lines, piece.n_read_bytes, number, begin)
        line, n_lines = _OpenLine(rest, bounds), n_lines + n_ended


class _OpenLine:
    """The line that goes on in the next piece."""

    def __init__(self, part: bytes, bounds: Sequence[LineBound]) -> None:
        self.parts = [part]  # none at all while a line that is too long passes by
        self.n_bytes = len(part)
        self._bounds = bounds
        self._was_told = False

    def add(self, part: bytes, number: int, begin: int, *, ends: bool) -> None:
        self.n_bytes += len(part)
        above = [bound for bound in self._bounds if self.n_bytes > bound.most_bytes]
        if not above:
            self.parts.append(part)
            return
        self.parts.clear()
        if not self._was_told and (ends or len(above) == len(self._bounds)):
            self._was_told = True
            above[-1].refuse(number, begin, self.n_bytes)
