"""Lines are the same whatever the pieces, with their numbers and places."""

from functools import partial

import pytest

from tokenloom.corpus.pieces import Piece
from tokenloom.corpus.whole_lines import LineBound, whole_lines

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
    bound = LineBound(5, lambda number, begin, _: told.append((number, begin)))
    groups = list(whole_lines(pieces_of(TEXT, n_bytes), bounds=[bound]))
    assert [line for group in groups for line in group.lines] == [b"ab", b"", b"", b"abc"]
    numbers = [n for group in groups for n in range(group.number, group.number + len(group.lines))]
    assert numbers == [1, 2, 4, 5]
    assert [place for group in groups for place, _ in zip(group.places(), group.lines, strict=False)] == [0, 3, 11, 12]
    assert told == [(3, 4)]


@pytest.mark.parametrize("n_bytes", [1, 2, 3])
@pytest.mark.parametrize(
    ("bounds", "expected"), [((4, 9), (4, 3, 4, 6)), ((4, 5), (5, 3, 4, 6)), ((2, 4, 9), (4, 3, 4, 6))]
)
def test_last_bound_below_the_length_of_a_line_refuses_it(
    n_bytes: int, bounds: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    told: list[tuple[int, ...]] = []
    limits = [LineBound(most, partial(lambda most, *line: told.append((most, *line)), most)) for most in bounds]
    groups = list(whole_lines(pieces_of(TEXT, n_bytes), bounds=limits))
    assert b"abcdef" not in [line for group in groups for line in group.lines]
    assert [line for line in told if line[1] == 3] == [expected]


def test_line_above_all_bounds_is_told_before_its_end() -> None:
    told: list[tuple[int, int, int]] = []
    pieces = iter([Piece(b"ab", 0), Piece(b"cd", 0, begin=2), Piece(b"e\nf", 0, is_last=True, begin=4)])
    groups = whole_lines(pieces, bounds=[LineBound(n, lambda *line: told.append(line)) for n in (1, 2)])
    assert [group.lines for group in groups] == [[b"f"]]
    assert told == [(1, 0, 4)]


def test_long_line_of_a_file_that_is_cut_is_left_out_like_a_short_one() -> None:
    told: list[tuple[int, int, int]] = []
    pieces = pieces_of(b"a\nbcdef", 2, is_cut=True)
    groups = whole_lines(pieces, bounds=[LineBound(n, lambda *line: told.append(line)) for n in (2, 9)])
    assert [line for group in groups for line in group.lines] == [b"a"]
    assert told == []


def test_last_line_of_a_file_that_is_cut_is_left_out() -> None:
    groups = whole_lines(pieces_of(TEXT, 4, is_cut=True))
    assert [line for group in groups for line in group.lines] == TEXT.split(b"\n")[:-1]
