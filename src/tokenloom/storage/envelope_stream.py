"""Envelopes whose sections are larger than memory: written through, and read through, with the same bytes.

The table stands before the sections and says how long they are and what their checksums are, so a writer that learns
both on the way collects the sections in a file without a name, and copies them behind the table at the end. A reader
compares table and lengths before it gives out anything, and the checksum of a section at its end: what is made of a
section may get its final name only when the `with` block has ended without an error.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from tokenloom.errors import StorageError
from tokenloom.storage.atomic import atomic_write
from tokenloom.storage.envelope import EnvelopeReader, envelope_end, envelope_start, padding
from tokenloom.storage.paths import open_input

__all__ = ["SectionReader", "SectionWriter", "open_section", "read_header", "write_sections"]

_COPY_BYTES: Final = 1 << 20
_LARGEST_READ: Final = 8 << 20


class SectionWriter:
    """Takes the sections of an envelope one after the other; made by `write_sections`.

    `header` is what the table will hold, and may be set until the end.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.header: Mapping[str, Any] = {}
        self._file = file
        self._sections: list[tuple[str, int, Any]] = []

    def begin(self, name: str) -> None:
        """Begin a section, which ends where the next one begins."""
        self._sections.append((name, 0, hashlib.sha256()))

    def write(self, data: bytes) -> int:
        """Add bytes to the section that was begun last."""
        name, length, digest = self._sections[-1]
        self._file.write(data)
        digest.update(data)
        self._sections[-1] = (name, length + len(data), digest)
        return len(data)

    def rows(self) -> list[tuple[str, int, str]]:
        """Name, length and checksum of each section."""
        return [(name, length, digest.hexdigest()) for name, length, digest in self._sections]


@contextmanager
def write_sections(
    path: str | os.PathLike[str], *, kind: str, version: tuple[int, int] = (1, 0)
) -> Iterator[SectionWriter]:
    """Write an envelope atomically whose sections come in pieces; the bytes are those of `write_envelope`.

    The folder needs room for the sections twice. If the block raises, nothing is left.

    Args:
        path: the file, replaced if it exists.
        kind: what the file is.
        version: major and minor of this kind.
    Raises: StorageError if the folder cannot be written or is full.

    >>> path = Path(tempfile.mkdtemp()) / "demo.tloom"
    >>> with write_sections(path, kind="demo") as writer:
    ...     writer.begin("x")
    ...     _ = writer.write(b"ab"), writer.write(b"c")
    ...     writer.header = {"a": 1}
    >>> with open_section(path, kind="demo", name="x") as section:
    ...     section.header, section.read(2), section.read(2), section.read(2)
    ({'a': 1}, b'ab', b'c', b'')
    """
    target = Path(path)
    with atomic_write(target) as file, _nameless(target) as held:
        writer = SectionWriter(held)
        yield writer
        rows = writer.rows()
        start = envelope_start(kind=kind, version=version, header=writer.header, rows=rows)
        file.write(start)
        held.seek(0)
        n_bytes = len(start)
        for _, length, _ in rows:
            _copy(held, file, length)
            file.write(bytes(padding(length)))
            n_bytes += length + padding(length)
        file.write(envelope_end(n_bytes))


class SectionReader:
    """One section, read from front to back; made by `open_section`.

    Args:
        reader: stands at the start of the section.
        header: that of the envelope.
        name: of the section.
        length: its bytes.
        digest: its checksum.
    """

    def __init__(
        self, reader: EnvelopeReader, header: Mapping[str, Any], name: str, *, length: int, digest: str
    ) -> None:
        self.header = header
        self.n_bytes = length
        self._reader = reader
        self._place = f"section {name!r} at byte {reader.position}"
        self._n_left = length
        self._digest = digest
        self._hash = hashlib.sha256()
        self._is_checked = False

    def read(self, n_bytes: int) -> bytes:
        """The next bytes, at most `n_bytes`; none at the end. The last ones come when the checksum was compared."""
        data = self._reader.take(min(n_bytes, self._n_left, _LARGEST_READ))
        self._n_left -= len(data)
        self._hash.update(data)
        if not self._n_left and not self._is_checked:
            if self._hash.hexdigest() != self._digest:
                self._reader.refuse(self._place, "the checksum differs: it was changed")
            self._is_checked = True
        return data

    def check(self) -> None:
        """Read what is left, so that all of the section is compared with its checksum."""
        while self.read(_COPY_BYTES):
            pass


@contextmanager
def open_section(path: str | os.PathLike[str], *, kind: str, name: str, major: int = 1) -> Iterator[SectionReader]:
    """Open the one section of an envelope of a kind that has no other; what is left at the end of the block is checked.

    Args:
        path: a local file.
        kind: the kind that the file must be.
        name: of the section.
        major: the newest major version of this kind that the caller knows.
    Raises: CorpusError if the file is missing; FormatError if it is another kind, newer, cut, extended or changed: what
        can be told from the table at once, what cannot when the section is read to its end.
    """
    with open_input(path) as file:
        reader, header, rows = _beginning(file, path, kind, major)
        if not rows or rows[0][0] != name:
            reader.refuse("its table", f"its first section is not {name!r}")
        _, length, digest = rows[0]
        section = SectionReader(reader, header, name, length=length, digest=digest)
        yield section
        section.check()
        reader.pad(length)
        if len(rows) == 1:  # a later minor version may have added sections, which have checksums of their own
            reader.footer()


def read_header(path: str | os.PathLike[str], *, kind: str, major: int = 1) -> Mapping[str, Any]:
    """The header of an envelope, checked; no section is read. Raises: as `open_section`, for what the table tells."""
    with open_input(path) as file:
        return _beginning(file, path, kind, major)[1]


def _beginning(
    file: BinaryIO, path: str | os.PathLike[str], kind: str, major: int
) -> tuple[EnvelopeReader, Mapping[str, Any], list[tuple[str, int, str]]]:
    reader = EnvelopeReader(file, os.fstat(file.fileno()).st_size, str(Path(path)))
    _, header, rows = reader.beginning(kind, major)
    return reader, header, rows


@contextmanager
def _nameless(target: Path) -> Iterator[BinaryIO]:
    """A file beside `target` that is gone when it is closed, however the process ends."""
    try:
        file = tempfile.TemporaryFile(dir=target.parent)  # noqa: SIM115 - closed below
    except OSError as error:
        raise StorageError(
            f"{str(target)!r}: cannot be written ({error.strerror}). Check that its folder exists, may be written and "
            "has free space, or choose another one."
        ) from error
    with file:
        yield file


def _copy(source: BinaryIO, target: BinaryIO, n_bytes: int) -> None:
    while n_bytes:
        data = source.read(min(n_bytes, _COPY_BYTES))
        if not data:
            raise StorageError("a temporary file became shorter while it was read. Check the disk, and begin again.")
        target.write(data)
        n_bytes -= len(data)
