"""Marks of axes are round, inside, and few enough for a phone."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tokenloom.report.scales import Axis, Scale
from tokenloom.report.ticks import linear_ticks, log_ticks, step_of, tick_labels

SIZES = st.floats(min_value=1e-6, max_value=1e15)


@given(SIZES, st.integers(1, 12))
def test_step_is_1_2_or_5_and_the_smallest_that_covers(span: float, n_steps: int) -> None:
    step = step_of(span, n_steps=n_steps)
    digit = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(digit - one) for one in (1, 2, 5, 10)) < 1e-6
    assert span * (1 - 1e-6) <= step * n_steps <= span * 2.5 * (1 + 1e-6)


@given(SIZES, SIZES)
def test_linear_ticks_rise_inside_the_range_and_are_few(low: float, width: float) -> None:
    high = low + width
    assume((high - low) / high > 1e-6)
    ticks = linear_ticks(low, high)
    slack = (high - low) * 1e-6
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    assert 1 <= len(ticks) <= 6
    assert sorted(set(ticks)) == ticks


@given(SIZES, st.floats(min_value=1.5, max_value=1e9))
def test_log_ticks_rise_inside_the_range_and_are_few(low: float, ratio: float) -> None:
    ticks = log_ticks(low, low * ratio)
    assert all(low * (1 - 1e-9) <= tick <= low * ratio * (1 + 1e-9) for tick in ticks)
    assert 1 <= len(ticks) <= 7
    assert sorted(set(ticks)) == ticks


@given(SIZES)
def test_labels_of_different_ticks_differ(high: float) -> None:
    assume(high > 1e-3)
    labels = tick_labels(linear_ticks(0, high))
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    ("ticks", "unit", "labels"),
    [
        ([0, 1_000_000, 2_000_000], "B", ["0", "1 MB", "2 MB"]),
        ([0, 500], "B", ["0", "500 B"]),
        ([0, 2000, 4000], "", ["0", "2,000", "4,000"]),
        ([0, 20_000], "", ["0", "20,000"]),
        ([0, 200_000], "", ["0", "200 k"]),
        ([0.0, 0.1, 0.2], "", ["0", "0.1", "0.2"]),
        ([], "", []),
    ],
)
def test_labels_share_one_unit(ticks: list[float], unit: str, labels: list[str]) -> None:
    assert tick_labels(ticks, unit=unit) == labels


def test_scale_from_zero_ends_at_a_tick() -> None:
    scale = Scale.of(Axis("tokens"), [0, 61_234], is_from_zero=True)
    assert scale.high == 80_000
    assert scale.labels()[-1] == (80_000, "80,000")


def test_scale_of_one_value_has_a_place_for_it() -> None:
    assert Scale.of(Axis("tokens"), [7]).share(7) == 0.5
    assert Scale.of(Axis("tokens"), [0], is_from_zero=True).share(0) == 0
    assert Scale.of(Axis("tokens", is_log=True), [10]).share(10) > 0
