"""A contest: all peers run once, then those that can win take turns in rounds.

The run that does not count shows who has other ids, who cannot do the task at all, and who is far behind. Results name
all of these with the numbers of that run; rounds are spent on the rest, so that many rows fit into one sitting.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from measuring.case import Case, Prepared
from measuring.rounds import Say, run_once

__all__ = ["CAN_WIN", "EQUAL", "hold", "is_ours", "verdicts"]

CAN_WIN: Final = 0.75
"""A rival stays if one of its numbers is at most this far behind the best rival's."""
EQUAL: Final = "equal"
"""The verdict of a peer whose ids are right."""

Run = dict[str, Any]


def is_ours(peer: str, case: Case) -> bool:
    """Whether a peer is the library itself, perhaps asked in another way."""
    return peer.startswith(case.baseline)


def verdicts(answers: Mapping[str, Path], right: Path, *, otherwise: str) -> dict[str, Any]:
    """For each peer `EQUAL`, or what is said where the bytes of its answer are not those of the right one."""
    expected = right.read_bytes()
    return {peer: EQUAL if path.read_bytes() == expected else otherwise for peer, path in answers.items()}


def hold(
    name: str, case: Case, prepared: Prepared, folder: Path, n_rounds: int, say: Say
) -> tuple[dict[str, dict[str, Run]], list[Run]]:
    """Hold a contest.

    Returns: for each part and peer the trial run, with `"ids"` or `"failure"`; and all counted runs in their order.
    Raises: RuntimeError if a run of ours fails, or if ids change from run to run.
    """
    trials = {part: _trials(name, case, prepared, part, folder, say) for part in prepared.parts}
    runs: list[Run] = []
    for number in range(1, n_rounds + 1):
        for part, of_peers in trials.items():
            for peer in _contenders(case, prepared, of_peers):
                say(f"{name}: round {number} of {n_rounds}, {part}, {peer}")
                run = run_once(name, peer, prepared, part=part)
                if run["fingerprint"] != of_peers[peer]["fingerprint"]:
                    raise RuntimeError(f"{name}, {peer}: round {number} gave another result than the trial.")
                runs.append({"round": number, "part": part, "peer": peer} | run)
    return trials, runs


def _trials(name: str, case: Case, prepared: Prepared, part: str, folder: Path, say: Say) -> dict[str, Run]:
    trials: dict[str, Run] = {}
    answers: dict[str, Path] = {}
    for position, peer in enumerate(peer for peer in case.peers if peer not in prepared.absent):
        path = folder / f"answer-{position}"
        say(f"{name}: trial, {part}, {peer}")
        try:
            trials[peer] = run_once(name, peer, prepared, part=part, answer=path)
        except RuntimeError as error:
            if is_ours(peer, case):
                raise
            trials[peer] = {"failure": _reason(error)}
        else:
            answers[peer] = path
    verdicts = case.compare(answers)
    for path in answers.values():
        path.unlink()
    return {peer: run | ({"ids": verdicts[peer]} if peer in verdicts else {}) for peer, run in trials.items()}


def _reason(error: RuntimeError) -> str:
    """The last line of what a failed run has said."""
    return str(error).strip().splitlines()[-1][:200]


def _contenders(case: Case, prepared: Prepared, trials: Mapping[str, Run]) -> Iterator[str]:
    """Ours, and the rivals with right ids that are not far behind in everything."""
    numbers = {peer: dict(_numbers(run, prepared)) for peer, run in trials.items() if run.get("ids") == EQUAL}
    rivals = {peer: found for peer, found in numbers.items() if not is_ours(peer, case)}
    labels = {label for found in rivals.values() for label in found}
    best = {label: min(found[label] for found in rivals.values() if label in found) for label in labels}
    for peer in trials:
        near = any(number * CAN_WIN <= best[label] for label, number in rivals.get(peer, {}).items())
        if is_ours(peer, case) or (peer in rivals and (near or peer in prepared.kept)):
            yield peer


def _numbers(run: Mapping[str, Any], prepared: Prepared) -> Iterator[tuple[str, float]]:
    """What a run is judged by: the sections that read text."""
    clock = "cpu_seconds" if prepared.n_threads == 1 else "wall_seconds"
    for label, section in run["sections"].items():
        if label in prepared.section_bytes:
            yield label, section[clock]
