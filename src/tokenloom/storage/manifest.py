"""Folders that are complete or say that they are not.

A folder is complete if and only if its `manifest.json` verifies: it lists every file with length and SHA-256 and is
written last. No time, path or host stands in it, so equal content gives equal bytes on every machine.
"""

import hashlib
import os
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Final, Never

from tokenloom.errors import CorpusError, StorageError
from tokenloom.storage.atomic import atomic_write, replace_files
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.storage.paths import open_input, read_input
from tokenloom.wording import counted

__all__ = [
    "BESIDE",
    "MANIFEST",
    "REPORT_FILE",
    "RUN_FILE",
    "WORK_FOLDER",
    "FileRow",
    "Manifest",
    "manifest_kind",
    "measure_file",
    "read_folder",
    "read_manifest",
    "verify_folder",
    "write_folder",
    "write_manifest",
]

MANIFEST: Final = "manifest.json"
REPORT_FILE: Final = "report.html"
RUN_FILE: Final = "run.toml"
WORK_FOLDER: Final = ".work"
"""What an unfinished run has done so far lies there; it is removed when the manifest is written."""
BESIDE: Final = frozenset({REPORT_FILE, RUN_FILE})
"""Files that may lie in a folder and are no part of it: they tell times and places of a run."""

_VERSION: Final = 1
_BLOCK_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as its manifest knows it: length in bytes and hex SHA-256."""

    n_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder says that it holds: its files by name, and values that belong to its kind."""

    files: Mapping[str, FileRow]
    header: Mapping[str, Any]


def write_manifest(
    folder: Path,
    names: Iterable[str],
    *,
    kind: str,
    header: Mapping[str, Any] = MappingProxyType({}),
    known: Mapping[str, FileRow] = MappingProxyType({}),
) -> None:
    """Declare a folder complete, after all its files are on the disk.

    Args:
        folder: where the files lie.
        names: the files.
        kind: what the folder holds.
        header: values that JSON can hold; absent from the manifest if there are none.
        known: files that were measured while they were written; the others are read once to hash them.
    """
    rows = {name: known.get(name) or measure_file(folder, name) for name in names}
    with atomic_write(folder / MANIFEST) as file:
        file.write(_manifest(rows, kind, header))


def write_folder(folder: Path, files: Mapping[str, bytes], *, kind: str) -> None:
    """Write small files and their manifest; after Ctrl-C or an error the folder is the old one or the new one, whole.

    Between two renames it is incomplete: the old manifest does not verify new files. Only a kill there leaves it so.
    """
    rows = {name: FileRow(len(data), hashlib.sha256(data).hexdigest()) for name, data in files.items()}
    contents = {**files, MANIFEST: _manifest(rows, kind, {})}
    replace_files({folder / name: data for name, data in contents.items()})


def read_manifest(folder: Path, *, kind: str) -> Manifest:
    """What a folder says that it holds; no file is looked at.

    Raises: StorageError if the manifest is missing, damaged, newer than this tokenloom, or of another kind.
    """
    manifest = _parsed(folder, kind)
    rows = manifest.get("files")
    if not isinstance(rows, dict) or not all(_is_row(name, row) for name, row in rows.items()):
        _incomplete(folder, "its manifest.json lists files in a way that tokenloom does not write")
    header = manifest.get("header", {})
    if not isinstance(header, dict):
        _incomplete(folder, "its manifest.json has a header in a way that tokenloom does not write")
    return Manifest({name: FileRow(row["bytes"], row["sha256"]) for name, row in rows.items()}, header)


def verify_folder(folder: Path, *, kind: str, progress: Callable[[int], object] | None = None) -> tuple[str, ...]:
    """Check every file of a folder against its manifest, in blocks.

    Args:
        folder: the folder.
        kind: what it must hold.
        progress: called now and then with the bytes read so far.
    Returns: the names of the files, sorted.
    Raises: StorageError naming the first file that is missing or differs, or the manifest.
    """
    rows = read_manifest(folder, kind=kind).files
    n_before = 0
    for name, row in rows.items():
        with _open(folder, name) as file:
            size = os.fstat(file.fileno()).st_size
            _check(folder, name, row, size, _sha256(file, progress, n_before) if size == row.n_bytes else "")
        n_before += row.n_bytes
    return tuple(rows)


def read_folder(folder: Path, *, kind: str, names: Container[str] | None = None) -> dict[str, bytes]:
    """The files of a complete folder; exactly the bytes that were verified, even if a writer is at work.

    With `names` only the listed files that are among them are read and verified.
    """
    files = {}
    for name, row in read_manifest(folder, kind=kind).files.items():
        if names is not None and name not in names:
            continue
        with _open(folder, name) as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(row.n_bytes) if size == row.n_bytes else b""
        _check(folder, name, row, size, hashlib.sha256(data).hexdigest())
        files[name] = data
    return files


def manifest_kind(folder: Path) -> str | None:
    """What a folder says that it holds, unverified; None if it has no readable manifest."""
    try:
        manifest = parse_canonical(read_input(folder / MANIFEST))
    except (OSError, ValueError):
        return None
    kind = manifest.get("kind") if isinstance(manifest, dict) else None
    return kind if isinstance(kind, str) else None


def _manifest(rows: Mapping[str, FileRow], kind: str, header: Mapping[str, Any]) -> bytes:
    files = {name: {"bytes": row.n_bytes, "sha256": row.sha256} for name, row in rows.items()}
    content: dict[str, Any] = {"files": files, "kind": kind, "manifest_version": _VERSION}
    return canonical_json(content | ({"header": dict(header)} if header else {}))


def _parsed(folder: Path, kind: str) -> dict[str, Any]:
    """The manifest of this kind and version."""
    if not os.path.isdir(folder):
        if os.path.exists(folder):
            raise StorageError(f"{str(folder)!r}: is a file, not a folder. Name the folder that was saved.")
        raise StorageError(f"{str(folder)!r}: there is no such folder. Check the path.")
    try:
        manifest = parse_canonical(read_input(folder / MANIFEST))
    except CorpusError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            _incomplete(folder, "it has no manifest.json, which is written last")
        raise StorageError(str(error)) from error
    except (OSError, ValueError) as error:
        _incomplete(folder, f"its manifest.json cannot be read ({error})")
    version = manifest.get("manifest_version") if isinstance(manifest, dict) else None
    if type(version) is not int or version < _VERSION:
        _incomplete(folder, "its manifest.json has no manifest_version")
    if version > _VERSION:
        what = f"its manifest has version {version}, but this tokenloom reads {_VERSION}"
        raise StorageError(f"{str(folder)!r}: {what}. Upgrade tokenloom.")
    if manifest.get("kind") != kind:
        raise StorageError(
            f"{str(folder)!r}: it holds a {manifest.get('kind')!r}, not a {kind!r}. Name another folder."
        )
    return dict(manifest)


def _is_row(name: str, row: Any) -> bool:
    """Whether a manifest row is sound; a name that leads out of the folder is not."""
    plain = name not in {"", ".", ".."} and not {"/", "\\", "\0"} & set(name)
    return plain and isinstance(row, dict) and type(row.get("bytes")) is int and isinstance(row.get("sha256"), str)


def _open(folder: Path, name: str) -> BinaryIO:
    try:
        return open_input(folder / name)
    except CorpusError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            _incomplete(folder, f"its file {name!r} is missing")
        raise StorageError(str(error)) from error


def _check(folder: Path, name: str, row: FileRow, size: int, sha256: str) -> None:
    if size != row.n_bytes:
        _incomplete(folder, f"its file {name!r} has {counted(size, 'byte')}, its manifest says {row.n_bytes:,}")
    if sha256 != row.sha256:
        _incomplete(folder, f"its file {name!r} differs from the checksum in its manifest")


def measure_file(folder: Path, name: str) -> FileRow:
    """The row of a file, as it now lies on the disk. Raises: StorageError if it cannot be read."""
    with _open(folder, name) as file:
        return FileRow(os.fstat(file.fileno()).st_size, _sha256(file))


def _sha256(file: BinaryIO, progress: Callable[[int], object] | None = None, n_before: int = 0) -> str:
    digest = hashlib.sha256()
    while block := file.read(_BLOCK_BYTES):
        digest.update(block)
        n_before += len(block)
        if progress:
            progress(n_before)
    return digest.hexdigest()


def _incomplete(folder: Path, what: str) -> Never:
    raise StorageError(f"{str(folder)!r}: {what}. The folder is incomplete or was changed: write it again.")
