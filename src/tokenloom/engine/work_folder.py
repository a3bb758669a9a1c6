"""The folder where a run keeps what it has finished, until its result is complete.

    run.json          what was asked for; another run is refused the folder once something is finished
    *.done.json       completion records of tasks, beside their files
    *.journal         what a long step has done so far

It lies in the output folder as `.work`. A run that is killed leaves it, and the same command goes on from it.
"""

import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from tokenloom.engine.task import RECORD_SUFFIX
from tokenloom.storage.atomic import folder_errors, is_temporary
from tokenloom.storage.lock import locked_folder
from tokenloom.storage.manifest import WORK_FOLDER
from tokenloom.storage.run_record import compare_runs, read_run, refuse, write_run

__all__ = ["claimed_work", "finished_work", "remove_work"]

_RUN: Final = "run.json"
_JOURNAL: Final = ".journal"
_FINISHED: Final = (RECORD_SUFFIX, _JOURNAL)


@contextmanager
def claimed_work(out: Path, run: Mapping[str, Any], *, free: Collection[str] = ()) -> Iterator[Path]:
    """Make the work folder of an output folder this run's own; what an equal run has finished there stays.

    Args:
        out: the output folder, which exists.
        run: what decides the result, as JSON values; equal values mean the same run.
        free: names in `run` that play no part for tasks or are part of their fingerprints: until there is a journal, a
            run that differs in these alone goes on as well, so that a remedy of an error costs no work that is done.
    Raises: StorageError if it cannot be written, another process is at work there, or another run has finished
        something there, naming what differs.
    """
    folder = out / WORK_FOLDER
    with folder_errors(folder):
        folder.mkdir(exist_ok=True)
    with locked_folder(folder):
        try:
            _claim(folder, run, free)
        except BaseException:
            with suppress(OSError):  # what holds nothing, because the disk is full, does not stay
                folder.rmdir()
            raise
        try:
            yield folder
        except BaseException:
            if not _has_finished(_names(folder)):
                remove_work(out)
            raise


def finished_work(out: Path, run: Mapping[str, Any], *, free: Collection[str] = ()) -> Path | None:
    """The work folder of an output folder, if a run would go on from it; nothing is written or held.

    Args:
        out: the output folder, which may be missing; a work folder that is removed meanwhile is none either.
        run: as for `claimed_work`.
        free: as for `claimed_work`.
    Raises: StorageError if it cannot be read, or another run has finished something there, naming what differs.
    """
    folder = out / WORK_FOLDER
    return folder if _is_of_run(folder, run, free) else None


def remove_work(out: Path) -> None:
    """Remove the work folder; the result is complete. A kill on the way leaves a folder that is begun anew."""
    folder = out / WORK_FOLDER
    if folder.is_dir():
        _empty(folder)
        (folder / _RUN).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def _claim(folder: Path, run: Mapping[str, Any], free: Collection[str]) -> None:
    if not _is_of_run(folder, run, free):
        _empty(folder)  # what was begun has left nothing that is worth keeping
    if read_run(folder / _RUN) != dict(run):
        write_run(folder / _RUN, run)
    for entry in folder.iterdir():
        if is_temporary(entry.name):
            entry.unlink(missing_ok=True)


def _is_of_run(folder: Path, run: Mapping[str, Any], free: Collection[str]) -> bool:
    """Whether what lies there was finished by an equal run, up to what is free; False if nothing was finished.

    Raises: StorageError if it cannot be read, or another run has finished it.
    """
    names = _names(folder)
    begun = read_run(folder / _RUN) if names else None
    if begun is None and any(not is_temporary(name) for name in names):
        refuse(folder, "it holds work of a run that is not known", "Choose a new output folder, or remove this one")
    if begun is None or not _has_finished(names):
        return False
    same = () if any(name.endswith(_JOURNAL) for name in names) else free
    compare_runs(folder.parent, begun, {**run, **{name: begun[name] for name in same if name in begun}})
    return True


def _names(folder: Path) -> set[str]:
    """What lies in a work folder; nothing if there is none, which another process may see to at any time."""
    with folder_errors(folder):
        try:
            return {entry.name for entry in folder.iterdir()}
        except (FileNotFoundError, NotADirectoryError):
            return set()


def _has_finished(names: Iterable[str]) -> bool:
    return any(name.endswith(_FINISHED) for name in names)


def _empty(folder: Path) -> None:
    """Remove all but what was asked for, records first, so that no record is without its files."""
    entries = sorted(folder.iterdir(), key=lambda entry: not entry.name.endswith(_FINISHED))
    for entry in entries:
        if entry.name != _RUN:
            entry.unlink(missing_ok=True)
