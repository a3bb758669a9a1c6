"""Training on text that is long enough for the core to count its pairs again, against a recount of each merge."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tokenloom import _core
from tokenloom.trainers import pretoken_counts

Symbols = NDArray[np.int64]


def merged(symbols: Symbols, left: int, right: int, new: int) -> Symbols:
    """Leftmost first, without overlaps."""
    places = np.flatnonzero((symbols[:-1] == left) & (symbols[1:] == right))
    if left == right:
        places = np.array(list(leftmost(places.tolist())), dtype=np.int64)
    symbols = symbols.copy()
    symbols[places] = new
    return np.delete(symbols, places + 1)


def leftmost(places: Sequence[int]) -> Iterable[int]:
    free = -1
    for place in places:
        if place >= free:
            yield place
            free = place + 2


def pair_counts(symbols: Symbols) -> NDArray[np.int64]:
    return np.asarray(np.unique(symbols[:-1] << 32 | symbols[1:], return_counts=True)[1])


@pytest.mark.parametrize("n_letters", [2, 5])
@pytest.mark.parametrize("tie_break", ["lexicographic", "first-seen"])
def test_each_merge_of_a_long_text_has_the_highest_count(n_letters: int, tie_break: str) -> None:
    letters = np.random.default_rng(n_letters).integers(97, 97 + n_letters, 300_000)
    counts = pretoken_counts({letters.astype(np.uint8).tobytes(): 1})
    steps = _core.Trainer(counts, bytes(range(256)), tie_break).advance(80)
    symbols = letters
    for rank, (left, right, count, n_tokens, n_tied) in enumerate(steps):
        assert int(np.count_nonzero((symbols[:-1] == left) & (symbols[1:] == right))) == count, rank
        counted = pair_counts(symbols)
        assert int(counted.max()) == count, rank
        assert int(np.count_nonzero(counted == count)) == n_tied + 1, rank
        symbols = merged(symbols, left, right, 256 + rank)
        assert symbols.size == n_tokens, rank
    assert len(steps) == 80
