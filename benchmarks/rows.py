"""Measure the rows of the README's tables one after another: `python benchmarks/rows.py --vocabularies V --corpora C`.

A row that is stored already, measured with the same compiled core, is left as it is: a run that was ended goes on.
"""

import argparse
import hashlib
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from cases import CASES
from cases.rows import ROWS, TEXTS, Row
from measuring.case import Setup
from measuring.corpora import MEBIBYTE, Corpus, read_corpus
from measuring.results import as_text, measure, stored

RESULTS: Final = Path(__file__).resolve().parent / "results" / "rows"
N_ROUNDS: Final = 5
CORE: Final = "core sha256"


def main() -> None:
    parser = _parser()
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.rows if name not in ROWS]:
        parser.error(f"no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    if arguments.runs < N_ROUNDS and arguments.out == RESULTS:
        parser.error(f"fewer than {N_ROUNDS} runs are a trial: give it a place with --out")
    try:
        _measure_all([ROWS[name] for name in arguments.rows or ROWS], arguments)
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"benchmarks: {error}")


def _measure_all(rows: list[Row], arguments: argparse.Namespace) -> None:
    core = core_sha256()
    arguments.out.mkdir(parents=True, exist_ok=True)
    corpora: dict[str, Corpus] = {}
    for number, row in enumerate(rows, 1):
        path = arguments.out / f"{row.name}.json"
        if not arguments.again and is_done(path, core, arguments.runs):
            _say(f"{row.name}: stored already")
            continue
        _say(f"row {number} of {len(rows)}: {row.name}")
        if row.text not in corpora:
            corpora = {row.text: read_corpus(arguments.corpora / f"{row.text}.txt")}  # one at a time: they are large
        setup = Setup(
            corpus=corpora[row.text],
            folder=Path(),  # each case gets one of its own
            vocabularies=arguments.vocabularies,
            encoding=row.encoding,
            n_threads=row.n_threads,
            n_bytes=int((arguments.mebibytes or row.mebibytes) * MEBIBYTE),
            n_batches=arguments.batches,
        )
        result = {"row": row.name} | measure(row.case, CASES[row.case], setup, arguments.runs, _say) | {CORE: core}
        path.write_text(stored(result))
        print(as_text(result), end="\n\n", flush=True)


def is_done(path: Path, core: str, n_rounds: int) -> bool:
    """Whether a row is stored with as many rounds or more, measured with this compiled core."""
    if not path.is_file():
        return False
    result = json.loads(path.read_text())
    return bool(result.get(CORE) == core and result["n_rounds"] >= n_rounds)


def core_sha256() -> str:
    """What identifies the compiled core that is measured."""
    found = find_spec("tokenloom._core")
    if found is None or found.origin is None:
        raise RuntimeError("tokenloom._core is not installed. Install tokenloom, or build it in its checkout.")
    return hashlib.sha256(Path(found.origin).read_bytes()).hexdigest()


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure the rows of the README's tables.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"{', '.join(ROWS)}; all of them if none is named")
    parser.add_argument("--vocabularies", type=Path, required=True, metavar="FOLDER", help="see README.md")
    parser.add_argument("--corpora", type=Path, required=True, metavar="FOLDER", help=f"with {', '.join(TEXTS)} .txt")
    parser.add_argument("--runs", type=int, default=N_ROUNDS, metavar="N", help="counted runs of each peer")
    parser.add_argument("--mebibytes", type=float, metavar="N", help="of text for each section, for a trial")
    parser.add_argument("--batches", type=int, default=20_000, metavar="N", help="for flat_memory")
    parser.add_argument("--again", action="store_true", help="measure rows that are stored already, too")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FOLDER", help="where results go")
    return parser


if __name__ == "__main__":
    main()
