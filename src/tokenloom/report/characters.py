"""Text inside a page, where nothing may act: no markup, no control character, no reversed reading direction.

Tokens are bytes of any kind. What a reader cannot see, or would take for something else, is drawn in a small box:
blanks, control and format characters (the bidirectional overrides among them), and bytes that are no whole character.
"""

import html
import unicodedata
from itertools import groupby
from typing import Final

__all__ = ["chip", "escape"]

_BLANKS: Final = {" ": "␣", "\n": "↵", "\t": "⇥", "\r": "\\r"}
_MOST_CHARS: Final = 64
"""A chip shows this many characters of a token; its tooltip shows more."""
_MOST_TITLE_BYTES: Final = 200
_MOST_UNBROKEN_CHARS: Final = 16
"""A chip of more characters may go over several lines."""
_RUN: Final = 4
"""This many equal blanks in a row are drawn as one with a count."""


def escape(text: str) -> str:
    r"""Text as HTML; characters that do not print are shown as Python writes them.

    >>> escape("a < b"), escape("name\u202etxt.exe"), escape("\udcff\0")
    ('a &lt; b', 'name\\u202etxt.exe', '\\udcff\\x00')
    """
    shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return html.escape(shown)


def chip(token: bytes) -> str:
    r"""A token as an HTML element; a dashed border where it is no sequence of whole characters.

    >>> chip(b" the")
    '<bdi class="chip" title="b&#x27; the&#x27;"><i>␣</i>the</bdi>'
    >>> chip(bytes([0xE4, 0xBD]))
    '<bdi class="chip half" title="b&#x27;\\xe4\\xbd&#x27;"><b>E4</b><b>BD</b></bdi>'
    """
    text = token.decode("utf-8", "surrogateescape")
    is_half = any(_is_lone_byte(char) for char in text)
    runs = [(char, len(list(run))) for char, run in groupby(text[:_MOST_CHARS])]
    body = "".join(_run(char, n) for char, n in runs)
    if not text:
        body = "<u>empty</u>"
    elif unicodedata.category(text[0])[0] == "M":
        body = "◌" + body  # a combining mark needs something to stand on
    if len(text) > _MOST_CHARS:
        body += "<u>…</u>"
    is_long = sum(min(n, _RUN) if char in _BLANKS else n for char, n in runs) > _MOST_UNBROKEN_CHARS
    return f'<bdi class="chip{" half" * is_half}{" long" * is_long}" title="{_title(token)}">{body}</bdi>'


def _run(char: str, n: int) -> str:
    """The HTML of a character that stands `n` times in a row."""
    if _is_lone_byte(char):
        return f"<b>{ord(char) & 0xFF:02X}</b>" * n
    if char in _BLANKS:
        return f"<i>{_BLANKS[char]}</i>" * n if n < _RUN else f"<i>{_BLANKS[char]}</i><u>×{n}</u>"
    if not char.isprintable():
        return f"<u>U+{ord(char):04X}</u>" * n
    return html.escape(char) * n


def _is_lone_byte(char: str) -> bool:
    return "\udc80" <= char <= "\udcff"


def _title(token: bytes) -> str:
    cut = token[:_MOST_TITLE_BYTES]
    return html.escape(repr(cut)) + ("…" if len(cut) < len(token) else "")
