"""What a token or a name looks like on a page; nothing in it may act there."""

from html.parser import HTMLParser
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.report import Bars, Block, Page, Section, Table, Text, Tokens, chip, escape
from tokenloom.report.tables import Column

HOSTILE: Final = [
    b"</script><script>alert(1)</script>",
    b"</style><style>*{display:none}",
    b'" onmouseover="alert(1)" x="',
    b"' onfocus='alert(1)",
    b"<!--",
    b"]]>",
    b"&lt;&#0;&amp",
    b"\x00\x07\x1b[31m\x7f",
    "\u202eevil\u2066\u200f".encode(),
    "\u2028\u2029\ufeff\u00ad".encode(),
    b"\xff\xfe\xc0\x80\xed\xa0\x80",
    "a\u0301\u0489".encode(),
]


class Collector(HTMLParser):
    """Elements, attributes and text of a page as a browser's parser sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.values: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.values += [value or "" for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(html: str) -> Collector:
    collector = Collector()
    collector.feed(html)
    collector.close()
    return collector


def page_of(text: str, token: bytes) -> str:
    blocks: list[Block] = [
        Text(text),
        Tokens(text, [token], [text]),
        Bars(text, [(text, 1)], text, text),
        Table(text, [Column(text), Column(text)], [[token, text]]),
    ]
    return Page(text, text, [Section(text, blocks)], text).html()


@pytest.mark.parametrize("token", HOSTILE, ids=repr)
def test_hostile_text_adds_no_element_and_no_attribute(token: bytes) -> None:
    harmless = parsed(page_of("a", b"a"))
    hostile = parsed(page_of(token.decode("utf-8", "surrogateescape"), token))
    assert hostile.tags - {"i", "b", "u"} == harmless.tags
    assert hostile.attributes == harmless.attributes


@pytest.mark.parametrize("token", HOSTILE, ids=repr)
def test_page_of_hostile_text_holds_printable_characters_only(token: bytes) -> None:
    html = page_of(token.decode("utf-8", "surrogateescape"), token)
    assert html.encode().decode() == html
    assert all(char.isprintable() or char == "\n" for char in html)


@given(st.binary(max_size=40))
def test_chip_of_any_bytes_is_one_element_of_printable_text(token: bytes) -> None:
    html = chip(token)
    assert html.isprintable()
    assert parsed(html).tags <= {"bdi", "i", "b", "u"}
    assert html.count("<bdi ") == 1


@given(st.binary(max_size=40))
def test_title_of_a_chip_is_the_token_as_python_writes_it(token: bytes) -> None:
    assert repr(token) in parsed(chip(token)).values


@given(st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="◌"), min_size=1, max_size=20))
def test_chip_shows_ordinary_text_as_it_is(text: str) -> None:
    assert parsed(chip(text.encode())).text.removeprefix("◌") == text


def test_blanks_are_drawn_and_long_runs_counted() -> None:
    assert parsed(chip(b" a\n\t\r")).text == "␣a↵⇥\\r"
    assert parsed(chip(b"a" + b" " * 16)).text == "a␣×16"


def test_bytes_of_half_characters_are_hex_with_a_border_of_their_own() -> None:
    token = "你".encode()
    assert parsed(chip(token[:2] + b"a")).text == "E4BDa"
    assert 'class="chip half"' in chip(token[:2])
    assert 'class="chip"' in chip(token)


def test_bidirectional_override_is_shown_by_its_number() -> None:
    assert parsed(chip("\u202eab".encode())).text == "U+202Eab"
    assert escape("\u202eab") == "\\u202eab"


def test_long_token_is_cut_in_the_chip_and_longer_in_its_title() -> None:
    html = chip(bytes(range(97, 122)) * 1000)
    assert len(html) < 500
    assert parsed(html).text.endswith("…")


def test_empty_token_is_called_empty() -> None:
    assert parsed(chip(b"")).text == "empty"


def test_only_chips_that_are_drawn_long_may_break() -> None:
    assert 'class="chip long"' in chip(b"-" * 30)
    assert 'class="chip"' in chip(b" " * 30)
    assert 'class="chip"' in chip(b"-" * 16)
