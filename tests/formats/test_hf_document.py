import json
from itertools import pairwise
from typing import Any

import pytest

from tokenloom.formats.hf_document import render_document

STRINGS = ["a", "\u0120the", '"\\"', "\n\t\x00\x7f", "\u2028\u00e9", "\U0001f600", '"vocab": {}']


@pytest.mark.parametrize("n_merges", [0, 1, 3])
@pytest.mark.parametrize("n_tokens", [0, 1, len(STRINGS)])
def test_document_has_the_layout_of_the_json_module(n_tokens: int, n_merges: int) -> None:
    vocabulary = {token: 7 * place for place, token in enumerate(STRINGS[:n_tokens])}
    merges = [[left, right] for left, right in pairwise(STRINGS)][:n_merges]
    head: dict[str, Any] = {"version": "1.0", "added_tokens": [{"content": '"vocab": {},\n    "merges": []\n  }\n}'}]}
    document = {**head, "model": {"type": "BPE", "unk_token": None, "vocab": vocabulary, "merges": merges}}
    assert render_document(document) == json.dumps(document, ensure_ascii=False, indent=2).encode()
