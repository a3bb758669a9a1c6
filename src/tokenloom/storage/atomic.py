"""Files that appear whole or not at all.

A file is written under a temporary name in its own folder, brought to the disk, and renamed: the rename is one step for
every reader, and a crash before it leaves the old file untouched. A kill can leave the temporary file behind; its name
says so (`is_temporary`), and nothing reads it.
"""

import errno
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from tokenloom.errors import StorageError

__all__ = ["atomic_write", "is_temporary", "replace_files", "sync_folder"]

_PREFIX, _SUFFIX = ".tokenloom-", ".tmp"
_CANNOT_HOLD = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}
"""What writing to a full or broken disk raises; other errors inside a block belong to the caller."""


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the block ends, and vanishes when the block raises.

    Raises: StorageError if the folder cannot be written or is full.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_write(folder / "a.txt") as file:
    ...     _ = file.write(b"whole")
    >>> [(entry.name, entry.read_bytes()) for entry in folder.iterdir()]
    [('a.txt', b'whole')]
    """
    target = Path(path)
    with _staged(target) as (file, temporary):
        yield file
        _bring_to_disk(file, target)
        _rename({target: temporary})


def replace_files(files: Mapping[Path, bytes], *, last: Path | None = None) -> None:
    """Replace several files, which may lie in several folders.

    All files are on the disk under temporary names before the first one is replaced, so a full disk changes nothing.
    Then they are renamed one after the other; only a kill between two renames leaves some old and some new.

    Args:
        files: contents by path.
        last: one of the files, of which to make sure that whoever sees it new sees all the others new too: the old one
            is removed first, and the new one is renamed when the others are safe.
    Raises: StorageError naming the file that cannot be written.
    """
    with ExitStack() as stack:
        temporaries: dict[Path, Path] = {}
        for target, data in files.items():
            file, temporaries[target] = stack.enter_context(_staged(target))
            file.write(data)
            _bring_to_disk(file, target)
        for target in files:
            _refuse_folder(target)
        if last is not None:
            with _storage_errors(last):
                last.unlink(missing_ok=True)
                sync_folder(last.parent)
        _rename({target: temporary for target, temporary in temporaries.items() if target != last})
        if last is not None:
            _rename({last: temporaries[last]})


def is_temporary(name: str) -> bool:
    """Whether a file name is one that this module gives to unfinished files.

    >>> is_temporary(".tokenloom-0123456789abcdef.tmp"), is_temporary("notes.tmp")
    (True, False)
    """
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def sync_folder(folder: Path) -> None:
    """Bring renames inside a folder to the disk, where the system allows it."""
    if os.name != "posix":  # Windows cannot open a folder; its renames are durable on their own schedule
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems cannot do it and say so
            raise
    finally:
        os.close(descriptor)


@contextmanager
def _staged(target: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """A new file beside `target`, removed at the end unless it was renamed."""
    temporary = target.parent / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    try:
        with _storage_errors(target):
            file = open(temporary, "xb")  # noqa: SIM115 - closed below; "x" never follows a planted link
        with file:
            try:
                yield file, temporary
            except OSError as error:
                if error.errno in _CANNOT_HOLD:
                    raise _cannot_write(target, error) from error
                raise
    finally:
        temporary.unlink(missing_ok=True)


def _bring_to_disk(file: BinaryIO, target: Path) -> None:
    """Write out and close: Windows does not rename an open file."""
    with _storage_errors(target):
        file.flush()
        os.fsync(file.fileno())
        file.close()


def _rename(temporaries: Mapping[Path, Path]) -> None:
    """Put finished files in their places, one after the other, and bring the renames to the disk."""
    for target, temporary in temporaries.items():
        with _storage_errors(target):
            os.replace(temporary, target)
    for folder in {target.parent for target in temporaries}:
        with _storage_errors(folder):
            sync_folder(folder)


def _refuse_folder(target: Path) -> None:
    """Refuse before anything is renamed what would fail then: a folder stands in the place of the file."""
    with _storage_errors(target):
        if target.is_dir() and not target.is_symlink():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


@contextmanager
def _storage_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _cannot_write(target, error) from error


def _cannot_write(target: Path, error: OSError) -> StorageError:
    reason = error.strerror or str(error)
    return StorageError(
        f"{str(target)!r}: cannot be written ({reason}). "
        "Check that its folder exists, may be written and has free space, or choose another one."
    )
