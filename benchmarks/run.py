"""Measure tokenloom beside its peers: `python benchmarks/run.py [CASE ...]`. The README in this folder says how."""

import argparse
import sys
from pathlib import Path
from typing import Final

from cases import CASES
from measuring.case import Setup
from measuring.corpora import MEBIBYTE, read_corpus
from measuring.results import as_text, measure, stored

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
        setup = _setup(arguments)
        for name in names:
            if CASES[name].needs_vocabularies and not (arguments.cases or arguments.vocabularies):
                _say(f"{name}: left out, as it needs --vocabularies FOLDER")
                continue
            result = measure(name, CASES[name], setup, arguments.runs, _say)
            path = arguments.out or RESULTS / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(stored(result))
            print(as_text(result), end="\n\n")
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"benchmarks: {error}")


def _setup(arguments: argparse.Namespace) -> Setup:
    return Setup(
        corpus=read_corpus(arguments.corpus),
        folder=Path(),  # each case gets one of its own
        gpt2=arguments.gpt2,
        vocabularies=arguments.vocabularies,
        encoding=arguments.encoding,
        n_threads=arguments.threads,
        n_bytes=arguments.mebibytes and int(arguments.mebibytes * MEBIBYTE),
        n_batches=arguments.batches,
    )


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure tokenloom beside its peers.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"{', '.join(CASES)}; all of them if none is named")
    parser.add_argument("--corpus", type=Path, metavar="PATH", help="a text in UTF-8 (default: Python's own library)")
    parser.add_argument("--gpt2", type=Path, metavar="FOLDER", help="with vocab.json and merges.txt (default: train)")
    parser.add_argument("--vocabularies", type=Path, metavar="FOLDER", help="published vocabularies, see README.md")
    parser.add_argument("--encoding", default="cl100k_base", metavar="NAME", help="of them (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="for each peer, if a case lets one choose")
    parser.add_argument("--mebibytes", type=float, metavar="N", help="of text for each section of a contest")
    parser.add_argument("--batches", type=int, default=20_000, metavar="N", help="for flat_memory")
    parser.add_argument("--runs", type=int, default=FEWEST_ROUNDS, metavar="N", help="counted runs of each peer")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the result of one case goes")
    return parser


if __name__ == "__main__":
    main()
