"""`tokenizer.json` of WordPiece: what is read, refused and written."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.wordpieces import FLAGS, WORDS, wordpiece_json, wordpiece_spec
from tokenloom import Tokenizer
from tokenloom.errors import FormatError
from tokenloom.formats.hf_json import parse_hf_json, render_hf_config, render_hf_json
from tokenloom.spec import AddedToken, BertText, DecodeJoin, Decoder, Normalizer, Template, TokenizerSpec


def read(top: dict[str, Any], **options: Any) -> TokenizerSpec:
    return parse_hf_json(json.dumps(top, **options).encode(), place="x.json")[0]


def test_a_file_is_the_tokenizer_that_it_describes() -> None:
    assert read(wordpiece_json()) == wordpiece_spec()


def test_ids_may_stand_in_any_order() -> None:
    """The core gives up on these, so another reader reads them."""
    top = wordpiece_json()
    top["model"]["vocab"] = dict(reversed(top["model"]["vocab"].items()))
    assert read(top) == wordpiece_spec()


def test_what_is_read_is_written_and_read_again() -> None:
    data = render_hf_json(wordpiece_spec())
    assert parse_hf_json(data, place="x")[0] == wordpiece_spec()
    assert json.loads(data)["model"]["vocab"] == {token: token_id for token_id, token in enumerate(WORDS)}
    assert json.dumps(json.loads(data), ensure_ascii=False, indent=2).encode() == data


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("accents", [None, False, True])
def test_accents_go_with_letters_unless_the_file_says_so(lowercase: bool, accents: bool | None) -> None:
    top = wordpiece_json()
    top["normalizer"] |= {"lowercase": lowercase, "strip_accents": accents}
    text = BertText(lowercase=lowercase, strip_accents=lowercase if accents is None else accents)
    spec = read(top)
    assert spec.normalizer == Normalizer((text,))
    assert parse_hf_json(render_hf_json(spec), place="x")[0] == spec


def test_a_normalizer_that_does_nothing_is_none() -> None:
    top = wordpiece_json()
    top["normalizer"] |= dict.fromkeys(("clean_text", "handle_chinese_chars", "lowercase"), False)
    assert read(top).normalizer is None


def test_roberta_has_two_tokens_between_texts() -> None:
    top = wordpiece_json()
    top["post_processor"] |= {"type": "RobertaProcessing", "trim_offsets": True, "add_prefix_space": False}
    assert read(top).postprocessor == Template((1, "A", 2), (1, "A", 2, 2, "B", 2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda top: top["model"]["vocab"].pop("[UNK]"), r"added_tokens\[0\]: '\[UNK\]' has id 0, but the library"),
        (
            lambda top: top["model"].update(unk_token="?"),
            r"model\.unk_token: '\?' is not in model\.vocab, so an unknown",
        ),
        (lambda top: top["model"].update(unk_token=""), r"model\.unk_token: is empty"),
        (lambda top: top["model"].pop("unk_token"), "model: lacks the key 'unk_token'"),
        (lambda top: top["model"].update(unk_token=None), r"model\.unk_token: is None, no string"),
        (lambda top: top["model"].update(max_input_chars_per_word=-1), "is -1, no whole number"),
        (lambda top: top["model"].update(max_input_chars_per_word=2**32), "is 4294967296, which is too much"),
        (lambda top: top["model"].update(merges=[]), "model: has the key 'merges', which"),
        (lambda top: top["model"].update(vocab={}), r"model\.vocab: is empty"),
        (lambda top: top["model"]["vocab"].update({"": 99}), r"model\.vocab\.'': is empty"),
        (lambda top: top["model"]["vocab"].update({"x": 3}), r"model\.vocab.*id 3 is already that of"),
        (lambda top: top["normalizer"].pop("lowercase"), "normalizer: lacks the key 'lowercase'"),
        (lambda top: top["normalizer"].update(lowercase=None), r"normalizer\.lowercase: is None, not true or false"),
        (lambda top: top["normalizer"].update(x=1), "normalizer: has the key 'x'"),
        (lambda top: top["decoder"].pop("cleanup"), "decoder: lacks the key 'cleanup'"),
        (
            lambda top: top["post_processor"].update(sep=["[SEP]"]),
            r"post_processor\.sep: is \['\[SEP\]'\], no token and",
        ),
        (lambda top: top["post_processor"].update(sep=["[SEP]", 99]), "postprocessor: id 99 has no token"),
        (lambda top: top["post_processor"].update(trim_offsets=True), "post_processor: has the key 'trim_offsets'"),
    ],
)
def test_what_is_no_such_file_is_refused_by_place(change: Callable[[dict[str, Any]], object], message: str) -> None:
    top = wordpiece_json()
    change(top)
    with pytest.raises(FormatError, match=message):
        read(top)


def test_a_bpe_file_without_merges_is_still_refused() -> None:
    """Only other models have none; the reader in the core asks for them too."""
    top = wordpiece_json()
    top["model"] = {"type": "BPE", "vocab": {"a": 0}}
    with pytest.raises(FormatError, match="model: lacks the key 'merges'"):
        read({**top, "added_tokens": [], "post_processor": None})


def test_text_makes_no_special_token_of_the_vocabulary() -> None:
    """Where signs do not stand apart the library would find "[CLS]" as a word."""
    top = {**wordpiece_json(), "pre_tokenizer": {"type": "WhitespaceSplit"}, "normalizer": None}
    tokenizer = Tokenizer.from_spec(read(top), special_text="plain")
    assert tokenizer.encode("[CLS] the") == [0, 3]
    assert tokenizer.encode("[CLS] the", allowed_special="all") == [1, 3]


def test_an_added_token_that_the_library_would_find_in_words_is_not_written() -> None:
    spec = wordpiece_spec()
    spec = replace(
        spec, added_tokens=(AddedToken("[UNK]", 0), AddedToken("[CLS]", 1), AddedToken("s", 2, special=False))
    )
    with pytest.raises(
        FormatError, match=r"cannot hold added token 's' \(id 2\): the library would give it another id"
    ):
        render_hf_json(spec)


def test_added_tokens_behind_the_vocabulary_are_not_in_it() -> None:
    top = wordpiece_json()
    top["added_tokens"].append({"id": len(WORDS), "content": "<new>"} | FLAGS)
    spec = read(top)
    assert "<new>" not in json.loads(render_hf_json(spec))["model"]["vocab"]
    assert parse_hf_json(render_hf_json(spec), place="x")[0] == spec


def test_no_decoder_joins_with_blanks() -> None:
    assert read(wordpiece_json() | {"decoder": None}).decoder == Decoder((DecodeJoin(" "),))


def test_special_tokens_of_bert_have_their_roles() -> None:
    config = json.loads(render_hf_config(wordpiece_spec()))
    assert (config["unk_token"], config["cls_token"], config["sep_token"]) == ("[UNK]", "[CLS]", "[SEP]")
