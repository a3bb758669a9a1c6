"""Tables, and bars as tables: a bar chart whose labels and numbers are text that can be read, copied and searched."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tokenloom.report.characters import chip, escape
from tokenloom.report.numbers import NOTHING, format_number

__all__ = ["Bars", "Cell", "Column", "Quantity", "Table"]


_MOST_SHORT_CHARS: Final = 20
"""A row's name of more characters gets room to be read on a phone; the table scrolls then."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that is shown as a text of its own, such as bytes with a unit."""

    value: float
    text: str


Cell: TypeAlias = str | int | float | bytes | Quantity | None
"""A text, a number, a token (bytes), or None for no value."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Args:
        title: its head.
        is_number: right-aligned; also for texts that stand for numbers.
        has_bars: draw each number also as a bar, relative to the largest of the column.
    """

    title: str
    is_number: bool = False
    has_bars: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values under named columns; the first column names the row.

    Args:
        caption: what the table shows.
        columns: its columns, from left to right.
        rows: one cell a column.
        is_caption_hidden: only screen readers get the caption, because the text around the table says it.
    Raises: ValueError for a row of another length, or a negative number in a column of bars.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    is_caption_hidden: bool = False

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"Table {self.caption!r}, row {number}: has {len(row)} cells for {len(self.columns)} columns. "
                    "Pass one cell a column."
                )
            for column, cell in zip(self.columns, row, strict=True):
                if column.has_bars and _value(cell) < 0:
                    raise ValueError(
                        f"Table {self.caption!r}, row {number}: a bar of {cell!r} cannot be drawn. Pass numbers from 0."
                    )

    def html(self, name: str) -> str:
        """A `table` that scrolls sideways, also by keyboard, where the page is narrower than it."""
        if not self.rows:
            return f'<figure><figcaption>{escape(self.caption)}</figcaption><p class="none">None.</p></figure>'
        heads = "".join(f'<th scope="col"{_class(column)}>{escape(column.title)}</th>' for column in self.columns)
        tops = [max((_value(row[place]) for row in self.rows), default=0) for place in range(len(self.columns))]
        body = "".join(f"<tr>{self._cells(row, tops)}</tr>" for row in self.rows)
        hidden = ' class="hidden"' if self.is_caption_hidden else ""
        fit = "" if any(column.has_bars for column in self.columns) else ' class="fit"'
        return (
            f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{name}"><table{fit}>'
            f'<caption id="{name}"{hidden}>{escape(self.caption)}</caption>'
            f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def _cells(self, row: Sequence[Cell], tops: Sequence[float]) -> str:
        parts = []
        for place, (column, cell) in enumerate(zip(self.columns, row, strict=True)):
            bar = _bar(_value(cell), tops[place]) if column.has_bars else ""
            tag, scope = ("td", "") if place else ("th", ' scope="row"')
            is_name = not place and isinstance(cell, str) and len(cell) > _MOST_SHORT_CHARS
            kind = ' class="name"' if is_name else _class(column)
            parts.append(f"<{tag}{scope}{kind}>{_text(cell)}{bar}</{tag}>")
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars with their names and values.

    >>> "<table" in Bars("Size", [("a.txt", 3), ("b.txt", Quantity(1500, "1.5 kB"))]).html("b1")
    True
    """

    caption: str
    bars: Sequence[tuple[str, int | float | Quantity]]
    label_title: str = "Name"
    value_title: str = "Value"

    def html(self, name: str) -> str:
        """A table of two columns."""
        columns = [Column(self.label_title), Column(self.value_title, is_number=True, has_bars=True)]
        return Table(self.caption, columns, self.bars).html(name)


def _class(column: Column) -> str:
    return ' class="bar"' if column.has_bars else ' class="number"' if column.is_number else ""


def _text(cell: Cell) -> str:
    if cell is None:
        return NOTHING
    if isinstance(cell, bytes):
        return chip(cell)
    if isinstance(cell, Quantity):
        return escape(cell.text)
    return escape(cell if isinstance(cell, str) else format_number(cell))


def _value(cell: Cell) -> float:
    if isinstance(cell, Quantity):
        return cell.value
    return cell if isinstance(cell, (int, float)) else 0


def _bar(value: float, top: float) -> str:
    """A bar beside a number, which says it all to whoever does not see the bar."""
    share = 100 * value / top if top else 0
    return f'<svg aria-hidden="true" focusable="false"><rect width="{share:.2f}%" height="100%" rx="1.5"/></svg>'
