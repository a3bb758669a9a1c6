"""Lines that go over several pieces are measured where they are, whatever the pieces."""

import pytest

from tokenloom.corpus.held_lines import lines_within
from tokenloom.corpus.pieces import Piece
from tokenloom.errors import MemoryLimitError

TEXT = b"ab\n\nabcdef\nabc"


def pieces_of(n_bytes: int) -> list[Piece]:
    places = range(0, len(TEXT), n_bytes)
    return [Piece(TEXT[at : at + n_bytes], 0, is_last=at == places[-1], begin=at) for at in places]


@pytest.mark.parametrize("n_bytes", range(1, 6))
def test_longest_line_decides(n_bytes: int) -> None:
    assert list(lines_within(pieces_of(n_bytes), "a.jsonl", most_bytes=6)) == pieces_of(n_bytes)
    with pytest.raises(MemoryLimitError, match=r"'a\.jsonl': the line at byte 4 is longer than 5 B"):
        list(lines_within(pieces_of(n_bytes), "a.jsonl", most_bytes=5))


def test_last_line_needs_no_end() -> None:
    with pytest.raises(MemoryLimitError, match="the line at byte 0"):
        list(lines_within([Piece(b"ab", 0), Piece(b"c", 0, is_last=True, begin=2)], "a.jsonl", most_bytes=2))
