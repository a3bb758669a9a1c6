"""Tasks on this machine: in this process one after the other, or in several processes at once.

Processes are spawned, never forked, so that they share nothing but files. The caller's process hands out tasks in their
order and hears of progress, results and errors through one pipe for each process. A process whose pipe ends because the
caller was killed ends as well.

What starts processes is imported when some are started: other users of the room should not wait for it.
"""

import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tokenloom.engine.task import Record, Report, Task, find_record, perform
from tokenloom.errors import TaskError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

__all__ = ["TaskProgress", "run_tasks"]

TaskProgress: TypeAlias = Callable[..., object]
"""Called with the name of a task and the numbers that its function reports."""

_SECONDS_TO_END: Final = 10.0


def run_tasks(
    tasks: Sequence[Task], *, folder: Path, n_processes: int = 1, progress: TaskProgress | None = None
) -> list[Record]:
    """Do tasks that do not need each other; those that are done already, by their records, are not done again.

    Args:
        tasks: with names that differ.
        folder: gets their files and records.
        n_processes: 1 does them in this process, more in as many spawned ones. Files and errors do not depend on it.
        progress: called now and then, and not at all for tasks that were done before.
    Returns: the records, in the order of the tasks.
    Raises: the error of the first task, in their order, that has one; later tasks may not have been begun. TaskError
        for a process that ended on its own, such as one that the system killed for want of memory.
    """
    found = [find_record(task, folder) for task in tasks]
    places = [place for place, record in enumerate(found) if record is None]
    if n_processes == 1 or len(places) < 2:
        done = {place: perform(tasks[place], folder, _reporter(tasks[place], progress)) for place in places}
    else:
        done = _Hands(tasks, folder, progress).work(places, min(n_processes, len(places)))
    return [record or done[place] for place, record in enumerate(found)]


def _reporter(task: Task, progress: TaskProgress | None) -> Report:
    return partial(progress, task.name) if progress else lambda *_: None


@dataclass(slots=True)
class _Hand:
    """One process, and the place of the task that it is at; None if it waits."""

    process: "BaseProcess"
    pipe: "Connection[Any, Any]"
    place: int | None = None


class _Hands:
    """Several processes at the tasks of one call."""

    def __init__(self, tasks: Sequence[Task], folder: Path, progress: TaskProgress | None) -> None:
        self.tasks = tasks
        self.folder = folder
        self.progress = progress
        self.done: dict[int, Record] = {}
        self.errors: dict[int, BaseException] = {}

    def work(self, places: Sequence[int], n_processes: int) -> dict[int, Record]:
        """Do the tasks at these places; raises the error of the first that has one."""
        wait = import_module("multiprocessing.connection").wait
        coming = iter(places)
        with _started(self.folder, n_processes) as hands:
            while True:
                for hand in hands:
                    if hand.place is None and not self.errors:
                        hand.place = next(coming, None)
                        if hand.place is not None:
                            with suppress(BrokenPipeError):  # it has ended while it waited, which is heard of below
                                hand.pipe.send(self.tasks[hand.place])
                first = min(self.errors, default=len(self.tasks))
                busy = {hand.pipe: hand for hand in hands if hand.place is not None and hand.place < first}
                if not busy:
                    break
                for pipe in wait(list(busy)):
                    self._hear(busy[pipe])
        if self.errors:
            raise self.errors[min(self.errors)]
        return self.done

    def _hear(self, hand: _Hand) -> None:
        """Take one message of a process."""
        place = hand.place
        if place is None:
            return
        try:
            what, value = hand.pipe.recv()
        except (EOFError, OSError):
            hand.process.join(_SECONDS_TO_END)
            what, value = "failed", _ended(self.tasks[place], hand.process.exitcode)
        if what == "progress":
            if self.progress:
                self.progress(self.tasks[place].name, *value)
            return
        hand.place = None
        if what == "done":
            self.done[place] = value
        else:
            self.errors[place] = value


@contextmanager
def _started(folder: Path, n_processes: int) -> Iterator[list[_Hand]]:
    """Processes that wait for tasks; whatever they are at, they have ended when the block has."""
    context = import_module("multiprocessing").get_context("spawn")
    hands: list[_Hand] = []
    try:
        for _ in range(n_processes):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, folder), daemon=True)
            process.start()
            theirs.close()  # so that the pipe ends when the process does
            hands.append(_Hand(process, ours))
        yield hands
    finally:
        for hand in hands:
            hand.process.terminate()
        for hand in hands:
            hand.process.join(_SECONDS_TO_END)
            if hand.process.is_alive():
                hand.process.kill()
                hand.process.join()
            hand.pipe.close()


def _serve(pipe: "Connection[Any, Any]", folder: Path) -> None:
    """What a process does: tasks, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the caller too, which then ends this process
    signal.signal(signal.SIGTERM, _leave)
    with suppress(EOFError, BrokenPipeError):
        while True:
            task: Task = pipe.recv()
            try:
                record = perform(task, folder, lambda *amounts: pipe.send(("progress", amounts)))
            except BrokenPipeError:  # the caller is gone
                return
            except Exception as error:
                error.add_note(f"In a process of its own:\n{''.join(traceback.format_tb(error.__traceback__))}")
                pipe.send(("failed", error))
            else:
                pipe.send(("done", record))


def _leave(*_: object) -> None:
    """End as after Ctrl-C: unfinished files are removed on the way out."""
    raise SystemExit(0)


def _ended(task: Task, exit_code: int | None) -> TaskError:
    return TaskError(
        f"task {task.name!r}: its process ended on its own (exit code {exit_code}), perhaps killed for want of memory. "
        "Repeat the command, which goes on where it was, with fewer --processes or a smaller --memory-limit."
    )
