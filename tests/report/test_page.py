"""A page is one file that loads nothing, and its tables can be read by eye, keyboard and screen reader."""

import re
from typing import Final

import pytest

from tokenloom.report import (
    Axis,
    Bars,
    Bin,
    Block,
    Column,
    Fact,
    Facts,
    Histogram,
    Lines,
    Note,
    Page,
    Quantity,
    Section,
    Series,
    Table,
    Text,
    Tokens,
)

BLOCKS: Final[list[Block]] = [
    Facts([Fact("Tokens", "8,192", "of 8,192")]),
    Text("Words."),
    Note("An estimate."),
    Tokens("Longest", [b" the", b"\xe4"], ["3", "1"]),
    Bars("Sizes", [("a.txt", 3), ("b.txt", Quantity(6, "6 B"))]),
    Table("Stages", [Column("Stage"), Column("Time", is_number=True)], [["count", 1.5], ["merge", None]]),
    Lines("Growth", [Series("a", [(1, 2), (3, 4)])], Axis("x"), Axis("y")),
    Histogram("Lengths", [Bin("1", 2)], "bytes", "tokens"),
]
PAGE = Page("Report", "on something", [Section(f"Part {n}", BLOCKS) for n in range(3)], "Made by a test.").html()


def test_page_loads_nothing_and_runs_nothing() -> None:
    assert "default-src &#x27;none&#x27;" in PAGE or "default-src 'none'" in PAGE
    assert not re.findall(r"<(?:script|link|img|iframe|object|embed)|https?:|url\(|@import", PAGE)
    assert not re.findall(r"<[^>]* on\w+=", PAGE)


def test_ids_are_unique_and_references_meet_them() -> None:
    ids = re.findall(r' id="([^"]+)"', PAGE)
    references = re.findall(r' (?:aria-labelledby|aria-describedby)="([^"]+)"| href="#([^"]+)"', PAGE)
    assert len(set(ids)) == len(ids)
    assert {first or second for first, second in references} <= set(ids)


def test_tags_are_balanced() -> None:
    opened = re.findall(r"<([a-z][a-z0-9]*)(?: [^>]*)?(?<!/)>", PAGE)
    closed = re.findall(r"</([a-z][a-z0-9]*)>", PAGE)
    assert sorted(tag for tag in opened if tag != "meta") == sorted(closed)


def test_tables_have_captions_and_scopes_and_scroll_by_keyboard() -> None:
    assert PAGE.count("<table") == PAGE.count("<caption") > 0
    assert "<th>" not in PAGE
    assert PAGE.count('<div class="scroll" role="region" tabindex="0"') == PAGE.count("<table")


def test_contents_link_to_sections_where_there_are_three() -> None:
    assert PAGE.count('<a href="#s') == 3
    assert "<nav" not in Page("a", "b", [Section("one", []), Section("two", [])]).html()


def test_page_is_made_for_light_dark_phone_and_paper() -> None:
    for rule in ("prefers-color-scheme:dark", "@media (max-width", "@media print"):
        assert rule in PAGE
    assert "width=device-width" in PAGE


@pytest.mark.parametrize(("theme", "ground"), [("light", 0), ("dark", 1)])
def test_text_stands_out_from_its_ground(theme: str, ground: int) -> None:
    parts = re.split("prefers-color-scheme:dark|@media print", PAGE)[:2]
    colours = [dict(re.findall(r"--(\w+):(#[0-9a-f]{6})", part)) for part in parts]
    palette = colours[ground]
    for name in ("text", "soft", "accent", "blank"):
        assert contrast(palette[name], palette["ground"]) >= 4.5, name
        assert contrast(palette[name], palette["card"]) >= 4.5, name
    assert contrast(palette["fill"], palette["ground"]) >= 3


def test_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Table 'a', row 1: has 1 cells for 2 columns\. Pass one cell a column\."):
        Table("a", [Column("x"), Column("y")], [[1, 2], [3]])


def test_negative_bar_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a bar of -1 cannot be drawn"):
        Bars("a", [("b", -1)]).html("n")


def test_bars_are_relative_to_the_largest() -> None:
    assert re.findall(r'<rect width="([^"]+)"', BLOCKS[4].html("n")) == ["50.00%", "100.00%"]


def test_table_without_rows_says_none() -> None:
    assert "None." in Table("a", [Column("x")], []).html("n")


def test_details_of_tokens_must_be_one_each() -> None:
    with pytest.raises(ValueError, match=r"2 tokens have 1 details"):
        Tokens("a", [b"x", b"y"], ["1"])


def contrast(first: str, second: str) -> float:
    """The contrast of two colours by WCAG 2."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
