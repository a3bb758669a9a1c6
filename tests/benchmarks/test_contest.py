from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from measuring import contest
from measuring.case import Case, Prepared
from tests.benchmarks.contests import case_of, prepared, run

Seconds = dict[str, float]
Held = tuple[dict[str, Any], list[dict[str, Any]]]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Held]:
    """Holds a contest in which peers take so many seconds; one with a negative time fails."""

    def hold(seconds: Seconds, *, case: Case | None = None, ready: Prepared | None = None) -> Held:
        def run_once(_: str, peer: str, __: Prepared, *, answer: Path | None = None, **___: Any) -> dict[str, Any]:
            if seconds[peer] < 0:
                raise RuntimeError("it failed.\nTraceback\nKeyError: 7")
            if answer:
                answer.touch()
            return run(seconds[peer])

        monkeypatch.setattr(contest, "run_once", run_once)
        case = case or case_of(*(peer for peer in seconds if peer != "tokenloom"))
        trials, runs = contest.hold("a case", case, ready or prepared(), tmp_path, 2, lambda _: None)
        return trials["all"], runs

    return hold


def peers_of(runs: list[dict[str, Any]]) -> list[str]:
    return [run["peer"] for run in runs]


def test_peers_take_turns_in_every_round(held: Callable[..., Held]) -> None:
    _, runs = held({"tokenloom": 1.0, "a": 1.0, "b": 1.1})
    assert peers_of(runs) == ["tokenloom", "a", "b"] * 2
    assert [run["round"] for run in runs] == [1, 1, 1, 2, 2, 2]


def test_rival_far_behind_has_its_trial_only(held: Callable[..., Held]) -> None:
    trials, runs = held({"tokenloom": 9.0, "fast": 1.0, "near": 1.3, "slow": 1.4})
    assert peers_of(runs) == ["tokenloom", "fast", "near"] * 2
    assert trials["slow"]["sections"]["cold"]["cpu_seconds"] == 1.4


def test_rival_far_behind_stays_if_it_is_kept(held: Callable[..., Held]) -> None:
    _, runs = held({"tokenloom": 1.0, "fast": 1.0, "slow": 9.0}, ready=prepared(kept=("slow",)))
    assert "slow" in peers_of(runs)


def test_rival_with_other_ids_sets_no_pace_and_has_no_rounds(held: Callable[..., Held]) -> None:
    case = case_of("wrong", "right", verdicts={"wrong": "1 of 7 documents differ"})
    trials, runs = held({"tokenloom": 1.0, "wrong": 0.01, "right": 1.0}, case=case)
    assert peers_of(runs) == ["tokenloom", "right"] * 2
    assert trials["wrong"]["ids"] == "1 of 7 documents differ"


def test_rival_that_fails_is_named_with_the_last_line_that_it_said(held: Callable[..., Held]) -> None:
    trials, runs = held({"tokenloom": 1.0, "a": -1.0, "b": 1.0})
    assert trials["a"] == {"failure": "KeyError: 7"}
    assert "a" not in peers_of(runs)


def test_our_own_failure_ends_the_contest(held: Callable[..., Held]) -> None:
    with pytest.raises(RuntimeError, match="it failed"):
        held({"tokenloom": -1.0, "a": 1.0})


def test_absent_peers_do_not_run(held: Callable[..., Held]) -> None:
    trials, _ = held({"tokenloom": 1.0, "a": 1.0, "b": 1.0}, ready=prepared(absent={"a": "not installed"}))
    assert [*trials] == ["tokenloom", "b"]


def test_ids_that_change_from_run_to_run_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    outcomes = iter(["7 ids", "8 ids"])

    def run_once(*_: Any, answer: Path | None = None, **__: Any) -> dict[str, Any]:
        if answer:
            answer.touch()
        return run(1.0, fingerprint=next(outcomes))

    monkeypatch.setattr(contest, "run_once", run_once)
    with pytest.raises(RuntimeError, match="tokenloom: round 1 gave another result"):
        contest.hold("a case", case_of(), prepared(), tmp_path, 1, lambda _: None)
