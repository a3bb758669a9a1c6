"""What a run leaves in its folder so that the same command, after a kill, goes on where it was.

    .run.json         what was asked for; another run is refused the folder. Stays, so that a repeated command is known.
    .progress.jsonl   a line for each finished shard: what is new since the last, and a checkpoint of the corpus
    .documents.part   where documents begin, int64 without a header, in order; becomes documents.npy at the end

None of them is part of the result: the manifest does not list them. The last two only grow, so writing down a shard
takes no longer the more there are, and are gone at the end. A line that is not whole was being written when the run was
killed; it is cut off, and its shard made again.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from tokenloom.errors import StorageError
from tokenloom.formats.native import TOKENIZER
from tokenloom.shards.layout import DOCUMENTS, KIND, START_BYTES, SourceRow
from tokenloom.storage import FileRow
from tokenloom.storage.atomic import folder_errors, is_temporary, sync_folder
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.storage.lock import locked_folder
from tokenloom.storage.manifest import BESIDE, MANIFEST, manifest_kind
from tokenloom.storage.run_record import ANEW, compare_runs, growing, read_run, refuse, write_run

__all__ = ["DOCUMENTS_PART", "Checkpoint", "Journal", "claimed", "remove_run"]

_RUN: Final = ".run.json"
_PROGRESS: Final = ".progress.jsonl"
DOCUMENTS_PART: Final = ".documents.part"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A place of the corpus between two batches.

    Args:
        n_tokens: the ids of everything before it.
        n_docs: the documents that began before it.
        sources: the files that end before it; the list may have grown since.
        n_sources: how many of them count.
        place: where it is, as the caller needs it to go on: gives JSON values, and is asked once a shard.
    """

    n_tokens: int
    n_docs: int
    sources: Sequence[SourceRow]
    n_sources: int
    place: Callable[[], Mapping[str, Any]]


class Journal:
    """The state of a run in its folder; made by `claimed`.

    Args:
        folder: the output folder.
        shards: the finished shards by name.
        checkpoint: where to go on; None at the beginning.
        is_complete: the folder holds the finished result of this very run.
    """

    __slots__ = ("_n_sources", "checkpoint", "folder", "is_complete", "shards")

    def __init__(
        self, folder: Path, shards: Mapping[str, FileRow], checkpoint: Checkpoint | None, *, is_complete: bool
    ) -> None:
        self.folder = folder
        self.shards = dict(shards)
        self.checkpoint = checkpoint
        self.is_complete = is_complete
        self._n_sources = checkpoint.n_sources if checkpoint else 0

    def finish_shard(self, name: str, row: FileRow, checkpoint: Checkpoint) -> None:
        """Write down that a shard is on the disk under its name, and from where the next one can be made."""
        self.shards[name] = row
        self.checkpoint = checkpoint
        new_sources = checkpoint.sources[self._n_sources : checkpoint.n_sources]
        self._n_sources = checkpoint.n_sources
        line = {
            "shard": [name, row.n_bytes, row.sha256],
            "n_tokens": checkpoint.n_tokens,
            "n_docs": checkpoint.n_docs,
            "sources": [asdict(source) for source in new_sources],
            "place": dict(checkpoint.place()),
        }
        path = self.folder / _PROGRESS
        with growing(path), open(path, "ab") as file:
            file.write(canonical_json(line) + b"\n")
            file.flush()
            os.fsync(file.fileno())
            if len(self.shards) == 1:
                sync_folder(self.folder)

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
    with folder_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locked_folder(folder):
        yield _journal(folder, run)


def remove_run(folder: Path) -> None:
    """Remove the shards in a folder, or what an unfinished run left there; a folder that is not there is none.

    Raises: StorageError if the folder holds other files, or cannot be written; then nothing was removed.
    """
    if not folder.is_dir():
        return
    with locked_folder(folder):
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
    begun, lines = read_run(folder / _RUN), _whole_lines(folder / _PROGRESS)
    if begun is not None and (MANIFEST in names or lines):
        compare_runs(folder, begun, run)
    elif begun is None and any(name not in BESIDE and not is_temporary(name) for name in names):
        refuse(folder, "it holds shards of a run that is not known", "Choose a new folder, or empty this one")
    else:  # what was begun has left nothing that is worth keeping
        write_run(folder / _RUN, run)
    journal = _complete(folder) if MANIFEST in names else _begun(folder, lines)
    for name in names:
        if is_temporary(name) or (_is_shard(name) and name not in journal.shards and not journal.is_complete):
            (folder / name).unlink(missing_ok=True)
    return journal


def _complete(folder: Path) -> Journal:
    journal = Journal(folder, {}, None, is_complete=True)
    journal.clear()  # the run may have been killed before it came to that
    return journal


def _begun(folder: Path, lines: Sequence[Any]) -> Journal:
    if not lines:
        return Journal(folder, {}, None, is_complete=False)
    last = lines[-1]
    try:
        shards = {name: FileRow(*row) for name, *row in (line["shard"] for line in lines)}
        sources = [SourceRow(**source) for line in lines for source in line["sources"]]
        checkpoint = Checkpoint(last["n_tokens"], last["n_docs"], sources, len(sources), lambda: last["place"])
    except (KeyError, TypeError, ValueError):
        refuse(folder / _PROGRESS, "it is not what tokenloom writes", ANEW)
    for name, row in shards.items():
        n_bytes = _length(folder / name)
        if n_bytes != row.n_bytes:
            refuse(folder / name, f"it was left with {row.n_bytes:,} bytes, and now has {n_bytes:,}", ANEW)
    n_listed = _length(folder / DOCUMENTS_PART) // START_BYTES
    if n_listed < checkpoint.n_docs:
        what = f"it was left with {checkpoint.n_docs:,} documents, and now has {n_listed:,}"
        refuse(folder / DOCUMENTS_PART, what, ANEW)
    return Journal(folder, shards, checkpoint, is_complete=False)


def _whole_lines(path: Path) -> list[Any]:
    """What `finish_shard` has written; what is not whole is cut off."""
    lines: list[Any] = []
    if not path.exists():
        return lines
    n_bytes = 0
    with growing(path), open(path, "r+b") as file:
        for line in file:
            try:
                lines.append(parse_canonical(line[:-1]))
            except ValueError:  # a line without its end is, without its last byte, no JSON either
                break
            n_bytes += len(line)
        file.truncate(n_bytes)
    return lines


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
        refuse(folder, f"it holds other files ({what})", "Choose a new or empty folder")


def _is_shard(name: str) -> bool:
    return name.startswith("tokens-") and name.endswith(".npy")
