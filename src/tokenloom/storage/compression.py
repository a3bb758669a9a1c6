"""Compressed files: which compression a file has, and its decompressed bytes, never more of them than were asked for.

The decompressors of the standard library are driven directly instead of through `gzip.open` and its kin: those lose
what they had decompressed when a file turns out to be cut, pass over bytes that follow the compressed data, or turn an
error of the disk into one of the data. A file may hold several members, streams or frames, one behind the other.
"""

import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, BinaryIO, Final, Literal, Protocol

from tokenloom.errors import CorpusError, MissingExtraError
from tokenloom.storage.gzip_members import GzipMember, gzip_errors
from tokenloom.storage.paths import StorageOptions, open_input, shown

__all__ = [
    "COMPRESSION_SUFFIXES",
    "Compression",
    "DamagedDataError",
    "DecompressedFile",
    "check_support",
    "find_compression",
]

Compression = Literal["none", "gzip", "zstd", "xz", "bzip2"]

COMPRESSION_SUFFIXES: Final[dict[str, Compression]] = {".gz": "gzip", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2"}

_MAGIC: Final[dict[Compression, tuple[bytes, ...]]] = {
    "gzip": (b"\x1f\x8b\x08",),
    "zstd": (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + n, 0x2A, 0x4D, 0x18]) for n in range(16))),
    "xz": (b"\xfd7zXZ\x00",),
    "bzip2": tuple(b"BZh%d%b" % (n, mark) for n in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")),
}
"""How compressed data begins: zstd also with a skippable frame, bzip2 with a first block or an empty one."""

_FOREIGN_SUFFIXES: Final = {
    ".7z": "a 7-Zip archive",
    ".arrow": "an Arrow file",
    ".br": "compressed with Brotli",
    ".feather": "an Arrow file",
    ".lz": "compressed with lzip",
    ".lz4": "compressed with LZ4",
    ".lzma": "compressed with the old LZMA tool",
    ".parquet": "a Parquet file",
    ".rar": "a RAR archive",
    ".snappy": "compressed with Snappy",
    ".sz": "compressed with Snappy",
    ".tar": "a tar archive",
    ".tbz2": "a tar archive",
    ".tgz": "a tar archive",
    ".txz": "a tar archive",
    ".tzst": "a tar archive",
    ".z": "compressed with compress",
    ".zip": "a ZIP archive",
}

_FOREIGN_MAGIC: Final = {
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"LZIP\x01": "compressed with lzip",
    b"ARROW1": "an Arrow file",
    b"FEA1": "an Arrow file",
    b"PAR1": "a Parquet file",
    b"PARE": "a Parquet file",
    b"PK\x03\x04": "a ZIP archive",
    b"PK\x05\x06": "a ZIP archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\x04\x22\x4d\x18": "compressed with LZ4",
    b"\x1f\x9d": "compressed with compress",
    b"\xff\x06\x00\x00sNaPpY": "compressed with Snappy",
}

_TABLES: Final = {"a Parquet file": (".parquet", "parquet"), "an Arrow file": (".arrow", "arrow")}
"""What is read, but not as text; with its suffix and the name of its format."""

_PADDED: Final = {"gzip", "xz"}
"""Compressions behind whose data zero bytes may stand, which fill up the last block of a tape."""

_CHUNK_BYTES: Final = 128 << 10
"""Read from the disk at once; small, because each decompressor copies what it has not used yet."""

_XZ_MEMORY_BYTES: Final = 256 << 20
"""The most that `xz -9` needs is a quarter of this; a file made to ask for 4 GiB is refused. zstd has a limit too."""


class DamagedDataError(Exception):
    """Compressed data that cannot be read on; the message is the reason, for a reader who knows the file to word."""


def find_compression(
    path: str | os.PathLike[str],
    declared: Literal["auto", "none", "gzip", "zstd", "xz", "bzip2"] = "auto",
    *,
    storage_options: StorageOptions = None,
) -> Compression:
    """How a file is compressed: by its suffix, held against its first bytes.

    Args:
        path: the file.
        declared: a compression that the user named instead of the suffix; `"none"` takes the bytes as they are.
        storage_options: for a URL.
    Raises: CorpusError if the file cannot be opened or read, if suffix and content contradict each other, or for a
        compression that is not among those known.
    """
    if declared == "none":
        return "none"
    name = os.fspath(path)
    with open_input(path, storage_options) as file:
        try:
            head = file.read(16)
        except CorpusError:  # of a store, which names the URL
            raise
        except OSError as error:
            raise CorpusError(
                f"{shown(name)}: cannot be read ({error.strerror}). Check the disk, or copy the file elsewhere."
            ) from error
    if declared == "auto":
        _refuse_foreign(name, head)
        by_suffix = COMPRESSION_SUFFIXES.get(os.path.splitext(name)[1].lower(), "none")
    else:
        by_suffix = declared
    by_content = _compression_of(head)
    if by_suffix == "none" and by_content != "none":
        suffix = next(suffix for suffix, known in COMPRESSION_SUFFIXES.items() if known == by_content)
        raise CorpusError(
            f"{shown(name)}: holds {by_content} data, but its name does not end in {suffix!r}. Rename it, or name the "
            f"compression: {by_content!r}, or 'none' to take its bytes as they are."
        )
    if by_suffix != "none" and not _may_begin(head, by_suffix):
        raise CorpusError(
            f"{shown(name)}: holds no {by_suffix} data; it begins with {head[:6]!r}. Copy the file again, or name the "
            "compression 'none' if it is not compressed."
        )
    return by_suffix


def check_support(compression: Compression) -> None:
    """Make sure that this Python can decompress it. Raises: MissingExtraError saying what it lacks.

    >>> check_support("gzip")
    """
    if compression != "none":
        _decompressor(compression)


class DecompressedFile:
    r"""The decompressed bytes of an open file; `read` returns less than it is asked for at their end alone.

    Memory follows what `read` is asked for, however much a small file expands to.

    >>> import gzip, io
    >>> file = DecompressedFile(io.BytesIO(gzip.compress(b"the cat") + gzip.compress(b" in the hat")), "gzip")
    >>> file.read(9), file.read(100), file.read(100)
    (b'the cat i', b'n the hat', b'')
    """

    def __init__(self, file: BinaryIO, compression: Compression) -> None:
        self._file = file
        self._compression = compression
        self._new, self._data_error = _decompressor(compression)
        self._member: _Decompressor | None = None
        self._damage: DamagedDataError | None = None

    def read(self, n_bytes: int) -> bytes:
        """The next bytes. Raises: DamagedDataError, after all that stood before; OSError if the disk fails."""
        parts: list[bytes] = []
        while n_bytes and not self._damage:
            try:
                part = self._part(n_bytes)
            except DamagedDataError as error:
                self._damage = error
                break
            if not part:
                break
            parts.append(part)
            n_bytes -= len(part)
        if self._damage and not parts:
            raise self._damage
        return b"".join(parts)

    def _part(self, most: int) -> bytes:
        """Some bytes, at most so many; none at the end."""
        while True:
            data = b""
            if self._member is None or self._member.eof:
                data = self._next_member()
                if not data:
                    return b""
                self._member = self._new_member(data)
            elif self._member.needs_input:
                data = self._file.read(_CHUNK_BYTES)
            is_end = self._member.needs_input and not data
            part = self._decompress(self._member, data, most)  # without data it gives what it still holds
            if part:
                return part
            if is_end:
                raise DamagedDataError(f"the {self._compression} data ends early")

    def _next_member(self) -> bytes:
        """The first bytes of the first member, or of the one behind the last; none if there is none."""
        data = self._member.unused_data if self._member else b""
        while True:
            if self._member and self._compression in _PADDED:
                data = data.lstrip(b"\0")
            if len(data) >= _MOST_MAGIC_BYTES:
                break
            more = self._file.read(_CHUNK_BYTES)
            if not more:
                break
            data += more
        if self._member is None and not data:
            raise DamagedDataError(f"the file has no bytes, not even those of empty {self._compression} data")
        if data and not _may_begin(data, self._compression):
            place = "behind" if self._member else "in the place of"
            raise DamagedDataError(f"other bytes stand {place} its {self._compression} data")
        return data

    def _new_member(self, head: bytes) -> "_Decompressor":
        if self._compression == "gzip":
            return GzipMember(head, self._file if self._file.seekable() else None)
        return self._new()

    def _decompress(self, member: "_Decompressor", data: bytes, most: int) -> bytes:
        try:
            return member.decompress(data, most)
        except self._data_error as error:
            raise DamagedDataError(f"the {self._compression} data is damaged ({error})") from error


class _Decompressor(Protocol):
    """One member, stream or frame, as `bz2`, `lzma` and `zstd` have it."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


def _decompressor(
    compression: Compression,
) -> tuple[Callable[[], _Decompressor], type[Exception] | tuple[type[Exception], ...]]:
    """What makes the decompressor of one member, and what that raises for damaged data."""
    if compression == "gzip":
        return partial(GzipMember, b"", None), gzip_errors()
    if compression == "bzip2":
        return _built_in("bz2", compression).BZ2Decompressor, OSError
    if compression == "xz":
        lzma = _built_in("lzma", compression)
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY_BYTES), lzma.LZMAError
    if compression == "zstd":
        zstd = _zstd()
        return zstd.ZstdDecompressor, zstd.ZstdError
    raise ValueError(f"{compression!r}: is no compression. Open the file itself.")


def _built_in(module: str, compression: Compression) -> Any:
    """A module of the standard library that a Python compiled without its headers does not have."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"reading {compression} needs the module {module!r}, which this Python was built without. Use another "
            "build of Python, or compress the corpus as .gz."
        ) from error


def _zstd() -> Any:
    """The module of the standard library from Python 3.14 on, or the package that brings it to older ones."""
    for module in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(module)
        except ImportError:
            continue
    raise MissingExtraError("reading zstd needs backports.zstd. Install tokenloom with the 'zstd' extra.")


_MOST_MAGIC_BYTES: Final = max(len(magic) for known in _MAGIC.values() for magic in known)


def _may_begin(head: bytes, compression: Compression) -> bool:
    """Whether compressed data may begin so; `head` may be shorter than what tells."""
    return any(head.startswith(magic) or magic.startswith(head) for magic in _MAGIC[compression])


def _compression_of(head: bytes) -> Compression:
    return next((known for known, magic in _MAGIC.items() if head.startswith(magic)), "none")


def _refuse_foreign(name: str, head: bytes) -> None:
    """Refuse what nobody means as text: archives, and compressions that are not read here."""
    stem, suffix = os.path.splitext(name.lower())
    if suffix in COMPRESSION_SUFFIXES:
        suffix = ".tar" if stem.endswith(".tar") else ""
    what = _FOREIGN_SUFFIXES.get(suffix) or next(
        (what for magic, what in _FOREIGN_MAGIC.items() if head.startswith(magic)), None
    )
    if what in _TABLES:
        suffix, known = _TABLES[what]
        raise CorpusError(
            f"{shown(name)}: is {what}, not text. Use --format {known} and let its name end in {suffix!r}, or name the "
            "compression 'none' if it is text."
        )
    if what:
        raise CorpusError(
            f"{shown(name)}: is {what}, which is not read. Unpack it to text or JSONL, plain or compressed as .gz, "
            ".zst, .xz or .bz2, or name the compression 'none' if it is text."
        )
