"""Folders that are complete or say that they are not.

A folder is complete if and only if its `manifest.json` verifies: it lists every file with length and SHA-256 and is
written last. No time, path or host stands in it, so equal content gives equal bytes on every machine.
"""

import hashlib
import os
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, Never

from tokenloom.errors import StorageError
from tokenloom.storage.atomic import atomic_write, replace_files
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.wording import counted

__all__ = ["MANIFEST", "manifest_kind", "read_folder", "verify_folder", "write_folder", "write_manifest"]

MANIFEST: Final = "manifest.json"
_VERSION: Final = 1
_BLOCK_BYTES: Final = 1 << 20


def write_manifest(folder: Path, names: Iterable[str], *, kind: str) -> None:
    """Declare a folder complete, after all its files are on the disk; reads them once to hash them."""
    rows = {name: _measured(folder, name) for name in names}
    with atomic_write(folder / MANIFEST) as file:
        file.write(_manifest(rows, kind))


def write_folder(folder: Path, files: Mapping[str, bytes], *, kind: str) -> None:
    """Write small files and their manifest; after Ctrl-C or an error the folder is the old one or the new one, whole.

    Between two renames it is incomplete: the old manifest does not verify new files. Only a kill there leaves it so.
    """
    rows = {name: _row(len(data), hashlib.sha256(data).hexdigest()) for name, data in files.items()}
    contents = {**files, MANIFEST: _manifest(rows, kind)}
    replace_files({folder / name: data for name, data in contents.items()})


def verify_folder(folder: Path, *, kind: str) -> tuple[str, ...]:
    """Check every file of a folder against its manifest, in blocks.

    Returns: the names of the files, sorted.
    Raises: StorageError naming the first file that is missing or differs, or the manifest.
    """
    rows = _read_manifest(folder, kind)
    for name, row in rows.items():
        with _open(folder, name) as file:
            size = os.fstat(file.fileno()).st_size
            _check(folder, name, row, size, _sha256(file) if size == row["bytes"] else "")
    return tuple(rows)


def read_folder(folder: Path, *, kind: str, names: Container[str] | None = None) -> dict[str, bytes]:
    """The files of a complete folder; exactly the bytes that were verified, even if a writer is at work.

    With `names` only the listed files that are among them are read and verified.
    """
    files = {}
    for name, row in _read_manifest(folder, kind).items():
        if names is not None and name not in names:
            continue
        with _open(folder, name) as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(row["bytes"]) if size == row["bytes"] else b""
        _check(folder, name, row, size, hashlib.sha256(data).hexdigest())
        files[name] = data
    return files


def manifest_kind(folder: Path) -> str | None:
    """What a folder says that it holds, unverified; None if it has no readable manifest."""
    try:
        manifest = parse_canonical((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    kind = manifest.get("kind") if isinstance(manifest, dict) else None
    return kind if isinstance(kind, str) else None


def _manifest(rows: Mapping[str, Mapping[str, Any]], kind: str) -> bytes:
    return canonical_json({"files": rows, "kind": kind, "manifest_version": _VERSION})


def _row(length: int, sha256: str) -> dict[str, Any]:
    return {"bytes": length, "sha256": sha256}


def _read_manifest(folder: Path, kind: str) -> dict[str, dict[str, Any]]:
    if not folder.is_dir():
        if folder.exists():
            raise StorageError(f"{str(folder)!r}: is a file, not a folder. Name the folder that was saved.")
        raise StorageError(f"{str(folder)!r}: there is no such folder. Check the path.")
    try:
        manifest = parse_canonical((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        _incomplete(folder, "it has no manifest.json, which is written last")
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
    rows = manifest.get("files")
    if not isinstance(rows, dict) or not all(_is_row(name, row) for name, row in rows.items()):
        _incomplete(folder, "its manifest.json lists files in a way that tokenloom does not write")
    return rows


def _is_row(name: str, row: Any) -> bool:
    """Whether a manifest row is sound; a name that leads out of the folder is not."""
    plain = name not in {"", ".", ".."} and not {"/", "\\", "\0"} & set(name)
    return plain and isinstance(row, dict) and type(row.get("bytes")) is int and isinstance(row.get("sha256"), str)


def _open(folder: Path, name: str) -> BinaryIO:
    try:
        return open(folder / name, "rb")
    except FileNotFoundError:
        _incomplete(folder, f"its file {name!r} is missing")
    except OSError as error:
        _incomplete(folder, f"its file {name!r} cannot be read ({error.strerror})")


def _check(folder: Path, name: str, row: Mapping[str, Any], size: int, sha256: str) -> None:
    if size != row["bytes"]:
        _incomplete(folder, f"its file {name!r} has {counted(size, 'byte')}, its manifest says {row['bytes']:,}")
    if sha256 != row["sha256"]:
        _incomplete(folder, f"its file {name!r} differs from the checksum in its manifest")


def _measured(folder: Path, name: str) -> dict[str, Any]:
    with _open(folder, name) as file:
        return _row(os.fstat(file.fileno()).st_size, _sha256(file))


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := file.read(_BLOCK_BYTES):
        digest.update(block)
    return digest.hexdigest()


def _incomplete(folder: Path, what: str) -> Never:
    raise StorageError(f"{str(folder)!r}: {what}. The folder is incomplete or was changed: write it again.")
