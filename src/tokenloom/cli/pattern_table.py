"""`tokenloom show --explain-pattern`: which alternative of the pattern took each pretoken, as a table and as JSON."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tokenloom.cli.token_view import Marks, view_tokens
from tokenloom.wording import counted

if TYPE_CHECKING:
    from tokenloom.tokenizer import ExplainedPretoken

__all__ = ["pattern_facts", "pattern_lines"]

_WIDEST_PRETOKEN: Final = 24
_WIDEST_TEXT: Final = 48
"""Columns for an alternative; of a longer one the end is left out, since its number names it."""


def pattern_facts(rows: Sequence["ExplainedPretoken"]) -> list[dict[str, Any]]:
    """The rows for JSON."""
    return [
        {
            "text": row.data.decode(errors="replace"),
            "hex": row.data.hex(),
            "number": row.number,
            "alternative": row.text,
            "words": row.words,
        }
        for row in rows
    ]


def pattern_lines(rows: Sequence["ExplainedPretoken"], marks: Marks, *, limit: int, is_sequence: bool) -> Iterator[str]:
    """Lines of a table: pretoken, number and text of the alternative, and in words what it is for."""
    from rich.cells import cell_len, set_cell_size

    shown = [("pretoken", "step" if is_sequence else "no.", "cut by" if is_sequence else "alternative", "what it is")]
    for row in islice(rows, limit):
        [view] = view_tokens(row.data, [0], [row.data], [row.data], marks=marks)
        cells = view.shown.replace("\n", ""), str(row.number or "-"), _visible(row.text or "-")
        shown.append((*cells, row.words))
    widths = [
        min(most, max(cell_len(cells[column]) for cells in shown))
        for column, most in enumerate((_WIDEST_PRETOKEN, 4, _WIDEST_TEXT))
    ]
    for pretoken, number, text, words in shown:
        fitted = text if cell_len(text) <= widths[2] else set_cell_size(text, widths[2] - 3) + "..."
        first = pretoken + " " * (widths[0] - cell_len(pretoken))
        middle = fitted + " " * (widths[2] - cell_len(fitted))
        yield f"{first}  {number:>{widths[1]}}  {middle}  {words}".rstrip()
    if len(rows) > limit:
        yield f"... and {counted(len(rows) - limit, 'more pretoken')}; --rows N shows more."


def _visible(text: str) -> str:
    """An alternative with `[ ]` for a space at its start, and without what moves a cursor."""
    shown = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return f"[ ]{shown[1:]}" if shown.startswith(" ") else shown
