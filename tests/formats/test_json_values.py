import builtins
import json
import sys
import time
from typing import Any

import pytest

from tokenloom.errors import FormatError
from tokenloom.formats.json_values import Node, parse_json


@pytest.fixture(params=["orjson", "json"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With orjson, and as where it is not installed."""
    if request.param == "json":
        monkeypatch.setitem(sys.modules, "orjson", None)


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        [[], {}, [[["a"]]]],
        {"a": ["b", {"c": "d"}], "e": None},
        {'"': "\\", '":': ':"', "\\": '\\"', ": ": [':"', '"', '\\\\"']},
        {"\x00\n": "\u2028é😀", "Ġ": [["a", "b"], "c d"]},
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_values_come_back(value: Any, ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only, indent=1).encode(), file="x").value == value


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"x\.json, line 1, column 1: not JSON \(Expecting value\)\. Restore the file"),
        (b'{"a": 1,\n"b": }', r"x\.json, line 2, column 6: not JSON"),
        (b'{"a": "\xff"}', r"x\.json, line 1: byte 7 is not UTF-8"),
        (b'\xef\xbb\xbf{"a": 1}', r"x\.json: begins with a byte order mark of UTF-8\. Save it as UTF-8 without one\."),
        ('{"a": 1}'.encode("utf-16"), r"x\.json: begins with a byte order mark of UTF-16\."),
        (b'{"a": 1e400}', r"x\.json"),
        (b"<!DOCTYPE html>", r"x\.json, line 1: it is a web page, no JSON\. Download the file itself"),
        (b'{"a": NaN}', r"x\.json"),
        (b"[" * 100_000, r"x\.json: not JSON that is read here: it is nested too deeply"),
        (b'{"a": 1, "a": 1}', r"x\.json: an object has the key 'a' twice\. Delete one of the two entries\."),
        (b'{"b": [{"\\"": 1, "\\u0022": 2}]}', "has the key '\"' twice"),
        (b'{"a" : {"b": "c"}, "a": "d"}', "has the key 'a' twice"),
    ],
)
def test_what_is_no_json_or_has_a_key_twice_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_json(data, file="x.json")


def test_a_number_with_thousands_of_digits_is_no_whole_number() -> None:
    with pytest.raises(FormatError, match=r"^x"):
        parse_json(b'{"a": %b}' % (b"9" * 10_000), file="x")["a"].whole_number()


@pytest.mark.parametrize("text", ['"\\ud800"', '{"\\uDFFF": 1}', '"\\ud83d\\ude00 \\\\ud800 \\udc00"'])
def test_a_lone_surrogate_is_refused_with_its_line(text: str) -> None:
    """No token and no pattern may hold one."""
    with pytest.raises(FormatError, match=r"^x, line 2: a string has the lone surrogate \\ud"):
        parse_json(b"[1,\n%b]" % text.encode(), file="x")


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert parse_json(b'"\\ud83d\\ude00 \\\\ud800"', file="x").value == "😀 \\ud800"


def test_a_million_unclosed_brackets_and_quotes_end_soon() -> None:
    before = time.process_time()
    for data in (b"[" * 1_000_000, b'{"a":' * 1_000_000, b'"\\' * 1_000_000, b'{"a":"' + b"\\" * 1_000_000):
        with pytest.raises(FormatError, match=r"^x"):
            parse_json(data, file="x")
    assert time.process_time() - before < 10


def node(value: Any) -> Node:
    return Node({"a": [value], "b c": 1}, "", "x.json")


@pytest.mark.parametrize(
    ("look", "message"),
    [
        (lambda: node(1)["q"], r"x\.json, top level: lacks the key 'q'\. Restore the file, or add the key\."),
        (lambda: node(1)["a"]["q"], r"x\.json, a: is \[1\], no object\."),
        (lambda: node(1).only("a"), r"x\.json, top level: has the key 'b c', which this tokenloom does not know\."),
        (lambda: node(1)["b c"].text(), r"x\.json, 'b c': is 1, no string\."),
        (lambda: node("5")["a"][0].whole_number(), r"x\.json, a\[0\]: is '5', no whole number\."),
        (lambda: node(True)["a"][0].whole_number(), "is True, no whole number"),
        (lambda: node(-1)["a"][0].whole_number(), "is -1, no whole number"),
        (lambda: node(1.0)["a"][0].whole_number(), r"is 1\.0, no whole number"),
        (lambda: node(0)["a"][0].flag(), r"is 0, not true or false\."),
        (lambda: builtins.list(node(0)["b c"].items()), r"is 1, no list\."),
        (lambda: node(0)["a"][0].listed(), r"x\.json, a\[0\]: is 0, no list\."),
        (lambda: node({})["a"][0].type(), r"x\.json, a\[0\]: lacks the key 'type'\."),
    ],
)
def test_values_of_another_kind_are_refused_with_their_place(look: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        look()


def test_missing_keys_may_have_a_default() -> None:
    assert node(1).get("q", "r").text() == "r"
    assert node(1).get("a").listed() == [1]


@pytest.mark.parametrize("data", [b'{"a": -0}', b'{"b": [1], "a" : -0 }', b'{"a": -0,"b":"-0"}'])
def test_minus_zero_is_no_whole_number(data: bytes) -> None:
    """The library takes it for a fraction; one parser reads it as 0."""
    with pytest.raises(FormatError, match=r"^x, a: is -0\.0, no whole number"):
        parse_json(data, file="x")["a"].whole_number()
