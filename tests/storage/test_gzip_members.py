import gzip
import io
import struct
import sys
import zlib
from random import Random
from typing import Any, Final

import pytest

from tokenloom.storage.compression import DamagedDataError, DecompressedFile

pytest.importorskip("isal", reason="isal is not installed")

TEXT: Final = b"the cat in the hat\r\n" * 40 + Random(0).randbytes(60) + b"sat" * 300


def read(data: bytes, *, n_bytes: int, is_seekable: bool = True) -> tuple[bytes, str]:
    """All that comes out before the end or the damage, and the damage."""

    class Stream(io.BytesIO):
        def seekable(self) -> bool:
            return is_seekable

    file, parts = DecompressedFile(Stream(data), "gzip"), []
    try:
        while part := file.read(n_bytes):
            parts.append(part)
    except DamagedDataError as error:
        return b"".join(parts), str(error)
    return b"".join(parts), ""


def by_zlib(data: bytes) -> tuple[bytes, bool]:
    """The definition: one member, byte for byte out of `zlib`, and whether it is sound."""
    inflater, text = zlib.decompressobj(wbits=31), b""
    try:
        while not inflater.eof:
            part = inflater.decompress(data, 1)
            data = inflater.unconsumed_tail
            if not part and not data:
                return text, inflater.eof
            text += part
    except zlib.error:
        return text, False
    return text, True


@pytest.mark.parametrize("level", [0, 1, 9])
def test_a_changed_byte_gives_the_answer_of_zlib_with_and_without_igzip(
    level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = gzip.compress(TEXT, compresslevel=level, mtime=0)
    random = Random(level)
    for place in [*range(12), *random.sample(range(12, len(data) - 8), 60), *range(len(data) - 8, len(data))]:
        changed = bytearray(data)
        changed[place] ^= 1 << random.randrange(8)
        fast = [read(bytes(changed), n_bytes=n_bytes) for n_bytes in (7, 100, 100_000)]
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "isal.isal_zlib", None)
            assert [read(bytes(changed), n_bytes=n_bytes) for n_bytes in (7, 100, 100_000)] == fast
        assert len(set(fast)) == 1  # not even where the damage is found depends on how much is read at once
        if place > 2 and "other bytes" not in fast[0][1]:
            assert (fast[0][0], fast[0][1] == "") == by_zlib(bytes(changed))


def test_igzip_is_used_where_the_file_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class UnusedError(Exception):
        pass

    class Module:
        error = UnusedError

        @staticmethod
        def decompressobj(wbits: int) -> Any:
            raise UnusedError

    monkeypatch.setitem(sys.modules, "isal.isal_zlib", Module)
    data = gzip.compress(TEXT)
    with pytest.raises(UnusedError):
        read(data, n_bytes=100)
    assert read(data, n_bytes=100, is_seekable=False) == (TEXT, "")


def member(flags: int, extra: bytes = b"") -> bytes:
    raw = zlib.compressobj(wbits=-15)
    head = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff"
    return head + extra + raw.compress(TEXT) + raw.flush() + struct.pack("<II", zlib.crc32(TEXT), len(TEXT))


@pytest.mark.parametrize(
    ("flags", "extra", "is_sound"),
    [
        (1, b"", True),
        (2, struct.pack("<H", zlib.crc32(b"\x1f\x8b\x08\x02\0\0\0\0\0\xff") & 0xFFFF), True),
        (2, b"\0\0", False),
        (4, b"\x03\0abc", True),
        (8 + 16, b"name\0comment\0", True),
        (32, b"", False),
        (64, b"", False),
        (128, b"", False),
    ],
)
def test_heads_are_read_as_zlib_reads_them(flags: int, extra: bytes, is_sound: bool) -> None:
    text, damage = read(member(flags, extra), n_bytes=100)
    assert (text, damage == "") == ((TEXT, True) if is_sound else (b"", False))


def test_damage_in_the_second_member_is_read_again_from_there() -> None:
    whole = gzip.compress(TEXT, compresslevel=0, mtime=0)
    changed = bytearray(whole)
    changed[-1] ^= 1
    text, damage = read(whole * 3 + bytes(changed) + whole, n_bytes=1000)
    assert text == (TEXT * 4)[:-1]  # the last call compares the length as well
    assert damage == "the gzip data is damaged (Error -3 while decompressing data: incorrect length check)"


def test_damage_behind_much_text_is_found_at_its_byte() -> None:
    random = Random(3)
    text = random.randbytes(1 << 20)
    data = bytearray(gzip.compress(text, compresslevel=0))
    data[-8] ^= 1
    found, damage = read(bytes(data), n_bytes=1 << 18)
    assert found == text[:-1]  # the last call compares the checksum as well
    assert "incorrect data check" in damage


def test_file_that_is_cut_while_it_is_read_is_an_error() -> None:
    class Shrinking(io.BytesIO):
        def seek(self, place: int, whence: int = 0, /) -> int:
            self.truncate(1000)
            return super().seek(place, whence)

    data = bytearray(gzip.compress(Random(3).randbytes(1 << 20), compresslevel=0))
    data[-8] ^= 1
    file = DecompressedFile(Shrinking(data), "gzip")
    with pytest.raises(DamagedDataError, match="ends"):
        list(iter(lambda: file.read(1 << 18), b""))
