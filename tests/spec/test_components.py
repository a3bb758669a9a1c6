import re
from typing import Any, get_args

import pytest

from tokenloom import _core
from tokenloom.errors import SpecError, SpecialTokenError
from tokenloom.spec import AddedToken, BpeModel, PatternName, Pretokenizer
from tokenloom.spec.config import render_pretokenizer


@pytest.mark.parametrize(
    ("content", "message"), [("", "empty"), (b"<s>", "no string"), ("a\ud800", "character 1 is a lone surrogate")]
)
def test_special_token_that_is_no_text_is_refused(content: Any, message: str) -> None:
    with pytest.raises(SpecialTokenError, match=message):
        AddedToken(content, 0)


@pytest.mark.parametrize("content", ["x" * 1025, "\u00e9" * 513])
def test_special_token_that_is_too_long_is_refused_with_a_short_quote(content: str) -> None:
    AddedToken(content[1:], 0)
    with pytest.raises(SpecialTokenError, match=r"^special token '.{200}'\.\.\. \(.* and 1,024 are the most") as caught:
        AddedToken(content, 0)
    assert len(str(caught.value)) < 320


@pytest.mark.parametrize("bad_id", [-1, 2**24, 1.0, True, "1"])
def test_special_token_without_a_real_id_is_refused(bad_id: Any) -> None:
    with pytest.raises(SpecError, match="is not an id"):
        AddedToken("<s>", bad_id)


@pytest.mark.parametrize("name", ["gpt5", "regex", None, []])
def test_pretokenizer_that_the_core_does_not_have_is_refused(name: Any) -> None:
    with pytest.raises(SpecError, match=f"unknown type {re.escape(repr(name))}. Use 'gpt2', .* or 'sequence'"):
        Pretokenizer(name)


@pytest.mark.parametrize("name", [*get_args(PatternName), "none"])
def test_every_pretokenizer_of_the_spec_is_one_of_the_core(name: Any) -> None:
    _core.PretokenCounter(render_pretokenizer(Pretokenizer(name)), [], n_threads=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cl100k", 0), "digits 0 are not among those it can have. Use 1, 2 or 3"),
        (("cl100k", True), "digits True are not among"),
        (("llama3", 1), "That pattern is 'qwen2'"),
        (("gpt2", 3), "Leave digits out"),
        (("gpt2", None, "a"), "it has no regex. Use type 'custom' for 'a'"),
        (("custom",), "regex None is no pattern"),
        (("custom", 1, "a"), "Leave digits out"),
        (("custom", None, "a\ud800"), "character 1 of regex .* is a lone surrogate"),
        (("custom", None, Pretokenizer("o200k").pattern), "is the pattern of 'o200k'. Use Pretokenizer.from_pattern"),
    ],
)
def test_pretokenizer_that_cannot_be_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Pretokenizer(*arguments)


@pytest.mark.parametrize("name", [*get_args(PatternName), "none"])
def test_a_pretokenizer_is_found_by_the_pattern_that_it_prints(name: Any) -> None:
    assert Pretokenizer.from_pattern(Pretokenizer(name).pattern) == Pretokenizer(name)


def test_a_regex_that_cannot_be_used_is_refused_by_the_core() -> None:
    with pytest.raises(SpecError, match=r"the pattern 'a\(' of the pretokenizer cannot be used: .* named pattern"):
        count_with("a(")


def count_with(regex: str) -> None:
    _core.PretokenCounter(render_pretokenizer(Pretokenizer("custom", regex=regex)), [], n_threads=1)


@pytest.mark.parametrize(
    ("regex", "detail"),
    [
        (r"a\p{Foo}", r"Unicode property not found: '\\p{Foo}' at byte 1."),
        (r"\p{Foo}|\p{Foo}", r"Unicode property not found: '\\p{Foo}'."),
        (r"x\p{Foo}(?=y)", r"Unicode property not found: '\\p{Foo}' at byte 1."),
        ("a{4294967296}", "decimal literal invalid: '4294967296' at byte 2."),
        ("(?:a{1000}){1000}", "heap usage during NFA compilation exceeded limit of 10485760."),
        ("(?<=a+)b", "Error compiling regex: Look-behind assertion without constant size."),
    ],
)
def test_the_reason_why_a_regex_cannot_be_used_is_said(regex: str, detail: str) -> None:
    with pytest.raises(SpecError, match=f"of the pretokenizer cannot be used: {re.escape(detail)} Mend it"):
        count_with(regex)


def test_a_long_regex_is_quoted_with_its_beginning_and_length() -> None:
    with pytest.raises(SpecError, match=r"^the pattern '\((aé){99}a'\.\.\. \(2,?001 characters\) of the") as caught:
        count_with("(" + "aé" * 1000)
    assert len(str(caught.value)) < 400


def test_an_unknown_pattern_is_a_custom_one() -> None:
    assert Pretokenizer.from_pattern("a+") == Pretokenizer("custom", regex="a+")


@pytest.mark.parametrize(
    ("encoding", "name"), [("r50k_base", "gpt2"), ("cl100k_base", "cl100k"), ("o200k_base", "o200k")]
)
def test_patterns_of_tiktoken_are_known_by_their_text(
    monkeypatch: pytest.MonkeyPatch, encoding: str, name: Any
) -> None:
    published = pytest.importorskip("tiktoken_ext.openai_public")
    monkeypatch.setattr(published, "load_tiktoken_bpe", lambda *_, **__: {})
    assert Pretokenizer.from_pattern(getattr(published, encoding)()["pat_str"]) == Pretokenizer(name)


def test_unknown_semantics_are_refused() -> None:
    with pytest.raises(SpecError, match="unknown semantics 'rank'"):
        BpeModel("rank")  # type: ignore[arg-type]


def test_a_symbol_for_the_end_of_words_needs_its_text() -> None:
    with pytest.raises(SpecError, match="end_of_word_symbol without end_of_word_suffix is no symbol"):
        BpeModel("merges", unit="character", end_of_word_symbol=True)


def test_nothing_to_fuse_is_refused() -> None:
    with pytest.raises(SpecError, match="fuse_unk without unk_token has nothing to fuse"):
        BpeModel("merges", unit="character", fuse_unk=True)


@pytest.mark.parametrize("text", ["byte", "merges", "character"])
def test_texts_that_are_values_of_other_fields_stay(text: str) -> None:
    model = BpeModel("merges", unit="character", unk_token=text, end_of_word_suffix=text)
    assert (model.config()["unk_token"], model.config()["end_of_word_suffix"]) == (text, text)
    assert eval(repr(model)) == model
