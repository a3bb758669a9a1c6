"""From the runs of a contest to who stands where: medians, and the fastest rival with right ids for each number.

A ratio is the rival's number divided by ours in the same round: above 1 we need less. What is claimed is the median.
"""

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from measuring.contest import EQUAL
from measuring.corpora import MEGABYTE

__all__ = ["ratio_to", "spelled", "standings", "standings_table"]

Runs = Sequence[Mapping[str, Any]]
Trials = Mapping[str, Mapping[str, Any]]

_DIGITS: Final = 6


def standings(trials: Trials, runs: Runs, absent: Mapping[str, str], *, clock: str, ours: str) -> dict[str, Any]:
    """All peers of one part, and for each number the best rival.

    Returns: `"peers"`: how each fared, its numbers the medians of its rounds, or those of its trial if it had none;
    `"best"`: for each number ours, the best rival's and its name, and the ratios by round.
    """
    by_peer = {peer: [run for run in runs if run["peer"] == peer] for peer in trials}
    peers: dict[str, dict[str, Any]] = {}
    for peer, trial in trials.items():
        if "failure" in trial:
            peers[peer] = {"failure": trial["failure"]}
            continue
        counted = by_peer[peer] or [trial]
        numbers = [numbers_of(run, clock) for run in counted]
        medians = {label: _rounded(statistics.median(x[label] for x in numbers)) for label in numbers[0]}
        peers[peer] = {"ids": trial["ids"], "n_rounds": len(by_peer[peer]), "numbers": medians}
    rivals = [peer for peer, run in peers.items() if not peer.startswith(ours) and run.get("ids") == EQUAL]
    best = {}
    for label, number in peers[ours]["numbers"].items():
        known = [peer for peer in rivals if label in peers[peer]["numbers"]]
        if known and all(numbers_of(run, clock)[label] for run in by_peer[ours]):  # nothing is a share of 0 bytes
            rival = min(known, key=lambda peer: peers[peer]["numbers"][label])
            best[label] = {"ours": number, "rival": rival, "rival's": peers[rival]["numbers"][label]}
            best[label] |= ratio_to(by_peer[rival] or [trials[rival]], by_peer[ours], label, clock)
    return {"peers": peers | {peer: {"absent": why} for peer, why in absent.items()}, "best": best}


def ratio_to(theirs: Runs, ours: Runs, label: str, clock: str) -> dict[str, Any]:
    """Theirs divided by ours, by round and the median; a rival without rounds has its trial beside each of ours."""
    pairs = zip(theirs if len(theirs) == len(ours) else [theirs[0]] * len(ours), ours, strict=True)
    by_round = [round(numbers_of(a, clock)[label] / numbers_of(b, clock)[label], 3) for a, b in pairs]
    return {"ratio": statistics.median(by_round), "rounds": by_round}


def numbers_of(run: Mapping[str, Any], clock: str) -> dict[str, float]:
    """Seconds of each section by one clock, and figures."""
    seconds: dict[str, float] = {label: section[clock] for label, section in run["sections"].items()}
    figures: dict[str, float] = run.get("figures", {})
    return seconds | figures


def _rounded(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")


def spelled(label: str, number: float, section_bytes: Mapping[str, int]) -> str:
    """A number with its unit: of sections that read text the speed, of others the time."""
    if label.endswith("bytes"):
        return f"{number / MEGABYTE:.0f} MB"
    if label.endswith("times"):
        return f"{number:.1f}"
    if label.startswith("call"):
        return f"{number:.1f} µs"
    if label in ("cold", "warm", "next"):
        return f"{section_bytes[label] / MEGABYTE / number:.1f} MB/s"
    if label == "train":
        return f"{number:.2f} s"
    return f"{number * 1000:.3g} ms"


def standings_table(result: Mapping[str, Any]) -> str:
    """A contest as text: all peers of all parts, and how the best rival compares."""
    machine, corpus = result["machine"], result["corpus"]
    lines = [
        f"{result['case']}: {result['summary']}; {_spelled_settings(result['settings'])}",
        f"{machine['cpu']}, {machine['cores']} cores; {corpus['name']}; medians of {result['n_rounds']} rounds by "
        f"{result['clock']}; other processes kept at most {result['most_other_cores']} cores busy during a section",
    ]
    for part, standing in result["parts"].items():
        lines += ["", part, *_aligned([*_rows(standing["peers"], result["section_bytes"])]), ""]
        for label, best in standing["best"].items():
            shown = (spelled(label, best[key], result["section_bytes"]) for key in ("ours", "rival's"))
            lines.append(f"{label}: tokenloom {next(shown)}, {best['rival']} {next(shown)}, × {best['ratio']:.2f}")
    return "\n".join(lines)


def _spelled_settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in settings.items() if isinstance(value, str | int))


def _rows(peers: Mapping[str, Mapping[str, Any]], section_bytes: Mapping[str, int]) -> Iterator[Sequence[str]]:
    labels = list(dict.fromkeys(label for peer in peers.values() for label in peer.get("numbers", {})))
    yield ["peer", *labels, "ids", "rounds"]
    for name, peer in peers.items():
        if "numbers" not in peer:
            yield [name, peer.get("absent") or peer["failure"], *[""] * (len(labels) + 1)]
            continue
        numbers = peer["numbers"]
        shown = (spelled(label, numbers[label], section_bytes) if label in numbers else "-" for label in labels)
        yield [name, *shown, peer["ids"], str(peer["n_rounds"])]


def _aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    rows = list(rows)
    full = [row for row in rows if all(row)]
    widths = [max(len(row[i]) for row in full) for i in range(len(rows[0]))]
    widths[0] = max(len(row[0]) for row in rows)
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
