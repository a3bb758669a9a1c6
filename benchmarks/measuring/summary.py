"""From runs to numbers: medians, ratios within each round, and a table.

A ratio is the baseline's number divided by the other peer's number in the same round: above 1 the other peer needs
less. The median of such ratios is what is claimed, not the ratio of medians: a round is slow for both or for none.
"""

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from measuring.corpora import MEGABYTE

__all__ = ["medians", "most_other_cores", "ratios", "table"]

_METRICS: Final = ("wall_seconds", "cpu_seconds", "peak_rss_bytes")
_TELLING_SECONDS: Final = 0.2
"""The machine counts its time in hundredths of a second."""
_HEADER: Final = ("peer", "wall s", "MB/s", "CPU s", "peak MB", "× wall", "× CPU", "× memory")

Runs = Sequence[Mapping[str, Any]]


def medians(runs: Runs) -> dict[str, dict[str, dict[str, float]]]:
    """The median of each number, by section and peer."""
    return {
        section: {
            peer: {key: statistics.median(_values(runs, section, peer, key)) for key in runs[0]["sections"][section]}
            for peer in _peers(runs)
        }
        for section in runs[0]["sections"]
    }


def ratios(runs: Runs, baseline: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Baseline divided by peer, round by round and as the median of these, by section, peer and number."""
    return {
        section: {
            peer: {key: _paired(runs, section, peer, key, baseline) for key in _METRICS}
            for peer in _peers(runs)
            if peer != baseline
        }
        for section in runs[0]["sections"]
    }


def most_other_cores(runs: Runs) -> float:
    """How many cores all other processes kept busy during the most disturbed section, of those long enough to tell."""
    sections = [section for run in runs for section in run["sections"].values()]
    long = [section for section in sections if section["wall_seconds"] >= _TELLING_SECONDS]
    return round(max((float(x["other_cpu_seconds"] / x["wall_seconds"]) for x in long), default=0.0), 2)


def table(result: Mapping[str, Any]) -> str:
    """The medians and ratios of a result as text, all peers alike."""
    machine, corpus = result["machine"], result["corpus"]
    versions = ", ".join(f"{name} {version[:12]}" for name, version in result["versions"].items())
    lines = [
        f"{result['case']}: {result['summary']}",
        f"{machine['cpu']}, {machine['cores']} cores; {versions}",
        f"{corpus['name']}, {corpus['bytes'] / MEGABYTE:.1f} MB; medians of {result['n_rounds']} rounds; "
        f"× is {result['baseline']} divided by the peer, above 1 the peer needs less",
        f"other processes kept at most {result['most_other_cores']} cores busy during a section",
    ]
    for section, by_peer in result["medians"].items():
        n_bytes = result["section_bytes"][section]
        lines += ["", f"{section}, {n_bytes / MEGABYTE:.1f} MB"]
        lines += _aligned([_HEADER, *_rows(by_peer, result["ratios"][section], n_bytes)])
    return "\n".join([*lines, "", *(f"{key}: {value}" for key, value in result["check"].items())])


def _rows(
    by_peer: Mapping[str, Mapping[str, float]], by_ratio: Mapping[str, Mapping[str, Any]], n_bytes: int
) -> Iterator[tuple[str, ...]]:
    for peer, median in by_peer.items():
        wall = median["wall_seconds"]
        numbers = (wall, n_bytes / MEGABYTE / wall, median["cpu_seconds"], median["peak_rss_bytes"] / MEGABYTE)
        shown = tuple(f"{number:.{digits}f}" for number, digits in zip(numbers, (3, 1, 3, 0), strict=True))
        compared = by_ratio.get(peer)
        yield (peer, *shown, *(f"{compared[key]['median']:.2f}" if compared else "1" for key in _METRICS))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    name_width, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    return ["  ".join([name.ljust(name_width), *map(str.rjust, numbers, widths)]) for name, *numbers in rows]


def _paired(runs: Runs, section: str, peer: str, key: str, baseline: str) -> dict[str, Any]:
    pairs = zip(_values(runs, section, baseline, key), _values(runs, section, peer, key), strict=True)
    by_round = [round(theirs / ours, 4) for theirs, ours in pairs]
    return {"median": statistics.median(by_round), "rounds": by_round}


def _values(runs: Runs, section: str, peer: str, key: str) -> list[float]:
    return [run["sections"][section][key] for run in runs if run["peer"] == peer]


def _peers(runs: Runs) -> Iterable[str]:
    return dict.fromkeys(run["peer"] for run in runs)
