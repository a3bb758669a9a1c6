"""The rows of contests as tables for the README: what tokenloom reaches, who is next, and what was asked.

A ratio says how many times less tokenloom needs than the fastest rival whose ids are right; `1.43 ≥ 1.3` was asked and
is reached, `1.12 < 1.3` was asked and is missed. Rows that are lost are shown like the others.
"""

import statistics
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from cases.rows import ANCHOR, ROWS
from measuring.contest import EQUAL
from measuring.corpora import MEBIBYTE, MEGABYTE
from measuring.hostile_texts import KINDS
from measuring.standings import ratio_to, spelled
from peers.ours import PACKED, PACKED_LISTS

__all__ = ["tables"]

PASSES: Final = ("cold", "next", "warm")
TRAINING: Final = ("train", "net peak bytes")
OURS: Final = "tokenloom"
MOST_TIMES: Final = 12
"""What ten times a hostile string may cost."""

Results = Mapping[str, Mapping[str, Any]]
Cells = tuple[str, ...]


def tables(results: Results) -> list[str]:
    """All tables that the stored rows fill, each with a line about what it is."""
    found = []
    for heading, header, rows in (
        (_ENCODING, ("vocabulary, text", *(cell for label in PASSES for cell in (label, "×"))), _encoding(results)),
        (_HOSTILE, ("one string of", OURS, "fastest rival", "×", "ten times as long"), _hostile(results)),
        (_OTHER, ("what", OURS, "beside", "×"), _other(results)),
        (_TRAINING, ("pattern, text", *(cell for label in TRAINING for cell in (label, "×"))), _training(results)),
    ):
        if lines := list(rows):
            found += [heading, "", _row(header), "|---|" + "---:|" * (len(header) - 1), *map(_row, lines), ""]
    return found + list(_origin(results))


_ENCODING: Final = (
    "MB/s of tokenloom, then of the fastest other library whose ids are right. Cold is the first pass of a fresh "
    "process, next is new text after it, warm the same text again."
)
_HOSTILE: Final = (
    "One string of 1 MiB in one call, cl100k_base; ten times as long: the worst of all named pretokenizers."
)
_OTHER: Final = "Short calls, memory, loading and threads, cl100k_base on English."


_TRAINING: Final = (
    "Training 32,000 tokens from a file: processor time of the whole call, or time on the wall where two threads are "
    "named, and peak memory beyond what the process had before; beside the best other trainer whose merges are right."
)


def _encoding(results: Results) -> Iterator[Cells]:
    for name, row in ROWS.items():
        if name not in results or not name.startswith("encode"):
            continue
        standing, cells = results[name]["parts"]["all"], []
        for label in PASSES:
            best = standing["best"].get(label)
            if best is None:
                cells += ["-", "-"]
                continue
            ours, theirs = (_speed(results[name], label, best[key]) for key in ("ours", "rival's"))
            cells += [f"{ours} : {theirs} {best['rival']}", against(best["ratio"], row.asked.get(label))]
        threads = f", {row.n_threads} threads" if row.n_threads > 1 else ""
        yield f"{row.encoding}, {row.text}{threads}{_doubt(standing)}", *cells


def _doubt(standing: Mapping[str, Any]) -> str:
    """What is wrong with our ids, if they are not those of the library that defines them."""
    ids = standing["peers"][OURS]["ids"]
    return "" if ids == EQUAL else f" ({ids})"


def _speed(result: Mapping[str, Any], label: str, seconds: float) -> str:
    return f"{result['section_bytes'][label] / MEGABYTE / seconds:.0f}"


def _hostile(results: Results) -> Iterator[Cells]:
    result = results.get("hostile")
    for kind in KINDS if result else ():
        best = result["parts"][kind]["best"]["string"]  # type: ignore[index]
        ours, theirs = (f"{1000 * best[key]:.1f} ms" for key in ("ours", "rival's"))
        doubt = _doubt(result["parts"][kind])  # type: ignore[index]
        yield kind + doubt, ours, f"{theirs} {best['rival']}", against(best["ratio"], 1.0), _growth(results, kind)


def _growth(results: Results, kind: str) -> str:
    if "hostile_growth" not in results:
        return "-"
    parts = results["hostile_growth"]["parts"]
    times = {name: part["peers"][OURS]["numbers"][f"{kind}, times"] for name, part in parts.items()}
    worst = max(times, key=lambda name: times[name])
    sign = "≤" if times[worst] <= MOST_TIMES else ">"
    return f"{times[worst]:.1f} {sign} {MOST_TIMES} ({worst})"


def _other(results: Results) -> Iterator[Cells]:
    if ANCHOR in results:
        yield from _anchor(results[ANCHOR])
    if "fresh_process" in results:
        yield from _fresh(results["fresh_process"])
    if "threads" in results:
        yield from _threads(results["threads"])
    if "flat_memory" in results:
        yield from _flat(results["flat_memory"])


def _anchor(result: Mapping[str, Any]) -> Iterator[Cells]:
    pair = _pair(result)
    yield pair("call with 100 B", OURS, "gigatoken batch", 1 / 0.8)
    yield pair("call with 4 KB", OURS, "gigatoken batch", 1 / 0.65)
    for label in PASSES:
        yield pair(label, "tokenloom lists", "gigatoken lists", 2.0, f"lists, {label}")
    yield pair("cold", "tokenloom file", "tokenloom", 1.0, "a file, cold")
    yield pair("net peak bytes", OURS, "gigatoken batch", 1 / 0.8, "peak memory without the text")


def _pair(result: Mapping[str, Any]) -> Callable[..., Cells]:
    """A function that sets two peers of a result side by side."""

    def pair(label: str, ours: str, theirs: str, asked: float | None, what: str | None = None) -> Cells:
        peers = result["parts"]["all"]["peers"]
        found = [peers.get(peer, {}).get("numbers", {}).get(label) for peer in (ours, theirs)]
        if None in found:
            return what or label, "-", f"- {theirs}", "-"
        runs = [[run for run in result["runs"] if run["peer"] == peer] for peer in (theirs, ours)]
        is_paired = len(runs[0]) == len(runs[1]) > 0
        ratio = ratio_to(runs[0], runs[1], label, result["clock"])["ratio"] if is_paired else found[1] / found[0]
        ours_shown, theirs_shown = (spelled(label, number, result["section_bytes"]) for number in found)
        return what or label, ours_shown, f"{theirs_shown} {theirs}", against(ratio, asked)

    return pair


def _fresh(result: Mapping[str, Any]) -> Iterator[Cells]:
    best = result["parts"]["all"]["best"]
    pair = _pair(result)
    for ours, what in (
        (OURS, "import, load and encode 1 MiB, fresh process"),
        ("tokenloom lists", "the same to lists"),
        (PACKED, "the same from a packed vocabulary"),
        (PACKED_LISTS, "the same from a packed vocabulary to lists"),
    ):
        yield pair("together", ours, best["together"]["rival"], 1.0, what)
    yield pair("load", PACKED_LISTS, "tokenloom lists", 4.0, "load a packed vocabulary, without numpy")


def _threads(result: Mapping[str, Any]) -> Iterator[Cells]:
    for what, ours, theirs, asked in (
        ("two threads", "memory, 2 threads", "memory, 1 thread", 1.8),
        ("two threads, a file", "file, 2 threads", "memory, 2 threads", 1.0),
    ):
        by_round = [
            [run["sections"]["cold"]["wall_seconds"] for run in result["runs"] if run["peer"] == peer]
            for peer in (ours, theirs)
        ]
        ratio = statistics.median(b / a for a, b in zip(*by_round, strict=True))
        shown = [f"{_speed(result, 'cold', statistics.median(seconds))} MB/s" for seconds in by_round]
        size = f"{result['section_bytes']['cold'] / MEBIBYTE:.0f} MiB"
        yield f"{what}, {size}", shown[0], f"{shown[1]} {theirs}", against(ratio, asked)


def _flat(result: Mapping[str, Any]) -> Iterator[Cells]:
    numbers = {name: peer["numbers"] for name, peer in result["parts"]["all"]["peers"].items() if "numbers" in peer}
    others = ", ".join(f"{x['grown bytes'] / MEGABYTE:.0f} MB {name}" for name, x in numbers.items() if name != OURS)
    what = f"growth over {result['settings']['batches']:,} batches of new words"
    yield what, f"{numbers[OURS]['grown bytes'] / MEGABYTE:.0f} MB", others or "-", "-"


def _training(results: Results) -> Iterator[Cells]:
    for name, row in ROWS.items():
        if name not in results or not name.startswith("train"):
            continue
        result, cells = results[name], []
        for label in TRAINING:
            best = result["parts"]["all"]["best"].get(label)
            if best is None:
                cells += ["-", "-"]
                continue
            ours, theirs = (spelled(label, best[key], result["section_bytes"]) for key in ("ours", "rival's"))
            cells += [f"{ours} : {theirs} {best['rival']}", against(best["ratio"], row.asked.get(label))]
        megabytes = result["section_bytes"][TRAINING[0]] / MEGABYTE
        threads = f", {row.n_threads} threads" if row.n_threads > 1 else ""
        pattern = row.case.removeprefix("train_")
        yield f"{pattern}, {megabytes:.0f} MB of {row.text}{threads}{_doubt(result['parts']['all'])}", *cells


def against(ratio: float, asked: float | None) -> str:
    """A ratio, and how it compares with what is asked."""
    if asked is None:
        return f"{ratio:.2f}"
    return f"{ratio:.2f} {'≥' if ratio >= asked else '<'} {asked:.3g}"


def _origin(results: Results) -> Iterator[str]:
    """Machine, rounds, versions and date of all rows."""
    if not results:
        return
    every = results.values()
    machines = sorted({f"{x['machine']['cpu']}, {x['machine']['cores']} cores" for x in every})
    rounds = " or ".join(sorted({str(x["n_rounds"]) for x in every}))
    dates = sorted({x["date"] for x in every})
    versions = dict(item for x in every for item in x["versions"].items() if item[1][:1].isdigit())
    versions.pop("tokenloom commit", None)
    commits = ", ".join(sorted({x["versions"].get("tokenloom commit", "unknown")[:12] for x in every}))
    yield f"Machine: {'; '.join(machines)}. {rounds} rounds, {' to '.join(dict.fromkeys((dates[0], dates[-1])))}; where"
    yield "no threads are named, processor time on one pinned core. tokenloom commit " + commits + ";"
    yield f"{', '.join(f'{name} {version}' for name, version in versions.items())}."


def _row(cells: Cells) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
