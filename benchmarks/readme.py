"""Write the numbers in the project's README from the stored results: `python benchmarks/readme.py [--check]`.

No number there is typed. A table has all peers of a case, rows that tokenloom loses among them.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from cases import CASES
from cases.rows import ROWS
from measuring.bars import tables
from measuring.corpora import MEGABYTE

HERE: Final = Path(__file__).resolve().parent
BEGIN: Final = "<!-- numbers: written by benchmarks/readme.py -->\n"
END: Final = "<!-- end of numbers -->\n"
IN_SECONDS: Final = {"train_bpe"}
"""Cases that people run once and wait for; the others say how much text goes through in a second."""
IN_PROCESSOR_TIME: Final = {"load_ranks", "load_json"}
"""Cases that are over in a moment: what they cost is told in milliseconds of the processor."""

Result = Mapping[str, Any]


def main() -> None:
    arguments = _parser().parse_args()
    try:
        old = arguments.readme.read_text(encoding="utf-8")
        new = with_numbers(old, read_results(arguments.results), read_rows(arguments.results / "rows"))
    except (OSError, ValueError) as error:
        sys.exit(f"benchmarks: {error}")
    if not arguments.check:
        arguments.readme.write_text(new, encoding="utf-8")
    elif new != old:
        sys.exit(f"{arguments.readme}: its numbers are not those of {arguments.results}. Run benchmarks/readme.py.")


def read_results(folder: Path) -> list[Result]:
    """All results, in the order of the cases, then of file names; none if there is no such folder.

    Raises: ValueError for a file that `run.py` has not written.
    """
    results = []
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(result, dict) or result.get("case") not in CASES:
            raise ValueError(f"{path}: is no result of {', '.join(CASES)}. Write it with benchmarks/run.py.")
        results.append(result)
    return sorted(results, key=lambda result: list(CASES).index(result["case"]))


def read_rows(folder: Path) -> dict[str, Result]:
    """The rows of contests by name, those that are stored, in the order of `ROWS`.

    Raises: ValueError for a file that `rows.py` has not written.
    """
    found = {}
    for path in folder.glob("*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(result, dict) or result.get("row") not in ROWS or result["row"] != path.stem:
            raise ValueError(f"{path}: is no row of {', '.join(ROWS)}. Write it with benchmarks/rows.py.")
        found[path.stem] = result
    return {name: found[name] for name in ROWS if name in found}


def with_numbers(readme: str, results: list[Result], rows: Mapping[str, Result]) -> str:
    """The text with the block between the two markers replaced: the rows of contests, then other results.

    Raises: ValueError if the markers are not there, once each and in order.
    """
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after:
        raise ValueError(
            f"the README lacks the lines {BEGIN!r} and {END!r}, once each and in this order. Restore these lines."
        )
    shown = [*(["\n".join(tables(rows)) + "\n"] if rows else []), *map(block, results)]
    blocks = "\n".join(shown)
    return before + BEGIN + (f"\n{blocks}\n" if blocks else "") + END + after


def block(result: Result) -> str:
    """A heading line, the table, and where the numbers come from."""
    unit = unit_of(result["case"])
    header = ("peer", unit, f"× {result['baseline']}", "peak memory")
    table = [_row(header), "|---|---:|---:|---:|", *map(_row, rows(result, unit))]
    return "\n".join([f"{result['case']}: {result['summary']}.", "", *table, "", *origin(result), ""])


def unit_of(case: str) -> str:
    """In what the speed of a case is told."""
    if case in IN_PROCESSOR_TIME:
        return "ms CPU"
    return "seconds" if case in IN_SECONDS else "MB/s"


def rows(result: Result, unit: str) -> Iterator[tuple[str, ...]]:
    """Peer, speed, median of the ratios of each round, and memory; by section where there are several."""
    metric = "cpu_seconds" if unit == "ms CPU" else "wall_seconds"
    for section, by_peer in result["medians"].items():
        for peer, median in by_peer.items():
            speed = spelled(median[metric], unit, result["section_bytes"][section])
            compared = result["ratios"][section].get(peer)
            ratio = f"{compared[metric]['median']:.2f}" if compared else "1"
            name = peer if len(result["medians"]) == 1 else f"{peer}, {section}"
            yield name, speed, ratio, f"{median['peak_rss_bytes'] / MEGABYTE:.0f} MB"


def spelled(seconds: float, unit: str, n_bytes: int) -> str:
    """A time as a number of the unit."""
    if unit == "ms CPU":
        return f"{seconds * 1000:.0f}"
    return f"{seconds:.2f}" if unit == "seconds" else f"{n_bytes / MEGABYTE / seconds:.1f}"


def origin(result: Result) -> list[str]:
    """Text, machine, versions and date."""
    corpus, machine = result["corpus"], result["machine"]
    used = " and ".join(f"{n_bytes / MEGABYTE:.1f}" for n_bytes in result["section_bytes"].values())
    versions = ", ".join(f"{name} {version[:12]}" for name, version in result["versions"].items())
    return [
        f"Text: {corpus['name']} ({corpus['bytes'] / MEGABYTE:.1f} MB, of which {used} MB were used).",
        f"Machine: {machine['cpu']}, {machine['cores']} cores. {result['n_rounds']} rounds on {result['date']};",
        f"{versions}.",
    ]


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Write the numbers in README.md from the stored results.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the README differs")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="FOLDER", help="results of run.py")
    parser.add_argument("--readme", type=Path, default=HERE.parent / "README.md", metavar="FILE", help="what to write")
    return parser


if __name__ == "__main__":
    main()
