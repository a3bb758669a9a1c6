"""Which files a path stands for, in an order that is the same on every machine, and how long they are."""

import os
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, Never

from tokenloom.errors import CorpusError, TokenloomWarning
from tokenloom.storage import is_folder
from tokenloom.wording import warn_caller

__all__ = ["list_files", "standard_library_files", "without_idle_links"]

_NO_TEXT: Final = {"__pycache__", "site-packages", "dist-packages", "test", "tests", "idle_test"}
"""Folders of the standard library that are left out: installed packages, and tests, which repeat odd strings."""


def list_files(path: str | os.PathLike[str]) -> list[Path]:
    """A file stands for itself, a folder for all files below it; names that begin with a dot are left out.

    Warns: TokenloomWarning for a link in a folder that leads nowhere, or to a folder; it is left out.
    Raises: CorpusError if there is no such path, no file below it, or a folder that cannot be read.
    """
    root = Path(path)
    files = [root] if not is_folder(root) else list(without_idle_links(_walk(root, _is_hidden)))
    if not files:
        raise CorpusError(
            f"{os.fspath(path)!r}: is a folder without files. Name a text file or a folder that holds some."
        )
    return files


def standard_library_files() -> list[Path]:
    """The `.py` files of the running Python's standard library, without tests: text that every machine has."""
    root = Path(sysconfig.get_path("stdlib"))
    return [file for file in _walk(root, _NO_TEXT.__contains__) if file.suffix == ".py"]


def without_idle_links(paths: Iterable[Path]) -> Iterator[Path]:
    """Paths, without links that lead nowhere or to a folder. Warns: TokenloomWarning for each of those."""
    for path in paths:
        if path.is_file() or not path.is_symlink():
            yield path
        elif path.exists():
            warn_caller(
                f"{str(path)!r}: is a link to a folder and is left out. Name it beside the folder that it is in.",
                TokenloomWarning,
            )
        else:
            warn_caller(
                f"{str(path)!r}: is a link to {os.readlink(path)!r}, which does not exist, and is left out. Remove it.",
                TokenloomWarning,
            )


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def _walk(root: Path, is_left_out: Callable[[str], bool]) -> Iterator[Path]:
    """Files, and links to folders, which are not followed: one could lead back to where it is."""
    for folder, folders, files in os.walk(root, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not is_left_out(name))
        yield from (Path(folder, name) for name in sorted(files) if not is_left_out(name))
        yield from (path for path in (Path(folder, name) for name in folders) if path.is_symlink())


def _refuse_folder(error: OSError) -> Never:
    """`os.walk` would leave out a folder that it cannot read, and nobody would know."""
    raise CorpusError(
        f"{os.fspath(error.filename)!r}: this folder cannot be read ({error.strerror}). "
        "Change its permissions (chmod +rx), or move it out of the corpus."
    ) from error
