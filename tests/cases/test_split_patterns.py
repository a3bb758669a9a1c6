"""PT: split patterns. Each test is a public report of a fault in other software; see its id."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest
import regex  # type: ignore[import-untyped]

from tests.cases.vocabularies import BYTES, from_hf_json, texts_of
from tests.interop.published import ours
from tokenloom import Tokenizer
from tokenloom.spec import PatternName, Pretokenizer

HINDI: Final = "\u0927\u0928\u094d\u092f\u0935\u093e\u0926"


@pytest.mark.parametrize(
    ("case", "name", "text", "ids"),
    [
        ("PT-01", "cl100k_base", "'RE", [95253]),
        ("PT-01", "cl100k_base", "WE'LL GO", [12739, 6, 4178, 12890]),
        ("PT-01", "o200k_base", "'RE", [6, 1099]),
        ("PT-01", "o200k_base", "WE'LL GO", [18092, 6, 7454, 22136]),
        ("PT-01", "gpt2", "'RE", [6, 2200]),
        ("PT-01", "gpt2", "WE'LL GO", [8845, 6, 3069, 10351]),
        ("PT-02", "cl100k_base", "ha'\u017f", [4317, 6, 129, 123]),
        ("PT-02", "o200k_base", "ha'\u017f", [1716, 6, 70067]),
        ("PT-03", "cl100k_base", "isn\u2019t", [285, 77, 1431]),
        ("PT-03", "cl100k_base", "isn't", [285, 77, 956]),
        ("PT-04", "o200k_base", HINDI, [5562, 998, 161793]),
        ("PT-04", "cl100k_base", HINDI, [5619, 100, 61196, 31584, 107, 5619, 113, 32511, 99]),
        ("PT-05", "cl100k_base", "k\r\n\r\nv", [74, 881, 85]),
        ("PT-05", "o200k_base", "k\r\n\r\nv", [74, 1414, 85]),
        ("PT-05", "gpt2", "k\r\n\r\nv", [74, 201, 198, 201, 198, 85]),
        ("PT-05", "cl100k_base", "k\n\nv", [74, 271, 85]),
        ("PT-08", "cl100k_base", "foo  bar\n\n  baz", [8134, 220, 3703, 271, 220, 51347]),
        ("PT-11", "tekken", "A" * 9400, [14229] * 4700),
        ("PT-14", "qwen3", "987654", [24, 23, 22, 21, 20, 19]),
        ("PT-14", "cl100k_base", "987654", [22207, 21969]),
        ("PT-14", "gpt2", "987654", [4089, 29143, 19]),
    ],
)
def test_texts_have_these_ids(shared: Path, case: str, name: str, text: str, ids: list[int]) -> None:
    assert ours(shared, name).encode(text) == ids, case


@pytest.mark.parametrize(
    ("case", "pattern", "text", "pieces"),
    [
        ("PT-02", "cl100k", "ha'\u017f", ["ha", "'\u017f"]),
        ("PT-02", "o200k", "ha'\u017f", ["ha'\u017f"]),
        ("PT-02", "gpt2", "ha'\u017f", ["ha", "'", "\u017f"]),
        ("PT-04", "o200k", HINDI, [HINDI]),
        ("PT-06", "gpt2", "a  b   ", ["a", " ", " b", "   "]),
    ],
)
def test_texts_are_cut_so(case: str, pattern: PatternName, text: str, pieces: list[str]) -> None:
    assert Tokenizer(BYTES, [], pattern=pattern).pretokens(text) == [piece.encode() for piece in pieces], case


def test_cutting_a_text_changes_its_ids_at_some_places(shared: Path) -> None:
    """PT-08: a text that arrives in parts has the ids of the whole, wherever it was cut."""
    tokenizer, text = ours(shared, "cl100k_base"), "foo  bar\n\n  baz"
    whole = tokenizer.encode(text)
    parts = {at: (text[:at], text[at:]) for at in range(1, len(text))}
    changed = [at for at, (left, right) in parts.items() if tokenizer.encode(left) + tokenizer.encode(right) != whole]
    assert changed == [1, 2, 5, 6, 7, 9, 12, 13, 14]
    assert all(list(tokenizer.encode_iterable(pair)) == whole for pair in parts.values())


@pytest.mark.parametrize(
    ("name", "character", "n_tokens"),
    [("gpt2", "^", 250_000), ("cl100k_base", "^", 250_000), ("cl100k_base", "a", 125_000)],
)
def test_a_million_times_one_character(shared: Path, name: str, character: str, n_tokens: int) -> None:
    """PT-09."""
    assert ours(shared, name).count(character * 1_000_000) == n_tokens


BYTE_LEVEL: Final = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}


def test_a_chain_of_splitters_is_followed(tmp_path: Path) -> None:
    """PT-12: the bytes of the report's letters, where `\u0120` stands for a blank."""
    groups = {"type": "Split", "pattern": {"Regex": "[0-9][0-9][0-9]"}, "behavior": "Isolated", "invert": False}
    steps = [
        {"type": "Punctuation", "behavior": "Contiguous"},
        BYTE_LEVEL | {"use_regex": True},
        {"type": "Digits", "individual_digits": False},
        groups,
    ]
    tokenizer = from_hf_json(tmp_path, pre_tokenizer={"type": "Sequence", "pretokenizers": steps})
    pieces = [b"ab", b"!?", b" ", b"123", b"456", b"7", b"x", b" it", b"'", b"s"]
    assert tokenizer.pretokens("ab!? 1234567x it's") == pieces


def test_each_number_stands_alone(tmp_path: Path) -> None:
    """UN-12: not only digits."""
    steps = [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL | {"use_regex": False}]
    tokenizer = from_hf_json(tmp_path, pre_tokenizer={"type": "Sequence", "pretokenizers": steps})
    pieces = ["4", " ", "\u00bd", " ", "\u0663", "\u2167", "x", "\u00b2"]
    assert [piece.decode() for piece in tokenizer.pretokens("4 \u00bd \u0663\u2167x\u00b2")] == pieces


def test_chinese_and_numbers_are_cut_as_by_deepseek(shared: Path) -> None:
    """PT-13."""
    pieces = ["x", "123", "456", "7", " ", "\u4e2d\u6587", "abc", " !", "hello"]
    assert texts_of(ours(shared, "deepseek_v3"), "x1234567 \u4e2d\u6587abc !hello") == pieces


def blanks_marks_digits_and_quotes() -> Iterator[str]:
    random = Random(15)
    for _ in range(100_000):
        yield "".join(random.choices(" \r\n\t\u3000\u0301\u08d37\u0663\u00bd'\u2019sSlaA!", k=random.randint(1, 14)))


def test_possessive_and_backtracking_patterns_cut_alike() -> None:
    """PT-15: cl100k_base as published, possessive, and with all of these signs taken out."""
    published = Pretokenizer("cl100k").pattern
    backtracking = regex.compile(re.sub(r"([+*?}])\+", r"\1", published))
    assert "++" in published
    assert "++" not in backtracking.pattern
    tokenizer = Tokenizer(BYTES, [], pattern="cl100k")
    for text in blanks_marks_digits_and_quotes():
        assert tokenizer.pretokens(text) == [piece.encode() for piece in backtracking.findall(text)], text
