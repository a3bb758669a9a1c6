"""Opening the files that a user names, and asking for their length."""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from tokenloom.errors import CorpusError
from tokenloom.storage.remote import is_url, open_url, url_bytes, url_version
from tokenloom.wording import format_bytes

__all__ = ["StorageOptions", "has_entry", "input_bytes", "input_version", "is_folder", "open_input", "read_input"]

MOST_BYTES: Final = 4 << 30
"""Of a file that is read as a whole: far above real tokenizers, and below what a machine's memory holds."""
_MOST_SHOWN: Final = 300
"""Characters of a name in a message: a name that is longer is a text in the place of a path."""

StorageOptions = Mapping[str, Any] | None
"""What the store of a URL takes, such as keys, by the names that fsspec has for it. It plays no part for a path."""

PathLike = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def open_input(path: PathLike, storage_options: StorageOptions = None) -> BinaryIO:
    """Open a file, or a URL with the options of its store, for reading bytes.

    Raises: CorpusError if it is missing, a folder, a pipe or a device, or cannot be read; the message says what to do
        about it. MissingExtraError for a URL without fsspec.

    >>> open_input("no-such-folder/corpus.txt")
    Traceback (most recent call last):
    tokenloom.errors.CorpusError: 'no-such-folder/corpus.txt': there is no folder 'no-such-folder'. Check the path.
    """
    name = os.fsdecode(path)
    if is_url(name):
        return open_url(name, storage_options or {})
    input_bytes(path)  # a pipe would hold its opener until somebody writes into it
    with _named_errors(name):
        return open(name, "rb")


def read_input(path: PathLike) -> bytes:
    """All bytes of a local file.

    Raises: CorpusError as `open_input`, and for a file that is longer than any tokenizer, or cannot be read to its end.
    """
    name = os.fsdecode(path)
    with open_input(path) as file, _named_errors(name):
        n_bytes = os.fstat(file.fileno()).st_size
        if n_bytes <= MOST_BYTES:
            return file.read()  # a number would be allocated before anything is read
    what = f"has {format_bytes(n_bytes)}, and is read as a whole up to {format_bytes(MOST_BYTES)}"
    raise CorpusError(f"{shown(name)}: {what}. Name the file of a tokenizer.")


def has_entry(folder: PathLike, name: str) -> bool:
    """Whether a folder has anything of this name but a folder. Raises: CorpusError if the folder cannot be looked at.

    `os.path.isfile` would say False where the right to look is missing.
    """
    path = os.path.join(os.fsdecode(folder), name)
    try:
        return not stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        what = f"cannot be looked through for {name!r} ({reason})"
        raise CorpusError(f"{shown(os.fsdecode(folder))}: {what}. Change its permissions (chmod +x).") from error


def input_bytes(path: PathLike, storage_options: StorageOptions = None) -> int:
    """The length of a file or URL. Raises: as `open_input`, and CorpusError for what has no length, such as a pipe."""
    name = os.fsdecode(path)
    if is_url(name):
        return url_bytes(name, storage_options or {})
    with _named_errors(name):
        status = os.stat(name)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError
    if not stat.S_ISREG(status.st_mode):
        raise CorpusError(f"{shown(name)}: is a pipe, a socket or a device, so its length is unknown. Name a file.")
    return status.st_size


def input_version(path: PathLike, storage_options: StorageOptions = None) -> int | str:
    """What tells an older content of a file or URL from a newer one: its time, or what the store says. Raises: as
    `open_input`.
    """
    name = os.fsdecode(path)
    if is_url(name):
        return url_version(name, storage_options or {})
    with _named_errors(name):
        return os.stat(name).st_mtime_ns


def is_folder(path: PathLike) -> bool:
    """Whether a path that must exist is a folder. Raises: CorpusError if it is missing or cannot be looked at."""
    name = os.fsdecode(path)
    with _named_errors(name):
        return stat.S_ISDIR(os.stat(name).st_mode)


def shown(name: str) -> str:
    """A name as messages show it, cut if it is so long that it is none."""
    return repr(name) if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]!r}... ({len(name):,} characters)"


@contextmanager
def _named_errors(name: str) -> Iterator[None]:
    """Turn what the system says about a path into a CorpusError with the name and the remedy."""
    try:
        yield
    except IsADirectoryError as error:
        raise CorpusError(f"{shown(name)}: is a folder. Name a file inside it.") from error
    except FileNotFoundError as error:
        raise CorpusError(f"{shown(name)}: {_what_is_missing(name)}. Check the path.") from error
    except PermissionError as error:
        if os.path.isdir(name):  # what Windows raises for a folder
            raise CorpusError(f"{shown(name)}: is a folder. Name a file inside it.") from error
        raise CorpusError(
            f"{shown(name)}: may not be read by this user. Change its permissions (chmod +r, +x of its folder)."
        ) from error
    except (OSError, ValueError, MemoryError) as error:  # ValueError: a NUL character in the name
        reason = getattr(error, "strerror", None) or str(error) or "there is not enough memory"
        raise CorpusError(
            f"{shown(name)}: cannot be read ({reason}). Check the path, or copy the file elsewhere."
        ) from error


def _what_is_missing(name: str) -> str:
    parent = Path(name).parent
    if not os.path.isdir(parent):
        return f"there is no folder {shown(str(parent))}"
    if os.path.islink(name):
        return f"is a link to {os.readlink(name)!r}, which does not exist"
    return f"there is no such file in folder {str(parent)!r}"
