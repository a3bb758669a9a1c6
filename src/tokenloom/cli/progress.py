"""Progress on standard error: a bar on a terminal, one line a stage elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from tokenloom.cli.units import format_bytes
from tokenloom.trainers import Progress as Report

__all__ = ["reported"]


@contextmanager
def reported(console: Console) -> Iterator[Report]:
    """Yield the callback that a job takes."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    columns = (
        TextColumn("{task.description:>7}"),
        BarColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bars(progress)


class _Bars:
    """One bar a stage. The clock of a stage runs only while it is the one that reports."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, rate="")
            self._seconds[stage] = 0.0
        now = time.perf_counter()
        self._seconds[stage] += now - self._last
        self._last = now
        rate = _rate(stage, done, self._seconds[stage])
        self._progress.update(self._tasks[stage], completed=done, total=total, rate=rate)


class _Lines:
    """One line when a stage begins, so that a log shows where a job is."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begun: set[str] = set()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        del done
        if stage not in self._begun:
            self._begun.add(stage)
            amount = "" if total is None else f" {total:,} merges" if stage == "merge" else f" {format_bytes(total)}"
            self._console.print(f"{stage}{amount} ...", highlight=False)


def _rate(stage: str, done: int, seconds: float) -> str:
    if seconds <= 0:
        return ""
    return f"{done / seconds:,.0f} merges/s" if stage == "merge" else f"{format_bytes(done / seconds)}/s"
