"""What is read in a run: time, memory, and how much the machine did for others meanwhile. Linux only: it has /proc."""

import gc
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

__all__ = ["Section", "forget_peak", "joined", "measured", "memory_bytes", "pin_to_one_core"]

T = TypeVar("T")

_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
_IDLE: Final = (3, 4)
"""The columns of /proc/stat that are no work: idle, and idle while a disk is waited for."""
_N_COLUMNS: Final = 8
"""Columns up to stolen time; the guest times after it are counted in the first columns already."""


@dataclass(frozen=True, slots=True)
class Section:
    """One measured section of a run.

    Args:
        wall_seconds: time that passed.
        cpu_seconds: processor time of this process, all threads.
        other_cpu_seconds: processor time of everything else on the machine, to ten milliseconds: noise if not near 0.
        peak_rss_bytes: the most memory that the process held until the end of the section, interpreter included.
        start_rss_bytes: what it held before the section.
    """

    wall_seconds: float
    cpu_seconds: float
    other_cpu_seconds: float
    peak_rss_bytes: int
    start_rss_bytes: int


def measured(work: Callable[[], T]) -> tuple[Section, T]:
    """Do some work and measure it."""
    gc.collect()
    start_rss_bytes = memory_bytes("VmRSS")
    busy, cpu, wall = _busy_seconds(), time.process_time(), time.perf_counter()
    result = work()
    wall_seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    other_cpu_seconds = max(0.0, round(_busy_seconds() - busy - cpu_seconds, 2))
    return Section(wall_seconds, cpu_seconds, other_cpu_seconds, memory_bytes("VmHWM"), start_rss_bytes), result


def pin_to_one_core() -> None:
    """Keep this process on the last core that it may use; the first one serves most interrupts."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def joined(sections: Sequence[Section]) -> Section:
    """Sections that ran one after another as one."""
    first = sections[0]
    walls, cpus, others = (
        sum(getattr(section, key) for section in sections)
        for key in ("wall_seconds", "cpu_seconds", "other_cpu_seconds")
    )
    peak = max(section.peak_rss_bytes for section in sections)
    return Section(walls, cpus, others, peak, first.start_rss_bytes)


def forget_peak() -> int:
    """Let the peak of this process begin with what it holds now. Returns: that."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    return memory_bytes("VmRSS")


def memory_bytes(key: str) -> int:
    """A line of /proc/self/status in bytes: VmRSS is what this process holds, VmHWM the most that it held.

    The usual `resource.getrusage` would not do: on Linux its peak is inherited from the process that started this one.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith(key)))


def _busy_seconds() -> float:
    """Processor time of the whole machine since it started, all cores."""
    columns = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1 : 1 + _N_COLUMNS]
    return sum(int(ticks) for i, ticks in enumerate(columns) if i not in _IDLE) / _TICKS_PER_SECOND
