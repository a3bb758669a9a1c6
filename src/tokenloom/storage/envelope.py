"""The one envelope that all binary files of tokenloom share.

    bytes     content
    8         magic: 89 'TLOOM' 0D 0A; the first byte is no text, the last two break if lines are translated
    2 + 2     major and minor version of this kind of file, uint16
    4         length of the table, uint32
    n         table: canonical JSON, ASCII:
              {"header":{...},"kind":"...","sections":[{"bytes":N,"name":"...","sha256":"..."},...]}
    32        SHA-256 of everything before it
    0..7      zeros up to a multiple of 8, before each section and before the footer
    N         first section, then its padding, and so on in the order of the table
    8         footer: length of the whole file, uint64
    8         footer: 'TLOOMEND'

Numbers are little-endian. Sections start at multiples of 8, so that a mapped array is aligned. Every byte is covered:
the beginning by its checksum, sections by theirs, padding and footer by comparison; a file cut, extended or changed
anywhere is refused. All lengths are compared with the size of the file before anything of that length is read.

A reader takes every minor version of the majors it knows (a minor may add to the header and add sections) and refuses a
newer major by name.
"""

import hashlib
import io
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Never

from tokenloom.errors import FormatError
from tokenloom.storage.atomic import atomic_write
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.storage.magic import MAGIC
from tokenloom.storage.paths import open_input
from tokenloom.wording import counted

if TYPE_CHECKING:
    from mmap import mmap

__all__ = [
    "Envelope",
    "EnvelopeReader",
    "decode_beginning",
    "decode_envelope",
    "encode_envelope",
    "envelope_end",
    "envelope_start",
    "padding",
    "read_envelope",
    "write_envelope",
]

END_MAGIC: Final = b"TLOOMEND"
_START: Final = struct.Struct("<8sHHI")
_FOOTER: Final = struct.Struct("<Q8s")
_DIGEST_BYTES: Final = 32
_ALIGNMENT: Final = 8
RESTORE: Final = "Restore the file from a copy, or write it again"


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a file of ours holds: its version, a small JSON header, and named sections of bytes."""

    version: tuple[int, int]
    header: Mapping[str, Any]
    sections: Mapping[str, bytes]


def encode_envelope(
    *, kind: str, version: tuple[int, int], header: Mapping[str, Any], sections: Sequence[tuple[str, bytes]]
) -> bytes:
    """The bytes of a file; equal arguments give equal bytes.

    >>> data = encode_envelope(kind="demo", version=(1, 0), header={"a": 1}, sections=[("x", b"abc")])
    >>> decode_envelope(data, source="demo.tloom", kind="demo")
    Envelope(version=(1, 0), header={'a': 1}, sections={'x': b'abc'})
    """
    rows = [(name, len(data), hashlib.sha256(data).hexdigest()) for name, data in sections]
    pieces = [envelope_start(kind=kind, version=version, header=header, rows=rows)]
    for _, data in sections:
        pieces += [data, bytes(padding(len(data)))]
    return b"".join([*pieces, envelope_end(sum(map(len, pieces)))])


def envelope_start(
    *, kind: str, version: tuple[int, int], header: Mapping[str, Any], rows: Sequence[tuple[str, int, str]]
) -> bytes:
    """What stands before the first section: `rows` are name, length and checksum of each."""
    sections = [{"name": name, "bytes": length, "sha256": digest} for name, length, digest in rows]
    table = canonical_json({"kind": kind, "header": header, "sections": sections})
    start = _START.pack(MAGIC, *version, len(table)) + table
    return start + hashlib.sha256(start).digest() + bytes(padding(len(start) + _DIGEST_BYTES))


def envelope_end(n_before: int) -> bytes:
    """What stands behind the last section and its padding, which end at `n_before`."""
    return _FOOTER.pack(n_before + _FOOTER.size, END_MAGIC)


def decode_envelope(data: bytes, *, source: str, kind: str, major: int = 1) -> Envelope:
    """Read a file that is already in memory; `source` names it in errors."""
    return EnvelopeReader(io.BytesIO(data), len(data), source).envelope(kind, major)


def decode_beginning(
    data: "mmap | bytes", *, source: str, kind: str, major: int = 1
) -> tuple[Mapping[str, Any], Mapping[str, tuple[int, int]]]:
    """The header of a file in memory, and start and length of each section, none of which is read.

    >>> data = encode_envelope(kind="demo", version=(1, 0), header={"a": 1}, sections=[("x", b"abc")])
    >>> header, places = decode_beginning(data, source="demo.tloom", kind="demo")
    >>> header, [data[start : start + length] for start, length in places.values()]
    ({'a': 1}, [b'abc'])
    """
    n_bytes = _START.size + int.from_bytes(data[_START.size - 4 : _START.size], "little") + _DIGEST_BYTES + _ALIGNMENT
    reader = EnvelopeReader(io.BytesIO(data[:n_bytes]), len(data), source)
    _, header, rows = reader.beginning(kind, major)
    places, position = {}, reader.position
    for name, length, _ in rows:
        places[name] = (position, length)
        position += length + padding(length)
    return header, places


def write_envelope(
    path: str | os.PathLike[str],
    *,
    kind: str,
    version: tuple[int, int] = (1, 0),
    header: Mapping[str, Any],
    sections: Sequence[tuple[str, bytes]],
) -> None:
    """Write a file atomically.

    Args:
        path: the file, replaced if it exists.
        kind: what the file is, such as "tokenizer"; a reader asks for it by name.
        version: major and minor of this kind; a new major is for what an old reader would misread.
        header: values that JSON can hold.
        sections: names, each once, and their bytes, in this order.
    """
    data = encode_envelope(kind=kind, version=version, header=header, sections=sections)
    with atomic_write(path) as file:
        file.write(data)


def read_envelope(path: str | os.PathLike[str], *, kind: str, major: int = 1) -> Envelope:
    """Read a file and verify every byte of it.

    Args:
        path: a local file.
        kind: the kind that the file must be.
        major: the newest major version of this kind that the caller knows.
    Raises: CorpusError if the file is missing; FormatError if it is another kind, newer, cut, extended or changed.
    """
    with open_input(path) as file:
        return EnvelopeReader(file, os.fstat(file.fileno()).st_size, str(Path(path))).envelope(kind, major)


class EnvelopeReader:
    """Takes an envelope apart from front to back, knowing the size of the file before it reads."""

    def __init__(self, file: BinaryIO, size: int, source: str) -> None:
        self.file = file
        self.size = size
        self.source = source
        self.position = 0

    def envelope(self, kind: str, major: int) -> Envelope:
        """All of the file."""
        version, header, rows = self.beginning(kind, major)
        sections = {name: self._section(name, length, digest) for name, length, digest in rows}
        self.footer()
        return Envelope(version, header, sections)

    def beginning(self, kind: str, major: int) -> tuple[tuple[int, int], dict[str, Any], list[tuple[str, int, str]]]:
        """Version, header, and name, length and checksum of each section; what follows is the first section."""
        version, start = self._start(kind, major)
        table = self._table(start, kind)
        rows = [(row["name"], row["bytes"], row["sha256"]) for row in table["sections"]]
        self._check_total(sum(length + padding(length) for _, length, _ in rows))
        self.pad(self.position)
        return version, table["header"], rows

    def _start(self, kind: str, major: int) -> tuple[tuple[int, int], bytes]:
        start = self.take(min(self.size, _START.size))
        if not start or start[: len(MAGIC)] != MAGIC[: len(start)]:
            what = "it is not a file of tokenloom" if start else "it is empty"
            self.refuse("byte 0", what, f"Name a {kind} file that tokenloom wrote")
        if len(start) < _START.size:
            self.refuse(f"byte {self.size}", "it ends in the middle of its beginning", RESTORE)
        _, found, minor, table_bytes = _START.unpack(start)
        if found > major:
            what = f"it has version {found}.{minor}, but this tokenloom reads {kind} files up to {major}.x"
            self.refuse("byte 8", what, "Upgrade tokenloom")
        if table_bytes > self.size - _START.size - _DIGEST_BYTES - _FOOTER.size:
            self.refuse("byte 12", f"it announces a table of {table_bytes} bytes and ends before that", RESTORE)
        return (found, minor), start + self.take(table_bytes)

    def _table(self, start: bytes, kind: str) -> dict[str, Any]:
        if self.take(_DIGEST_BYTES) != hashlib.sha256(start).digest():
            self.refuse("byte 0 to its table", "the checksum differs: it was changed or cut", RESTORE)
        try:
            table = parse_canonical(start[_START.size :])
        except ValueError as error:
            self.refuse(f"byte {_START.size}", f"its table is no canonical JSON ({error})", RESTORE)
        fault = _table_fault(table)
        if fault:
            self.refuse(f"byte {_START.size}", f"its table {fault}", RESTORE)
        if table["kind"] != kind:
            self.refuse("its table", f"it holds a {table['kind']!r}, not a {kind!r}", f"Name a {kind} file")
        return dict(table)

    def _check_total(self, sections_bytes: int) -> None:
        """Compare all announced lengths with the file at once, before any of them is used."""
        expected = self.position + padding(self.position) + sections_bytes + _FOOTER.size
        if expected != self.size:
            what = f"its table announces {counted(expected, 'byte')}, the file has {self.size:,}"
            self.refuse(f"byte {min(expected, self.size)}", what, RESTORE)

    def _section(self, name: str, length: int, digest: str) -> bytes:
        place = f"section {name!r} at byte {self.position}"
        data = self.take(length)
        if hashlib.sha256(data).hexdigest() != digest:
            self.refuse(place, "the checksum differs: it was changed", RESTORE)
        self.pad(length)
        return data

    def pad(self, length: int) -> None:
        """Pass over the padding behind so many bytes."""
        place = f"byte {self.position}"
        if any(self.take(padding(length))):
            self.refuse(place, "its padding is not zero: it was changed", RESTORE)

    def footer(self) -> None:
        """Read the end of the file."""
        place = f"byte {self.position}"
        if _FOOTER.unpack(self.take(_FOOTER.size)) != (self.size, END_MAGIC):
            self.refuse(place, "its footer is not that of a complete file", RESTORE)

    def take(self, length: int) -> bytes:
        """The next bytes, all of them."""
        data = self.file.read(length)
        self.position += len(data)
        if len(data) < length:
            self.refuse(f"byte {self.position}", "it became shorter while it was read", RESTORE)
        return data

    def refuse(self, place: str, what: str, remedy: str = RESTORE) -> Never:
        """Say what is wrong with the file, and where."""
        raise FormatError(f"{self.source!r}, {place}: {what}. {remedy}.")


def padding(length: int) -> int:
    """The zeros behind so many bytes."""
    return -length % _ALIGNMENT


def _table_fault(table: Any) -> str | None:
    """What keeps a table from being one; the checksum has passed, so only a hostile writer gets here."""
    if not isinstance(table, dict) or not {"kind", "header", "sections"} <= table.keys():
        return "lacks kind, header or sections"
    if not isinstance(table["header"], dict) or not isinstance(table["sections"], list):
        return "has a header or sections of the wrong type"
    for row in table["sections"]:
        if not isinstance(row, dict) or not {"name", "bytes", "sha256"} <= row.keys():
            return f"has a section {row!r} without name, bytes or sha256"
        if not isinstance(row["name"], str) or type(row["bytes"]) is not int or row["bytes"] < 0:
            return f"has a section {row!r} with an impossible name or length"
    names = [row["name"] for row in table["sections"]]
    return "names a section twice" if len(set(names)) < len(names) else None
