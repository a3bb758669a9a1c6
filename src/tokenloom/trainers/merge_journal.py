"""The merges that a training has made so far, on the disk, so that it can go on after a kill.

A line holds some merges, as ids of their parts, how many were made before them, and a checksum of that and of the line
before. A line that is not whole, or does not follow the one before it, was being written when the run was killed: it is
cut off with all behind it, and its merges are made again.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tokenloom.storage.atomic import sync_folder
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.storage.run_record import growing

__all__ = ["MergeJournal"]

_START: Final = "0" * 16


class MergeJournal:
    """The merges of a training in a file that only grows.

    Args:
        path: the file; one that is there is read, and cut behind its last whole line.
    Raises: StorageError if it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.merges: list[tuple[int, int]] = []
        self._path = path
        self._check = _START
        with growing(path):
            if path.exists():
                self._read()

    def append(self, merges: Sequence[tuple[int, int]]) -> None:
        """Write down the next merges; they are on the disk when this returns."""
        body = {"n_before": len(self.merges), "merges": [list(pair) for pair in merges]}
        check = _checksum(self._check, body)
        is_new = not self.merges
        with growing(self._path), open(self._path, "ab") as file:
            file.write(canonical_json(body | {"check": check}) + b"\n")
            file.flush()
            os.fsync(file.fileno())
            if is_new:
                sync_folder(self._path.parent)
        self.merges += merges
        self._check = check

    def _read(self) -> None:
        n_bytes = 0
        with open(self._path, "r+b") as file:
            for line in file:
                found = self._merges_of(line)
                if found is None:
                    break
                self.merges += found
                n_bytes += len(line)
            file.truncate(n_bytes)

    def _merges_of(self, line: bytes) -> list[tuple[int, int]] | None:
        """The merges of a line, if it is whole and follows the one before it."""
        if not line.endswith(b"\n"):
            return None
        try:
            values: dict[str, Any] = parse_canonical(line[:-1])
            check = values.pop("check")
            if values["n_before"] != len(self.merges) or check != _checksum(self._check, values):
                return None
        except (ValueError, TypeError, KeyError, AttributeError):
            return None
        self._check = check
        return [(left, right) for left, right in values["merges"]]


def _checksum(before: str, body: dict[str, Any]) -> str:
    return hashlib.sha256(before.encode() + canonical_json(body)).hexdigest()[: len(_START)]
