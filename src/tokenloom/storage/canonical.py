"""JSON that has one spelling for one value, so that equal content gives equal bytes and equal checksums."""

import json
from typing import Any

__all__ = ["canonical_json", "parse_canonical"]


def canonical_json(value: Any) -> bytes:
    r"""Sorted keys, no blanks, ASCII only.

    Raises: TypeError or ValueError for what JSON cannot hold, such as NaN, bytes or a value that contains itself.

    >>> canonical_json({"b": [1, None], "a": "é"})
    b'{"a":"\\u00e9","b":[1,null]}'
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode("ascii")


def parse_canonical(data: bytes) -> Any:
    """The inverse of `canonical_json`.

    Raises: ValueError for everything that `canonical_json` would not have written, double keys among it.
    """
    try:
        value = json.loads(data.decode("ascii"))
        again = canonical_json(value)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if again != data:
        raise ValueError("not in canonical form")
    return value
