"""The part of a report that says what a normalizer took away."""

import unicodedata
from typing import Final

from tokenloom.jobs.cuts import normalizer_name
from tokenloom.report import Block, Column, Fact, Facts, Section, Table, Text
from tokenloom.trainers import CountHeader
from tokenloom.wording import counted

__all__ = ["normalizer_sections"]

_MOST_ROWS: Final = 30


def normalizer_sections(header: CountHeader) -> list[Section]:
    """What was changed, and which characters most; nothing without a normalizer."""
    normalizer, changes = header.options.normalizer, header.changes
    if normalizer is None or changes is None:
        return []
    rows = [
        (f"U+{ord(row.character):04X}", unicodedata.name(row.character, ""), row.example, row.became, row.n_stretches)
        for row in changes.most(_MOST_ROWS)
    ]
    columns = [
        Column("Character"),
        Column("Name"),
        Column("Such as"),
        Column("Became"),
        Column("Stretches", is_number=True, has_bars=True),
    ]
    blocks: list[Block] = [
        Text(
            f"The normalizer {normalizer_name(normalizer)} changes text before it is cut, here and whenever the "
            "tokenizer encodes. What it changes, decoding does not give back."
        ),
        Facts(
            [
                Fact("Changed characters", f"{changes.n_chars:,}"),
                Fact("Changed documents", f"{changes.n_docs:,}"),
            ]
        ),
    ]
    if rows:
        title = f"Changed most, of {counted(len(changes.characters), 'character')} that changed stretches end with"
        blocks.append(Table(title, columns, rows))
    return [Section("Normalizer", blocks)]
