"""The text of a `tokenizer.json`, in the layout of the library that defines it.

That layout is `json.dumps` with an indent of two, for which Python has no fast encoder: it takes seconds for the
vocabulary and the merges of a large tokenizer. These two are joined here, from strings that its
fast encoder for one string has made.
"""

import json
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring as encode_string
from typing import Any

__all__ = ["render_document"]

_EMPTY = '"vocab": {}\n  }\n}'
"""How a document without vocabulary and merges ends."""


def render_document(document: Mapping[str, Any]) -> bytes:
    """A document as UTF-8. `model` must be its last key, with `vocab` in it; `merges` are written last.

    >>> print(render_document({"model": {"vocab": {"a": 0, "b": 1}, "merges": [["a", "b"]]}}).decode())
    {
      "model": {
        "vocab": {
          "a": 0,
          "b": 1
        },
        "merges": [
          [
            "a",
            "b"
          ]
        ]
      }
    }
    """
    model = document["model"]
    keys = [key for key in model if key != "merges"]
    at = keys.index("vocab")
    empty = {**document, "model": {key: model[key] for key in keys[:at]} | {"vocab": {}}}
    head = json.dumps(empty, ensure_ascii=False, indent=2).removesuffix(_EMPTY)
    vocab = model["vocab"]
    written = _pieces(vocab) if isinstance(vocab, list) else _vocabulary(vocab)
    behind = "".join(f',\n    "{key}": {json.dumps(model[key])}' for key in keys[at + 1 :])
    merges = f',\n    "merges": {_merges(model["merges"])}' if "merges" in model else ""
    return f'{head}"vocab": {written}{behind}{merges}\n  }}\n}}'.encode()


def _vocabulary(ids: Mapping[str, int]) -> str:
    if not ids:
        return "{}"
    lines = ",\n      ".join([f"{encode_string(token)}: {token_id}" for token, token_id in ids.items()])
    return f"{{\n      {lines}\n    }}"


def _merges(merges: Sequence[Sequence[str]]) -> str:
    if not merges:
        return "[]"
    inner, outer = ",\n        ", "\n      ],\n      [\n        "
    pairs = outer.join([f"{encode_string(left)}{inner}{encode_string(right)}" for left, right in merges])
    return f"[\n      [\n        {pairs}\n      ]\n    ]"


def _pieces(entries: Sequence[tuple[str, float]]) -> str:
    """A list of pieces with their scores."""
    inner, outer = ",\n        ", "\n      ],\n      [\n        "
    pairs = outer.join([f"{encode_string(piece)}{inner}{_score(score)}" for piece, score in entries])
    return f"[\n      [\n        {pairs}\n      ]\n    ]"


def _score(score: float) -> str:
    """The shortest digits of a number, the way the library writes them.

    >>> _score(-1.5), _score(-1.5e-05), _score(1e-5), _score(2.5e-07), _score(1e16)
    ('-1.5', '-0.000015', '0.00001', '2.5e-7', '1e16')
    """
    shown = repr(score)
    if "e" not in shown:
        return shown
    digits, exponent = shown.split("e")
    if int(exponent) == -5:
        sign = "-" if digits[0] == "-" else ""
        return f"{sign}0.0000{digits.lstrip('-').replace('.', '')}"
    return f"{digits}e{int(exponent)}"
