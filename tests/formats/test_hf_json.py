import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.layered import BLANK_CONTENTS, CONTENTS, MERGES, VOCABULARY, added_tokens, normalizer_values
from tokenloom.errors import FormatError, FormatWarning
from tokenloom.formats import write_hf_json
from tokenloom.formats.hf_json import parse_hf_json, render_hf_config, render_hf_json
from tokenloom.spec import AddedToken, Normalizer, Pretokenizer, Template, build_spec
from tokenloom.spec.pretokenizer_steps import ByteLevelStep, DigitsStep, PunctuationStep

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


PRETOKENIZERS = (
    *(Pretokenizer("gpt2"), Pretokenizer("none"), Pretokenizer("o200k"), Pretokenizer("custom", regex=r" ?\p{L}+|.")),
    Pretokenizer("sequence", steps=(PunctuationStep(), DigitsStep(True), ByteLevelStep(True))),
)
TEMPLATES = (None, Template((256, "A"), (256, "A", "B")), Template(("A", 97), ()))


@pytest.mark.filterwarnings(f"ignore::{FormatWarning.__module__}.{FormatWarning.__name__}")
def test_a_tokenizer_with_any_parts_comes_back_as_it_was_or_is_refused() -> None:
    n_held = 0

    @given(
        added_tokens([*CONTENTS, *BLANK_CONTENTS]),
        normalizer_values,
        st.sampled_from(PRETOKENIZERS),
        st.sampled_from(TEMPLATES),
        st.booleans(),
    )
    @settings(max_examples=300)
    def check(
        added: tuple[AddedToken, ...],
        normalizer: Normalizer | None,
        pretokenizer: Pretokenizer,
        postprocessor: Template | None,
        ignore_merges: bool,
    ) -> None:
        nonlocal n_held
        spec = build_spec(
            VOCABULARY,
            MERGES,
            added_tokens=added,
            normalizer=normalizer,
            pretokenizer=pretokenizer,
            postprocessor=postprocessor,
            ignore_merges=ignore_merges,
        )
        try:
            data = render_hf_json(spec)
        except FormatError:
            return
        n_held += 1
        assert parse_hf_json(data, place="x")[0] == spec

    check()
    assert n_held > 30
