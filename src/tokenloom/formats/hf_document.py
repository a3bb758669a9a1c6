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
    """A document as UTF-8. `model` must be its last key, and `vocab` and `merges`, if there are any, the
    last ones of that.

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
    if "merges" not in model:
        empty = {**document, "model": {**model, "vocab": {}}}
        head, _, tail = json.dumps(empty, ensure_ascii=False, indent=2).rpartition('"vocab": {}')
        return f'{head}"vocab": {_vocabulary(model["vocab"])}{tail}'.encode()
    others = {key: value for key, value in model.items() if key not in ("vocab", "merges")}
    empty = {**document, "model": {**others, "vocab": {}}}
    head = json.dumps(empty, ensure_ascii=False, indent=2).removesuffix(_EMPTY)
    return f'{head}"vocab": {_vocabulary(model["vocab"])},\n    "merges": {_merges(model["merges"])}\n  }}\n}}'.encode()


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
