"""Where the record of a training goes."""

import os
from pathlib import Path
from typing import Final

from tokenloom.errors import StorageError
from tokenloom.storage.atomic import check_output_folder
from tokenloom.storage.magic import MAGIC
from tokenloom.trainers import RECORD_KIND

__all__ = ["checked_record_path"]

_START_BYTES: Final = 16
"""Magic, version and length of the table, see `tokenloom.storage.envelope`."""
_KIND: Final = f'"kind":"{RECORD_KIND}"'.encode()
_FIRST_FIELD: Final = b'{"header":{"counts_sha256":"'
"""How the table of a record begins, and that of no other kind."""


def checked_record_path(path: str | os.PathLike[str] | None, out: str | os.PathLike[str]) -> Path | None:
    """See, before a training begins, whether a record can be written there; nothing is written.

    Args:
        path: the file of the record; None for no record.
        out: the output folder of the training, which must hold a tokenizer alone.
    Raises: StorageError if no file is named, if its folder is not there or cannot be written, if it lies in the output
        folder, or if it is there and holds anything but a record of ours, whole or cut, which is replaced.
    """
    if path is None:
        return None
    file = Path(path)
    if os.fspath(path) in ("", ".", "-"):
        raise StorageError(f"record {os.fspath(path)!r}: names no file. Name one, such as 'run.tlr'.")
    if Path(os.path.realpath(file)).is_relative_to(os.path.realpath(out)):
        raise StorageError(
            f"{str(file)!r}: lies in the output folder {os.fspath(out)!r}, which is for the tokenizer alone. Choose a "
            "file outside of it for the record."
        )
    if not file.parent.is_dir():
        raise StorageError(f"{str(file)!r}: there is no folder {str(file.parent)!r}. Make it, or choose another place.")
    check_output_folder(file.parent)
    if os.path.lexists(file) and not _is_record(file):
        raise StorageError(
            f"{str(file)!r}: is there and is no record of a training. Choose another file, or remove it."
        )
    return file


def _is_record(file: Path) -> bool:
    """Whether a file is a record, of whatever version; also one that was cut, as far as its beginning tells."""
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        start = opened.read(_START_BYTES)
        table = opened.read(int.from_bytes(start[-4:], "little")) if start.startswith(MAGIC) else b""
    return _KIND in table or table.startswith(_FIRST_FIELD)
