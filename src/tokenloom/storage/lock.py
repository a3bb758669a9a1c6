"""Folders that one process at a time writes."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tokenloom.errors import StorageError

__all__ = ["locked_folder"]

_WITHOUT_LOCKS: Final = {errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
"""What some network file systems say to a lock: there, nothing but the user keeps two runs apart."""


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; the system lets go of it when the process ends, however it ends.

    Raises: StorageError if the folder cannot be read, or another process holds it.
    """
    try:
        import fcntl
    except ImportError:  # Windows has no such lock
        yield
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StorageError(
            f"{str(folder)!r}: this folder cannot be read ({error.strerror}). Choose another folder."
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StorageError(
                f"{str(folder)!r}: another run is writing there. Wait for it, or choose another folder."
            ) from error
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                raise
        yield
    finally:
        os.close(descriptor)
