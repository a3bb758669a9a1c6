"""Reports as one self-contained HTML page: facts, tables, charts and token chips, without scripts or outside assets."""

from tokenloom.report.blocks import Block, Fact, Facts, Note, Text, Tokens
from tokenloom.report.characters import chip, escape
from tokenloom.report.charts import Bin, Histogram, Lines, Series
from tokenloom.report.numbers import format_number, format_share
from tokenloom.report.page import Page, Section
from tokenloom.report.plain_tables import PLAIN_TABLES
from tokenloom.report.scales import Axis
from tokenloom.report.tables import Bars, Cell, Column, Quantity, Table
from tokenloom.report.ticks import step_of

__all__ = [
    "PLAIN_TABLES",
    "Axis",
    "Bars",
    "Bin",
    "Block",
    "Cell",
    "Column",
    "Fact",
    "Facts",
    "Histogram",
    "Lines",
    "Note",
    "Page",
    "Quantity",
    "Section",
    "Series",
    "Table",
    "Text",
    "Tokens",
    "chip",
    "escape",
    "format_number",
    "format_share",
    "step_of",
]
