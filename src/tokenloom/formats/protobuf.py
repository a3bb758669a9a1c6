r"""The wire format of Protocol Buffers: fields of a message, each a number, a kind and a value.

    0a 03 61 62 63      field 1, bytes of length 3: b"abc"
    15 00 00 80 bf      field 2, four bytes: -1.0 as a float
    18 06               field 3, a number: 6

It is written here because one message of one format is all that is needed: the `protobuf` package would be a dependency
for each user of a tokenizer, its readers accept what is unknown without a word, and they name no place in a file. Here
every length is checked before anything is taken, nothing is nested deeper than the reader asks for, and each value
knows its first byte, so that errors can name it. What a field means, and what is unknown, is for the caller to say.
Source: "Encoding" of the Protocol Buffers documentation.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Final, Never

from tokenloom.errors import FormatError
from tokenloom.wording import quoted

__all__ = ["Field", "Message", "bytes_field", "float_field", "number_field", "read_message"]

_VARINT: Final = 0
_FIXED64: Final = 1
_BYTES: Final = 2
_FIXED32: Final = 5
_KINDS: Final = {_VARINT: "a number", _FIXED64: "eight bytes", _BYTES: "bytes with a length", _FIXED32: "four bytes"}
_MOST_VARINT_BYTES: Final = 10
_MOST_NUMBER: Final = 2**64
_MOST_FIELD: Final = 2**29 - 1
_RESTORE: Final = "Restore the file"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message: where it begins in the file, its number, its kind on the wire and its value."""

    message: "Message"
    at: int
    number: int
    kind: int
    value: int | bytes
    value_at: int

    def fault(self, what: str, remedy: str = _RESTORE) -> FormatError:
        """An error that names the file and the byte where the field begins."""
        return FormatError(f"{self.message.place}, byte {self.at}: {self.message.name} {what}. {remedy}.")

    def whole_number(self) -> int:
        """The value of a field that holds a number, without a sign."""
        if not isinstance(self.value, int):
            self._refuse_kind("a number")
        return self.value

    def flag(self) -> bool:
        """The value of a field that holds 0 or 1."""
        number = self.whole_number()
        if number > 1:
            raise self.fault(f"has {number} in field {self.number}, which is true or false", "Use 0 or 1")
        return bool(number)

    def data(self) -> bytes:
        """The value of a field that holds bytes."""
        if self.kind != _BYTES or not isinstance(self.value, bytes):
            self._refuse_kind("bytes")
        return self.value

    def text(self) -> str:
        """The value of a field that holds UTF-8."""
        data = self.data()
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            place = self.value_at + error.start
            raise self.fault(f"has text in field {self.number} that is not UTF-8 at byte {place}") from None

    def score(self) -> float:
        """The value of a field that holds a finite float of four bytes."""
        if self.kind != _FIXED32 or not isinstance(self.value, bytes):
            self._refuse_kind("a float of four bytes")
        (number,) = struct.unpack("<f", self.value)
        if not isfinite(number):
            raise self.fault(f"has {number} in field {self.number}", "Use a finite number")
        return float(number)

    def fields(self, name: str) -> Iterator["Field"]:
        """The fields of the message in this field, which errors call `name`."""
        return iter(Message(self.data(), self.message.place, name, self.value_at))

    def _refuse_kind(self, wanted: str) -> Never:
        raise self.fault(f"has {_KINDS[self.kind]} in field {self.number}, which holds {wanted}")


@dataclass(frozen=True, slots=True)
class Message:
    """The fields of a message, read one by one.

    Args:
        data: the message.
        place: names the file in errors.
        name: what errors call the message.
        start: the place of its first byte in the file.
    """

    data: bytes
    place: str
    name: str
    start: int = 0

    def __iter__(self) -> Iterator[Field]:
        at = 0
        while at < len(self.data):
            first = at
            key, at = self._varint(at, first)
            number, kind = key >> 3, key & 7
            if kind not in _KINDS or not 0 < number <= _MOST_FIELD:
                self._refuse(first, f"has a field of number {number} and kind {kind}, which there is not")
            value: int | bytes
            if kind == _VARINT:
                start = at
                value, at = self._varint(at, first)
            else:
                length, start = self._length(kind, at, first)
                at = start + length
                if at > len(self.data):
                    left = len(self.data) - start
                    self._refuse(first, f"has {length} bytes in field {number}, and {left} are left")
                value = self.data[start:at]
            yield Field(self, self.start + first, number, kind, value, self.start + start)

    def _length(self, kind: int, at: int, first: int) -> tuple[int, int]:
        if kind == _BYTES:
            return self._varint(at, first)
        return 8 if kind == _FIXED64 else 4, at

    def _varint(self, at: int, first: int) -> tuple[int, int]:
        value = 0
        data = self.data[at : at + _MOST_VARINT_BYTES]
        for shift, byte in enumerate(data):
            value |= (byte & 0x7F) << (7 * shift)
            if byte < 0x80 and value < _MOST_NUMBER:
                return value, at + shift + 1
            if byte < 0x80:
                break
        is_cut = len(data) < _MOST_VARINT_BYTES and value < _MOST_NUMBER
        what = "ends within a number, so the file was probably cut" if is_cut else "has a number of more than 64 bits"
        raise self._fault(first, what)

    def _refuse(self, at: int, what: str) -> Never:
        raise self._fault(at, what)

    def _fault(self, at: int, what: str) -> FormatError:
        return FormatError(f"{self.place}, byte {self.start + at}: {self.name} {what}. {_RESTORE}.")


def read_message(data: bytes, *, place: str, name: str, start: int = 0) -> Iterator[Field]:
    r"""The fields of a message in a file, one by one.

    Args:
        data: the message.
        place: names the file in errors.
        name: what errors call the message.
        start: the place of its first byte in the file.
    Raises: FormatError naming the byte, as the fields are read.

    >>> [(field.number, field.value) for field in read_message(b"\x0a\x02hi\x18\x06", place="x", name="the file")]
    [(1, b'hi'), (3, 6)]
    """
    return iter(Message(data, place, name, start))


def number_field(number: int, value: int) -> bytes:
    r"""A field that holds a number; a negative one as 64 bits.

    >>> number_field(3, 300)
    b'\x18\xac\x02'
    """
    return _varint(number << 3 | _VARINT) + _varint(value % _MOST_NUMBER)


def bytes_field(number: int, value: bytes) -> bytes:
    r"""A field that holds bytes, text or a message.

    >>> bytes_field(1, b"hi")
    b'\n\x02hi'
    """
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def float_field(number: int, value: float) -> bytes:
    """A field that holds a float of four bytes. Raises: FormatError for a number that it cannot hold exactly."""
    try:
        data = struct.pack("<f", value)
    except OverflowError:
        data = b""
    if not data or struct.unpack("<f", data)[0] != value:
        raise FormatError(
            f"field {number}: {quoted(value)} is no float of four bytes. Round it, or use another format."
        )
    return _varint(number << 3 | _FIXED32) + data


def _varint(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
