"""Runs: sorted pretokens with their counts, as the core streams them, and how many of them become one.

A run that is not part of a file of ours lies in a file without a name, so nothing is left of it however the process
ends.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from tokenloom import _core
from tokenloom.errors import StorageError

__all__ = ["Read", "Run", "Write", "merge_many", "temporary_run"]

Read: TypeAlias = Callable[[int], bytes]
Write: TypeAlias = Callable[[bytes], object]

_MOST_OPEN: Final = 64
"""Runs that are merged at once: each takes a file descriptor and a buffer."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run that can be read once.

    Args:
        open: opens it for as long as it is read; what leaves the block without an error has been read rightly.
        shift: bytes of the corpus before its text.
        multiplier: how often its text counts.
    """

    open: Callable[[], AbstractContextManager[Read]]
    shift: int = 0
    multiplier: int = 1


@contextmanager
def temporary_run(folder: Path, fill: Callable[[Write], object]) -> Iterator[Run]:
    """A run in a nameless file, which `fill` writes; it is gone when the block ends."""
    with _storage_errors(folder), tempfile.TemporaryFile(dir=folder) as file:

        @contextmanager
        def reading() -> Iterator[Read]:
            file.seek(0)
            yield file.read

        fill(file.write)
        yield Run(reading)


def merge_many(
    runs: Sequence[Run],
    write: Write,
    *,
    folder: Path,
    has_positions: bool,
    progress: Callable[[int], object] | None = None,
) -> _core.WrittenRun:
    """Merge any number of runs into one, at most 64 at a time.

    Args:
        runs: in any order: shift and multiplier go with each.
        write: takes the bytes of the merged run.
        folder: gets nameless files if there are more than 64.
        has_positions: whether the runs have first positions.
        progress: called now and then with the bytes read by the last of the merges.
    Raises: TrainingError if a count does not fit in 64 bits; StorageError for a full disk.
    """
    with ExitStack() as stack:
        while len(runs) > _MOST_OPEN:
            groups = [runs[start : start + _MOST_OPEN] for start in range(0, len(runs), _MOST_OPEN)]
            merges = [partial(_merge, group, has_positions=has_positions) for group in groups]
            runs = [stack.enter_context(temporary_run(folder, merge)) for merge in merges]
        return _merge(runs, write, has_positions=has_positions, progress=progress)


def _merge(
    runs: Sequence[Run],
    write: Write,
    *,
    has_positions: bool,
    progress: Callable[[int], object] | None = None,
) -> _core.WrittenRun:
    with ExitStack() as stack:
        return _core.merge_runs(
            [stack.enter_context(run.open()) for run in runs],
            write,
            has_positions=has_positions,
            shifts=[run.shift for run in runs],
            multipliers=[run.multiplier for run in runs],
            progress=progress,
        )


@contextmanager
def _storage_errors(folder: Path) -> Iterator[None]:
    """What the system says of a nameless file; errors of our own pass through."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise StorageError(
            f"{str(folder)!r}: work in this folder cannot be written ({error.strerror}). Make room or choose another "
            "one, and repeat the command."
        ) from error
