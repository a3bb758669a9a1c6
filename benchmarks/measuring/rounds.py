"""Running a case: fresh processes, peers in turn.

Peers alternate (A B A B ...), so that a machine that slows down slows all of them, and numbers are compared within a
round. Before the first round each peer runs once unmeasured; that run also writes the peer's answer.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from measuring.case import WHOLE, Case, Prepared

__all__ = ["WORKER", "Say", "run_once", "run_rounds", "warm_up"]

WORKER: Final = Path(__file__).resolve().parents[1] / "worker.py"

_NOT_INHERITED: Final = {"RAYON_NUM_THREADS", "PYTHONDONTWRITEBYTECODE"}

Say = Callable[[str], None]


def warm_up(name: str, case: Case, prepared: Prepared, folder: Path, say: Say) -> dict[str, Path]:
    """Run each peer once without counting. Returns: the files of their answers."""
    answers = {}
    for position, peer in enumerate(case.peers):
        say(f"{name}: warm-up, {peer}")
        answers[peer] = folder / f"answer-{position}"
        run_once(name, peer, prepared, answer=answers[peer])
    return answers


def run_rounds(name: str, case: Case, prepared: Prepared, n_rounds: int, say: Say) -> list[dict[str, Any]]:
    """All counted runs, in the order in which they ran.

    Raises: RuntimeError if a run fails, or if a peer's results change from run to run.
    """
    runs: list[dict[str, Any]] = []
    fingerprints: dict[str, str] = {}
    for number in range(1, n_rounds + 1):
        for peer in case.peers:
            run = run_once(name, peer, prepared)
            walls = ", ".join(f"{label} {x['wall_seconds']:.2f} s" for label, x in run["sections"].items())
            say(f"{name}: round {number} of {n_rounds}, {peer}: {walls}")
            if fingerprints.setdefault(peer, run["fingerprint"]) != run["fingerprint"]:
                raise RuntimeError(f"{name}, {peer}: round {number} gave another result than round 1.")
            runs.append({"round": number, "peer": peer, **run})
    return runs


def run_once(
    name: str, peer: str, prepared: Prepared, *, part: str = WHOLE, answer: Path | None = None
) -> dict[str, Any]:
    """One run in a fresh process.

    Args:
        name: the case.
        peer: who does it.
        prepared: the case made ready.
        part: what of the task.
        answer: the file for the whole result, or None where nobody compares it.
    Raises: RuntimeError if the run fails or takes longer than it may.
    """
    request = {"case": name, "peer": peer, "inputs": {**prepared.inputs, "part": part}}
    try:
        finished = subprocess.run(
            [sys.executable, str(WORKER)],
            input=json.dumps(request | {"answer": answer and str(answer)}),
            capture_output=True,
            text=True,
            env=_environment(os.environ, prepared.n_threads),
            timeout=prepared.limit_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{name}, {peer}: took more than {prepared.limit_seconds:g} s") from error
    if finished.returncode:
        raise RuntimeError(f"{name}, {peer}: the run failed.\n{finished.stderr.strip()}")
    result: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])  # some libraries print when imported
    return result


def _environment(inherited: Mapping[str, str], n_threads: int | None) -> dict[str, str]:
    """Nobody's number of threads is set from outside: each peer uses all cores, or as many threads as the case says.

    Nothing is asked of the network either, and bytecode is kept as everywhere: else each run of ours would compile our
    sources, whereas installers have compiled those of others.
    """
    environment = {key: value for key, value in inherited.items() if key not in _NOT_INHERITED}
    environment |= {"TOKENIZERS_PARALLELISM": "true", "HF_HUB_OFFLINE": "1"}
    if n_threads is None:
        return environment
    in_parallel = "true" if n_threads > 1 else "false"
    return environment | {"TOKENIZERS_PARALLELISM": in_parallel, "RAYON_NUM_THREADS": str(n_threads)}
