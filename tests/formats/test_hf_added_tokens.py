"""Added tokens of `tokenizer.json`: what the library would take for another one is refused by name."""

import json
from typing import Any

import pytest

from tokenloom.errors import FormatError, FormatWarning
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.spec import AddedToken, Lowercase, Normalizer, NormalizerStep, Prepend, Strip, TokenizerSpec, build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}
FLAGS: dict[str, Any] = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
LOWERCASE = {"type": "Lowercase"}


def read(*added: dict[str, Any], normalizer: Any = None) -> TokenizerSpec:
    top = json.loads(render_hf_json(build_spec(BYTES, [])))
    top |= {"added_tokens": list(added), "normalizer": normalizer}
    return parse_hf_json(json.dumps(top).encode(), place="x.json")[0]


@pytest.mark.parametrize("flag", FLAGS)
def test_a_token_without_one_of_its_flags_is_refused(flag: str) -> None:
    token = {"id": 256, "content": "<x>"} | {key: value for key, value in FLAGS.items() if key != flag}
    with pytest.raises(FormatError, match=rf"^x\.json, added_tokens\[0\]: lacks the key '{flag}'"):
        read(token)


@pytest.mark.parametrize("content", ["éé", "café", "«x»", "Ġ", "é"])
def test_a_token_that_is_decoded_as_other_bytes_is_refused(content: str) -> None:
    """The export refuses it by the same rule."""
    known = {"é": 0xE9, "Ġ": 32}
    with pytest.raises(FormatError, match=rf"added_tokens\[0\]: the characters of '{content}' all stand .* Rename it"):
        read(FLAGS | {"id": known.get(content, 256), "content": content})
    with pytest.raises(FormatError, match=r"spelled like token|all stand for bytes"):
        render_hf_json(build_spec(BYTES, [], [content]))


def test_a_token_with_one_character_beside_the_alphabet_is_read() -> None:
    assert read(FLAGS | {"id": 256, "content": "« é »"}).added_tokens[0].content == "« é »"


@pytest.mark.parametrize(
    ("content", "normalizer", "step", "message"),
    [
        ("AB", LOWERCASE, Lowercase(), "'AB' is normalized to 'ab', and the library decodes it to that"),
        (
            "  ",
            {"type": "Strip", "strip_left": True, "strip_right": False},
            Strip(left=True, right=False),
            "nothing is left of '  ' when it is normalized, so it is everywhere",
        ),
    ],
)
def test_a_token_that_is_decoded_as_its_normalized_text_is_refused(
    content: str, normalizer: dict[str, Any], step: NormalizerStep, message: str
) -> None:
    token = FLAGS | {"id": 256, "content": content}
    with pytest.raises(FormatError, match=rf"^x\.json, added_tokens\[0\]: {message}\. Write false"):
        read(token | {"normalized": True}, normalizer=normalizer)
    added = [AddedToken(content, 256, normalized=True)]
    with pytest.raises(FormatError, match=rf"^y: cannot hold special token '{content}' \(id 256\): {message}\."):
        render_hf_json(build_spec(BYTES, [], added_tokens=added, normalizer=Normalizer((step,))), place="y")
    assert read(token, normalizer=normalizer).added_tokens[0].content == content


def test_a_token_that_normalizing_leaves_as_it_is_is_read() -> None:
    assert read(FLAGS | {"id": 256, "content": "ab", "normalized": True}, normalizer=LOWERCASE).normalizer is not None


def test_a_token_with_a_text_put_before_it_is_read_with_a_warning() -> None:
    """Of the first files of LLaMA, whose ids are right."""
    token = FLAGS | {"id": 256, "content": "<s>", "normalized": True}
    with pytest.warns(FormatWarning, match=r"^x\.json: added token '<s>' \(id 256\) is found as '▁<s>' in"):
        spec = read(token, normalizer={"type": "Prepend", "prepend": "▁"})
    assert spec.normalizer == Normalizer((Prepend("▁"),))


def test_a_model_that_takes_whole_pretokens_does_not_get_the_added_tokens_behind_it() -> None:
    added = [AddedToken("<s>", 256), AddedToken("ab", 257, special=False, single_word=True)]
    spec = build_spec(BYTES, [], added_tokens=added, ignore_merges=True)
    data = render_hf_json(spec)
    assert len(json.loads(data)["model"]["vocab"]) == 256
    assert parse_hf_json(data, place="x")[0] == spec


@pytest.mark.parametrize("flags", [{"special": False}, {"single_word": True}])
def test_a_token_that_such_a_model_would_take_for_a_pretoken_is_refused(flags: dict[str, bool]) -> None:
    spec = build_spec(BYTES, [], added_tokens=[AddedToken("ab", 300, **flags)], ignore_merges=True)
    with pytest.raises(FormatError, match=r"token 'ab' \(id 300\): behind 256 tokens the library would give it"):
        render_hf_json(spec)
