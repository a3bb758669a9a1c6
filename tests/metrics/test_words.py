"""Word splitters: what they call a word, and where they refuse."""

import re

import pytest
from hypothesis import given

from tests.strategies import hard_texts
from tokenloom.errors import MetricError
from tokenloom.metrics import METRICS, SPLITTERS, Subject, measure_documents, value_of, word_splitter
from tokenloom.tokenizer import Tokenizer

BYTES = Tokenizer({i: bytes([i]) for i in range(256)}, [])


@given(hard_texts)
def test_whitespace_is_what_python_splits(text: str) -> None:
    assert SPLITTERS["whitespace"].words(text) == text.split()


@given(hard_texts)
def test_punctuation_leaves_nothing_out_but_blanks(text: str) -> None:
    assert "".join(SPLITTERS["punctuation"].words(text)) == "".join(text.split())


def test_punctuation_of_plain_text_is_a_pattern() -> None:
    text = "It's 3.5 snake_case, naïve (né) — ok?!"
    assert SPLITTERS["punctuation"].words(text) == re.findall(r"\w+|[^\w\s]", text)


def test_han_characters_are_words_of_their_own_for_one_splitter() -> None:
    assert SPLITTERS["cjk-characters"].words("我爱 GPT-2 和かな") == ["我", "爱", "GPT-2", "和", "か", "な"]
    assert SPLITTERS["whitespace"].words("我爱 GPT-2") == ["我爱", "GPT-2"]


@pytest.mark.parametrize(("name", "text"), [("whitespace", "我喜欢机器学习 ok"), ("cjk-characters", "ภาษาไทย ok")])
def test_words_of_text_without_blanks_are_refused(name: str, text: str) -> None:
    [measured] = measure_documents([Subject(BYTES)], [text], splitter=SPLITTERS[name])
    value = value_of(METRICS["fertility"], measured)
    assert value.value is None
    assert "without blanks between words" in value.reason


def test_words_of_chinese_by_characters_have_a_value() -> None:
    [measured] = measure_documents([Subject(BYTES)], ["我喜欢"], splitter=SPLITTERS["cjk-characters"])
    assert value_of(METRICS["fertility"], measured).value == 3.0


def test_fertility_without_a_splitter_is_undefined() -> None:
    [measured] = measure_documents([Subject(BYTES)], ["the cat"])
    assert value_of(METRICS["fertility"], measured).value is None


def test_unknown_splitter_is_refused_with_those_known() -> None:
    with pytest.raises(MetricError, match="'whitespace', 'punctuation', 'cjk-characters'"):
        word_splitter("spacy")
