"""Counting pretokens of a corpus that is larger than memory.

Training needs of a corpus only how often each pretoken occurs. A dictionary does that, until it is larger than memory.
Then it is written down, sorted, and emptied; such a file is a *run*. At the end all runs are read side by side, the
least pretoken first, as one merges sorted piles of cards: that takes memory for one pretoken of each run, however long
the runs are.

The order pays twice. Neighbours begin alike (` number`, ` numbered`, ` numbers`), so a record says how many bytes it
shares with the one before it and writes only the rest.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

LOOK_BYTES: Final = 2048
"""How far a pattern sees behind the longest pretoken, where pretokens have a limit."""


class Record(NamedTuple):
    """A pretoken, how often it occurs, and its first position in the text, in bytes from the start."""

    pretoken: bytes
    n_occurrences: int
    first: int = 0


def write_number(number: int) -> bytes:
    """LEB128: seven bits a byte, the lowest first; the high bit says that more follow.

    >>> write_number(5).hex(), write_number(300).hex()
    ('05', 'ac02')
    """
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place behind it.

    Raises: ValueError if it ends too early, has more than 64 bits, or has zeros at its end that say nothing: if numbers
        could be written in two ways, so could runs, and equal counts would not be equal files.

    >>> read_number(bytes.fromhex("ac02"), 0)
    (300, 2)
    """
    number = shift = 0
    for place in range(at, len(data)):
        byte = data[place]
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            if number >= 2**64 or (byte == 0 and place > at):
                raise ValueError(f"byte {at}: a number is longer than it must be. Write it anew.")
            return number, place + 1
    raise ValueError(f"byte {at}: the run ends within a number. Restore it from a copy.")


def write_run(counts: Mapping[bytes, tuple[int, int]], *, has_positions: bool) -> bytes:
    r"""Pretokens with their counts and first positions as a run.

    >>> write_run({b"lower": (2, 4), b"low": (5, 0)}, has_positions=False)
    b'\x00\x03low\x05\x03\x02er\x02'
    """
    return write_records((Record(key, *counts[key]) for key in sorted(counts)), has_positions=has_positions)


def write_records(records: Iterable[Record], *, has_positions: bool) -> bytes:
    """A run of records that ascend."""
    out, before = bytearray(), b""
    for pretoken, count, first in records:
        shared = _shared_bytes(before, pretoken)
        rest = pretoken[shared:]
        out += write_number(shared) + write_number(len(rest)) + rest + write_number(count)
        if has_positions:
            out += write_number(first)
        before = pretoken
    return bytes(out)


def _shared_bytes(one: bytes, other: bytes) -> int:
    n_shared = 0
    while one[n_shared : n_shared + 1] == other[n_shared : n_shared + 1] != b"":
        n_shared += 1
    return n_shared


def read_run(run: bytes, *, has_positions: bool) -> Iterator[Record]:
    r"""The records of a run, one at a time.

    Raises: ValueError for a run that `write_run` has not written.

    >>> list(read_run(b"\x00\x01a\x05\x00\x02bb\x02", has_positions=False))
    [Record(pretoken=b'a', n_occurrences=5, first=0), Record(pretoken=b'bb', n_occurrences=2, first=0)]
    """
    at, before = 0, b""
    while at < len(run):
        start = at
        shared, at = read_number(run, at)
        length, at = read_number(run, at)
        pretoken, at = before[:shared] + run[at : at + length], at + length
        count, at = read_number(run, at)
        first, at = read_number(run, at) if has_positions else (0, at)
        if shared != _shared_bytes(before, pretoken) or len(pretoken) != shared + length:
            raise ValueError(f"byte {start}: pretoken {pretoken!r} is not as long as it is said to be. Write it anew.")
        if pretoken <= before or count == 0:
            raise ValueError(f"byte {start}: pretoken {pretoken!r} is out of order or has no count. Write it anew.")
        yield Record(pretoken, count, first)
        before = pretoken


def shift_and_multiply(records: Iterable[Record], *, shift: int, multiplier: int) -> Iterator[Record]:
    """The records of a text that begins behind `shift` bytes of the corpus and shall count `multiplier` times."""
    return (Record(pretoken, count * multiplier, first + shift) for pretoken, count, first in records)


def merge_records(runs: Iterable[Iterable[Record]]) -> Iterator[Record]:
    """One record for each pretoken of several sorted runs: counts add up, and the least position is the first.

    The order of the runs does not matter, nor how a corpus was cut into them; what a pretoken has in one run is never
    looked at without what it has in the others.

    >>> monday = [Record(b"cat", 2, 4), Record(b"the", 1, 0)]
    >>> tuesday = [Record(b"hat", 1, 9), Record(b"the", 3, 2)]
    >>> for record in merge_records([monday, tuesday]):
    ...     print(record.pretoken, record.n_occurrences, record.first)
    b'cat' 2 4
    b'hat' 1 9
    b'the' 4 0
    """
    last: Record | None = None
    for record in heapq.merge(*runs):
        if last is None or record.pretoken != last.pretoken:
            if last:
                yield last
            last = record
        else:
            last = Record(last.pretoken, last.n_occurrences + record.n_occurrences, min(last.first, record.first))
    if last:
        yield last


def limited_pretokens(
    text: bytes, *, split: Callable[[bytes], Iterable[bytes]], max_bytes: int, look_bytes: int = LOOK_BYTES
) -> Iterator[bytes]:
    r"""The pretokens of a text, none of them longer than `max_bytes`.

    A text without blanks is one pretoken, as long as the text. Nobody wants to wait for its end, so `split` is shown a
    window: `max_bytes` and `look_bytes` of text from where a pretoken begins, as if the text ended behind them. If what
    it finds first is longer than `max_bytes`, its first part is taken, and the next pretoken is looked for where that
    ends. (A pattern that looks behind also sees `look_bytes` before its pretoken; GPT-2's does not.)

    Where no pretoken is longer, all stay what they are, unless a pattern looks farther ahead than the window: one that
    groups the digits of a number from the right counts from the end of the window where the number is longer. Behind
    a part that was cut off others may begin: `!!!!!'` and `s` become `!!!!!` and `'s`.

    >>> from tokenloom.lessons.pretokenizing import split_gpt2_bytes
    >>> list(limited_pretokens("hi héllo 日本語".encode(), split=split_gpt2_bytes, max_bytes=4))
    [b'hi', b' h\xc3\xa9', b'llo', b' \xe6\x97\xa5', b'\xe6\x9c\xac', b'\xe8\xaa\x9e']
    >>> list(limited_pretokens(b"!!!!!'s", split=split_gpt2_bytes, max_bytes=5))
    [b'!!!!!', b"'s"]
    """
    if max_bytes < 4:
        raise ValueError(f"max_bytes is {max_bytes}, and a character may have 4 bytes. Choose 4 or more.")
    at = 0
    while at < len(text):
        window = first_part(text[at : at + max_bytes + look_bytes + 3], max_bytes + look_bytes)
        pretoken = first_part(next(iter(split(window))), max_bytes)
        yield pretoken
        at += len(pretoken)


def first_part(text: bytes, max_bytes: int) -> bytes:
    r"""As many characters of a text as so many bytes hold. A byte that is part of no character is one by itself.

    >>> first_part("日本語".encode(), 5)
    b'\xe6\x97\xa5'
    """
    for start in range(max_bytes - 3, max_bytes):
        # "surrogateescape" gives a byte that is part of none a number of its own, and gives it back.
        character = text[start : start + 4].decode(errors="surrogateescape")[:1]
        if start + len(character.encode(errors="surrogateescape")) > max_bytes:
            return text[:start]
    return text[:max_bytes]
