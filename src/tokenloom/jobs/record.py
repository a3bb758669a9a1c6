"""Where the record of a training goes."""

import os
from pathlib import Path

from tokenloom.errors import FormatError, StorageError
from tokenloom.storage import read_header
from tokenloom.storage.atomic import check_output_folder
from tokenloom.trainers import RECORD_KIND

__all__ = ["checked_record_path"]


def checked_record_path(path: str | os.PathLike[str] | None, out: str | os.PathLike[str]) -> Path | None:
    """See, before a training begins, whether a record can be written there; nothing is written.

    Args:
        path: the file of the record; None for no record.
        out: the output folder of the training, which must hold a tokenizer alone.
    Raises: StorageError if the folder of the file is not there or cannot be written, if the file lies in the output
        folder, or if it is there and holds anything but a record.
    """
    if path is None:
        return None
    file = Path(path)
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
    """Whether a file is a record, of whatever version; nothing but its beginning is read."""
    try:
        read_header(file, kind=RECORD_KIND)
    except (FormatError, OSError):
        return False
    return True
