import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.errors import SpecError, SpecialTokenError
from tokenloom.spec import BpeModel, PatternName, Pretokenizer, SpecialToken
from tokenloom.spec.config import parse_config, render_config

GPT2 = (
    '{"decoder":{"type":"bytes"},"model":{"semantics":"merges","type":"bpe"},"normalizer":null,"postprocessor":null,'
    '"pretokenizer":{"type":"gpt2","unicode":"16.0"},"spec_version":1,'
    '"special_tokens":[{"content":"<|endoftext|>","id":50256}]}'
)


def test_canonical_json_is_this_text() -> None:
    specials = [SpecialToken("<|endoftext|>", 50256)]
    assert render_config(BpeModel("merges"), Pretokenizer("gpt2"), specials) == GPT2


@pytest.mark.parametrize(
    ("pretokenizer", "text"),
    [
        (Pretokenizer("none"), '{"type":"none"}'),
        (Pretokenizer("gpt2"), '{"type":"gpt2","unicode":"16.0"}'),
        (Pretokenizer("metaspace"), '{"type":"metaspace"}'),
        (Pretokenizer("cl100k"), '{"digits":3,"type":"cl100k","unicode":"16.0"}'),
        (Pretokenizer("llama3", digits=2), '{"digits":2,"type":"llama3","unicode":"16.0"}'),
        (Pretokenizer("custom", regex="é|\n"), '{"regex":"\\u00e9|\\n","type":"custom","unicode":"16.0"}'),
    ],
)
def test_each_pretokenizer_has_its_form(pretokenizer: Pretokenizer, text: str) -> None:
    assert f'"pretokenizer":{text},' in render_config(BpeModel("ranks"), pretokenizer, [])


@given(
    st.sampled_from([BpeModel("merges"), BpeModel("ranks")]),
    st.sampled_from([*map(Pretokenizer, (*get_args(PatternName), "none")), Pretokenizer("cl100k", 1)])
    | st.from_regex(r"[a-z\u0100]+", fullmatch=True).map(lambda regex: Pretokenizer("custom", regex=regex)),
    st.lists(st.builds(SpecialToken, st.text(min_size=1), st.integers(0, 2**24 - 1))).map(tuple),
)
def test_every_description_comes_back(
    model: BpeModel, pretokenizer: Pretokenizer, specials: tuple[SpecialToken, ...]
) -> None:
    text = render_config(model, pretokenizer, specials)
    assert text.isascii()
    assert parse_config(text) == (model, pretokenizer, specials)


def test_blanks_and_order_of_keys_do_not_matter() -> None:
    text = json.dumps(dict(reversed(json.loads(GPT2).items())), indent=2)
    assert render_config(*parse_config(text)) == GPT2


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("spec_version", 2, "spec_version: is 2, but this tokenloom reads 1"),
        ("spec_version", True, "spec_version: is True"),
        ("normalizer", {"type": "NFC"}, r"normalizer: \{'type': 'NFC'\} is unknown"),
        ("postprocessor", [], r"postprocessor: \[\] is unknown"),
        ("decoder", {"type": "wordpiece"}, "decoder: 'wordpiece' is unknown"),
        ("decoder", {"type": "bytes", "x": 1}, "decoder: has the unknown key 'x'"),
        ("decoder", "bytes", "decoder: 'bytes' is not an object"),
        ("model", {"type": "unigram"}, "model: 'unigram' is unknown"),
        ("model", {"type": "bpe"}, "model: lacks the key 'semantics'"),
        ("model", {"type": "bpe", "semantics": []}, r"unknown semantics \[\]"),
        ("pretokenizer", {"type": "cl200k"}, "pretokenizer: 'cl200k' is unknown"),
        ("pretokenizer", {"type": "cl100k", "unicode": "16.0"}, "pretokenizer: lacks the key 'digits'"),
        ("pretokenizer", {"type": "cl100k", "digits": None, "unicode": "16.0"}, "pretokenizer.digits: None is unknown"),
        ("pretokenizer", {"type": "cl100k", "digits": 4, "unicode": "16.0"}, "digits 4 are not among .* Use 1, 2 or 3"),
        ("pretokenizer", {"type": "llama3", "digits": 1, "unicode": "16.0"}, "That pattern is 'qwen2'"),
        ("pretokenizer", {"type": "qwen2", "digits": 1, "unicode": "16.0"}, "has the unknown key 'digits'"),
        ("pretokenizer", {"type": "custom", "regex": 1, "unicode": "16.0"}, "pretokenizer.regex: 1 is unknown"),
        ("pretokenizer", {"type": "regex", "pattern": "a", "unicode": "16.0"}, "pretokenizer: 'regex' is unknown"),
        ("pretokenizer", {"type": ["gpt2"]}, r"pretokenizer: \['gpt2'\] is unknown"),
        ("pretokenizer", {"type": "gpt2"}, "pretokenizer: lacks the key 'unicode'"),
        ("pretokenizer", {"type": "gpt2", "unicode": "17.0"}, "pretokenizer.unicode: '17.0' is unknown"),
        ("special_tokens", {}, r"special_tokens: \{\} is not a list"),
        ("special_tokens", [["<s>", 1]], r"special_tokens\[0\]: .* is not an object"),
        ("special_tokens", [{"content": "a", "id": 1, "lstrip": True}], r"special_tokens\[0\]: .* 'lstrip'"),
        ("special_tokens", [{"content": "a", "id": 1.0}], "1.0 is not an id"),
        ("truncation", None, "top level: has the unknown key 'truncation'"),
    ],
)
def test_what_this_version_does_not_know_is_refused_by_name(key: str, value: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_config(json.dumps(json.loads(GPT2) | {key: value}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: is not JSON"),
        ("{", "line 1, column 2: is not JSON"),
        ("[]", "top level: has no 'spec_version'"),
        ("[" * 100_000, "nested too deeply"),
        ('{"spec_version":' + "1" * 5000 + "}", "thousands of digits"),
        ('{"spec_version":NaN}', "NaN is not JSON"),
        ('{"spec_version":1,"spec_version":1}', "has the key 'spec_version' twice"),
    ],
)
def test_text_that_is_no_description_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_config(text)


def test_double_key_among_a_hundred_thousand_is_found() -> None:
    """Hostile size: counting each key anew would take minutes."""
    keys = ",".join(f'"{number}":0' for number in range(100_000))
    with pytest.raises(SpecError, match="has the key '99999' twice"):
        parse_config(f'{{{keys},"99999":0}}')


def test_special_token_without_bytes_is_refused() -> None:
    with pytest.raises(SpecialTokenError, match="lone surrogate"):
        parse_config(GPT2.replace("<|endoftext|>", r"\ud83d"))
