"""Text and bytes: UTF-8 written and read by hand, its faults by name, and why text is decoded once, at the end.

A token is bytes. A character outside ASCII takes two to four of them, so a token may hold half a character, and
the only safe moment to turn bytes into text is after all tokens have been joined.

Source: RFC 3629, "UTF-8, a transformation format of ISO 10646"; the Unicode Standard, section 3.9.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

FaultKind = Literal[
    "continuation without lead", "impossible byte", "truncated", "overlong", "surrogate", "above U+10FFFF"
]

# The smallest code point that needs so many bytes; writing a smaller one with that many is "overlong".
SMALLEST_CODE_POINT = {1: 0x0, 2: 0x80, 3: 0x800, 4: 0x10000}


class Fault(NamedTuple):
    """A place where bytes are not UTF-8: `n_bytes` bytes from `byte_position` on, and why."""

    byte_position: int
    n_bytes: int
    kind: FaultKind


def encode_utf8(text: str) -> bytes:
    """Write text as UTF-8, from the bits of each code point.

    Raises: ValueError for a lone surrogate: half of a UTF-16 pair is no character and has no UTF-8 form.

    >>> bit_pattern(encode_utf8("é"))   # U+00E9, 8 bits: two bytes
    '11000011 10101001'
    >>> bit_pattern(encode_utf8("€"))   # U+20AC, 14 bits: three bytes
    '11100010 10000010 10101100'
    >>> bit_pattern(encode_utf8("𝄞"))   # U+1D11E, 17 bits: four bytes
    '11110000 10011101 10000100 10011110'
    """
    encoded = bytearray()
    for char_position, character in enumerate(text):
        if "\ud800" <= character <= "\udfff":
            raise ValueError(
                f"character {char_position} of the text is the lone surrogate {character!r}, which has no UTF-8 form. "
                "Remove it, or replace it with '\\ufffd'."
            )
        encoded += encode_code_point(ord(character))
    return bytes(encoded)


def encode_code_point(code_point: int) -> bytes:
    """The UTF-8 bytes of one code point: the lead byte tells how many follow, each other byte begins with 10.

    Bits of the code point fill the x from the right:

        U+0000  .. U+007F     0xxxxxxx
        U+0080  .. U+07FF     110xxxxx 10xxxxxx
        U+0800  .. U+FFFF     1110xxxx 10xxxxxx 10xxxxxx
        U+10000 .. U+10FFFF   11110xxx 10xxxxxx 10xxxxxx 10xxxxxx

    >>> encode_code_point(0x4F60).decode()
    '你'
    """
    if code_point < 0x80:
        return bytes([code_point])
    if code_point < 0x800:
        return bytes([0b11000000 | code_point >> 6, _continuation(code_point)])
    if code_point < 0x10000:
        return bytes([0b11100000 | code_point >> 12, _continuation(code_point >> 6), _continuation(code_point)])
    return bytes(
        [
            0b11110000 | code_point >> 18,
            _continuation(code_point >> 12),
            _continuation(code_point >> 6),
            _continuation(code_point),
        ]
    )


def _continuation(bits: int) -> int:
    return 0b10000000 | bits & 0b00111111


def read_character(data: bytes, byte_position: int) -> str | Fault:
    r"""Read the character that begins at a byte, or say what is wrong there.

    The lead byte promises a length; the continuation bytes that really follow are read. What is read so far bounds
    the code point from both sides, whether or not the character is complete, so one test serves both: `ed a0` is
    a surrogate already, whatever byte comes next, while `e4 bd` may still become a character.

    >>> read_character(b"\xe4\xbd\xa0", 0)
    '你'
    >>> read_character(b"\xe4\xbd", 0)
    Fault(byte_position=0, n_bytes=2, kind='truncated')
    """
    lead = data[byte_position]
    if lead < 0b10000000:
        return chr(lead)
    if lead < 0b11000000:
        return Fault(byte_position, 1, "continuation without lead")
    if lead > 0b11110111:
        return Fault(byte_position, 1, "impossible byte")
    promised_bytes = 2 if lead < 0b11100000 else 3 if lead < 0b11110000 else 4
    bits, end = lead & (0b01111111 >> promised_bytes), byte_position + 1
    while end < min(byte_position + promised_bytes, len(data)) and data[end] & 0b11000000 == 0b10000000:
        bits, end = bits << 6 | (data[end] & 0b00111111), end + 1
    missing_bits = 6 * (byte_position + promised_bytes - end)
    lowest, highest = bits << missing_bits, ((bits + 1) << missing_bits) - 1
    kind = _fault_of_range(lowest, highest, promised_bytes) or ("truncated" if missing_bits else None)
    return chr(lowest) if kind is None else Fault(byte_position, end - byte_position, kind)


def _fault_of_range(lowest: int, highest: int, n_bytes: int) -> FaultKind | None:
    """Why no code point from lowest to highest may be written with so many bytes; None if one may."""
    if highest < SMALLEST_CODE_POINT[n_bytes]:
        return "overlong"  # one character, two spellings: a filter that looks for b"/" would miss b"\xc0\xaf"
    if lowest >= 0xD800 and highest <= 0xDFFF:
        return "surrogate"
    if lowest > 0x10FFFF:
        return "above U+10FFFF"
    return None


def read_utf8(data: bytes) -> list[str | Fault]:
    r"""Every character and every fault of the data, in order.

    A byte that is part of no character is part of exactly one fault, so nothing is lost.

    >>> read_utf8(b"a\xc3(")
    ['a', Fault(byte_position=1, n_bytes=1, kind='truncated'), '(']
    """
    parts: list[str | Fault] = []
    byte_position = 0
    while byte_position < len(data):
        part = read_character(data, byte_position)
        parts.append(part)
        byte_position += part.n_bytes if isinstance(part, Fault) else len(encode_code_point(ord(part)))
    return parts


def utf8_faults(data: bytes) -> list[Fault]:
    r"""The faults of the data in order; empty if it is valid UTF-8.

    >>> [(fault.byte_position, fault.kind) for fault in utf8_faults(b"ok \x80 \xc0\xaf \xed\xa0\x80")]
    [(3, 'continuation without lead'), (5, 'overlong'), (8, 'surrogate')]
    """
    return [part for part in read_utf8(data) if isinstance(part, Fault)]


def decode_utf8(data: bytes, *, errors: Literal["strict", "replace"] = "strict") -> str:
    r"""Read UTF-8; equal to `data.decode("utf-8", errors)`.

    Under "replace" a truncated character becomes one U+FFFD; of any other fault each byte becomes one, because no
    beginning of it could have been completed (the Unicode Standard's "substitution of maximal subparts").

    Raises: ValueError at the first fault when errors is "strict".

    >>> decode_utf8(b"\xe4\xbd\xa0\xe5\xa5", errors="replace")
    '你�'
    """
    characters = []
    for part in read_utf8(data):
        if isinstance(part, str):
            characters.append(part)
        elif errors == "replace":
            characters.append("\ufffd" * (1 if part.kind == "truncated" else part.n_bytes))
        else:
            found = data[part.byte_position : part.byte_position + part.n_bytes]
            raise ValueError(
                f"{found!r} at byte {part.byte_position} is not UTF-8 ({part.kind}). "
                "Mend the data, or pass errors='replace' to read it as U+FFFD."
            )
    return "".join(characters)


def decode_byte_by_byte(data: bytes) -> str:
    """The trap: decode each byte (or each token) by itself. Right for ASCII only, and so it passes a careless test.

    >>> decode_byte_by_byte(b"hello")
    'hello'
    >>> decode_byte_by_byte("你".encode())
    Traceback (most recent call last):
    UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe4 in position 0: unexpected end of data
    """
    return "".join(bytes([byte]).decode("utf-8") for byte in data)


def decode_tokens(tokens: Iterable[bytes]) -> str:
    r"""The right way: join all tokens, then decode once; what is truly not UTF-8 becomes U+FFFD.

    >>> decode_tokens([b"\xe4\xbd", b"\xa0"])        # two halves of one character
    '你'
    >>> decode_tokens([b"\xc3\x28", b"\xe4\xbd"])   # a lead byte without its second; a character cut short
    '�(�'
    """
    return b"".join(tokens).decode("utf-8", errors="replace")


def normal_forms(text: str) -> dict[str, bytes]:
    r"""The UTF-8 bytes of the text under each Unicode normalization: what looks equal need not be equal bytes.

    NFC composes, NFD takes apart, NFKC also replaces compatibility characters, which cannot be undone. Byte-level
    tokenizers in GPT-2's manner apply none of them, so that decoding gives back the very text.

    >>> normal_forms("é") == normal_forms("e\u0301")
    True
    >>> normal_forms("é")["NFC"], normal_forms("é")["NFD"]
    (b'\xc3\xa9', b'e\xcc\x81')
    >>> normal_forms("ﬁ²")["NFKC"]
    b'fi2'
    """
    return {
        "NFC": unicodedata.normalize("NFC", text).encode("utf-8"),
        "NFD": unicodedata.normalize("NFD", text).encode("utf-8"),
        "NFKC": unicodedata.normalize("NFKC", text).encode("utf-8"),
    }


def encoded_lengths(text: str) -> dict[str, int]:
    """How long a text is in each Unicode encoding, in bytes, without a byte order mark.

    >>> encoded_lengths("Hello, 🌍! 你好!")
    {'UTF-8': 20, 'UTF-16': 28, 'UTF-32': 52}
    """
    return {
        "UTF-8": len(text.encode("utf-8")),
        "UTF-16": len(text.encode("utf-16-le")),
        "UTF-32": len(text.encode("utf-32-le")),
    }


def length_table(texts: Mapping[str, str]) -> str:
    """A table of `encoded_lengths`, one named text a line.

    >>> print(length_table({"English": "hello", "Chinese": "你好", "emoji": "🌍"}))
    text      characters  UTF-8  UTF-16  UTF-32
    English            5      5      10      20
    Chinese            2      6       4       8
    emoji              1      4       4       4
    """
    lines = ["text      characters  UTF-8  UTF-16  UTF-32"]
    for name, text in texts.items():
        utf8, utf16, utf32 = encoded_lengths(text).values()
        lines.append(f"{name:<10}{len(text):>10}{utf8:>7}{utf16:>8}{utf32:>8}")
    return "\n".join(lines)


def bit_pattern(data: bytes) -> str:
    """The bits of each byte, for reading.

    >>> bit_pattern(b"A")
    '01000001'
    """
    return " ".join(f"{byte:08b}" for byte in data)
