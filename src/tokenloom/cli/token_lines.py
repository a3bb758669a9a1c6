"""Tokens side by side on lines that fit the terminal: in turning colours, or with `|` between them."""

from collections.abc import Iterable, Iterator
from typing import Final

from tokenloom.cli.terminal import Terminal
from tokenloom.cli.token_view import TokenView

__all__ = ["token_lines"]

_MANY_COLORS: Final = tuple(f"\x1b[30;48;5;{color}m" for color in (117, 157, 223, 218))
"""Black on light blue, green, orange, pink: text reads on all of them, for colour-blind eyes too."""
_FEW_COLORS: Final = tuple(f"\x1b[30;{color}m" for color in (46, 42, 43, 45))
"""Black on cyan, green, yellow, magenta, for terminals of eight or sixteen colours."""
_PLAIN: Final = "\x1b[0m"


def token_lines(views: Iterable[TokenView], terminal: Terminal) -> Iterator[str]:
    """Lines no wider than the terminal; they break at line ends of the text, then between tokens, then inside them.

    >>> from tokenloom.cli.token_view import view_tokens
    >>> list(token_lines(view_tokens(b"the cat", [1, 2], [b"the", b" cat"], [b"the cat"]), Terminal(width=6)))
    ['the', '|·cat']
    """
    from rich.cells import cell_len

    styles = {0: (), 8: _FEW_COLORS}.get(terminal.n_colors, _MANY_COLORS)
    line, width = "", 0
    for number, view in enumerate(views):
        style = styles[number % len(styles)] if styles else ""
        parts = view.shown.split("\n")
        for position, part in enumerate(parts):
            separator = "" if styles or position or not width else "|"
            if width and width + len(separator) + cell_len(part) > terminal.width:
                yield line
                line, width = "", 0
            for piece in _folded(separator + part, terminal.width):
                if width and width + cell_len(piece) > terminal.width:
                    yield line
                    line, width = "", 0
                line += f"{style}{piece}{_PLAIN}" if style and piece else piece
                width += cell_len(piece)
            if position < len(parts) - 1:
                yield line
                line, width = "", 0
    if width:
        yield line


def _folded(text: str, width: int) -> Iterator[str]:
    """Pieces of a long token that fit a line each."""
    from rich.cells import chop_cells

    yield from chop_cells(text, max(width, 2)) if len(text) > width // 2 else (text,)
