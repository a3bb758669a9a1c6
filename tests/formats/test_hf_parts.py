"""Templates and patterns of `tokenizer.json`: each item says one thing, each id has a name of its own."""

import json
from typing import Any

import pytest

from tokenloom.errors import FormatError
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.spec import Template, TokenizerSpec, build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
A = {"Sequence": {"id": "A", "type_id": 0}}
START = {"SpecialToken": {"id": "<s>", "type_id": 0}}
NAMES = {"<s>": {"id": "<s>", "ids": [256], "tokens": ["<s>"]}}


def read(**parts: Any) -> TokenizerSpec:
    top = json.loads(render_hf_json(build_spec(BYTES, [], ["<s>"])))
    return parse_hf_json(json.dumps(top | parts).encode(), place="x.json")[0]


def template(*single: Any, pair: Any = (), names: Any = NAMES) -> dict[str, Any]:
    return {"type": "TemplateProcessing", "single": list(single), "pair": list(pair), "special_tokens": names}


def test_a_template_may_be_for_single_texts_alone() -> None:
    spec = read(post_processor=template(START, A))
    assert spec.postprocessor == Template((256, "A"), ())
    assert parse_hf_json(render_hf_json(spec), place="x")[0] == spec
    assert (
        TokenizerSpec.from_config(
            spec.config_json(), token_bytes=spec.token_bytes, token_offsets=spec.token_offsets, merges=spec.merges
        )
        == spec
    )


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"post_processor": template(A | START)},
            r"x\.json, post_processor\.single\[0\]: has 'Sequence' and 'SpecialToken' of the keys .* Keep one",
        ),
        ({"post_processor": template({})}, r"single\[0\]: has none of the keys 'Sequence', 'SpecialToken'"),
        (
            {"post_processor": template({"Sequence": {"id": "A", "type_id": 2**32}})},
            r"single\[0\]\.Sequence\.type_id: is 4294967296, which is too much",
        ),
        ({"post_processor": template({"Sequence": {"id": "A"}})}, r"single\[0\]\.Sequence: lacks the key 'type_id'"),
        ({"post_processor": template(A, names={"<s>": {"id": "<s>", "ids": [256]}})}, "'<s>': lacks the key 'tokens'"),
        ({"post_processor": {"type": "ByteLevel"}}, "post_processor: lacks the key 'trim_offsets'"),
        ({"post_processor": BYTE_LEVEL | {"x": 1}}, "post_processor: has the key 'x'"),
        ({"post_processor": BYTE_LEVEL | {"use_regex": None}}, r"post_processor\.use_regex: is None, not true or"),
        ({"decoder": BYTE_LEVEL | {"add_prefix_space": "a"}}, r"decoder\.add_prefix_space: is 'a', not true or false"),
        ({"decoder": BYTE_LEVEL | {"x": 1}}, "decoder: has the key 'x'"),
        (
            {"normalizer": {"type": "Replace", "pattern": {"String": "a", "Regex": "b"}, "content": ""}},
            r"normalizer\.pattern: has 'String' and 'Regex' of the keys 'String', 'Regex'\. Keep one",
        ),
        ({"normalizer": {"type": "Sequence", "normalizers": [None]}}, r"normalizer\.normalizers\[0\]: is None, no obj"),
        ({"normalizer": {"type": "x" * 1000}}, r"normalizer 'x+'\.\.\. \(1,000 characters\) is not known"),
    ],
)
def test_what_the_library_does_not_read_is_refused_by_place(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(**parts)


def test_a_template_whose_ids_have_no_names_is_refused() -> None:
    spec = build_spec(BYTES, [], postprocessor=Template((128, "A", 129), ()))
    message = r"^y: cannot hold postprocessor with id 128: a template names tokens by their text, and b'\\x80' is no"
    with pytest.raises(FormatError, match=message):
        render_hf_json(spec, place="y")


@pytest.mark.parametrize(
    ("part", "key", "inner"),
    [
        ("normalizer", "normalizers", {"type": "NFC"}),
        ("pre_tokenizer", "pretokenizers", BYTE_LEVEL),
        ("post_processor", "processors", BYTE_LEVEL),
        ("decoder", "decoders", BYTE_LEVEL),
    ],
)
def test_sequences_may_be_nested_deeper_than_python_calls(part: str, key: str, inner: dict[str, Any]) -> None:
    """As deep as JSON is read at all; the library itself stops at about sixty."""
    n_deep, marked = 500, render_hf_json(build_spec(BYTES, [], ["<s>"]))
    top = json.dumps(json.loads(marked) | {part: "here"})
    nested = f'{{"type":"Sequence","{key}":[' * n_deep + json.dumps(inner) + "]}" * n_deep
    spec, _ = parse_hf_json(top.replace('"here"', nested).encode(), place="x")
    assert spec == read(**{part: inner})


def test_members_of_sequences_stay_in_their_order_and_null_is_none() -> None:
    def sequence(*members: Any) -> dict[str, Any]:
        return {"type": "Sequence", "normalizers": list(members)}

    nfc, lower, nfd = ({"type": kind} for kind in ("NFC", "Lowercase", "NFD"))
    flat = read(normalizer=sequence(nfc, lower, nfd, nfc))
    assert read(normalizer=sequence(nfc, sequence(lower, sequence(), sequence(nfd)), nfc)) == flat
    with pytest.raises(FormatError, match=r"normalizer\.normalizers\[1\]: is None, no object"):
        read(normalizer=sequence(nfc, None))
