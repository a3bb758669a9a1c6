"""Chains of pretokenizers in `tokenizer.json`."""

from typing import Any

import pytest

from tokenloom import FormatError
from tokenloom.formats.hf_pretokenizer import pretokenizer_json, read_pretokenizer
from tokenloom.formats.json_values import Node
from tokenloom.spec import (
    BertStep,
    ByteLevelStep,
    DigitsStep,
    MetaspaceStep,
    PatternName,
    Pretokenizer,
    PunctuationStep,
    SplitStep,
    WhitespaceSplitStep,
    WhitespaceStep,
)

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
DIGITS = {"type": "Digits", "individual_digits": False}


def split(pattern: dict[str, str], behavior: str = "Isolated", *, invert: bool = False) -> dict[str, Any]:
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def sequence(*members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(members)}


def read(value: Any, **options: Any) -> Pretokenizer:
    return read_pretokenizer(Node(value, "pre_tokenizer", "x.json"), **options)


@pytest.mark.parametrize(
    ("member", "step"),
    [
        (split({"Regex": "a"}, "MergedWithNext"), SplitStep("a", behavior="merged_with_next")),
        (split({"Regex": "a"}, "Removed", invert=True), SplitStep("a", behavior="removed", invert=True)),
        (split({"String": "(é"}, "Contiguous"), SplitStep(text="(é", behavior="contiguous")),
        (BYTE_LEVEL | {"add_prefix_space": True}, ByteLevelStep(add_prefix_space=True, use_regex=False)),
        (DIGITS, DigitsStep()),
        ({"type": "Punctuation", "behavior": "MergedWithPrevious"}, PunctuationStep("merged_with_previous")),
        (
            {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": False},
            MetaspaceStep("_", "first", split=False),
        ),
        ({"type": "Whitespace"}, WhitespaceStep()),
        ({"type": "WhitespaceSplit"}, WhitespaceSplitStep()),
        ({"type": "BertPreTokenizer"}, BertStep()),
    ],
)
def test_each_pretokenizer_is_a_step_and_comes_back(member: dict[str, Any], step: Any) -> None:
    chain = sequence(member, BYTE_LEVEL)
    pretokenizer = read(chain)
    assert pretokenizer == Pretokenizer("sequence", steps=(step, ByteLevelStep(use_regex=False)))
    assert pretokenizer_json(pretokenizer, place="x") == chain


@pytest.mark.parametrize(
    ("member", "step"),
    [
        ({"type": "CharDelimiterSplit", "delimiter": "é"}, SplitStep(text="é", behavior="removed")),
        ({"type": "Punctuation"}, PunctuationStep()),
        ({"type": "Metaspace", "replacement": "_", "add_prefix_space": True, "str_rep": "_"}, MetaspaceStep("_")),
        (
            {"type": "Metaspace", "replacement": "_", "add_prefix_space": False, "prepend_scheme": "never"},
            MetaspaceStep("_", "never"),
        ),
        (sequence(sequence(DIGITS)), DigitsStep()),
    ],
)
def test_other_spellings_mean_the_same(member: dict[str, Any], step: Any) -> None:
    assert read(sequence(member, BYTE_LEVEL)).steps[0] == step


def test_a_space_in_front_is_a_sequence_of_one() -> None:
    chain = BYTE_LEVEL | {"add_prefix_space": True, "use_regex": True}
    pretokenizer = read(chain)
    assert pretokenizer == Pretokenizer("sequence", steps=(ByteLevelStep(add_prefix_space=True),))
    assert pretokenizer_json(pretokenizer, place="x") == chain


def test_a_sequence_without_byte_level_is_written_with_it() -> None:
    pretokenizer = Pretokenizer("sequence", steps=(DigitsStep(),))
    assert pretokenizer_json(pretokenizer, place="x") == sequence(DIGITS, BYTE_LEVEL)


def test_a_model_of_characters_needs_no_byte_level() -> None:
    assert read(None, unit="character") == Pretokenizer("none")
    assert read(DIGITS, unit="character") == Pretokenizer("sequence", steps=(DigitsStep(),))
    assert read(split({"Regex": "a"}), unit="character") == Pretokenizer("custom", regex="a")
    with_bytes = read(BYTE_LEVEL | {"use_regex": True}, unit="character")
    assert with_bytes == Pretokenizer("sequence", steps=(ByteLevelStep(),))
    for value in (None, DIGITS, sequence(split({"Regex": "a"}), DIGITS), BYTE_LEVEL | {"use_regex": True}):
        assert pretokenizer_json(read(value, unit="character"), place="x", unit="character") == value


@pytest.mark.parametrize("name", ["gpt2", "starcoder"])
def test_a_named_pattern_of_a_model_of_characters_is_written_without_byte_level(name: PatternName) -> None:
    value = pretokenizer_json(Pretokenizer(name), place="x", unit="character")
    assert value == split({"Regex": Pretokenizer(name).pattern})
    assert read(value, unit="character") == Pretokenizer(name)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "x.json, pre_tokenizer: has no 'ByteLevel', and this vocabulary is byte-level"),
        (sequence(DIGITS), "has no 'ByteLevel'"),
        (
            sequence({"type": "UnicodeScripts"}, BYTE_LEVEL),
            r"pretokenizers\[0\]: pre-tokenizer 'UnicodeScripts' is not known here",
        ),
        (
            sequence({"type": "FixedLength", "length": 3}),
            r"pretokenizers\[0\]: pre-tokenizer 'FixedLength' is not known",
        ),
        (sequence(split({"Regex": r"\w"}), BYTE_LEVEL), r"pretokenizers\[0\]\.pattern\.Regex: pattern '\\\\w' has"),
        (sequence(split({"String": "a"}, "isolated"), BYTE_LEVEL), "behavior 'isolated' is not known here. Use one of"),
        (sequence(split({"Regex": "a"}) | {"x": 1}, BYTE_LEVEL), r"pretokenizers\[0\]: has the key 'x'"),
        (sequence({"type": "Digits"}, BYTE_LEVEL), "lacks the key 'individual_digits'"),
        (
            sequence(BYTE_LEVEL, {"type": "Metaspace", "replacement": "\u2581"}),
            r"pretokenizers\[1\]: puts '▁' behind 'ByteLevel', which stands for no byte",
        ),
        (
            sequence({"type": "Metaspace", "replacement": "_", "add_prefix_space": False}, BYTE_LEVEL),
            "add_prefix_space: is false, but prepend_scheme is 'always'",
        ),
        (
            sequence({"type": "Metaspace", "replacement": "_", "prepend_scheme": "last"}, BYTE_LEVEL),
            "prepend_scheme 'last' is not known here",
        ),
        (sequence({"type": "Metaspace", "replacement": "ab"}, BYTE_LEVEL), "replacement 'ab' is no single character"),
    ],
)
def test_what_is_not_known_is_refused_by_name_and_place(value: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(value)


def test_a_pattern_that_the_library_reads_otherwise_cannot_be_written() -> None:
    pretokenizer = Pretokenizer("sequence", steps=(DigitsStep(), SplitStep("a$")))
    with pytest.raises(FormatError, match=r"x: cannot hold pretokenizer 'sequence': the library may read '\$'"):
        pretokenizer_json(pretokenizer, place="x")
