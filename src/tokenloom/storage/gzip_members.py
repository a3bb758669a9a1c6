"""Members of gzip files: by igzip where it is installed, which is twice as fast, and with the answers of `zlib`.

What igzip refuses, `zlib` decides: the member is read again from its beginning, as far as it was given out, and from
there on as `zlib` takes it. That is also done for damage that `zlib` has found itself, because a call that fails loses
what it had decompressed: read again in ever smaller steps, the same text before the damage comes out, whichever of the
two is installed and however much a reader asks for at once. (It is all of it, but for the one byte that stands before a
checksum which does not fit: `zlib` compares that with the call that gives the byte.)
"""

import zlib
from importlib import import_module
from typing import Any, BinaryIO, Final

__all__ = ["GzipMember", "gzip_errors"]

_FORMAT: Final = 16 + zlib.MAX_WBITS
"""Of `zlib`: one gzip member, its head read and its checksum and length compared."""
_RESERVED_FLAGS: Final = 0xE0
"""Bits of the head which `zlib` refuses and igzip passes over."""
_CHUNK_BYTES: Final = 128 << 10


class GzipMember:
    """One member, with the interface of a decompressor of `bz2`: `zlib` keeps unread input in another way than those.

    Args:
        head: the first bytes of it, which are passed to `decompress` as well.
        file: what it was read from; the reader stands behind the head. None if it cannot be read again.
    """

    def __init__(self, head: bytes, file: BinaryIO | None) -> None:
        self._file = file
        self._begin = file.tell() - len(head) if file else 0
        self._n_given = 0
        self._is_careful = file is None
        fast = None if file is None or (head[3:4] or b"\xff")[0] & _RESERVED_FLAGS else _igzip()
        self._inflater: Any = (fast or zlib).decompressobj(wbits=_FORMAT)

    @property
    def eof(self) -> bool:
        """Whether the member is over."""
        return bool(self._inflater.eof)

    @property
    def needs_input(self) -> bool:
        """Whether nothing of the data so far is left to decompress."""
        return not self._inflater.eof and not self._inflater.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        """What stands behind the member."""
        return bytes(self._inflater.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Some bytes, at most so many. Raises: zlib.error, after all that stands before the damage."""
        tail = self._inflater.unconsumed_tail
        data = tail + data if tail else data
        try:
            if self._is_careful and self._file:
                part = self._in_steps(data, max_length)
            else:
                part = bytes(self._inflater.decompress(data, max_length))
        except gzip_errors():
            if self._is_careful or self._file is None:
                raise
            self._read_again()
            return self.decompress(b"", max_length)
        self._n_given += len(part)
        return part

    def _read_again(self) -> None:
        """Go back to where the last call began, by `zlib`."""
        assert self._file
        self._is_careful = True
        self._inflater = zlib.decompressobj(wbits=_FORMAT)
        self._file.seek(self._begin)
        n_left, data = self._n_given, b""
        while n_left:
            data = data or self._file.read(_CHUNK_BYTES)
            part = self._inflater.decompress(data, min(n_left, _CHUNK_BYTES))
            if not data and not part:  # the file was cut meanwhile, which its reader sees next
                return
            n_left -= len(part)
            data = self._inflater.unconsumed_tail

    def _in_steps(self, data: bytes, max_length: int) -> bytes:
        """As much as goes; a step that fails is taken back and halved."""
        while True:
            before = self._inflater.copy()
            try:
                return bytes(self._inflater.decompress(data, max_length))
            except zlib.error:
                if max_length == 1:
                    raise
                self._inflater, max_length = before, max_length // 2


def gzip_errors() -> tuple[type[Exception], ...]:
    """What is raised for damaged data."""
    fast = _igzip()
    return (fast.error, zlib.error) if fast else (zlib.error,)


def _igzip() -> Any:
    """The module of igzip, or None."""
    try:
        return import_module("isal.isal_zlib")
    except ImportError:
        return None
