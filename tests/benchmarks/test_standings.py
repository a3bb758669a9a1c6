from typing import Any

import pytest

from measuring.standings import ratio_to, spelled, standings
from tests.benchmarks.contests import run


def counted(peer: str, *seconds: float) -> list[dict[str, Any]]:
    return [run(x, peer=peer, part="all") for x in seconds]


def test_ratio_is_the_median_of_the_rounds_and_not_that_of_medians() -> None:
    theirs, ours = counted("a", 2.0, 9.0, 1.0), counted("tokenloom", 1.0, 3.0, 10.0)
    assert ratio_to(theirs, ours, "cold", "cpu_seconds") == {"ratio": 2.0, "rounds": [2.0, 3.0, 0.1]}


def test_best_rival_is_the_fastest_whose_ids_are_right() -> None:
    trials = {
        "tokenloom": run(2.0, ids="equal"),
        "wrong": run(0.1, ids="3 of 9 documents differ"),
        "right": run(1.0, ids="equal"),
        "slow": run(5.0, ids="equal"),
        "dead": {"failure": "KeyError: 7"},
    }
    runs = counted("tokenloom", 2.0, 2.0) + counted("right", 1.0, 1.0)
    found = standings(trials, runs, {"none": "not installed"}, clock="cpu_seconds", ours="tokenloom")
    assert found["best"]["cold"] == {"ours": 2.0, "rival": "right", "rival's": 1.0, "ratio": 0.5, "rounds": [0.5, 0.5]}
    assert found["peers"]["wrong"]["ids"] == "3 of 9 documents differ"
    assert found["peers"]["slow"] == {"ids": "equal", "n_rounds": 0, "numbers": {"cold": 5.0}}
    assert found["peers"]["dead"] == {"failure": "KeyError: 7"}
    assert found["peers"]["none"] == {"absent": "not installed"}


def test_number_that_is_zero_has_no_ratio() -> None:
    trials = {peer: run(2.0, ids="equal", figures={"grown bytes": 0}) for peer in ("tokenloom", "a")}
    runs = [run(2.0, peer=peer, figures={"grown bytes": 0}) for peer in trials]
    assert {*standings(trials, runs, {}, clock="cpu_seconds", ours="tokenloom")["best"]} == {"cold"}


def test_another_way_of_asking_us_is_no_rival() -> None:
    trials = {"tokenloom": run(2.0, ids="equal"), "tokenloom lists": run(1.0, ids="equal")}
    runs = counted("tokenloom", 2.0) + counted("tokenloom lists", 1.0)
    assert standings(trials, runs, {}, clock="cpu_seconds", ours="tokenloom")["best"] == {}


@pytest.mark.parametrize(
    ("label", "number", "shown"),
    [
        ("cold", 0.5, "4.0 MB/s"),
        ("load", 0.0123, "12.3 ms"),
        ("call with 4 KB", 3.21, "3.2 µs"),
        ("net peak bytes", 7_100_000, "7 MB"),
        ("a, times", 9.87, "9.9"),
    ],
)
def test_numbers_are_told_in_their_units(label: str, number: float, shown: str) -> None:
    assert spelled(label, number, {"cold": 2_000_000}) == shown
