import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.errors import SpecError, SpecialTokenError
from tokenloom.spec import (
    AddedToken,
    BpeModel,
    DecodeByteFallback,
    DecodeByteLevel,
    DecodeEndOfWord,
    DecodeFuse,
    DecodeJoin,
    DecodeMetaspace,
    Decoder,
    DecodeReplace,
    DecodeStrip,
    Lowercase,
    Normalizer,
    PatternName,
    Prepend,
    Pretokenizer,
    Replace,
    Strip,
    Template,
    UnicodeForm,
)
from tokenloom.spec.added_tokens import FLAGS
from tokenloom.spec.config import parse_config, render_config

GPT2 = (
    '{"added_tokens":[{"content":"<|endoftext|>","id":50256}],"decoder":{"type":"bytes"},'
    '"model":{"semantics":"merges","type":"bpe"},"normalizer":null,"postprocessor":null,'
    '"pretokenizer":{"type":"gpt2","unicode":"16.0"},"spec_version":1}'
)


def test_canonical_json_is_this_text() -> None:
    specials = [AddedToken("<|endoftext|>", 50256)]
    assert render_config(BpeModel("merges"), Pretokenizer("gpt2"), specials) == GPT2


def test_flags_normalizer_and_template_have_these_forms() -> None:
    flagged = AddedToken("a", 1, special=False, single_word=True, lstrip=True, rstrip=True, normalized=True)
    steps = (UnicodeForm("nfkc"), Lowercase(), Prepend("_"), Replace(" ", by="_"), Replace(pattern="a+"))
    text = render_config(
        BpeModel("merges", ignore_merges=True),
        Pretokenizer("none"),
        [flagged],
        Normalizer((*steps, Strip(left=True, right=False))),
        Template((1, "A"), ("A", 1, "B")),
    )
    assert text == (
        '{"added_tokens":[{"content":"a","id":1,"lstrip":true,"normalized":true,"rstrip":true,"single_word":true,'
        '"special":false}],"decoder":{"type":"bytes"},"model":{"ignore_merges":true,"semantics":"merges","type":"bpe"},'
        '"normalizer":[{"type":"nfkc","unicode":"16.0"},{"type":"lowercase"},{"text":"_","type":"prepend"},'
        '{"by":"_","text":" ","type":"replace"},{"by":"","pattern":"a+","type":"replace"},'
        '{"left":true,"right":false,"type":"strip"}],"postprocessor":{"pair":[{"sequence":"A"},{"id":1},'
        '{"sequence":"B"}],"single":[{"id":1},{"sequence":"A"}],"type":"template"},"pretokenizer":{"type":"none"},'
        '"spec_version":1}'
    )


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


texts = st.text(min_size=1)
ids = st.integers(0, 2**24 - 1)
flags = {name: st.booleans() for name in FLAGS}
steps = st.one_of(
    st.builds(UnicodeForm, st.sampled_from(["nfc", "nfd", "nfkc", "nfkd"])),
    st.just(Lowercase()),
    st.builds(Prepend, texts),
    st.builds(Replace, texts, by=st.text()),
    st.builds(Replace, pattern=texts, by=st.text()),
    st.sampled_from([Strip(left=True, right=True), Strip(left=False, right=True)]),
)
templates = st.builds(lambda before, after: Template((*before, "A", *after), ("A", *after, "B")), *[st.lists(ids)] * 2)


character_models = st.builds(
    lambda unk, fuse, suffix, is_symbol, **others: BpeModel(
        "merges",
        unit="character",
        unk_token=unk,
        fuse_unk=fuse and unk is not None,
        end_of_word_suffix=suffix,
        end_of_word_symbol=is_symbol and suffix is not None,
        **others,
    ),
    st.none() | texts,
    st.booleans(),
    st.none() | texts,
    st.booleans(),
    ignore_merges=st.booleans(),
    byte_fallback=st.booleans(),
    continuing_subword_prefix=st.none() | texts,
)
decoder_steps = st.one_of(
    st.builds(DecodeReplace, texts, by=st.text()),
    st.builds(DecodeReplace, pattern=texts, by=st.text()),
    st.sampled_from([DecodeByteFallback(), DecodeFuse(), DecodeByteLevel(), DecodeMetaspace("_", "first")]),
    st.builds(DecodeStrip, st.characters(codec="utf-8"), ids, ids),
    st.builds(DecodeEndOfWord, texts),
    st.builds(DecodeJoin, texts),
)


@given(
    st.sampled_from([BpeModel("merges"), BpeModel("ranks"), BpeModel("merges", ignore_merges=True)]) | character_models,
    st.sampled_from([*map(Pretokenizer, (*get_args(PatternName), "none")), Pretokenizer("cl100k", 1)])
    | st.from_regex(r"[a-z\u0100]+", fullmatch=True).map(lambda regex: Pretokenizer("custom", regex=regex)),
    st.lists(st.builds(AddedToken, texts, ids, **flags)).map(tuple),
    st.none() | st.builds(Normalizer, st.lists(steps, min_size=1)),
    st.none() | templates,
    st.builds(Decoder, st.none() | st.lists(decoder_steps)),
)
def test_every_description_comes_back(
    model: BpeModel,
    pretokenizer: Pretokenizer,
    added: tuple[AddedToken, ...],
    normalizer: Normalizer | None,
    postprocessor: Template | None,
    decoder: Decoder,
) -> None:
    text = render_config(model, pretokenizer, added, normalizer, postprocessor, decoder)
    assert text.isascii()
    assert parse_config(text) == (model, pretokenizer, added, normalizer, postprocessor, decoder)


def test_blanks_and_order_of_keys_do_not_matter() -> None:
    text = json.dumps(dict(reversed(json.loads(GPT2).items())), indent=2)
    assert render_config(*parse_config(text)) == GPT2


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("spec_version", 2, "spec_version: is 2, but this tokenloom reads 1"),
        ("spec_version", True, "spec_version: is True"),
        ("normalizer", {"type": "NFC"}, r"normalizer: \{'type': 'NFC'\} is unknown"),
        ("normalizer", [], r"normalizer: \[\] is unknown"),
        ("normalizer", [{"type": "bart"}], r"normalizer\[0\]: 'bart' is unknown"),
        ("normalizer", [{"type": "bert"}], r"normalizer\[0\]: lacks the key 'clean_text'"),
        ("normalizer", [{"type": "nfc", "unicode": "15.0"}], r"normalizer\[0\].unicode: '15.0' is unknown"),
        ("normalizer", [{"type": "lowercase", "x": 1}], r"normalizer\[0\]: has the unknown key 'x'"),
        ("normalizer", [{"type": "strip", "left": 1, "right": True}], "strip: left is 1"),
        ("normalizer", [{"type": "replace", "text": "", "by": ""}], "replace: '' is no text"),
        ("postprocessor", [], r"postprocessor: \[\] is unknown"),
        ("postprocessor", {"type": "template", "single": [], "pair": []}, r"single: \[\] has not 'A' once"),
        ("postprocessor", {"type": "template", "single": [{"id": "A"}], "pair": []}, "id is 'A'"),
        ("model", {"type": "bpe", "semantics": "merges", "ignore_merges": False}, "ignore_merges: is False"),
        ("model", {"type": "bpe", "semantics": "ranks", "ignore_merges": True}, "always ignore merges"),
        ("decoder", {"type": "wordpiece"}, "decoder: 'wordpiece' is unknown"),
        ("decoder", {"type": "bytes", "x": 1}, "decoder: has the unknown key 'x'"),
        ("decoder", "bytes", "decoder: 'bytes' is not an object"),
        ("decoder", {"type": "sequence", "steps": {}}, r"decoder\.steps: \{\} is not a list"),
        ("decoder", {"type": "sequence", "steps": [{"type": "ctc"}]}, r"decoder\.steps\[0\]: 'ctc' is unknown"),
        ("decoder", {"type": "sequence", "steps": [{"type": "strip"}]}, r"steps\[0\]: lacks the key 'start'"),
        ("model", {"type": "bpe", "semantics": "merges", "unit": "byte"}, r"model\.unit: is 'byte'\. Use 'character'"),
        ("model", {"type": "bpe", "semantics": "merges", "unk_token": None}, r"model\.unk_token: is None"),
        ("model", {"type": "bpe", "semantics": "merges", "byte_fallback": True}, "byte_fallback is for characters"),
        ("model", {"type": "lattice"}, "model: 'lattice' is unknown"),
        ("model", {"type": "unigram"}, "model: lacks a key of"),
        ("model", {"type": "word", "unk_token": "?", "beam": 2}, "model: has the unknown key 'beam'"),
        ("model", {"type": "unigram", "semantics": "tokenizers", "byte_fallback": False}, "is not written as"),
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
        ("added_tokens", {}, r"added_tokens: \{\} is not a list"),
        ("added_tokens", [["<s>", 1]], r"added_tokens\[0\]: .* is not an object"),
        ("added_tokens", [{"content": "a", "id": 1, "lstrip": False}], r"added_tokens\[0\]: 'lstrip' is False"),
        ("added_tokens", [{"content": "a", "id": 1, "trim": True}], r"added_tokens\[0\]: .* 'trim'"),
        ("special_tokens", [], "top level: has the unknown key 'special_tokens'"),
        ("added_tokens", [{"content": "a", "id": 1.0}], "1.0 is not an id"),
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
