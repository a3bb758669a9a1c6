"""Which files a path stands for, in an order that is the same on every machine, and how long they are."""

import os
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, Never

from tokenloom.errors import CorpusError, TokenloomWarning
from tokenloom.storage import input_bytes, is_folder

__all__ = ["list_files", "standard_library_files", "total_bytes", "without_broken_links"]

_NO_TEXT: Final = {"__pycache__", "site-packages", "dist-packages", "test", "tests", "idle_test"}
"""Folders of the standard library that are left out: installed packages, and tests, which repeat odd strings."""


def list_files(path: str | os.PathLike[str]) -> list[Path]:
    """A file stands for itself, a folder for all files below it; names that begin with a dot are left out.

    Warns: TokenloomWarning for a link in a folder that leads nowhere; it is left out.
    Raises: CorpusError if there is no such path, no file below it, or a folder that cannot be read.
    """
    root = Path(path)
    files = [root] if not is_folder(root) else list(without_broken_links(_walk(root, lambda name: name[0] == ".")))
    if not files:
        raise CorpusError(
            f"{os.fspath(path)!r}: is a folder without files. Name a text file or a folder that holds some."
        )
    return files


def standard_library_files() -> list[Path]:
    """The `.py` files of the running Python's standard library, without tests: text that every machine has."""
    root = Path(sysconfig.get_path("stdlib"))
    return [file for file in _walk(root, _NO_TEXT.__contains__) if file.suffix == ".py"]


def total_bytes(files: Iterable[Path]) -> int:
    """The length of all files together. Raises: CorpusError naming the first one that is missing or no file."""
    return sum(map(input_bytes, files))


def without_broken_links(files: Iterable[Path]) -> Iterator[Path]:
    """Files, without links that lead nowhere. Warns: TokenloomWarning for each of those."""
    for file in files:
        if file.is_symlink() and not file.exists():
            warnings.warn(
                f"{str(file)!r}: is a link to {os.readlink(file)!r}, which does not exist, and is left out. Remove it.",
                TokenloomWarning,
                stacklevel=3,
            )
        else:
            yield file


def _walk(root: Path, is_left_out: Callable[[str], bool]) -> Iterator[Path]:
    for folder, folders, files in os.walk(root, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not is_left_out(name))
        yield from (Path(folder, name) for name in sorted(files) if not is_left_out(name))


def _refuse_folder(error: OSError) -> Never:
    """`os.walk` would leave out a folder that it cannot read, and nobody would know."""
    raise CorpusError(
        f"{os.fspath(error.filename)!r}: this folder cannot be read ({error.strerror}). "
        "Change its permissions (chmod +rx), or move it out of the corpus."
    ) from error
