"""The WordLevel model of `tokenizer.json`: what is refused, and what comes back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import hard_texts
from tokenloom import FormatError, SpecialTokenError, Tokenizer, train_words
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.spec import WordModel


def document(vocab: Any, *, added: Any = (), **model: Any) -> bytes:
    whole = {
        "version": "1.0",
        "added_tokens": list(added),
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "?"} | model,
    }
    return json.dumps(whole).encode()


def special(content: str, token_id: int, **flags: bool) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True} | flags
    return {"id": token_id, "content": content, **flags}


def read(data: bytes) -> Tokenizer:
    return Tokenizer.from_spec(parse_hf_json(data, place="words.json")[0])


def test_words_are_looked_up_whole() -> None:
    tokenizer = read(document({"?": 0, "the": 1, "cat": 7}))
    assert tokenizer.spec.model == WordModel("?")
    assert tokenizer.encode("the fat cat") == [1, 0, 7]
    assert tokenizer.decode([1, 0, 7]) == "the ? cat"


def test_special_token_is_no_word() -> None:
    added = [special("[CLS]", 2)]
    tokenizer = read(document({"?": 0, "CLS": 1, "[CLS]": 2}, added=added))
    assert tokenizer.encode("[CLS]", disallowed_special=()) == [0, 1, 0]
    assert tokenizer.encode("[CLS]", allowed_special="all") == [2]


@given(st.lists(hard_texts, max_size=3), hard_texts)
def test_dictionary_comes_back(texts: list[str], text: str) -> None:
    tokenizer = train_words(texts, special_tokens=["<|end|>"], unk_token="[UNK]")
    again, _ = parse_hf_json(render_hf_json(tokenizer.spec), place="again")
    assert again == tokenizer.spec
    assert Tokenizer.from_spec(again).encode(text, disallowed_special=()) == tokenizer.encode(
        text, disallowed_special=()
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (document({"the": 0}), r"words.json, model.unk_token: '\?' is not in model.vocab, so an unknown word"),
        (document({}), "model.vocab: is empty"),
        (document([]), r"model.vocab"),
        (document({"?": 0, "": 1}), "model.vocab.*is empty. Remove the entry"),
        (document({"?": 0, "a\ud800": 1}), "has the lone surrogate"),
        (document({"?": 0, "a": 0}), "id 0"),
        (document({"?": 0, "a": -1}), "-1 is not an id"),
        (document({"?": 0, "a": True}), "True is not an id"),
        (document({"?": 0, "a": 2**40}), "is not an id"),
        (document({"?": 0, "a": 2**24 - 1}), "ids"),
        (document({"?": 0}, unk_token=None), "model.unk_token"),
        (document({"?": 0}, unk_token=3), "model.unk_token"),
        (document({"?": 0}, merges=[]), "merges"),
        (document({"?": 0, "a": 1}, added=[special("b", 1)]), "has id 1, which is that of 'a'"),
    ],
)
def test_file_at_fault_is_refused_with_the_place(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_hf_json(data, place="words.json")


def test_token_of_numbers_cannot_be_written() -> None:
    tokenizer = train_words(["a 1"], number_token="[number]")
    with pytest.raises(FormatError, match=r"cannot hold number_token '\[number\]'"):
        render_hf_json(tokenizer.spec)


def test_added_token_that_would_be_a_word_there_cannot_be_written() -> None:
    spec = read(document({"?": 0, "b": 1, "c": 9}, added=[])).spec
    assert spec.n_ids == 10
    with pytest.raises((FormatError, SpecialTokenError)):
        parse_hf_json(document({"?": 0, "c": 9}, added=[special("b", 4, special=False)]), place="words.json")
