"""`tokenizer.json` of Unigram: what is read, refused and written."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.unigrams import PIECES, unigram_json, unigram_spec
from tokenloom import Tokenizer
from tokenloom.errors import FormatError
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.spec import AddedToken, TokenizerSpec, UnigramModel
from tokenloom.spec.packing import pack_float64, unpack_float64


def read(top: dict[str, Any]) -> TokenizerSpec:
    return parse_hf_json(json.dumps(top).encode(), place="x.json")[0]


def with_model(**changes: Any) -> dict[str, Any]:
    top = unigram_json()
    top["model"] |= changes
    return top


def test_a_file_is_the_tokenizer_that_it_describes() -> None:
    spec = read(unigram_json())
    assert spec.model == UnigramModel("tokenizers", "<unk>")
    assert list(spec.model_tokens()) == [b"<unk>", b""] + [piece.encode() for piece, _ in PIECES[2:]]
    assert list(unpack_float64(spec.scores)) == [score for _, score in PIECES]


def test_what_is_read_is_written_and_read_again() -> None:
    data = render_hf_json(read(unigram_json()))
    assert json.loads(data) == unigram_json()
    assert b"-0.00001\n" in data
    assert parse_hf_json(data, place="x")[0] == read(unigram_json())


def test_a_special_token_is_not_made_of_text() -> None:
    ids = Tokenizer.from_spec(read(unigram_json()), special_text="plain").encode("<s>")
    assert ids == [0]


def test_a_special_token_that_alone_has_the_lowest_score_stays_in_the_model() -> None:
    top = with_model(vocab=[["<unk>", 1], ["a", 2], ["<s>", -8.5]])
    top["added_tokens"][0]["id"] = 2
    assert list(read(top).model_tokens())[2] == b"<s>"


def test_there_may_be_no_unknown_piece_and_no_word_of_bytes() -> None:
    top = with_model(unk_id=None)
    del top["model"]["byte_fallback"]
    assert read(top).model == UnigramModel("tokenizers")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocab": []}, r"model\.vocab: is empty"),
        ({"vocab": {"a": -1.0}}, r"model\.vocab: is {'a': -1\.0}, no list"),
        (
            {"vocab": [*map(list, PIECES), ["ab", -9]]},
            r"vocab\[7\]: 'ab' is there already, as model\.vocab\[4\]",
        ),
        ({"vocab": [["a", -1], ["b"]]}, r"model\.vocab\[1\]: \['b'\] is not a piece and its score"),
        ({"vocab": [["a", -1], ["b", "c"]]}, r"model\.vocab\[1\]: \['b', 'c'\] is not a piece"),
        ({"vocab": [["a", -1], ["b", True]]}, r"model\.vocab\[1\]: \['b', True\] is not a piece"),
        ({"vocab": [["a", -1], "b"]}, r"model\.vocab\[1\]: 'b' is not a piece"),
        ({"vocab": [["a", -1], ["", -1]]}, r"model\.vocab\[1\]: its piece is empty"),
        ({"vocab": [["a", float("nan")]]}, "not JSON|is not a piece"),
        ({"vocab": [["a", 10**400]]}, "not JSON|is not a piece"),
        ({"unk_id": 7}, r"model\.unk_id: is 7, and model\.vocab has 7 pieces"),
        ({"unk_id": -1}, r"model\.unk_id: is -1, no whole number"),
        ({"unk_id": "<unk>"}, r"model\.unk_id: is '<unk>', no whole number"),
        ({"byte_fallback": 1}, r"model\.byte_fallback: is 1, not true or false"),
        ({"merges": []}, "model: has the key 'merges'"),
    ],
)
def test_what_is_at_fault_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(with_model(**changes))


def test_the_other_arithmetic_is_refused_when_written() -> None:
    spec = unigram_spec(PIECES, UnigramModel("sentencepiece", "<unk>"))
    with pytest.raises(FormatError, match="semantics 'sentencepiece': the library that reads this file adds"):
        render_hf_json(spec)


def test_a_model_with_a_hole_is_refused_when_written() -> None:
    spec = unigram_spec([("a", -1.0), ("", 0.0), ("b", -1.0)], UnigramModel("tokenizers"))
    with pytest.raises(FormatError, match="without a token of id 1"):
        render_hf_json(spec)


def test_an_added_token_in_the_list_costs_an_unknown_character_nothing() -> None:
    """The lowest score counts in the library, also that of a special token."""
    spec = unigram_spec(PIECES, UnigramModel("tokenizers", "<unk>"), [AddedToken("<unk>", 0), AddedToken("<s>", 1)])
    spec = replace(spec, scores=pack_float64([-99.0, *unpack_float64(spec.scores)[1:]]))
    assert json.loads(render_hf_json(spec))["model"]["vocab"][0] == ["<unk>", -3.0]
