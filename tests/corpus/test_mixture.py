from itertools import product
from random import Random
from typing import Any

import pytest

from tokenloom.corpus import multipliers, parse_weights
from tokenloom.errors import CorpusError


def test_by_hand() -> None:
    mixture = multipliers({"en": 300, "zh": 100}, {"en": 0.5, "zh": 0.5})
    assert mixture.multipliers == {"en": 1, "zh": 3}
    assert mixture.shares == mixture.weights == {"en": 0.5, "zh": 0.5}
    assert (mixture.errors, mixture.largest_error) == ({"en": 0.0, "zh": 0.0}, 0.0)


def test_groups_that_have_their_shares_already_are_counted_once() -> None:
    assert multipliers({"a": 700, "b": 298}, {"a": 7, "b": 3}).multipliers == {"a": 1, "b": 1}


def test_weights_count_by_their_ratio_alone() -> None:
    sizes = {"a": 123_456, "b": 98_765, "c": 1_000}
    assert multipliers(sizes, {"a": 2, "b": 5, "c": 1}) == multipliers(sizes, {"a": 0.25, "b": 0.625, "c": 0.125})


def test_two_groups_get_the_smallest_numbers_that_keep_to_one_percent() -> None:
    """Held against all pairs of numbers up to the one that was found."""
    random = Random(0)
    for _ in range(40):
        sizes = {"a": random.randint(1, 10**6), "b": random.randint(1, 10**6)}
        weights = {"a": random.uniform(0.05, 1), "b": random.uniform(0.05, 1)}
        mixture = multipliers(sizes, weights)
        largest = max(mixture.multipliers.values())
        assert mixture.largest_error <= 0.01 or largest > 50
        for a, b in product(range(1, min(largest, 60)), repeat=2):
            share = a * sizes["a"] / (a * sizes["a"] + b * sizes["b"])
            errors = (share / mixture.weights["a"] - 1, (1 - share) / mixture.weights["b"] - 1)
            assert max(map(abs, errors)) > 0.01


@pytest.mark.parametrize("n_groups", [1, 2, 5, 30])
def test_shares_and_errors_are_those_of_the_numbers(n_groups: int) -> None:
    random = Random(n_groups)
    sizes = {f"g{n}": random.randint(10**5, 10**7) for n in range(n_groups)}
    mixture = multipliers(sizes, {group: random.uniform(0.2, 1) for group in sizes})
    total = sum(mixture.multipliers[group] * size for group, size in sizes.items())
    for group, size in sizes.items():
        assert mixture.shares[group] == mixture.multipliers[group] * size / total
        assert mixture.shares[group] == pytest.approx(mixture.weights[group] * (1 + mixture.errors[group]))
    assert mixture.largest_error == max(map(abs, mixture.errors.values())) <= 0.01
    assert all(1 <= number <= 999 for number in mixture.multipliers.values())


def test_what_no_number_below_a_thousand_reaches_is_told_by_its_error() -> None:
    mixture = multipliers({"a": 10**9, "b": 1}, {"a": 0.5, "b": 0.5})
    assert mixture.multipliers == {"a": 1, "b": 999}
    assert mixture.largest_error == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("sizes", "weights", "what"),
    [
        ({"en": 1, "zh": 1}, {"en": 1, "fr": 1}, r"no group 'fr'; its groups are 'en', 'zh'\. Name one of them"),
        ({"en": 1, "zh": 1}, {"en": 1}, r"group 'zh' has no weight\. Give each group .* are 'en', 'zh'\."),
        ({"en": 1, "": 1}, {"en": 1}, r"files without a group have no weight\. Give each group"),
        ({"en": 1, "zh": 0}, {"en": 1, "zh": 1}, r"group 'zh' has no text, .*\. Leave it out"),
        ({}, {}, r"there are no weights\. Name"),
        ({"en": 1}, {"en": 0}, r"weight 0 of group 'en' is no share\. Use a number above 0"),
        ({"en": 1}, {"en": -0.5}, r"weight -0\.5 of group 'en' is no share\. Use"),
        ({"en": 1}, {"en": float("nan")}, r"weight nan of group 'en' is no share\. Use"),
        ({"en": 1}, {"en": float("inf")}, r"weight inf of group 'en' is no share\. Use"),
        ({"en": 1, "zh": 1}, {"en": 1e300, "zh": 1e-300}, r"weight 1e-300 of group 'zh' is next to nothing .*Leave"),
        ({"en": 1, "zh": 1}, {"en": 1, "zh": 10**400}, r"of group 'zh' is no share\. Use"),
        ({"en": 1}, {"en": True}, r"weight True of group 'en' is no share\. Use"),
        ({"en": 1}, {"en": "1"}, r"weight '1' of group 'en' is no share\. Use"),
    ],
)
def test_mixture_that_cannot_be_is_refused(sizes: Any, weights: Any, what: str) -> None:
    with pytest.raises(CorpusError, match=what):
        multipliers(sizes, weights)


def test_weights_are_parsed() -> None:
    assert parse_weights("en=0.7,zh=0.3") == {"en": 0.7, "zh": 0.3}
    assert parse_weights(" a-b_1 = 7 , c=2e-1") == {"a-b_1": 7.0, "c": 0.2}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", r"mixture '': '' is no weight of a group\. Write it as en=0\.7,zh=0\.3"),
        ("en=0.7,", r"'' is no weight of a group\. Write"),
        ("en", r"'en' is no weight of a group\. Write"),
        ("e n=1", r"'e n=1' is no weight of a group\. Write"),
        ("en=x", r"'x' is no number\. Write"),
        ("en=", r"'' is no number\. Write"),
        ("en=1,en=2", r"group 'en' has two weights\. Keep one"),
        ("en=0", r"weight 0\.0 of group 'en' is no share\. Use"),
        ("en=-1", r"weight -1\.0 of group 'en' is no share\. Use"),
        ("en=nan", r"weight nan of group 'en' is no share\. Use"),
        ("en=inf", r"weight inf of group 'en' is no share\. Use"),
    ],
)
def test_text_that_holds_no_weights_is_refused(text: str, what: str) -> None:
    with pytest.raises(CorpusError, match=what):
        parse_weights(text)


def test_weights_near_the_largest_number_count_by_their_ratio() -> None:
    assert multipliers({"en": 300, "zh": 100}, {"en": 1e308, "zh": 1e308}).multipliers == {"en": 1, "zh": 3}
