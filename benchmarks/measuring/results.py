"""Measuring one case from its setup to the result that is stored."""

import datetime
import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from measuring.case import Case, Prepared, Setup
from measuring.contest import hold
from measuring.corpora import facts
from measuring.machine import machine, versions
from measuring.rounds import Say, run_rounds, warm_up
from measuring.standings import standings, standings_table
from measuring.summary import medians, most_other_cores, ratios, table

__all__ = ["as_text", "measure", "stored"]

Result = dict[str, Any]


def measure(name: str, case: Case, setup: Setup, n_rounds: int, say: Say) -> Result:
    """Measure a case in a temporary folder of its own.

    Raises: RuntimeError if a run fails, ValueError if the setup lacks what the case needs.
    """
    with tempfile.TemporaryDirectory(prefix="tokenloom-benchmark-") as folder:
        prepared = case.prepare(replace(setup, folder=Path(folder)))
        origin = _origin(name, case, setup, prepared)
        if case.is_contest:
            return origin | _contest(name, case, prepared, Path(folder), n_rounds, say)
        answers = warm_up(name, case, prepared, Path(folder), say)
        check = case.compare(answers)
        runs = run_rounds(name, case, prepared, n_rounds, say)
    return origin | {
        "baseline": case.baseline,
        "n_rounds": n_rounds,
        "check": check,
        "most_other_cores": most_other_cores(runs),
        "medians": medians(runs),
        "ratios": ratios(runs, case.baseline),
        "runs": runs,
    }


def as_text(result: Mapping[str, Any]) -> str:
    """A result as a table for people."""
    return standings_table(result) if "parts" in result else table(result)


def stored(result: Mapping[str, Any]) -> str:
    """A result as JSON; a contest has many runs, each of which has a line."""
    if "parts" not in result:
        return json.dumps(result, indent=1) + "\n"
    head = json.dumps({key: value for key, value in result.items() if key != "runs"}, indent=1)
    runs = ",\n".join(json.dumps(run) for run in result["runs"])
    return f'{head.removesuffix("}").rstrip()},\n "runs": [\n{runs}\n]\n}}\n'


def _origin(name: str, case: Case, setup: Setup, prepared: Prepared) -> Result:
    packages = case.packages
    if prepared.packages is not None:
        packages = prepared.packages
    return {
        "case": name,
        "summary": case.summary,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "versions": versions(packages),
        "corpus": {"name": setup.corpus.name, **facts(setup.corpus.data)},
        "settings": prepared.settings,
        "section_bytes": prepared.section_bytes,
    }


def _contest(name: str, case: Case, prepared: Prepared, folder: Path, n_rounds: int, say: Say) -> Result:
    trials, runs = hold(name, case, prepared, folder, n_rounds, say)
    clock = "cpu_seconds" if prepared.n_threads == 1 else "wall_seconds"
    parts = {
        part: standings(
            of_peers,
            [run for run in runs if run["part"] == part],
            prepared.absent,
            clock=clock,
            ours=case.baseline,
        )
        for part, of_peers in trials.items()
    }
    return {
        "clock": clock,
        "n_rounds": n_rounds,
        "most_other_cores": most_other_cores(runs),
        "parts": parts,
        "runs": [_short(run) for run in runs],
    }


def _short(run: Mapping[str, Any]) -> Result:
    """A run with its numbers to a millionth of a second, and without what the result says already."""
    sections = {
        label: {key: round(value, 6) if isinstance(value, float) else value for key, value in section.items()}
        for label, section in run["sections"].items()
    }
    return {key: value for key, value in run.items() if key != "fingerprint"} | {"sections": sections}
