"""Runs and results of contests that never ran."""

from typing import Any

from measuring.case import Case, Prepared
from measuring.contest import EQUAL

__all__ = ["case_of", "prepared", "run", "section"]


def section(seconds: float) -> dict[str, float]:
    """Numbers of a section, the same by both clocks."""
    return {"wall_seconds": seconds, "cpu_seconds": seconds, "other_cpu_seconds": 0.0}


def run(seconds: float, *, fingerprint: str = "7 ids", **more: Any) -> dict[str, Any]:
    """A run with one section."""
    return {"sections": {"cold": section(seconds)}, "fingerprint": fingerprint} | more


def case_of(*peers: str, verdicts: dict[str, str] | None = None) -> Case:
    """A contest between tokenloom and these, whose ids are equal where nothing else is said."""

    def compare(answers: Any) -> dict[str, Any]:
        return {peer: (verdicts or {}).get(peer, EQUAL) for peer in answers}

    def never(*_: Any) -> Any:
        raise AssertionError

    return Case("a task", ("tokenloom", *peers), "tokenloom", (), never, never, compare, is_contest=True)


def prepared(**more: Any) -> Prepared:
    """What the case above is prepared to."""
    return Prepared({}, {}, {"cold": 1_000_000}, n_threads=1, **more)
