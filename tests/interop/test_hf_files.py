"""What `tokenizers` reads as `tokenizer.json` and what it refuses, key by key: what it refuses is refused here."""

import json
from typing import Any, Final

import pytest
from tokenizers import Regex, normalizers
from tokenizers import Tokenizer as TheirTokenizer

from tokenloom import Tokenizer
from tokenloom.errors import FormatError
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.formats.patterns import ambiguity
from tokenloom.spec import AddedToken, Normalizer, Pretokenizer, Replace, build_spec

pytestmark = pytest.mark.interop

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
BASE: Final = render_hf_json(build_spec(BYTES | {256: b"ab"}, [(b"a", b"b")], ["<s>"])).decode()
FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")
BYTE_LEVEL: Final = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
METASPACE: Final = {"type": "Metaspace", "replacement": "_", "prepend_scheme": "never", "split": True}
SPLIT: Final = {"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated", "invert": False}
REPLACE: Final = {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}
BOTH: Final = {"pattern": {"String": "a", "Regex": "b"}}
A: Final = {"Sequence": {"id": "A", "type_id": 0}}
S: Final = {"SpecialToken": {"id": "<s>", "type_id": 0}}
NAME: Final = {"id": "<s>", "ids": [257], "tokens": ["<s>"]}
WRONG: Final = (None, False, True, 0, 1, "", "x")


def template(*single: Any, pair: Any = (), name: Any = NAME) -> dict[str, Any]:
    return {"type": "TemplateProcessing", "single": list(single), "pair": pair, "special_tokens": {"<s>": name}}


def without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name != key}


def changed(place: str, value: Any) -> str:
    """The file with a value at a place such as `model.dropout`; the value "absent" takes the key away."""
    top = json.loads(BASE)
    *path, last = place.split(".")
    node = top
    for key in path:
        node = node[int(key) if key.isdecimal() else key]
    node[last] = value
    if value == "absent":
        del node[last]
    return json.dumps(top)


CHANGES: Final = (
    *((f"model.{key}", value) for key in ("byte_fallback", "fuse_unk", "ignore_merges") for value in WRONG),
    *(("model.dropout", value) for value in (*WRONG[:4], "x")),
    *((f"added_tokens.0.{flag}", value) for flag in FLAGS for value in ("absent", None, 0)),
    *((part, step) for part in ("decoder", "post_processor") for step in (BYTE_LEVEL, {"type": "ByteLevel"})),
    *(
        (part, BYTE_LEVEL | {key: value})
        for part in ("pre_tokenizer", "decoder", "post_processor")
        for key in ("add_prefix_space", "trim_offsets", "use_regex")
        for value in (None, "a", True)
    ),
    *((part, without(BYTE_LEVEL, "trim_offsets")) for part in ("pre_tokenizer", "decoder", "post_processor")),
    *(("normalizer", value) for value in (REPLACE, REPLACE | BOTH, REPLACE | {"pattern": {}})),
    ("normalizer", {"type": "Sequence", "normalizers": [None]}),
    *(("decoder", {"type": "Sequence", "decoders": [value]}) for value in (REPLACE, REPLACE | BOTH, None)),
    *(
        ("pre_tokenizer", {"type": "Sequence", "pretokenizers": [value, BYTE_LEVEL]})
        for value in (
            *(SPLIT, SPLIT | BOTH, without(SPLIT, "invert"), None),
            *({"type": "CharDelimiterSplit", "delimiter": text} for text in ("a", "ab", "")),
            *(METASPACE | {key: None} for key in ("split", "add_prefix_space", "str_rep", "prepend_scheme")),
            METASPACE | {"str_rep": 1},
        )
    ),
    *(
        ("post_processor", value)
        for value in (
            *(template(S, A), template(A), template(A | S), template({}), template(S, A, pair=None)),
            without(template(A), "pair"),
            *(template({"Sequence": {"id": "A", "type_id": kind}}) for kind in (None, "a", -1)),
            template({"Sequence": {"id": "A"}}),
            template({"SpecialToken": {"id": "<s>"}}, A),
            *(template(A, name=without(NAME, key)) for key in NAME),
            template(A, name=NAME | {"tokens": [1]}),
        )
    ),
)


@pytest.mark.parametrize(("place", "value"), CHANGES)
def test_what_they_refuse_is_refused_and_what_they_read_has_their_ids(place: str, value: Any) -> None:
    data = changed(place, value)
    try:
        theirs = TheirTokenizer.from_str(data)
    except BaseException:
        with pytest.raises(FormatError, match=r"^x\.json, "):
            parse_hf_json(data.encode(), place="x.json")
        return
    if place == "model.dropout" and value:
        return  # ids by chance
    ours = Tokenizer.from_spec(parse_hf_json(data.encode(), place="x.json")[0], special_text="parse")
    assert ours.encode("ab<s>b_a", add_special_tokens=True) == theirs.encode("ab<s>b_a").ids


def test_minus_zero_is_no_id() -> None:
    data = BASE.replace('": 0,', '": -0,')
    with pytest.raises(Exception, match="floating point"):
        TheirTokenizer.from_str(data)
    with pytest.raises(FormatError, match=r"^x\.json, model\.vocab\.'Ā': -0\.0 is not an id"):
        parse_hf_json(data.encode(), place="x.json")


def test_a_text_put_in_is_not_empty_since_the_library_then_repeats_characters() -> None:
    data = changed("normalizer", {"type": "Prepend", "prepend": ""})
    assert TheirTokenizer.from_str(data).encode("é").ids != [0xC3, 0xA9]
    with pytest.raises(FormatError, match=r"normalizer: normalizer, prepend: '' is no text"):
        parse_hf_json(data.encode(), place="x.json")


def test_whole_pretokens_are_taken_by_the_model_that_was_written() -> None:
    """By hand: the added token is not found in `ab1`, and the model has no token for `ab`."""
    added = [AddedToken("ab", 256, special=False, single_word=True), AddedToken("b", 98, special=False)]
    spec = build_spec(BYTES, [], added_tokens=added, ignore_merges=True)
    theirs = TheirTokenizer.from_str(render_hf_json(spec).decode())
    for text, ids in (("ab1", [97, 98, 49]), ("ab", [256]), ("1ab", [49, 97, 98])):
        assert Tokenizer.from_spec(spec).encode(text) == theirs.encode(text).ids == ids


SIGNS: Final = [chr(code) for code in range(33, 127) if not chr(code).isalnum()] + list("é你▁\xa0")


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_means_the_same_in_both_engines(sign: str) -> None:
    text = f"ab{sign}cd {sign}{sign} x"
    for pattern in (f"\\{sign}", f"[\\{sign}]", f"[{sign}a]", sign):
        if ambiguity(pattern) is not None or pattern in ("(", ")"):  # which no engine reads
            continue
        spec = build_spec(
            BYTES, [], normalizer=Normalizer((Replace(pattern=pattern, by="#"),)), pretokenizer=Pretokenizer("none")
        )
        ours = Tokenizer.from_spec(spec)
        assert ours.decode(ours.encode(text)) == normalizers.Replace(Regex(pattern), "#").normalize_str(text)


def test_borders_of_words_are_not_the_same() -> None:
    assert (ambiguity(r"a\<"), ambiguity(r"\>"), ambiguity(r"[\<\>]")) == (r"\<", r"\>", None)
