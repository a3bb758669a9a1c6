"""The 256 bytes as characters, and as the first 256 ids.

GPT-2's files hold token bytes as text. Each byte stands for one visible character: the bytes that are visible in
Latin-1 stand for themselves, the other 68 for the characters from U+0100 on, in order. The map is a bijection, so a
character in such a file is always a byte and never a letter: `é` there is byte 0xE9, while the letter é is `Ã©`.
Source: `bytes_to_unicode` in `encoder.py` of openai/gpt-2.
"""

from collections.abc import Mapping
from typing import Final, Literal

from tokenloom.errors import SpecError

__all__ = ["BYTE_TO_CHARACTER", "CHARACTER_TO_BYTE", "Alphabet", "byte_order", "from_characters", "to_characters"]

Alphabet = Literal["bytes", "gpt2"]


def _gpt2_characters() -> list[str]:
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    stand_ins = iter(range(0x100, 0x200))
    return [chr(byte) if byte in visible else chr(next(stand_ins)) for byte in range(256)]


BYTE_TO_CHARACTER: Final[Mapping[int, str]] = dict(enumerate(_gpt2_characters()))
CHARACTER_TO_BYTE: Final[Mapping[str, int]] = {character: byte for byte, character in BYTE_TO_CHARACTER.items()}

_TO_LATIN_1: Final = [CHARACTER_TO_BYTE.get(chr(point), 0xFFFF) for point in range(0x144)]
"""Each character as the one that Latin-1 encodes to its byte, all others as one that it refuses: twice as fast as
looking characters up one by one."""


def to_characters(token: bytes) -> str:
    r"""Spell token bytes with GPT-2's characters.

    >>> to_characters(" thé\n".encode())
    'ĠthÃ©Ċ'
    """
    return "".join(map(BYTE_TO_CHARACTER.__getitem__, token))


def from_characters(text: str) -> bytes:
    """Read token bytes spelled with GPT-2's characters.

    Raises: KeyError with the first character that stands for no byte; the caller knows the file and the line.

    >>> from_characters("Ġthe")
    b' the'
    """
    try:
        return text.translate(_TO_LATIN_1).encode("latin-1")
    except UnicodeEncodeError as error:
        raise KeyError(text[error.start]) from error


def byte_order(alphabet: Alphabet) -> bytes:
    r"""The 256 byte values in the order of their ids in a new vocabulary.

    Returns: 0..255 for `"bytes"`; sorted by GPT-2's character for `"gpt2"`, as `tokenizers` and GPT-2 number them.

    >>> byte_order("bytes")[:3], byte_order("gpt2")[:3]
    (b'\x00\x01\x02', b'!"#')
    """
    if alphabet == "bytes":
        return bytes(range(256))
    if alphabet == "gpt2":
        return bytes(byte for _, byte in sorted(CHARACTER_TO_BYTE.items()))
    raise SpecError(f"argument alphabet: {alphabet!r} is not an alphabet. Pass 'bytes' or 'gpt2'.")
