"""A task: plain values that say what to do, and a function of a module that does it.

A task reads what its description names and writes files into the folder that it is given, under names that the
description decides. When they are there, its completion record is written beside them: a fingerprint of what was asked,
length and checksum of each file, and what else the caller wants to know. A task whose record and files verify is done,
whoever did it, in this process, in another one, or on another machine: nothing but files passes between tasks.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from tokenloom.errors import StorageError
from tokenloom.storage import FileRow, atomic_write, measure_file
from tokenloom.storage.canonical import canonical_json, parse_canonical

__all__ = ["RECORD_SUFFIX", "Outcome", "Record", "Report", "Task", "find_record", "perform"]

RECORD_SUFFIX: Final = ".done.json"

Report: TypeAlias = Callable[..., object]
"""Called by a task now and then with how much it has done so far, in one or several numbers."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the function of a task returns.

    Args:
        files: names of the files that it wrote; their rows if it measured them on the way, else None.
        facts: JSON values for the caller.
    """

    files: Mapping[str, FileRow | None]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done.

    Args:
        name: unique among the tasks of a folder, and fit for a file name.
        function: of a module, so that another process finds it; takes the task, the folder for its files, and a
            `Report`; writes each file atomically.
        description: JSON values that decide what is written, all of it.
        settings: values that decide how it is done, such as threads, and nothing of what is written.
    """

    name: str
    function: Callable[["Task", Path, Report], Outcome]
    description: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of what is asked."""
        place = f"{self.function.__module__}:{self.function.__qualname__}"
        asked = {"name": self.name, "function": place, "description": dict(self.description)}
        return hashlib.sha256(canonical_json(asked)).hexdigest()

    def record_path(self, folder: Path) -> Path:
        """Where the completion record lies."""
        return folder / f"{self.name}{RECORD_SUFFIX}"


@dataclass(frozen=True, slots=True)
class Record:
    """The completion record of a task.

    Args:
        asked: the fingerprint of the task.
        files: what it wrote.
        facts: what its function returned beside that.
    """

    asked: str
    files: Mapping[str, FileRow]
    facts: Mapping[str, Any]


def perform(task: Task, folder: Path, report: Report) -> Record:
    """Do a task and write its record.

    Raises: what its function raises; StorageError if the record cannot be written.
    """
    outcome = task.function(task, folder, report)
    files = {name: row or measure_file(folder, name) for name, row in outcome.files.items()}
    record = Record(task.fingerprint, files, dict(outcome.facts))
    with atomic_write(task.record_path(folder)) as file:
        file.write(canonical_json(asdict(record)))
    return record


def find_record(task: Task, folder: Path) -> Record | None:
    """The record of a task that is done: it was asked for the same, and its files verify. None if it must be done."""
    try:
        values = parse_canonical(task.record_path(folder).read_bytes())
        files = {name: FileRow(**row) for name, row in values["files"].items()}
        record = Record(values["asked"], files, values["facts"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError):  # none, or none that was written here
        return None
    is_whole = record.asked == task.fingerprint and all(_verifies(folder, name, row) for name, row in files.items())
    return record if is_whole else None


def _verifies(folder: Path, name: str, row: FileRow) -> bool:
    path = folder / name
    try:
        return path.stat().st_size == row.n_bytes and measure_file(folder, name) == row
    except (OSError, StorageError):
        return False
