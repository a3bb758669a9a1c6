"""Which files a path stands for, in an order that is the same on every machine."""

import os
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tokenloom.errors import CorpusError

__all__ = ["list_files", "standard_library_files"]

_NO_TEXT: Final = {"__pycache__", "site-packages", "dist-packages", "test", "tests", "idle_test"}
"""Folders of the standard library that are left out: installed packages, and tests, which repeat odd strings."""


def list_files(path: str | os.PathLike[str]) -> list[Path]:
    """A file stands for itself, a folder for all files below it; names that begin with a dot are left out.

    Raises: CorpusError if there is no such path, or no file below it.
    """
    root = Path(path)
    if not root.exists():
        raise CorpusError(f"{os.fspath(path)!r}: there is no such file or folder. Check the path.")
    files = [root] if not root.is_dir() else list(_walk(root, lambda name: name.startswith(".")))
    if not files:
        raise CorpusError(
            f"{os.fspath(path)!r}: is a folder without files. Name a text file or a folder that holds some."
        )
    return files


def standard_library_files() -> list[Path]:
    """The `.py` files of the running Python's standard library, without tests: text that every machine has."""
    root = Path(sysconfig.get_path("stdlib"))
    return [file for file in _walk(root, _NO_TEXT.__contains__) if file.suffix == ".py"]


def _walk(root: Path, is_left_out: Callable[[str], bool]) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not is_left_out(name))
        yield from (Path(folder, name) for name in sorted(files) if not is_left_out(name))
