"""Measure tokenloom beside its peers: `python benchmarks/run.py [CASE ...]`. The README in this folder says how."""

import argparse
import datetime
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from cases import CASES
from measuring.corpora import Corpus, facts, read_corpus
from measuring.machine import machine, versions
from measuring.rounds import run_rounds, warm_up
from measuring.summary import medians, most_other_cores, ratios, table

RESULTS: Final = Path(__file__).resolve().parent / "results"
FEWEST_ROUNDS: Final = 5
"""Results with fewer rounds are trials, and never stored among the others."""


def main() -> None:
    parser = _parser()
    arguments = parser.parse_args()
    names = arguments.cases or list(CASES)
    if unknown := [name for name in names if name not in CASES]:
        parser.error(f"no case {unknown[0]!r}; there are {', '.join(CASES)}")
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")
    if arguments.out and len(names) > 1:
        parser.error("--out takes the result of one case; name that case")
    if arguments.runs < FEWEST_ROUNDS and not arguments.out:
        parser.error(f"fewer than {FEWEST_ROUNDS} runs are a trial: give it a place with --out")
    try:
        corpus = read_corpus(arguments.corpus)
        for name in names:
            result = _result(name, corpus, arguments.gpt2, arguments.runs)
            path = arguments.out or RESULTS / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(result, indent=1) + "\n")
            print(table(result), end="\n\n")
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"benchmarks: {error}")


def _result(name: str, corpus: Corpus, gpt2: Path | None, n_rounds: int) -> dict[str, Any]:
    case = CASES[name]
    origin = {
        "case": name,
        "summary": case.summary,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "versions": versions(case.packages),
        "corpus": {"name": corpus.name, **facts(corpus.data)},
    }
    with tempfile.TemporaryDirectory(prefix="tokenloom-benchmark-") as folder:
        prepared = case.prepare(corpus, Path(folder), gpt2)
        answers = warm_up(name, case, prepared, Path(folder), _say)
        check = case.compare(answers)
        runs = run_rounds(name, case, prepared, n_rounds, _say)
    return {
        **origin,
        "settings": prepared.settings,
        "section_bytes": prepared.section_bytes,
        "baseline": case.baseline,
        "n_rounds": n_rounds,
        "check": check,
        "most_other_cores": most_other_cores(runs),
        "medians": medians(runs),
        "ratios": ratios(runs, case.baseline),
        "runs": runs,
    }


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure tokenloom beside its peers.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"{', '.join(CASES)}; all of them if none is named")
    parser.add_argument("--corpus", type=Path, metavar="PATH", help="a text in UTF-8 (default: Python's own library)")
    parser.add_argument("--gpt2", type=Path, metavar="FOLDER", help="with vocab.json and merges.txt (default: train)")
    parser.add_argument("--runs", type=int, default=FEWEST_ROUNDS, metavar="N", help="counted runs of each peer")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the result of one case goes")
    return parser


if __name__ == "__main__":
    main()
