"""Numbers and byte strings packed into `bytes`, without numpy.

Large parts of a spec cross to the core, to files and to numpy without conversion: numbers are little-endian uint32,
scores float64, byte strings lie joined in one *arena* with an array of offsets (the string `i` is
`arena[offsets[i]:offsets[i + 1]]`).
"""

import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import TypeVar

__all__ = [
    "FLOAT64_BYTES",
    "UINT32_BYTES",
    "first_fall",
    "highest",
    "is_utf8",
    "pack_arena",
    "pack_float64",
    "pack_uint32",
    "unpack_arena",
    "unpack_float64",
    "unpack_uint32",
]

UINT32_BYTES = 4
FLOAT64_BYTES = 8
_N = TypeVar("_N", int, float)
_TYPECODE = next(code for code in "IL" if array(code).itemsize == UINT32_BYTES)


def pack_uint32(values: Iterable[int]) -> bytes:
    r"""Numbers as little-endian uint32.

    Raises: OverflowError for a number outside [0, 2**32).

    >>> pack_uint32([1, 258])
    b'\x01\x00\x00\x00\x02\x01\x00\x00'
    """
    return _little_endian(array(_TYPECODE, values)).tobytes()


def unpack_uint32(data: bytes) -> "array[int]":
    """The inverse of `pack_uint32`; the length of `data` must be a multiple of 4.

    >>> unpack_uint32(pack_uint32([1, 258])).tolist()
    [1, 258]
    """
    values = array(_TYPECODE)
    values.frombytes(data)
    return _little_endian(values)


def pack_float64(values: Iterable[float]) -> bytes:
    r"""Numbers as little-endian float64.

    >>> pack_float64([1.0])
    b'\x00\x00\x00\x00\x00\x00\xf0?'
    """
    return _little_endian(array("d", values)).tobytes()


def unpack_float64(data: bytes) -> "array[float]":
    """The inverse of `pack_float64`; the length of `data` must be a multiple of 8.

    >>> unpack_float64(pack_float64([1.0, -0.5])).tolist()
    [1.0, -0.5]
    """
    values = array("d")
    values.frombytes(data)
    return _little_endian(values)


def pack_arena(strings: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Join byte strings into one arena and its packed offsets, one more than there are strings.

    >>> arena, offsets = pack_arena([b"a", b"", b"bc"])
    >>> arena, unpack_uint32(offsets).tolist()
    (b'abc', [0, 1, 1, 3])
    """
    return b"".join(strings), pack_uint32(accumulate(map(len, strings), initial=0))


def unpack_arena(arena: bytes, offsets: bytes) -> list[bytes]:
    """The inverse of `pack_arena`.

    >>> unpack_arena(*pack_arena([b"a", b"", b"bc"]))
    [b'a', b'', b'bc']
    """
    ends = unpack_uint32(offsets)
    return [arena[start:end] for start, end in pairwise(ends)]


def first_fall(packed: bytes) -> int | None:
    """The place of the first number that is more than the next one; None if they never fall.

    >>> first_fall(pack_uint32([1, 1, 3, 2]))
    2
    """
    from tokenloom import _core  # a loop here would take longer than all else that a spec checks

    return _core.first_fall(packed)


def highest(packed: bytes) -> int:
    """The highest number; 0 if there are none.

    >>> highest(pack_uint32([1, 3, 2]))
    3
    """
    from tokenloom import _core

    return _core.highest(packed)


def is_utf8(data: bytes) -> bool:
    r"""Whether bytes are UTF-8: as decoding them says, in a tenth of the time.

    >>> is_utf8("é".encode()), is_utf8(b"\xe9")
    (True, False)
    """
    from tokenloom import _core

    return _core.is_utf8(data)


def _little_endian(values: "array[_N]") -> "array[_N]":
    if sys.byteorder == "big":
        values.byteswap()
    return values
