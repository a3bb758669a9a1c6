r"""The lines of a rank file as the arrays of a spec: on each line a token in base64, one space and its rank.

    IQ== 0
    Ig== 1

Whole files are read by array operations, with no step a line. They accept nothing that the plain reading below them
refuses, and give up on whatever is unusual (ranks out of order, CRLF, blank lines, any fault): then each line is looked
at by itself, and the first fault is named by its line.

Ranks need not be without gaps: an id between two of them has no token. Refused are ranks and tokens that are there
twice, ranks from 2**24, anything but canonical base64, a last line without its end (the file was cut), and tables
without one of the 256 single bytes.
Source: `tiktoken/load.py` of openai/tiktoken, which accepts more.
"""

import binascii
import re
import reprlib
from base64 import b64encode
from typing import TYPE_CHECKING, Final, Never

from tokenloom.errors import FormatError
from tokenloom.formats.id_holes import refuse_holes
from tokenloom.formats.text import refuse_byte_order_mark
from tokenloom.spec.components import ID_LIMIT
from tokenloom.spec.packing import pack_arena
from tokenloom.wording import counted, quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Numbers = NDArray[np.int64]

__all__ = ["Arrays", "parse_rank_table"]

Arrays = tuple[bytes, bytes]
"""Token bytes and token offsets, as `TokenizerSpec` has them."""

_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_MOST_DIGITS: Final = len(str(ID_LIMIT - 1))
_LONGEST_TOKEN: Final = 4096
"""Bytes of a token up to which the array operations go."""
_RANK: Final = re.compile(rb"0|[1-9][0-9]*")
_RESTORE: Final = "Restore the file"


def parse_rank_table(data: bytes, *, place: str) -> Arrays:
    r"""Token bytes and offsets over all ids from 0 to the highest rank.

    Args:
        data: the content of the file. Lines may end in CRLF, blank lines are passed over.
        place: names the file in errors.
    Raises: FormatError naming file and line.

    >>> lines = b"".join(b"%b %d\n" % (b64encode(bytes([byte])), byte) for byte in range(256))
    >>> arena, offsets = parse_rank_table(lines + b"YWI= 257\n", place="x.tiktoken")
    >>> arena[-2:], len(offsets) // 4 - 1
    (b'ab', 258)
    """
    return _arrays(data) or _packed(_parsed_lines(data, place), place)


def _arrays(data: bytes) -> Arrays | None:
    """The whole table at once; None if anything about it is unusual."""
    import numpy as np

    raw = np.frombuffer(data, np.uint8)
    spaces, ends = np.flatnonzero(raw == ord(" ")), np.flatnonzero(raw == ord("\n"))
    if not 0 < len(ends) == len(spaces) or ends[-1] != len(raw) - 1:
        return None
    starts = np.concatenate((np.zeros(1, np.int64), ends[:-1] + 1))
    widths = spaces - starts
    ranks = _ranks(raw, spaces, ends)
    if ranks is None or widths.min() < 4 or (widths % 4).any() or (np.diff(ranks) < 1).any():
        return None
    decoded = _decoded(raw, spaces, ends, widths)
    if decoded is None:
        return None
    arena, lengths = decoded
    if not _are_distinct(arena, lengths) or not _has_all_bytes(arena, lengths):
        return None
    offsets = np.zeros(ranks[-1] + 2, np.int64)
    offsets[ranks + 1] = lengths
    return arena.tobytes(), np.cumsum(offsets).astype("<u4").tobytes()


def _ranks(raw: "Bytes", spaces: "Numbers", ends: "Numbers") -> "Numbers | None":
    """The decimal numbers between a space and the end of its line."""
    import numpy as np

    n_digits = ends - spaces - 1
    if n_digits.min() < 1 or n_digits.max() > _MOST_DIGITS:
        return None
    ranks = np.zeros(len(ends), np.int64)
    for power in range(int(n_digits.max())):
        digits = raw[np.maximum(ends - 1 - power, 0)].astype(np.int64) - ord("0")
        digits[n_digits <= power] = 0
        if digits.min() < 0 or digits.max() > 9:
            return None
        ranks += digits * 10**power
    has_leading_zero = (raw[spaces + 1] == ord("0")) & (n_digits > 1)
    return None if has_leading_zero.any() or ranks.max() >= ID_LIMIT else ranks


def _decoded(raw: "Bytes", spaces: "Numbers", ends: "Numbers", widths: "Numbers") -> "tuple[Bytes, Numbers] | None":
    """The bytes of all tokens joined, and their lengths; None if some base64 is not canonical."""
    import numpy as np

    value_of = np.full(256, 255, np.uint8)
    value_of[np.frombuffer(_ALPHABET, np.uint8)] = np.arange(64)
    value_of[ord("=")] = 0
    edges = np.zeros(len(raw), np.int8)
    edges[spaces] = 1
    edges[ends[:-1] + 1] = -1
    letters = raw[np.cumsum(edges, dtype=np.int8) == 0]
    values = value_of[letters]
    pad_1, pad_2 = raw[spaces - 1] == ord("="), raw[spaces - 2] == ord("=")
    n_pads = pad_1.astype(np.int64) + pad_2
    if values.max() > 63 or np.count_nonzero(letters == ord("=")) != n_pads.sum() or (pad_2 & ~pad_1).any():
        return None
    quads = values.reshape(-1, 4)
    triples = np.empty((len(quads), 3), np.uint8)
    triples[:, 0] = quads[:, 0] << 2 | quads[:, 1] >> 4
    triples[:, 1] = quads[:, 1] << 4 | quads[:, 2] >> 2
    triples[:, 2] = quads[:, 2] << 6 | quads[:, 3]
    token_ends = np.cumsum(widths) // 4 * 3
    padding = np.concatenate((token_ends[pad_1] - 1, token_ends[pad_2] - 2))
    flat = triples.reshape(-1)
    if flat[padding].any():
        return None
    is_kept = np.ones(len(flat), np.bool_)
    is_kept[padding] = False
    return flat[is_kept], widths // 4 * 3 - n_pads


def _are_distinct(arena: "Bytes", lengths: "Numbers") -> bool:
    """Whether no token is there twice, by sums that equal tokens have in common; False may be a coincidence."""
    import numpy as np

    longest = int(lengths.max())
    if longest > _LONGEST_TOKEN:
        return False
    starts = np.cumsum(lengths) - lengths
    weights = np.random.default_rng(longest).integers(1, 2**63, longest, dtype=np.uint64)
    within = np.arange(len(arena)) - np.repeat(starts, lengths)
    sums = np.sort(np.add.reduceat((arena + np.uint64(1)) * weights[within], starts))
    return not (sums[1:] == sums[:-1]).any()


def _has_all_bytes(arena: "Bytes", lengths: "Numbers") -> bool:
    import numpy as np

    return len(np.unique(arena[(np.cumsum(lengths) - lengths)[lengths == 1]])) == 256


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
