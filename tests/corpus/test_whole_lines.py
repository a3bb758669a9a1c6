"""Lines are the same whatever the pieces, with their numbers and places."""

import pytest

from tokenloom.corpus.pieces import Piece
from tokenloom.corpus.whole_lines import whole_lines

TEXT = b"ab\n\nabcdef\n\nabc"


def pieces_of(text: bytes, n_bytes: int, *, is_cut: bool = False) -> list[Piece]:
    starts = range(0, len(text), n_bytes)
    last = starts[-1]
    return [Piece(text[at : at + n_bytes], 0, at == last, at == last and is_cut, at) for at in starts]


@pytest.mark.parametrize("n_bytes", range(1, len(TEXT) + 1))
def test_pieces_change_no_line_number_or_place(n_bytes: int) -> None:
    groups = list(whole_lines(pieces_of(TEXT, n_bytes)))
    assert [line for group in groups for line in group.lines] == TEXT.split(b"\n")
    assert [n for group in groups for n in range(group.number, group.number + len(group.lines))] == [1, 2, 3, 4, 5]
    places = [place for group in groups for place, _ in zip(group.places(), group.lines, strict=False)]
    assert places == [0, 3, 4, 11, 12]


@pytest.mark.parametrize("n_bytes", [1, 4, 5])
def test_line_that_is_too_long_is_told_once_and_not_held(n_bytes: int) -> None:
    told: list[tuple[int, int]] = []
    groups = whole_lines(pieces_of(TEXT, n_bytes), most_bytes=5, refuse=lambda *at: told.append(at))
    assert [line for group in groups for line in group.lines] == [b"ab", b"", b"", b"", b"abc"]
    assert told == [(3, 4)]


def test_last_line_of_a_file_that_is_cut_is_left_out() -> None:
    groups = whole_lines(pieces_of(TEXT, 4, is_cut=True))
    assert [line for group in groups for line in group.lines] == TEXT.split(b"\n")[:-1]
