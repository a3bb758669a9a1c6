import json
from pathlib import Path
from typing import Any

import pytest

from tokenloom.errors import FormatError
from tokenloom.formats import write_hf_json
from tokenloom.formats.hf_json import render_hf_config, render_hf_json
from tokenloom.spec import Pretokenizer, build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}


def config(*specials: str) -> dict[str, Any]:
    loaded = json.loads(render_hf_config(build_spec(BYTES, [], specials)))
    assert isinstance(loaded, dict)
    return loaded


def test_file_says_all_parts_of_the_tokenizer(tmp_path: Path) -> None:
    spec = build_spec(BYTES | {300: b" a"}, [(b" ", b"a")], ["<s>"], pretokenizer=Pretokenizer("none"))
    write_hf_json(spec, tmp_path / "mine.json")
    data = (tmp_path / "mine.json").read_bytes()
    document = json.loads(data)
    assert data == render_hf_json(spec)
    assert document["pre_tokenizer"]["use_regex"] is False
    assert document["model"]["merges"] == [["Ġ", "a"]]
    assert list(document["model"]["vocab"].items())[-2:] == [("Ġa", 300), ("<s>", 301)]
    assert [(token["id"], token["content"], token["special"]) for token in document["added_tokens"]] == [
        (301, "<s>", True)
    ]


@pytest.mark.parametrize(
    ("vocabulary", "merges", "special", "message"),
    [
        ({}, [], "é", r"token 'é' \(id 256\): it is spelled like token b'\\xe9' \(id 233\)\. Rename it"),
        ({256: b" a"}, [(b" ", b"a")], "Ġa", r"'Ġa' \(id 257\): it is spelled like token b' a' \(id 256\)"),
        ({256: b" a"}, [(b" ", b"a")], " a", r"' a' \(id 256\): it shares its id with token b' a', .* 'Ġa'"),
        ({}, [], "\n", r"'\\n' \(id 10\): it shares its id with token b'\\n', which is spelled 'Ċ'"),
        ({}, [], "<é>", r"'<é>' \(id 256\): its characters all stand for bytes, so it would be decoded"),
    ],
)
def test_special_token_that_the_library_would_take_for_another_is_refused(
    vocabulary: dict[int, bytes], merges: list[tuple[bytes, bytes]], special: str, message: str
) -> None:
    spec = build_spec(BYTES | vocabulary, merges, [special])
    with pytest.raises(FormatError, match=message):
        render_hf_json(spec, place="x.json")


def test_ranks_are_written_as_the_merges_that_they_are() -> None:
    spec = build_spec(BYTES | {300: b"the", 257: b"th", 256: b"he"}, [], semantics="ranks")
    assert json.loads(render_hf_json(spec))["model"]["merges"] == [["h", "e"], ["t", "h"], ["t", "he"]]


def test_ranks_that_no_merges_say_are_refused_by_token() -> None:
    spec = build_spec(BYTES | {256: b"abc"}, [], semantics="ranks")
    with pytest.raises(FormatError, match=r"token b'abc' \(id 256\): lower ranks join its bytes to 3 parts"):
        render_hf_json(spec)


def test_decoding_is_lossless_in_transformers() -> None:
    assert config()["clean_up_tokenization_spaces"] is False


@pytest.mark.parametrize(
    ("specials", "roles"),
    [
        ((), {}),
        (("<|endoftext|>",), {"eos_token": "<|endoftext|>"}),
        (("<s>", "</s>", "<pad>", "<x>"), {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}),
        (("<|endoftext|>", "</s>"), {}),
        (("endoftext",), {}),
    ],
)
def test_special_token_has_a_role_if_its_name_alone_says_so(specials: tuple[str, ...], roles: dict[str, str]) -> None:
    assert {name: value for name, value in config(*specials).items() if name.endswith("_token")} == roles
