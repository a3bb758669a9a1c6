"""Intervals: the same everywhere, about as wide as they should be, and surer for pairs."""

import numpy as np
import pytest

from tokenloom.errors import MetricError
from tokenloom.metrics import Resamples


def texts(n_docs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Bytes and tokens of documents of which the true ratio is 4."""
    random = np.random.default_rng(seed)
    n_tokens = random.integers(20, 200, n_docs)
    return random.poisson(4 * n_tokens), n_tokens


def test_seed_decides_the_interval() -> None:
    above, below = texts(50, 0)
    found = [Resamples(50, seed=seed).ratio(above, below) for seed in (3, 3, 4)]
    assert found[0] == found[1] != found[2]


def test_draws_are_those_written_down() -> None:
    """Fixed here, since another version of numpy must not change them."""
    interval = Resamples(5, seed=7, n_resamples=200).ratio([10, 20, 30, 40, 50], [3, 5, 6, 11, 12])
    assert interval is not None
    assert (round(interval.low, 9), round(interval.high, 9)) == (3.616595745, 4.400294118)


@pytest.mark.parametrize("n_docs", [60, 2500])
def test_interval_covers_the_truth_about_as_often_as_it_says(n_docs: int) -> None:
    """Also where documents are dealt into groups."""
    n_trials, n_covered = 200, 0
    for trial in range(n_trials):
        interval = Resamples(n_docs, seed=trial, n_resamples=200).ratio(*texts(n_docs, trial))
        assert interval is not None
        n_covered += interval.low <= 4 <= interval.high
    assert 0.89 * n_trials <= n_covered <= 0.99 * n_trials


def test_paired_difference_is_surer_than_the_values() -> None:
    above, below = texts(300, 1)
    other = below + np.random.default_rng(2).integers(0, 3, 300)
    resamples = Resamples(300, seed=0)
    one, difference = resamples.ratio(above, below), resamples.difference((above, below), (above, other))
    assert one is not None
    assert difference is not None
    assert difference.high < 0
    assert difference.high - difference.low < (one.high - one.low) / 2


def test_one_document_has_no_interval_and_draws_without_tokens_have_none() -> None:
    assert Resamples(1, seed=0).ratio([4], [1]) is None
    assert Resamples(3, seed=0).ratio([4, 4, 4], [1, 0, 0]) is None


@pytest.mark.parametrize("options", [{"seed": -1}, {"seed": 0, "n_resamples": 0}, {"seed": 0, "level": 1.0}])
def test_values_out_of_range_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(MetricError):
        Resamples(5, **options)  # type: ignore[arg-type]


def test_amounts_of_other_documents_are_refused() -> None:
    with pytest.raises(MetricError, match="for 3 documents"):
        Resamples(3, seed=0).ratio([1, 2], [1, 2])
