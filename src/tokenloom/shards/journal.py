"""What a run leaves in its folder so that the same command, after a kill, goes on where it was.

    .run.json        what was asked for; another run is refused the folder. Stays, so that a repeated command is known.
    .progress.json   the finished shards, and a checkpoint of the corpus; replaced after each shard, gone at the end
    .documents.part  where documents begin, int64 without a header, in order; becomes documents.npy at the end

None of them is part of the result: the manifest does not list them.
"""

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Never

from tokenloom.errors import StorageError
from tokenloom.formats.native import TOKENIZER
from tokenloom.shards.layout import DOCUMENTS, KIND, START_BYTES
from tokenloom.storage import FileRow, atomic_write
from tokenloom.storage.atomic import is_temporary
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.storage.manifest import BESIDE, MANIFEST, manifest_kind

__all__ = ["DOCUMENTS_PART", "Checkpoint", "Journal", "claimed", "remove_run"]

_RUN: Final = ".run.json"
_PROGRESS: Final = ".progress.json"
DOCUMENTS_PART: Final = ".documents.part"
_WITHOUT_LOCKS: Final = {errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
"""What some network file systems say to a lock: there, nothing but the user keeps two runs apart."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A place of the corpus between two batches.

    Args:
        n_tokens: the ids of everything before it.
        n_docs: the documents that began before it.
        place: where it is, as the caller needs it to go on: gives JSON values, and is asked once a shard.
    """

    n_tokens: int
    n_docs: int
    place: Callable[[], Mapping[str, Any]]


class Journal:
    """The state of a run in its folder; made by `claimed`.

    Args:
        folder: the output folder.
        shards: the finished shards by name.
        checkpoint: where to go on; None at the beginning.
        is_complete: the folder holds the finished result of this very run.
    """

    __slots__ = ("checkpoint", "folder", "is_complete", "shards")

    def __init__(
        self, folder: Path, shards: Mapping[str, FileRow], checkpoint: Checkpoint | None, *, is_complete: bool
    ) -> None:
        self.folder = folder
        self.shards = dict(shards)
        self.checkpoint = checkpoint
        self.is_complete = is_complete

    def finish_shard(self, name: str, row: FileRow, checkpoint: Checkpoint) -> None:
        """Write down that a shard is on the disk under its name, and from where the next one can be made."""
        self.shards[name] = row
        self.checkpoint = checkpoint
        content = {
            "shards": {name: [row.n_bytes, row.sha256] for name, row in self.shards.items()},
            "n_tokens": checkpoint.n_tokens,
            "n_docs": checkpoint.n_docs,
            "place": dict(checkpoint.place()),
        }
        _write(self.folder / _PROGRESS, content)

    def clear(self) -> None:
        """Remove what only an unfinished run needs; the manifest is there."""
        for name in (_PROGRESS, DOCUMENTS_PART):
            (self.folder / name).unlink(missing_ok=True)


@contextmanager
def claimed(folder: Path, run: Mapping[str, Any]) -> Iterator[Journal]:
    """Make a folder this run's own, and say how far it was brought before.

    Args:
        folder: is made if needed.
        run: what decides the result, as JSON values; equal values mean the same run.
    Raises: StorageError if the folder cannot be written, holds other files or another run, or if one is at work there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"{str(folder)!r}: no folder can be made there ({error.strerror}). Choose another place."
        ) from error
    with _locked(folder):
        yield _journal(folder, run)


def remove_run(folder: Path) -> None:
    """Remove the shards in a folder, or what an unfinished run left there; a folder that is not there is none.

    Raises: StorageError if the folder holds other files, or cannot be written; then nothing was removed.
    """
    if not folder.is_dir():
        return
    with _locked(folder):
        names = _names(folder)
        _refuse_others(folder, names)
        # A kill on the way leaves what the next run knows for its own, and trusts none of: it begins anew.
        order = [_PROGRESS, MANIFEST, *sorted(names - {_PROGRESS, MANIFEST, _RUN}), _RUN]
        try:
            for name in filter(names.__contains__, order):
                (folder / name).unlink()
        except OSError as error:
            raise StorageError(
                f"{str(folder)!r}: cannot be emptied ({error.strerror}). Choose another folder."
            ) from error


def _journal(folder: Path, run: Mapping[str, Any]) -> Journal:
    names = _names(folder)
    _refuse_others(folder, names)
    begun = _read(folder / _RUN)
    if begun is not None and (MANIFEST in names or _PROGRESS in names):
        _compare(folder, begun, run)
    elif begun is None and any(name not in BESIDE and not is_temporary(name) for name in names):
        _refuse(folder, "it holds shards of a run that is not known", "Choose a new folder, or empty this one")
    else:  # what was begun has left nothing that is worth keeping
        _write(folder / _RUN, dict(run))
    journal = _complete(folder) if MANIFEST in names else _begun(folder)
    for name in names:
        if is_temporary(name) or (_is_shard(name) and name not in journal.shards and not journal.is_complete):
            (folder / name).unlink(missing_ok=True)
    return journal


def _complete(folder: Path) -> Journal:
    journal = Journal(folder, {}, None, is_complete=True)
    journal.clear()  # the run may have been killed before it came to that
    return journal


def _begun(folder: Path) -> Journal:
    progress = _read(folder / _PROGRESS)
    if progress is None:
        return Journal(folder, {}, None, is_complete=False)
    shards = {name: FileRow(*row) for name, row in progress["shards"].items()}
    checkpoint = Checkpoint(progress["n_tokens"], progress["n_docs"], lambda: progress["place"])
    for name, row in shards.items():
        n_bytes = _length(folder / name)
        if n_bytes != row.n_bytes:
            _refuse(folder / name, f"it was left with {row.n_bytes:,} bytes, and now has {n_bytes:,}", _ANEW)
    n_listed = _length(folder / DOCUMENTS_PART) // START_BYTES
    if n_listed < checkpoint.n_docs:
        what = f"it was left with {checkpoint.n_docs:,} documents, and now has {n_listed:,}"
        _refuse(folder / DOCUMENTS_PART, what, _ANEW)
    return Journal(folder, shards, checkpoint, is_complete=False)


def _length(path: Path) -> int:
    """The bytes of a file; 0 if it is gone, since none that is asked for is empty."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _names(folder: Path) -> set[str]:
    """What lies in a folder; asked for while it is locked, so that no other run changes it."""
    return {entry.name for entry in folder.iterdir()}


def _refuse_others(folder: Path, names: set[str]) -> None:
    """Refuse a folder that holds what no run of ours writes."""
    ours = {_RUN, _PROGRESS, DOCUMENTS_PART, MANIFEST, DOCUMENTS, TOKENIZER, *BESIDE}
    others = sorted(name for name in names - ours if not is_temporary(name) and not _is_shard(name))
    if others or manifest_kind(folder) not in {None, KIND}:
        what = f"the first is {others[0]!r}" if others else f"it holds a {manifest_kind(folder)!r}"
        _refuse(folder, f"it holds other files ({what})", "Choose a new or empty folder")


def _compare(folder: Path, begun: Mapping[str, Any], run: Mapping[str, Any]) -> None:
    """Refuse a folder that another run has begun, and name the first thing that differs."""
    for name in sorted(begun.keys() | run.keys()):
        before, now = begun.get(name), run.get(name)
        if before != now:
            if name == "sources":
                _refuse(folder, f"it was begun with another corpus ({_first_difference(before, now)})", _OTHER)
            _refuse(folder, f"it was begun with {name} {before!r}, and is now asked for {now!r}", _OTHER)


_OTHER: Final = "Repeat the same command, choose a new folder, or empty this one"
_ANEW: Final = "Empty the folder and begin again"


def _first_difference(before: Any, now: Any) -> str:
    known, wanted = ({row["name"]: row for row in rows} for rows in (before, now))
    for name in [*wanted, *known]:
        if known.get(name) != wanted.get(name):
            return f"{name!r} is new, gone or changed"
    return "its files have another order"


def _is_shard(name: str) -> bool:
    return name.startswith("tokens-") and name.endswith(".npy")


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with atomic_write(path) as file:
        file.write(canonical_json(content))


def _read(path: Path) -> Any:
    """What `_write` has written; None if there is no such file."""
    try:
        return parse_canonical(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _refuse(path, f"it cannot be read ({error})", _ANEW)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; the system lets go of it when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no such lock
        yield
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        _refuse(folder, f"this folder cannot be read ({error.strerror})", "Choose another folder")
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _refuse(folder, "another run is writing there", "Wait for it, or choose another folder")
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                raise
        yield
    finally:
        os.close(descriptor)


def _refuse(place: Path, what: str, remedy: str) -> Never:
    raise StorageError(f"{str(place)!r}: {what}. {remedy}.")
