r"""Tables as text for other programs and papers: CSV, Markdown and LaTeX.

CSV has numbers in full, the others as a reader wants them. No cell can end its row or its column: CSV quotes, Markdown
and LaTeX escape.
"""

import csv
import io
import math
import re
from collections.abc import Callable
from typing import Final

from tokenloom.report.numbers import NOTHING, format_number
from tokenloom.report.tables import Cell, Quantity, Table

__all__ = ["PLAIN_TABLES", "csv_table", "latex_table", "markdown_table", "shown_cell"]

_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}


def csv_table(table: Table) -> str:
    r"""Comma-separated values with a line of names, numbers in full, no value as an empty cell.

    >>> from tokenloom.report import Column
    >>> csv_table(Table("t", [Column("a"), Column("b")], [("x,y", 0.5), ("z", None)]))
    'a,b\n"x,y",0.5\nz,\n'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.title for column in table.columns])
    writer.writerows([[_raw(cell) for cell in row] for row in table.rows])
    return out.getvalue()


def markdown_table(table: Table) -> str:
    r"""A table of GitHub's Markdown, numbers to the right.

    >>> from tokenloom.report import Column
    >>> print(markdown_table(Table("t", [Column("a"), Column("b", is_number=True)], [("x|y", 0.5)])), end="")
    | a | b |
    |---|---:|
    | x\|y | 0.500 |
    """
    rule = "|".join("---:" if column.is_number else "---" for column in table.columns)
    rows = [[column.title for column in table.columns], *([shown_cell(cell) for cell in row] for row in table.rows)]
    head, *body = (f"| {' | '.join(map(_markdown, row))} |" for row in rows)
    return "\n".join([head, f"|{rule}|", *body]) + "\n"


def latex_table(table: Table) -> str:
    r"""A `table` with `booktabs` rules, its caption above, numbers to the right.

    >>> from tokenloom.report import Column
    >>> print(latex_table(Table("Ratios", [Column("a_b"), Column("%", is_number=True)], [("x", 0.5)])), end="")
    \begin{table}
    \caption{Ratios}
    \begin{tabular}{lr}
    \toprule
    a\_b & \% \\
    \midrule
    x & 0.500 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    kinds = "".join("r" if column.is_number else "l" for column in table.columns)
    rows = [[column.title for column in table.columns], *([shown_cell(cell) for cell in row] for row in table.rows)]
    head, *body = (f"{' & '.join(map(_latex, row))} \\\\" for row in rows)
    lines = [r"\begin{table}", f"\\caption{{{_latex(table.caption)}}}", f"\\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    return "\n".join([*lines, head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


PLAIN_TABLES: Final[dict[str, Callable[[Table], str]]] = {
    "csv": csv_table,
    "markdown": markdown_table,
    "latex": latex_table,
}
"""The ways to write a table as text, by name."""


def _raw(cell: Cell) -> str:
    if isinstance(cell, Quantity):
        cell = cell.value
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    return cell.decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else str(cell)


def shown_cell(cell: Cell) -> str:
    """A cell as a reader wants it.

    >>> shown_cell(1234), shown_cell(None)
    ('1,234', '–')
    """
    if cell is None:
        return NOTHING
    if isinstance(cell, Quantity):
        return cell.text
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "backslashreplace")
    return cell if isinstance(cell, str) else format_number(cell)


def _markdown(text: str) -> str:
    return re.sub(r"[\\|`*_<\[]", r"\\\g<0>", _one_line(text))


def _latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in _one_line(text))


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
