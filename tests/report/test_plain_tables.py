"""Tables as text: no cell ends its row or column, whatever it holds."""

import csv
import io

import pytest

from tokenloom.report import PLAIN_TABLES, Column, Quantity, Table

HARD = ['a,"b"', "a|b", "a&b_%$#{}~^\\", "two\nlines", "", "`code`"]


def table(names: list[str]) -> Table:
    rows = [(name, 0.123456789, Quantity(1500, "1.5 kB"), None) for name in names]
    return Table("A_caption", [Column("Name"), *(Column(head, is_number=True) for head in "xyz")], rows)


def test_csv_gives_back_what_was_put_in() -> None:
    rows = list(csv.reader(io.StringIO(PLAIN_TABLES["csv"](table(HARD)))))
    assert rows[1:] == [[name, "0.123456789", "1500", ""] for name in HARD]


@pytest.mark.parametrize("name", ["markdown", "latex"])
def test_one_line_a_row(name: str) -> None:
    lines = PLAIN_TABLES[name](table(HARD)).splitlines()
    assert len([line for line in lines if "1.5 kB" in line]) == len(HARD)


def test_characters_of_latex_and_markdown_are_escaped() -> None:
    assert "a\\&b\\_\\%\\$\\#\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{}" in PLAIN_TABLES["latex"](
        table(HARD)
    )
    assert "| a\\|b |" in PLAIN_TABLES["markdown"](table(HARD))
