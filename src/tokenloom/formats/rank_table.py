r"""The lines of a rank file as the arrays of a spec: on each line a token in base64, one space and its rank.

    IQ== 0
    Ig== 1

The core reads whole files at once. It accepts nothing that the plain reading here refuses, and gives up on whatever is
unusual (ranks out of order, CRLF, blank lines, any fault): then each line is looked at by itself, and the first fault
is named by its line.

Ranks need not be without gaps: an id between two of them has no token. Refused are ranks and tokens that are there
twice, ranks from 2**24, anything but canonical base64, a last line without its end (the file was cut), and tables
without one of the 256 single bytes.
Source: `tiktoken/load.py` of openai/tiktoken, which accepts more.
"""

import binascii
import re
import reprlib
from base64 import b64encode
from typing import Final, Never

from tokenloom.errors import FormatError
from tokenloom.formats.id_holes import refuse_holes
from tokenloom.formats.text import refuse_byte_order_mark
from tokenloom.spec.components import ID_LIMIT
from tokenloom.spec.packing import pack_arena
from tokenloom.wording import counted, quoted

__all__ = ["Arrays", "parse_rank_table"]

Arrays = tuple[bytes, bytes]
"""Token bytes and token offsets, as `TokenizerSpec` has them."""

_MOST_DIGITS: Final = len(str(ID_LIMIT - 1))
_RANK: Final = re.compile(rb"0|[1-9][0-9]*")
_RESTORE: Final = "Restore the file"


def parse_rank_table(data: bytes, *, place: str, is_known: bool = False) -> Arrays:
    r"""Token bytes and offsets over all ids from 0 to the highest rank.

    Args:
        data: the content of the file. Lines may end in CRLF, blank lines are passed over.
        place: names the file in errors.
        is_known: its checksum is that of a file without faults, which saves a part of the checks.
    Raises: FormatError naming file and line.

    >>> lines = b"".join(b"%b %d\n" % (b64encode(bytes([byte])), byte) for byte in range(256))
    >>> arena, offsets = parse_rank_table(lines + b"YWI= 257\n", place="x.tiktoken")
    >>> arena[-2:], len(offsets) // 4 - 1
    (b'ab', 258)
    """
    from tokenloom import _core  # formats can be listed without it

    return _core.read_rank_file(data, is_known=is_known) or _packed(_parsed_lines(data, place), place)


def _parsed_lines(data: bytes, place: str) -> dict[int, tuple[int, bytes]]:
    """Line and token by rank."""
    refuse_byte_order_mark(data, place=place)
    if data.lstrip().startswith(b"<"):
        _refuse(f"{place}, line 1", "it is a web page, not a rank file", "Download the file itself")
    tokens: dict[int, tuple[int, bytes]] = {}
    lines: dict[bytes, int] = {}
    *whole, rest = data.split(b"\n")
    for number, line in enumerate(whole, 1):
        line = line.removesuffix(b"\r")
        if not line:
            continue
        token, rank = _parsed_line(line, f"{place}, line {number}")
        if rank in tokens:
            other, known = tokens[rank]
            what = f"rank {rank} of token {quoted(token)} is already that of {quoted(known)} (line {other})"
            _refuse(f"{place}, line {number}", what, "Give each token its own rank, or delete one of the two lines")
        if token in lines:
            what = f"token {quoted(token)} is already there (line {lines[token]})"
            _refuse(f"{place}, line {number}", what, "Delete one of the two lines")
        tokens[rank], lines[token] = (number, token), number
    if rest or not whole:
        what = f"{reprlib.repr(rest)} has no line feed behind it, so the file was probably cut"
        _refuse(f"{place}, line {len(whole) + 1}", what, "Restore the file, or end the line if nothing is missing")
    return tokens


def _parsed_line(line: bytes, place: str) -> tuple[bytes, int]:
    letters, blank, digits = line.partition(b" ")
    if not (letters and blank and _RANK.fullmatch(digits)):
        _refuse(place, f"{reprlib.repr(line)} is not a token in base64, one space and a rank", _RESTORE)
    if len(digits) > _MOST_DIGITS or int(digits) >= ID_LIMIT:
        _refuse(place, f"rank {reprlib.repr(digits.decode())} is not below {ID_LIMIT:,}", "Number tokens without gaps")
    try:
        token = binascii.a2b_base64(letters, strict_mode=True)
    except binascii.Error as error:
        _refuse(place, f"{reprlib.repr(letters)} is not base64 ({error})", _RESTORE)
    if not token or b64encode(token) != letters:
        _refuse(place, f"{reprlib.repr(letters)} is not what base64 makes of any token", _RESTORE)
    return token, int(digits)


def _packed(tokens: dict[int, tuple[int, bytes]], place: str) -> Arrays:
    known = {token for _, token in tokens.values()}
    missing = [token for byte in range(256) if (token := bytes([byte])) not in known]
    if missing:
        what = f"{counted(len(missing), 'single byte')} of 256 have no rank, the first is {missing[0]!r}"
        _refuse(place, what, "Restore the file, or add a line for each: text that holds it could not be encoded")
    refuse_holes(max(tokens), len(tokens), place=place)
    arena = [b""] * (max(tokens) + 1)
    for rank, (_, token) in tokens.items():
        arena[rank] = token
    return pack_arena(arena)


def _refuse(place: str, what: str, remedy: str) -> Never:
    raise FormatError(f"{place}: {what}. {remedy}.")
