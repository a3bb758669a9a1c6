"""Opening the files that a user names."""

import os
from pathlib import Path
from typing import BinaryIO

from tokenloom.errors import CorpusError

__all__ = ["open_input"]


def open_input(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a local file for reading bytes.

    Raises: CorpusError if it is missing, a folder, or cannot be read; the message says what to do about it.

    >>> open_input("no-such-folder/corpus.txt")
    Traceback (most recent call last):
    tokenloom.errors.CorpusError: 'no-such-folder/corpus.txt': there is no folder 'no-such-folder'. Check the path.
    """
    name = os.fspath(path)
    try:
        return open(name, "rb")
    except IsADirectoryError as error:
        raise CorpusError(f"{name!r}: is a folder. Name a file inside it.") from error
    except FileNotFoundError as error:
        raise CorpusError(f"{name!r}: {_what_is_missing(name)}. Check the path.") from error
    except PermissionError as error:
        if os.path.isdir(name):  # what Windows raises for a folder
            raise CorpusError(f"{name!r}: is a folder. Name a file inside it.") from error
        raise CorpusError(f"{name!r}: may not be read by this user. Change its permissions (chmod +r).") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise CorpusError(
            f"{name!r}: cannot be read ({reason}). Check the path, or copy the file elsewhere."
        ) from error


def _what_is_missing(name: str) -> str:
    parent = Path(name).parent
    if not parent.is_dir():
        return f"there is no folder {str(parent)!r}"
    if os.path.islink(name):
        return f"is a link to {os.readlink(name)!r}, which does not exist"
    return f"there is no such file in folder {str(parent)!r}"
