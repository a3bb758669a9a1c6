"""Tokens as a person can read them: blanks visible, parts of characters marked, nothing that moves a cursor.

A text is cut into characters once; each token then shows the characters it holds whole, and in `‹ ›` the bytes of those
that it shares with its neighbours or that are no UTF-8 at all.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

__all__ = ["ASCII_MARKS", "MARKS", "Marks", "SplitCharacter", "TokenView", "character_name", "view_tokens"]


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands for characters that cannot be seen.

    Args:
        shown: by character.
        opening: before bytes, or before the number of a character that must not reach a terminal.
        closing: behind it.
    """

    shown: dict[str, str]
    opening: str
    closing: str

    def characters(self) -> str:
        """All that an output must be able to hold."""
        return "".join((*self.shown.values(), self.opening, self.closing, "◌"))

    def escaped(self, inside: str) -> str:
        """Bytes or a number between the brackets."""
        return f"{self.opening}{inside}{self.closing}"


MARKS: Final = Marks({" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"}, "‹", "›")
ASCII_MARKS: Final = Marks({" ": "_", "\n": "\\n", "\t": "\\t", "\r": "\\r"}, "<", ">")
"""For an output that cannot hold the others."""


@dataclass(frozen=True, slots=True)
class SplitCharacter:
    """A character that several tokens share: the parts of its bytes, one a token."""

    character: str
    parts: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class TokenView:
    """One token of a text.

    Args:
        start: its first byte in the text.
        id: its id.
        data: its bytes.
        shown: the same for people; a line end stands behind the mark of one.
        pretoken: the number of the pretoken that it belongs to.
        is_first: whether that pretoken begins here.
        split: the character whose first bytes are the last ones of this token.
    """

    start: int
    id: int
    data: bytes
    shown: str
    pretoken: int
    is_first: bool
    split: SplitCharacter | None


def view_tokens(
    text: bytes, ids: Sequence[int], tokens: Sequence[bytes], pretokens: Sequence[bytes], *, marks: Marks = MARKS
) -> Iterator[TokenView]:
    r"""The tokens of a text, one after the other.

    Args:
        text: the whole text.
        ids: its token ids.
        tokens: the bytes of each; joined they are the text.
        pretokens: the pieces that the text was cut into before; joined they are the text too.
        marks: what stands for characters that cannot be seen.

    >>> text = "a 你".encode()
    >>> views = view_tokens(text, [1, 2, 3], [b"a", b" \xe4\xbd", b"\xa0"], [b"a", text[1:]])
    >>> [(view.shown, view.pretoken) for view in views]
    [('a', 0), ('·‹e4 bd›', 1), ('‹a0›', 1)]
    """
    characters = text.decode("utf-8", "surrogateescape")
    starts = list(accumulate((_n_bytes(character) for character in characters), initial=0))
    borders = list(accumulate(map(len, pretokens), initial=0))
    token_starts = list(accumulate(map(len, tokens), initial=0))
    for token_id, (start, stop) in zip(ids, pairwise(token_starts), strict=True):
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, max(start, stop - 1)) - 1
        pretoken = bisect_right(borders, start) - 1
        yield TokenView(
            start=start,
            id=token_id,
            data=text[start:stop],
            shown="".join(_shown(text, characters, starts, range(first, last + 1), (start, stop), marks)),
            pretoken=pretoken,
            is_first=borders[pretoken] == start,
            split=_split(text, characters, starts, last, (start, stop), token_starts),
        )


def character_name(character: str) -> str:
    """The code point and name of a character.

    >>> character_name("你")
    'U+4F60 CJK UNIFIED IDEOGRAPH-4F60'
    """
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def _n_bytes(character: str) -> int:
    code = ord(character)
    if code < 0x80 or 0xDC80 <= code <= 0xDCFF:  # the latter stand for single bytes that are no UTF-8
        return 1
    return 2 if code < 0x800 else 3 if code < 0x1_0000 else 4


def _shown(
    text: bytes, characters: str, starts: list[int], places: range, span: tuple[int, int], marks: Marks
) -> Iterator[str]:
    """What a token shows for each character that it has bytes of."""
    start, stop = span
    for place in places if stop > start else ():
        character, low, high = characters[place], starts[place], starts[place + 1]
        if low < start or high > stop or 0xDC80 <= ord(character) <= 0xDCFF:
            yield marks.escaped(text[max(low, start) : min(high, stop)].hex(" "))
        elif character in marks.shown:
            yield marks.shown[character] + ("\n" if character == "\n" else "")
        elif not character.isprintable():
            yield marks.escaped(f"U+{ord(character):04X}")
        elif place == places.start and unicodedata.category(character).startswith("M"):
            yield f"◌{character}"  # an accent would sit on what stands before the token
        else:
            yield character


def _split(
    text: bytes, characters: str, starts: list[int], place: int, span: tuple[int, int], token_starts: list[int]
) -> SplitCharacter | None:
    """The character that begins in this token and ends in a later one."""
    low, high = starts[place], starts[place + 1] if place + 1 < len(starts) else starts[place]
    if not span[0] <= low < span[1] < high:
        return None
    first, last = bisect_right(token_starts, low), bisect_right(token_starts, high - 1)
    cuts = [low, *token_starts[first:last], high]
    return SplitCharacter(characters[place], tuple(text[a:b] for a, b in pairwise(cuts)))
