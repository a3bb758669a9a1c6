import re
from itertools import islice
from typing import Final

import pytest

from tests.hostile import hostile_texts

TEXTS: Final = [*hostile_texts(1, 3000, ["<|im_end|>"])]
KINDS: Final = (
    *("\r\n", "\r\r", "\t\t", "   ", "\x85", "\u180e", "[a-z]\u0301", "\u08d3", "\u094d", "\u200d\U0001f469"),
    *("\u2019s", "'LL", "'lL", "\u017f", "HELLO", "[a-z][A-Z]{2}[a-z]", "[0-9]{4}", "\u0663", "\u2167", "\u30fc"),
    *("[\u4e00-\u9fff]{3}", "[\ue000-\uf8ff]", "\u0378", "\U0010ffff", "\u1c89"),
    *(r"<\|im_end\|>", r"(?:<\|im_end\|>){2}", r"<\|im_end(?!\|)"),
)


def test_the_same_seed_gives_the_same_texts_however_many() -> None:
    assert [*islice(hostile_texts(1, 10**9, ["<|im_end|>"]), 100)] == TEXTS[:100]
    assert [*hostile_texts(2, 100, ["<|im_end|>"])] != TEXTS[:100]


@pytest.mark.parametrize("kind", KINDS)
def test_texts_hold_what_others_stumble_over(kind: str) -> None:
    assert any(re.search(kind, text) for text in TEXTS)
