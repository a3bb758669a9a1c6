"""Files that appear whole or not at all.

A file is written under a temporary name in its own folder, brought to the disk, and renamed: the rename is one step for
every reader, and a crash before it leaves the old file untouched. A kill can leave the temporary file behind; its name
says so (`is_temporary`), and nothing reads it.
"""

import errno
import os
import secrets
import shutil
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from tokenloom.errors import StorageError

__all__ = [
    "atomic_write",
    "check_output_folder",
    "folder_errors",
    "is_temporary",
    "place_file",
    "replace_files",
    "set_aside",
    "sync_folder",
]

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


@contextmanager
def folder_errors(folder: Path) -> Iterator[None]:
    """Turn what the system refuses of an output folder, such as making it or looking into it, into StorageError."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{str(folder)!r}: cannot be used as an output folder ({error.strerror or error}). Choose another place."
        ) from error


def check_output_folder(folder: Path) -> None:
    """See whether a folder could be made, or written to if it is there; nothing is written.

    Raises: StorageError if the folder above, or the first that is there above that, takes none.
    """
    with folder_errors(folder):
        there = next(above for above in (folder, *folder.absolute().parents) if _is_there(above))
        if not there.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _is_there(path: Path) -> bool:
    """Whether something has this name, be it a link that leads nowhere."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def replace_files(files: Mapping[Path, bytes]) -> None:
    """Replace several files, which may lie in several folders, in the order of the mapping.

    All files are on the disk under temporary names before the first one is replaced, so a full disk changes nothing.
    Then they are renamed in one step that no signal handler of this process can come between, so Ctrl-C leaves all
    files old or all new. If the system refuses a rename, the files before it are put back. Only a kill of the process
    or the machine between two renames leaves some old and some new.

    Args:
        files: contents by path; the last one is renamed last.
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
        kept = {target: stack.enter_context(_second_name(target)) for target in files if os.path.lexists(target)}
        try:
            _rename(temporaries)
        except StorageError:
            _put_back(temporaries, kept)
            raise


def place_file(source: Path, target: Path) -> None:
    """Give a finished file a second name, which appears at once; a copy where the system knows no second names.

    Raises: StorageError if the folder cannot be written or is full.
    """
    temporary = _temporary_name(target)
    try:
        with _storage_errors(target):
            _give_second_name(source, temporary)
            _rename({target: temporary})
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def set_aside(paths: Iterable[Path]) -> Iterator[None]:
    """Take files away before a block and delete them after it; if the block raises, they come back.

    So a file that what the block writes would make wrong is never seen beside it. A kill inside the block leaves it
    under a temporary name.
    """
    kept: dict[Path, Path] = {}
    try:
        for path in filter(os.path.lexists, paths):
            with _storage_errors(path):
                temporary = _temporary_name(path)
                os.replace(path, temporary)
                kept[path] = temporary
        yield
    except BaseException:
        for path, temporary in kept.items():
            with suppress(OSError):  # what went wrong first is what the caller hears of
                os.replace(temporary, path)
        raise
    for temporary in kept.values():
        temporary.unlink(missing_ok=True)


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
    temporary = _temporary_name(target)
    try:
        with _storage_errors(target):
            file = open(temporary, "xb")  # noqa: SIM115 - closed below; "x" never follows a planted link
        try:
            yield file, temporary
        except OSError as error:
            if error.errno in _CANNOT_HOLD:
                raise _cannot_write(target, error) from error
            raise
        finally:
            with suppress(OSError):  # closed already, or it holds bytes that the disk did not take: that was said
                file.close()
    finally:
        with suppress(OSError):  # a read-only disk says so even of a file that is not there
            temporary.unlink(missing_ok=True)


def _bring_to_disk(file: BinaryIO, target: Path) -> None:
    """Write out and close: Windows does not rename an open file."""
    with _storage_errors(target):
        file.flush()
        os.fsync(file.fileno())
        file.close()


def _rename(temporaries: Mapping[Path, Path]) -> None:
    """Put finished files in their places, one after the other, and bring the renames to the disk.

    Python runs signal handlers only between instructions of its own, and `deque(map(...))` is a single one: the handler
    of Ctrl-C, or of any other signal, waits until all files are renamed. Holding back SIGINT instead would be no
    help against other signals, and possible in the main thread alone.
    """
    sources, targets = list(map(os.fspath, temporaries.values())), list(map(os.fspath, temporaries))
    try:
        deque(map(os.replace, sources, targets), maxlen=0)
    except OSError as error:
        stuck = next(target for target, source in temporaries.items() if os.path.lexists(source))
        raise _cannot_write(stuck, error) from error
    for folder in {target.parent for target in temporaries}:
        with _storage_errors(folder):
            sync_folder(folder)


@contextmanager
def _second_name(target: Path) -> Iterator[Path]:
    """A temporary name for the old file, under which it outlives being replaced; a copy where there are no links."""
    kept = _temporary_name(target)
    try:
        with _storage_errors(target):
            _give_second_name(target, kept)
        yield kept
    finally:
        kept.unlink(missing_ok=True)


def _give_second_name(file: Path, other: Path) -> None:
    try:
        os.link(file, other, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(file, other, follow_symlinks=False)


def _put_back(temporaries: Mapping[Path, Path], kept: Mapping[Path, Path]) -> None:
    """Undo the renames that were made: old files come back, files that are new vanish."""
    made = [target for target, temporary in temporaries.items() if not os.path.lexists(temporary)]
    for target in made:
        with suppress(OSError):  # the rename that failed is what the caller hears of
            if target in kept:
                os.replace(kept[target], target)
            else:
                target.unlink(missing_ok=True)


def _temporary_name(target: Path) -> Path:
    return target.parent / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"


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
