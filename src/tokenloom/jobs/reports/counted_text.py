"""The part of a report about a corpus that was counted: its sources, groups and shares, and what was left out."""

from collections.abc import Sequence

from tokenloom.jobs.count_split import SourceCount
from tokenloom.jobs.counting import CorpusCounts
from tokenloom.jobs.measure import Stage
from tokenloom.jobs.reports.sources import MOST_SOURCES
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.training import Dropped
from tokenloom.report import Block, Column, Fact, Facts, Note, Quantity, Table, format_share
from tokenloom.trainers import CountHeader
from tokenloom.wording import counted, format_bytes

__all__ = ["left_out_facts", "memory_blocks", "read_blocks"]


def read_blocks(counts: CorpusCounts) -> list[Block]:
    """What was read: by group if there are groups, and by source, the largest first."""
    rows = sorted(counts.sources, key=lambda row: (-row.n_bytes, row.name))
    shown, others = rows[:MOST_SOURCES], rows[MOST_SOURCES:]
    columns = [
        Column("Source"),
        Column("Group"),
        Column("Documents", is_number=True),
        Column("Text", is_number=True, has_bars=True),
        Column("Share", is_number=True),
    ]
    n_bytes = counts.n_text_bytes
    cells = [_source_cells(row.name, row.group, [row], n_bytes) for row in shown]
    if others:
        cells.append(_source_cells(f"{counted(len(others), 'smaller source')} together", "", others, n_bytes))
    return [*_group_blocks(counts), Table("Text by source, the largest first", columns, cells)]


def left_out_facts(header: CountHeader, dropped: Dropped | None = None) -> list[Fact]:
    """What was cut, and what was left out because it is rare."""
    facts = []
    if header.n_cut_pretokens:
        limit = header.options.max_pretoken_bytes
        facts.append(Fact("Pretokens cut", f"{header.n_cut_pretokens:,}", f"longer than {limit:,} bytes"))
    if dropped and dropped.n_pretokens:
        share = format_share(dropped.n_bytes, header.n_bytes)
        facts.append(Fact("Rare pretokens left out", f"{dropped.n_pretokens:,}", f"{share} of the text"))
    return facts


def memory_blocks(resources: Resources, stages: Sequence[Stage], *, estimated_bytes: int | None = None) -> list[Block]:
    """The limit of memory, what merging was expected to need, and what was measured."""
    measured = {stage.name: stage.peak_bytes for stage in stages if stage.peak_bytes is not None}
    facts = []
    if resources.memory_limit is not None:
        facts.append(Fact("Memory limit", format_bytes(resources.memory_limit), "for tables and buffers"))
    if "count" in measured:
        facts.append(Fact("Measured while counting", format_bytes(measured["count"]), "this process, all of it"))
    if estimated_bytes is not None:
        facts.append(Fact("Expected for merging", format_bytes(estimated_bytes), "an upper estimate, made before"))
    if "merge" in measured:
        facts.append(Fact("Measured while merging", format_bytes(measured["merge"]), "this process, all of it"))
    return [Facts(facts)] if facts else []


def _group_blocks(counts: CorpusCounts) -> list[Block]:
    groups = counts.n_bytes_by_group
    if set(groups) == {""}:
        return []
    mixture = counts.mixture
    times = mixture.multipliers if mixture else dict.fromkeys(groups, 1)
    total = sum(n_bytes * times[group] for group, n_bytes in groups.items())
    columns = [
        Column("Group"),
        Column("Documents", is_number=True),
        Column("Text", is_number=True),
        Column("Counted", is_number=True),
        Column("Share", is_number=True),
        Column("Asked for", is_number=True),
    ]
    rows = [
        (
            group or "without a group",
            sum(row.n_docs for row in counts.sources if row.group == group),
            Quantity(n_bytes, format_bytes(n_bytes)),
            f"{times[group]:,} times" if times[group] > 1 else "once",
            format_share(n_bytes * times[group], total),
            f"{100 * mixture.weights[group]:.1f} %" if mixture else None,
        )
        for group, n_bytes in groups.items()
    ]
    note = (
        [Note(f"The shares are at most {100 * mixture.largest_error:.2f} % off what was asked for.")] if mixture else []
    )
    return [Table("Groups", columns, rows), *note]


def _source_cells(
    name: str, group: str, rows: Sequence[SourceCount], n_all_bytes: int
) -> tuple[str, str | None, int, Quantity, str]:
    n_bytes = sum(row.n_bytes for row in rows)
    n_docs = sum(row.n_docs for row in rows)
    return name, group or None, n_docs, Quantity(n_bytes, format_bytes(n_bytes)), format_share(n_bytes, n_all_bytes)
