"""Progress on standard error: bars on a terminal; elsewhere a line when a stage begins and one every ten seconds."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TextIO

from tokenloom.wording import counted, format_bytes, format_seconds

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from tokenloom.trainers import Progress

__all__ = ["reported"]

_SECONDS_A_LINE: Final = 10.0
_NARROW: Final = 60
"""Columns of a terminal below which there is no room for a bar."""


_UNITS: Final = {"merge": "merge", "shrink": "piece"}
"""What a stage counts, if it is not bytes."""


@contextmanager
def reported(*, is_quiet: bool = False) -> Iterator["Progress | None"]:
    """Yield the callback that a job takes; None where nobody wants to know."""
    if is_quiet:
        yield None
    elif _is_terminal(sys.stderr):
        with _bars() as bars:
            yield bars
    else:
        yield _Lines(sys.stderr)


def _is_terminal(stream: TextIO) -> bool:
    """Whether bars can be drawn: a dumb terminal cannot move its cursor."""
    return stream.isatty() and os.environ.get("TERM", "dumb" if os.name == "posix" else "") not in {"dumb", "unknown"}


@dataclass(slots=True)
class _Pace:
    """How fast a stage goes. Its clock runs only while it is the one that reports, since stages may take turns.

    What was done before the first report, as when a run resumes, is no work of this run.
    """

    stage: str
    first: int
    done: int
    total: int | None
    seconds: float = 0.0

    def rate(self) -> float:
        return (self.done - self.first) / self.seconds if self.seconds > 0 else 0.0

    def percent(self) -> int | None:
        return min(100, 100 * self.done // self.total) if self.total else None

    def seconds_left(self) -> float | None:
        rate = self.rate()
        return max(0, self.total - self.done) / rate if rate > 0 and self.total is not None else None

    def amount(self, n: float) -> str:
        unit = _UNITS.get(self.stage)
        return counted(round(n), unit) if unit else format_bytes(n)


@dataclass(slots=True)
class _Paces:
    """The stages so far, and whose turn it is."""

    clock: Callable[[], float] = time.monotonic
    _stages: dict[str, _Pace] = field(default_factory=dict)
    _last: float = 0.0

    def note(self, stage: str, done: int, total: int | None) -> tuple[_Pace, bool]:
        """Take a report; returns the stage, and whether this is its first one."""
        now = self.clock()
        is_new = stage not in self._stages
        if is_new:
            self._stages[stage] = _Pace(stage, done, done, total)
        pace = self._stages[stage]
        pace.done, pace.total = done, total
        pace.seconds += 0.0 if is_new else now - self._last
        self._last = now
        return pace, is_new


class _Lines:
    """For logs: where a job is, and whether it moves."""

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._paces = _Paces(clock)
        self._printed = 0.0

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        pace, is_new = self._paces.note(stage, done, total)
        now = self._clock()
        if not is_new and now - self._printed < _SECONDS_A_LINE:
            return
        self._printed = now
        if is_new:
            words = "" if total is None else f" {pace.amount(total)}"
            print(f"{stage}{words} ...", file=self._stream, flush=True)
        else:
            print(f"{stage} {_words(pace)}", file=self._stream, flush=True)


def _words(pace: _Pace) -> str:
    percent, left = pace.percent(), pace.seconds_left()
    parts = [
        f"{percent} %" if percent is not None else pace.amount(pace.done),
        f"{pace.amount(pace.rate())}/s",
        f"{format_seconds(round(left))} left" if left is not None else "",
    ]
    return ", ".join(filter(None, parts))


class _Bars:
    """One bar a stage."""

    def __init__(self, progress: "RichProgress") -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._paces = _Paces()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        pace, is_new = self._paces.note(stage, done, total)
        if is_new:
            self._tasks[stage] = self._progress.add_task(stage, rate="", left="")
        left = pace.seconds_left()
        self._progress.update(
            self._tasks[stage],
            completed=done,
            total=total,
            rate=f"{pace.amount(pace.rate())}/s" if pace.seconds else "",
            left=f"{format_seconds(round(left))} left" if left else "",
        )


@contextmanager
def _bars() -> Iterator[_Bars]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn

    console = Console(stderr=True)
    columns: list[ProgressColumn] = [
        TextColumn("{task.description}", markup=False),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[left]}"),
    ]
    if console.width >= _NARROW:
        columns.insert(1, BarColumn(bar_width=min(40, console.width - 45)))
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bars(progress)
