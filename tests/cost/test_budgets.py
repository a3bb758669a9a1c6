"""Time on named hardware, money, and text that tokens hold."""

import pytest

from tokenloom.cost import (
    ACCELERATORS,
    accelerator,
    chinchilla_tokens,
    decoding_seconds,
    rent,
    text_bytes,
    token_price,
    training_flops,
    training_seconds,
)
from tokenloom.errors import CostError

DAY = 86_400


def days(n_parameters: float, n_tokens: float, name: str, n: int, utilisation: float) -> float:
    work = training_flops(n_parameters, n_tokens)
    return training_seconds(work, accelerator=accelerator(name), n_accelerators=n, utilisation=utilisation) / DAY


def test_seventy_billion_parameters_take_one_accelerator_years() -> None:
    assert round(days(70e9, 1e12, "b200", 1, 1.0) / 365, 1) == 5.9
    assert round(days(70e9, 1e12, "b200", 1000, 0.4), 1) == 5.4


def test_gpt_3_takes_a_thousand_accelerators_three_weeks() -> None:
    assert round(days(175e9, 300e9, "a100-80gb", 1024, 0.5)) == 23


def test_twenty_tokens_a_parameter_and_the_text_that_is() -> None:
    assert (chinchilla_tokens(70e9), chinchilla_tokens(1.4e9)) == (1.4e12, 28e9)
    assert text_bytes(chinchilla_tokens(1.4e9), bytes_per_token=4.0) == 112e9


def test_a_context_is_counted_in_tokens() -> None:
    assert text_bytes(1024, bytes_per_token=1) == 1024
    assert round(text_bytes(1024, bytes_per_token=4.4) / 1000, 1) == 4.5


def test_prices_follow_tokens_and_hours() -> None:
    assert token_price(2_500_000, price_per_million=2.0) == 5.0
    assert rent(2 * 3600, n_accelerators=8, price_per_hour=2.5) == 40.0


def test_generating_is_bound_by_the_bandwidth_of_memory() -> None:
    assert decoding_seconds(3350e9, accelerator=accelerator("h100")) == 1.0


def test_every_accelerator_has_peaks_year_and_source() -> None:
    for name, row in ACCELERATORS.items():
        assert row.name == name
        assert row.peaks
        assert str(row.year)[:2] == "20"
        assert "20" in row.source


@pytest.mark.parametrize("utilisation", [0, -0.1, 1.01, float("nan")])
def test_utilisation_is_a_share(utilisation: float) -> None:
    with pytest.raises(CostError, match="utilisation: "):
        days(1e9, 1e9, "h100", 1, utilisation)


def test_unknown_hardware_and_types_are_refused_with_what_is_known() -> None:
    with pytest.raises(CostError, match=r"hardware 'A100': .* Did you mean 'a100-\d0gb' .* Known are: v100, "):
        accelerator("A100")
    with pytest.raises(CostError, match=r"hardware 'v100': has no peak for the number type 'bf16'.* Use one of: fp16"):
        accelerator("v100").peak_flops("bf16")
