"""The text of a benchmark: where it comes from and how it is cut."""

import hashlib
import io
import platform
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = [
    "MEBIBYTE",
    "MEGABYTE",
    "Corpus",
    "document_lengths",
    "documents",
    "facts",
    "read_corpus",
    "stripped_lines",
    "take",
]

MEGABYTE: Final = 1_000_000
MEBIBYTE: Final = 2**20

_NOT_SOURCE: Final = {"test", "tests", "idle_test", "site-packages", "dist-packages"}


@dataclass(frozen=True, slots=True)
class Corpus:
    """A text in UTF-8 and the name under which results speak of it."""

    name: str
    data: bytes


def read_corpus(path: Path | None) -> Corpus:
    """A text file, or without one the Python files of the standard library, which every reader has too.

    Raises: ValueError if the file is not UTF-8, OSError if it cannot be read.
    """
    if path is None:
        return _standard_library()
    data = path.read_bytes()
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}: byte {error.start} is not UTF-8 ({error.reason}). The peers read only UTF-8; convert the file."
        ) from error
    return Corpus(path.name, data)


def facts(data: bytes) -> dict[str, Any]:
    """What identifies a text in the results."""
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def take(data: bytes, n_bytes: int) -> bytes:
    """The beginning of a text: at most n_bytes, cut after a line.

    Raises: ValueError if there is no line end to cut at.
    """
    if len(data) <= n_bytes:
        return data
    end = data.rfind(b"\n", 0, n_bytes) + 1
    if end == 0:
        raise ValueError(f"the corpus has no line end in {n_bytes} bytes. Use a text with lines.")
    return data[:end]


def stripped_lines(data: bytes, n_bytes: int) -> bytes:
    """Lines without blanks at their ends and without blank lines, up to n_bytes.

    Some trainers read line by line, others see the whole file, where blanks may run on over a line end. In text like
    this no run does, so both cut the same pretokens and their merges can be compared.
    """
    lines: list[bytes] = []
    size = 0
    for raw in io.BytesIO(data):
        line = raw.decode().strip().encode()
        if line:
            size += len(line) + 1
            if size > n_bytes:
                break
            lines.append(line + b"\n")
    return b"".join(lines)


def document_lengths(data: bytes, *, least_bytes: int) -> list[int]:
    """The lengths of documents that make up a text: each goes on to the first blank line after least_bytes."""
    lengths: list[int] = []
    start = 0
    while start < len(data):
        blank_line = data.find(b"\n\n", start + least_bytes)
        end = len(data) if blank_line < 0 else blank_line + 2
        lengths.append(end - start)
        start = end
    return lengths


def documents(data: bytes, *, least_bytes: int) -> list[bytes]:
    """The documents that `document_lengths` finds."""
    found, start = [], 0
    for length in document_lengths(data, least_bytes=least_bytes):
        found.append(data[start : start + length])
        start += length
    return found


def _standard_library() -> Corpus:
    root = Path(sysconfig.get_path("stdlib"))
    paths = sorted(path.relative_to(root) for path in root.rglob("*.py"))
    sources = [(root / path).read_bytes() for path in paths if not _NOT_SOURCE.intersection(path.parts)]
    return Corpus(
        f"standard library of Python {platform.python_version()}", b"\n".join([x for x in sources if _is_utf8(x)])
    )


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
