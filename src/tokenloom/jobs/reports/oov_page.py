"""The page on words and characters that a vocabulary does not know."""

import time
from collections.abc import Sequence

import tokenloom
from tokenloom.jobs.oov import OovTable
from tokenloom.report import Axis, Block, Column, Fact, Facts, Lines, Page, Quantity, Section, Series, Table
from tokenloom.wording import counted

__all__ = ["oov_page"]


def oov_page(tables: Sequence[OovTable]) -> Page:
    """A report on the tables of `oov_tables`."""
    sections = [Section(f"Unknown {table.unit}", _blocks(table)) for table in tables]
    footer = f"Made by tokenloom {tokenloom.__version__}, {time.strftime('%Y-%m-%d %H:%M')}."
    subtitle = "What closed vocabularies of a corpus do not know of held-out text"
    return Page("Unknown tokens", subtitle, sections, footer)


def _blocks(table: OovTable) -> list[Block]:
    shares = {
        "tokens": [(row.n_tokens, row.token_share) for row in table.rows],
        "distinct tokens": [(row.n_tokens, row.type_share) for row in table.rows],
        "characters": [(row.n_tokens, row.char_share) for row in table.rows],
    }
    curves = [
        Series(name, sorted({(n, 100 * share) for n, share in points if share is not None}))
        for name, points in shares.items()
    ]
    columns = [
        Column("Vocabulary size", is_number=True),
        *(Column(f"Unknown {name}", is_number=True, has_bars=True) for name in shares),
    ]
    rows = [
        (f"{row.n_tokens:,}", *map(_percent, (row.token_share, row.type_share, row.char_share))) for row in table.rows
    ]
    facts = Facts([Fact(f"Distinct {table.unit}", f"{table.n_known:,}", f"{table.n_once:,} of them once")])
    blocks: list[Block] = [facts]
    if all(len(curve.points) > 1 for curve in curves):
        axes = (Axis("vocabulary size", is_log=True), Axis("unknown, %"))
        blocks.append(Lines("Share of held-out text that is unknown against vocabulary size", curves, *axes))
    return [*blocks, Table(f"{counted(len(rows), 'vocabulary size')}, the last that of all", columns, rows)]


def _percent(share: float | None) -> Quantity | None:
    return None if share is None else Quantity(share, f"{share:.2%}")
