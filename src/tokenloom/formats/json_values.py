"""JSON files of others, read strictly: each value knows its file and its place in it.

A key that nobody looks at is a tokenizer that silently gives other ids, so readers name the keys that they know and the
rest is refused. A key that is there twice is refused too, since libraries differ in which of the two they take.

`orjson` reads large files twice as fast as the standard library, which stands in where it is missing and words the
errors in any case.
"""

import json
import math
import re
import reprlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Never

from tokenloom.errors import FormatError
from tokenloom.formats.text import utf8_text
from tokenloom.wording import quoted

__all__ = ["Node", "parse_json"]

_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_NEGATIVE_ZERO: Final = re.compile(rb"-0\s*[,\]}]")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a JSON file.

    Args:
        value: what `json` makes of it.
        path: its place in the file, such as `model.vocab`; empty for the whole.
        file: names the file in errors.

    >>> node = Node({"model": {"type": "BPE"}}, "", "x.json")["model"]["type"]
    >>> node.path, node.text()
    ('model.type', 'BPE')
    >>> node.whole_number()
    Traceback (most recent call last):
    tokenloom.errors.FormatError: x.json, model.type: is 'BPE', no whole number. Use a number from 0.
    """

    value: Any
    path: str
    file: str

    def fault(self, what: str, remedy: str) -> FormatError:
        """An error that names the place."""
        return FormatError(f"{self.file}, {self.path or 'top level'}: {what}. {remedy}.")

    def __getitem__(self, key: str | int) -> "Node":
        """What stands under a key that must be there, or at a place of a list."""
        if isinstance(key, str):
            if key not in self.members():
                raise self.fault(f"lacks the key {quoted(key)}", "Restore the file, or add the key")
            shown = key if _NAME.fullmatch(key) else reprlib.repr(key)
            return Node(self.value[key], f"{self.path}.{shown}" if self.path else shown, self.file)
        return Node(self.value[key], f"{self.path}[{key}]", self.file)

    def get(self, key: str, default: Any = None) -> "Node":
        """What stands under a key that may be missing."""
        return self[key] if key in self.members() else Node(default, f"{self.path}.{key}".lstrip("."), self.file)

    def members(self) -> dict[str, Any]:
        """The object that the value must be."""
        if not isinstance(self.value, dict):
            raise self.fault(f"is {quoted(self.value)}, no object", "Use an object of keys and values")
        return self.value

    def only(self, *known: str) -> "Node":
        """Itself, after refusing keys that are not among those known."""
        for key in self.members():
            if key not in known:
                what = f"has the key {quoted(key)}, which this tokenloom does not know"
                raise self.fault(what, "Remove it if it decides nothing, or upgrade tokenloom")
        return self

    def only_one(self, *known: str) -> str:
        """The one key of an object that says by it which of several things it is."""
        keys = list(self.only(*known).members())
        if len(keys) != 1:
            shown = " and ".join(map(repr, keys)) or "none"
            raise self.fault(f"has {shown} of the keys {', '.join(map(repr, known))}", "Keep one of them")
        return keys[0]

    def items(self) -> Iterator["Node"]:
        """The values of a list."""
        for position in range(len(self.listed())):
            yield self[position]

    def listed(self) -> list[Any]:
        """The list that the value must be."""
        if not isinstance(self.value, list):
            raise self.fault(f"is {quoted(self.value)}, no list", "Use a list")
        return self.value

    def text(self) -> str:
        """The string that the value must be."""
        if not isinstance(self.value, str):
            raise self.fault(f"is {quoted(self.value)}, no string", "Use a string")
        return self.value

    def flag(self) -> bool:
        """The truth value that the value must be."""
        if not isinstance(self.value, bool):
            raise self.fault(f"is {quoted(self.value)}, not true or false", "Use true or false")
        return self.value

    def whole_number(self, *, most: int | None = None) -> int:
        """The number that the value must be, perhaps not more than `most`."""
        if type(self.value) is not int or self.value < 0:
            raise self.fault(f"is {quoted(self.value)}, no whole number", "Use a number from 0")
        if most is not None and self.value > most:
            raise self.fault(f"is {quoted(self.value)}, which is too much", f"Use a number from 0 to {most:,}")
        return self.value

    def type(self) -> str:
        """What the key `type` of an object says."""
        return self["type"].text()


def parse_json(data: bytes, *, file: str) -> Node:
    """The top level of a JSON file.

    Raises: FormatError with line and column for what is no JSON, and for a key that is there twice.

    >>> parse_json(b'{"a": [1, 2]}', file="x.json")["a"].listed()
    [1, 2]
    """
    try:
        import orjson
    except ImportError:
        return Node(_parsed_slowly(data, file), "", file)
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        _parsed_slowly(data, file)
        _refuse(f"{file}, line {error.lineno}, column {error.colno}", f"not JSON ({error.msg})")
    if _n_written_strings(data) != _n_strings(value):  # a key that is there twice
        _parsed_slowly(data, file)
    if b"-0" in data and _NEGATIVE_ZERO.search(data):
        value = _parsed_slowly(data, file)
    return Node(value, "", file)


def _parsed_slowly(data: bytes, file: str) -> Any:
    text = utf8_text(data, place=file)
    if text.lstrip().startswith("<"):
        raise FormatError(f"{file}, line 1: it is a web page, no JSON. Download the file itself.")
    try:
        value = json.loads(
            text,
            object_pairs_hook=lambda pairs: _unique(pairs, file),
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
    except json.JSONDecodeError as error:
        _refuse(f"{file}, line {error.lineno}, column {error.colno}", f"not JSON ({error.msg})")
    except FormatError:
        raise
    except (RecursionError, ValueError):  # ValueError: a number with thousands of digits, or none
        _refuse(file, "not JSON that is read here: it is nested too deeply or holds a number that is none")
    _check_surrogates(text, value, file)
    return value


def _unique(pairs: list[tuple[str, Any]], file: str) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        double, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise FormatError(f"{file}: an object has the key {quoted(double)} twice. Delete one of the two entries.")
    return value


def _no_constant(name: str) -> Never:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _whole(digits: str) -> int | float:
    """A number without a point; -0 is none that counts, and other readers take it for a fraction."""
    return -0.0 if digits == "-0" else int(digits)


def _check_surrogates(text: str, value: Any, file: str) -> None:
    """Refuse strings that no UTF-8 holds; only an escape can make one."""
    escapes = list(_SURROGATE.finditer(text))
    if not escapes:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        lone = f"\\u{ord(error.object[error.start]):04x}"
        at = next((escape.start() for escape in escapes if escape[0].lower() == lone), 0)
        line = text.count("\n", 0, at) + 1
        _refuse(f"{file}, line {line}", f"a string has the lone surrogate {lone}, which is no character")


def _n_written_strings(data: bytes) -> int:
    """How many strings a valid JSON text has, keys among them."""
    n_quotes = data.count(b'"')
    if b"\\" in data:
        n_quotes -= data.replace(b"\\\\", b"").count(b'\\"')
    return n_quotes // 2


def _n_strings(value: Any) -> int:
    """How many strings a value has, all in all, keys among them.

    Large lists hold one kind of thing, so they are counted or joined as a whole.
    """
    n_strings = 0
    waiting: list[Any] = [[value]]
    while waiting:
        items = waiting.pop()
        if type(items) is dict:
            n_strings += len(items)
            items = items.values()
        kinds = set(map(type, items))
        if kinds == {str}:
            n_strings += len(items)
        elif kinds == {list}:
            waiting.append(list(chain.from_iterable(items)))
        elif not kinds.isdisjoint((str, list, dict)):
            n_strings += sum(1 for item in items if type(item) is str)
            waiting.extend(item for item in items if type(item) is dict or type(item) is list)
    return n_strings


def _refuse(place: str, what: str) -> Never:
    raise FormatError(f"{place}: {what}. Restore the file: it was cut or changed.")
