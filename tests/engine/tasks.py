"""Functions of tasks, where spawned processes find them."""

import os
import time
from pathlib import Path

from tokenloom.engine import Outcome, Report, Task
from tokenloom.errors import CorpusError
from tokenloom.storage import atomic_write


def write_square(task: Task, folder: Path, report: Report) -> Outcome:
    """Write the square of a number, and leave a mark of each time that this was done."""
    number = task.description["number"]
    report(number)
    with open(folder / "marks", "a") as marks:
        marks.write(f"{number}\n")
    with atomic_write(folder / f"{number}.txt") as file:
        file.write(str(number * number).encode())
    return Outcome({f"{number}.txt": None}, {"square": number * number})


def fail(task: Task, folder: Path, report: Report) -> Outcome:
    """Fail, after so many seconds, in the middle of a file."""
    time.sleep(task.description["seconds"])
    with atomic_write(folder / "broken.txt") as file:
        file.write(b"half")
        raise CorpusError(f"'{task.description['name']}': is broken. Mend it.")


def end_process(task: Task, folder: Path, report: Report) -> Outcome:
    """End the process as if it had been killed."""
    os._exit(9)


def wait_long(task: Task, folder: Path, report: Report) -> Outcome:
    """Report, then stay in the middle of a file."""
    with atomic_write(folder / "long.txt") as file:
        file.write(b"half")
        report(1)
        time.sleep(60)
    return Outcome({"long.txt": None})
