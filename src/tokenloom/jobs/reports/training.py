"""The parts of a report about a training: how its vocabulary grew out of the text, and where ties were met."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from tokenloom.report import (
    Axis,
    Bin,
    Block,
    Column,
    Fact,
    Facts,
    Histogram,
    Lines,
    Note,
    Section,
    Series,
    Table,
    Text,
    format_share,
    step_of,
)
from tokenloom.trainers import BpeTraining, MergeStep, TieBreak
from tokenloom.wording import counted

__all__ = ["growth_blocks", "merges_section", "ties_section"]

_FIRST_MERGES: Final = 30
_MOST_TIES: Final = 15
_TIE_BINS: Final = 20
_MOST_POINTS: Final = 80
_GROWN_SHARE: Final = 0.95
"""The growth at the end is measured over at least the last twentieth of the text: less may be a single odd file."""

_RULES: Final[Mapping[TieBreak, str]] = {
    "lexicographic": "the pair with the greater byte strings, compared from the left, is merged",
    "lowest-id": "the pair with the smaller ids, left then right, is merged",
    "first-seen": "the pair that occurs first in the corpus, as it is cut into tokens by then, is merged",
}


def growth_blocks(growth: Sequence[tuple[int, int]], *, n_splits: int = 1) -> list[Block]:
    """Distinct pretokens against bytes read: whether more text would still bring new words.

    Args:
        growth: bytes, and distinct pretokens in them, from the beginning of the text; the last point is all of it.
        n_splits: parts in which the text was counted; of several, the curve follows the first alone.
    """
    if len(growth) < 2:
        return []
    chart = Lines(
        "Distinct pretokens against bytes read",
        [Series("distinct pretokens", _thinned(growth))],
        Axis("bytes read", "B"),
        Axis("distinct pretokens"),
    )
    if n_splits > 1:
        note = f"The curve follows the first of {n_splits:,} splits; from there to the end of the text it is a line."
        return [chart, Note(note)]
    n_after, after = growth[-1]
    earlier = [point for point in growth if point[0] <= _GROWN_SHARE * n_after]
    n_before, before = earlier[-1] if earlier else growth[0]
    if n_after <= n_before:
        return [chart]
    rate = max(0.0, (after - before) / (n_after - n_before) * 1e6)
    return [chart, Text(f"At the end of the text, each further megabyte brought about {rate:,.0f} new pretokens.")]


def merges_section(training: BpeTraining, *, n_fixed: int) -> Section:
    """What each vocabulary size would have given, and the first merges.

    Args:
        training: its steps.
        n_fixed: tokens that are no merges: the bytes and the special tokens.
    """
    steps = training.steps
    if not steps:
        return Section("Merges", [Note("No merge was made: no pair of tokens stands side by side in the text.")])
    points = [(n_fixed + number, training.n_bytes / step.n_tokens) for number, step in enumerate(steps, start=1)]
    columns = [
        Column("Merge"),
        Column("Left"),
        Column("Right"),
        Column("Token"),
        Column("Count", is_number=True, has_bars=True),
        Column("Tokens left", is_number=True),
        Column("Tied with", is_number=True),
    ]
    rows = [
        (str(number), step.left, step.right, step.left + step.right, step.n_pairs, step.n_tokens, step.n_tied or None)
        for number, step in enumerate(steps[:_FIRST_MERGES], start=1)
    ]
    blocks: list[Block] = [
        Text(
            "Every smaller vocabulary is a beginning of this one, so the curve shows what each size would have given "
            "on the same text. Where it is flat, further tokens save little. Counts take in overlaps, such as those in "
            "a run of blanks, so a merge may save fewer tokens than its count."
        ),
        Lines(
            "Bytes per token of the training text against vocabulary size",
            [Series("bytes per token", _log_thinned(points))],
            Axis("vocabulary size", is_log=True),
            Axis("bytes per token"),
        ),
        Facts(
            [
                Fact("Merges", f"{len(steps):,}", _asked(training)),
                Fact("Count of the first merge", f"{steps[0].n_pairs:,}"),
                Fact("Count of the last merge", f"{steps[-1].n_pairs:,}", "how often its pair was left in the text"),
            ]
        ),
        Table(f"First {counted(len(rows), 'merge')}", columns, rows),
    ]
    return Section("Merges", blocks)


def ties_section(training: BpeTraining) -> Section:
    """How often several pairs had the highest count, where, and by which rule one was taken."""
    tied = [(number, step) for number, step in enumerate(training.steps, start=1) if step.n_tied]
    rule = training.options.tie_break
    blocks: list[Block] = [
        Text(
            f"A tie is a merge whose pair had the same count as another one when it was chosen. The rule of this "
            f"training is {rule!r}: {_RULES[rule]}."
        ),
        Facts([Fact("Merges with ties", f"{len(tied):,}", _share_of(tied, training)), *_largest_tie(tied)]),
    ]
    if tied:
        shown = tied[:_MOST_TIES]
        columns = [
            Column("Merge"), Column("Token taken"), Column("Count", is_number=True), Column("Tied with", is_number=True)
        ]  # fmt: skip
        rows = [(f"{number:,}", step.left + step.right, step.n_pairs, step.n_tied) for number, step in shown]
        blocks += [_tie_histogram(tied, len(training.steps)), Table("First merges with ties", columns, rows)]
    return Section("Ties", blocks)


def _asked(training: BpeTraining) -> str:
    asked, limits = training.n_wanted, training.options.limits
    within = f" within {' and '.join(limits)}" if limits else ""
    return "" if len(training.steps) == asked else f"of {asked:,} asked for; the text has no more{within}"


def _share_of(tied: Sequence[object], training: BpeTraining) -> str:
    return f"{format_share(len(tied), len(training.steps))} of all merges" if training.steps else ""


def _largest_tie(tied: Sequence[tuple[int, MergeStep]]) -> list[Fact]:
    if not tied:
        return []
    number, step = max(tied, key=lambda item: item[1].n_tied)
    return [Fact("Largest tie", f"{step.n_tied + 1:,} pairs", f"each {step.n_pairs:,} times, at merge {number:,}")]


def _tie_histogram(tied: Sequence[tuple[int, MergeStep]], n_merges: int) -> Histogram:
    """Merges with ties in ranges of equal width over the merge list."""
    width = math.ceil(step_of(n_merges, n_steps=_TIE_BINS))
    counts = [0] * math.ceil(n_merges / width)
    for number, _ in tied:
        counts[(number - 1) // width] += 1
    starts = [place * width + 1 for place in range(len(counts))]
    bins = [
        Bin(f"{start:,} to {min(start + width - 1, n_merges):,}", count, f"{start:,}")
        for start, count in zip(starts, counts, strict=True)
    ]
    return Histogram("Where ties were met", bins, "merge", "merges with ties")


def _thinned(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    n = len(points)
    if n <= _MOST_POINTS:
        return list(points)
    return [points[round(place * (n - 1) / (_MOST_POINTS - 1))] for place in range(_MOST_POINTS)]


def _log_thinned(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Points whose first values are about equally far apart on a logarithmic axis, both ends among them."""
    first, last = points[0][0], points[-1][0]
    ratio = (last / first) ** (1 / _MOST_POINTS)
    kept = [points[0]]
    for point in points[1:-1]:
        if point[0] >= kept[-1][0] * ratio:
            kept.append(point)
    return kept if len(points) == 1 else [*kept, points[-1]]
