r"""The text of a file: UTF-8 without a byte order mark, and a fault that is named by its line.

A mark would become a part of the first token in some readers and vanish in others, so it is refused in all.
"""

import codecs
from typing import Final

from tokenloom.errors import FormatError

__all__ = ["refuse_byte_order_mark", "utf8_text"]

_MARKS: Final = {
    codecs.BOM_UTF8: "UTF-8",
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def refuse_byte_order_mark(data: bytes, *, place: str) -> None:
    r"""Refuse a file that begins with a byte order mark; errors name `place`.

    >>> refuse_byte_order_mark(b"\xff\xfea\x00", place="vocab.json")
    Traceback (most recent call last):
    tokenloom.errors.FormatError: vocab.json: begins with a byte order mark of UTF-16. Save it as UTF-8 without one.
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            raise FormatError(f"{place}: begins with a byte order mark of {encoding}. Save it as UTF-8 without one.")


def utf8_text(data: bytes, *, place: str) -> str:
    r"""The text of a file; errors name `place`.

    Raises: FormatError for a byte order mark, and with the line for a byte that is not UTF-8.

    >>> utf8_text(b"caf\xc3\xa9", place="x")
    'café'
    """
    refuse_byte_order_mark(data, place=place)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte {error.start} is not UTF-8 ({error.reason})"
        raise FormatError(f"{place}, line {line}: {what}. Save the file as UTF-8, or restore it.") from error
