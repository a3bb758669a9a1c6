"""How figures of cost read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.cost.figures import Kind, show_figure

KINDS: list[Kind] = ["count", "large", "share", "ratio", "times", "flops", "bytes", "memory", "seconds", "money"]


@given(st.sampled_from(KINDS), st.floats(min_value=1e-12, max_value=1e40))
def test_every_figure_has_a_short_text(kind: Kind, value: float) -> None:
    shown = show_figure(kind, value)
    assert shown
    assert shown.isascii()
    assert value > 1e15 or len(shown) < 32


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_not_measured_is_never_zero(kind: Kind) -> None:
    assert show_figure(kind, None) == "undefined"


def test_times_of_years_and_of_milliseconds() -> None:
    assert show_figure("seconds", 5.92 * 365 * 86_400) == "5.9 years"
    assert show_figure("seconds", 0.0048) == "4.8 ms"
    assert show_figure("money", 0.00123) == "0.00123"
