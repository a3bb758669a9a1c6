"""The part of a report about time and memory, with estimates for larger corpora."""

from collections.abc import Sequence
from typing import Final

from tokenloom.jobs.estimate import PILE_BYTES
from tokenloom.jobs.measure import Stage
from tokenloom.report import Block, Column, Note, Quantity, Section, Table
from tokenloom.wording import counted, format_bytes, format_seconds

__all__ = ["estimate_blocks", "peak_bytes", "speed_section", "total_seconds"]

_CORES: Final = (1, 8, 64)
_LEAST_SECONDS: Final = 1.0
"""Below it a rate says how long starting takes."""


def total_seconds(stages: Sequence[Stage]) -> float:
    """The time of all stages together."""
    return sum(stage.seconds for stage in stages)


def peak_bytes(stages: Sequence[Stage]) -> int | None:
    """The most memory of any stage; None where the system does not tell."""
    return max((stage.peak_bytes for stage in stages if stage.peak_bytes is not None), default=None)


def speed_section(stages: Sequence[Stage], estimates: Sequence[Block] = ()) -> Section:
    """Time, throughput and memory by stage."""
    columns = [
        Column("Stage"),
        Column("Time", is_number=True, has_bars=True),
        Column("Throughput", is_number=True),
        Column("Peak memory", is_number=True),
        Column("Text", is_number=True),
    ]
    table = Table("Stages", columns, [_row(stage) for stage in stages])
    note = Note("Peak memory is that of the whole process while the stage ran.")
    return Section("Time and memory", [table, note, *estimates])


def estimate_blocks(stage: Stage, *, n_threads: int) -> list[Block]:
    """Hours for The Pile at the rate of a stage, and for other numbers of cores if the rate were linear in them.

    Nothing is said of a stage that was too short to tell.
    """
    rate = stage.bytes_per_second
    if not rate or n_threads < 1 or stage.seconds < _LEAST_SECONDS:
        return []
    rows = [_estimate(f"this run, {counted(n_threads, 'thread')}", rate)]
    rows += [_estimate(counted(n, "core"), rate / n_threads * n) for n in _CORES]
    columns = [Column("Cores"), Column("Throughput", is_number=True), Column("Time for 825 GB", is_number=True)]
    return [
        Table("The Pile (825 GB) at this rate", columns, rows),
        Note(
            f"An estimate, not a measurement: it takes the {format_bytes(rate)}/s of the stage {stage.name!r} and "
            "assumes that throughput grows in step with cores, which memory and disks do not always allow, and that "
            "the text is like this one."
        ),
    ]


def _row(stage: Stage) -> tuple[str, Quantity, str | None, str | None, str | None]:
    return (
        stage.name,
        Quantity(stage.seconds, format_seconds(stage.seconds)),
        f"{format_bytes(stage.bytes_per_second)}/s" if stage.n_bytes else None,
        format_bytes(stage.peak_bytes) if stage.peak_bytes is not None else None,
        format_bytes(stage.n_bytes) if stage.n_bytes else None,
    )


def _estimate(label: str, rate: float) -> tuple[str, str, str]:
    hours = PILE_BYTES / rate / 3600
    digits = 2 if hours < 1 else 1 if hours < 100 else 0
    return label, f"{format_bytes(rate)}/s", f"{hours:,.{digits}f} h"
