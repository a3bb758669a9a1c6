"""`tokenizer.json` with a model over characters: what is read, what is written, what is refused."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tokenloom import Tokenizer
from tokenloom.errors import FormatError, FormatWarning, SpecError
from tokenloom.formats.gpt2 import write_gpt2
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.formats.tiktoken import render_tiktoken
from tokenloom.spec import (
    AddedToken,
    BpeModel,
    DecodeByteFallback,
    DecodeByteLevel,
    DecodeEndOfWord,
    DecodeFuse,
    DecodeMetaspace,
    Decoder,
    DecodeReplace,
    DecodeStrip,
    TokenizerSpec,
    reserved_spec,
    truncated_spec,
)
from tokenloom.spec.packing import unpack_arena

Change = Callable[[dict[str, Any]], object]
VOCAB = {"<unk>": 0, "<s>": 1, "a": 2, "b": 3, "ab": 4, "▁": 5, "▁ab": 6}
FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
ADDED = [{"id": 0, "content": "<unk>", **FLAGS}, {"id": 1, "content": "<s>", **FLAGS}]
SMALL = {
    "added_tokens": ADDED,
    "decoder": {"type": "Fuse"},
    "model": {"type": "BPE", "unk_token": "<unk>", "vocab": VOCAB, "merges": ["a b", "▁ ab"]},
}


def read(change: Change = lambda top: None) -> TokenizerSpec:
    top = json.loads(json.dumps(SMALL))
    change(top)
    return parse_hf_json(json.dumps(top).encode(), place="x.json")[0]


def model(**changes: Any) -> Change:
    return lambda top: top["model"].update(changes)


def decoder(*steps: Any) -> Change:
    return lambda top: top.update(decoder={"type": "Sequence", "decoders": list(steps)})


def test_every_entry_is_a_token_of_the_model() -> None:
    """Also one that is an added token: here text becomes the unknown token."""
    spec = read()
    assert spec.bpe == BpeModel("merges", unit="character", unk_token="<unk>")
    assert spec.token_bytes == "".join(VOCAB).encode()
    assert spec.merge_list() == [(b"a", b"b"), ("▁".encode(), b"ab")]
    assert Tokenizer.from_spec(spec).encode("▁abc") == [6, 0]


def test_what_has_no_effect_is_not_kept() -> None:
    change = model(unk_token=None, fuse_unk=True, continuing_subword_prefix="", end_of_word_suffix="", dropout=0.0)
    assert read(change).model == BpeModel("merges", unit="character")
    bytes_too = VOCAB | {f"<0x{byte:02X}>": byte + 7 for byte in range(256)}
    spec = read(model(vocab=bytes_too, byte_fallback=True, unk_token="<none>"))
    assert spec.bpe == BpeModel("merges", unit="character", byte_fallback=True)


def test_a_special_token_is_not_made_of_a_whole_pretoken() -> None:
    spec = read(model(ignore_merges=True))
    assert spec.token_bytes == "".join(VOCAB).replace("<s>", "").encode()
    assert Tokenizer.from_spec(spec, special_text="plain").encode("<s>") == [0, 0, 0]


@pytest.mark.parametrize(
    ("content", "rules"),
    [
        ("##a", {"continuing_subword_prefix": "##"}),
        ("a</w>", {"end_of_word_suffix": "</w>"}),
        ("##a</w>", {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}),
        ("<0x41>", {"byte_fallback": True}),
        ("##ab", {"continuing_subword_prefix": "##", "merges": [["##a", "##b"]]}),
    ],
)
def test_a_special_token_that_is_a_symbol_or_is_merged_stays_one_of_the_model(
    content: str, rules: dict[str, Any]
) -> None:
    """Where whole pretokens come first, all others are none of the model."""

    ids = {token: 7 + at for at, token in enumerate(dict.fromkeys((content, "##a", "##b", "<t>")))}

    def change(top: dict[str, Any]) -> None:
        top["model"] |= {"ignore_merges": True, "merges": []} | rules
        top["model"]["vocab"] |= ids
        top["added_tokens"] += [{"id": ids[token], "content": token, **FLAGS} for token in (content, "<t>")]

    spec = read(change)
    tokens = unpack_arena(spec.token_bytes, spec.token_offsets)
    assert (tokens[ids[content]], tokens[ids["<t>"]]) == (content.encode(), b"")


def test_a_merge_that_is_there_twice_counts_where_it_stands_last() -> None:
    """FM-06."""
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}
    top = {"added_tokens": [], "model": {"type": "BPE", "vocab": vocab, "merges": ["a b", "b c", "a b"]}}
    with pytest.warns(FormatWarning, match=r"x\.json, model\.merges\[0\]: .* again as model\.merges\[2\]"):
        spec, _ = parse_hf_json(json.dumps(top).encode(), place="x.json")
    assert Tokenizer.from_spec(spec).encode("abc") == [0, 4]


def test_a_key_that_is_no_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `orjson` is missing, the standard library lets it pass."""
    monkeypatch.setitem(sys.modules, "orjson", None)
    with pytest.raises(FormatError, match=r"a string has the lone surrogate \\ud800"):
        read(model(vocab=VOCAB | {"\ud800": 7}))


def test_tokens_with_blanks_are_merged() -> None:
    """FM-01."""
    vocab = {"a": 0, " ": 1, "b": 2, "a ": 3, "a b": 4}
    top = {"added_tokens": [], "model": {"type": "BPE", "vocab": vocab, "merges": [["a", " "], ["a ", "b"]]}}
    spec, _ = parse_hf_json(json.dumps(top).encode(), place="x.json")
    again, _ = parse_hf_json(render_hf_json(spec), place="x.json")
    assert Tokenizer.from_spec(spec).encode("a b") == Tokenizer.from_spec(again).encode("a b") == [4]


STEPS = [
    ({"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, DecodeReplace("▁", by=" ")),
    ({"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""}, DecodeReplace(pattern="a+")),
    ({"type": "ByteFallback"}, DecodeByteFallback()),
    ({"type": "Fuse"}, DecodeFuse()),
    ({"type": "Strip", "content": " ", "start": 1, "stop": 2}, DecodeStrip(" ", 1, 2)),
    (
        {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True},
        DecodeMetaspace("_", "first"),
    ),
    ({"type": "BPEDecoder", "suffix": "</w>"}, DecodeEndOfWord("</w>")),
    ({"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}, DecodeByteLevel()),
]


@pytest.mark.parametrize(("written", "step"), STEPS)
def test_decoders_are_read_and_written(written: dict[str, Any], step: Any) -> None:
    alone, both = read(lambda top: top.update(decoder=written)), read(decoder(written, {"type": "Fuse"}))
    assert (alone.decoder, both.decoder) == (Decoder((step,)), Decoder((step, DecodeFuse())))
    assert json.loads(render_hf_json(alone))["decoder"] == written
    assert json.loads(render_hf_json(both))["decoder"]["decoders"] == [written, {"type": "Fuse"}]


def test_a_file_without_a_decoder_joins_tokens_with_blanks() -> None:
    spec = read(lambda top: top.update(decoder=None))
    assert Tokenizer.from_spec(spec).decode([6, 2]) == "▁ab a"
    assert json.loads(render_hf_json(spec))["decoder"] is None


def test_a_mark_that_is_a_symbol_cannot_be_written() -> None:
    spec = read(model(end_of_word_suffix="a"))
    symbol = replace(spec, model=replace(spec.bpe, end_of_word_symbol=True))
    with pytest.raises(FormatError, match="the mark of the end of a word is a symbol of its own"):
        render_hf_json(symbol)


def test_older_metaspace_is_read() -> None:
    written = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "str_rep": "▁"}
    assert read(lambda top: top.update(decoder=written)).decoder == Decoder((DecodeMetaspace("▁", "always"),))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (model(unk_token="<none>"), r"x\.json, model\.unk_token: '<none>' is not in model\.vocab, so a character"),
        (model(unk_token=1), r"model\.unk_token: is 1, no string"),
        (model(dropout=0.1), r"model\.dropout: is 0\.1, so ids are left to chance"),
        (model(surprise=1), r"model: has the key 'surprise'"),
        (model(type="Lattice"), r"model\.type: model 'Lattice' is not known here"),
        (model(end_of_word_suffix=1), r"model\.end_of_word_suffix: is 1, no string"),
        (model(byte_fallback="yes"), r"model\.byte_fallback: is 'yes', not true or false"),
        (model(merges=["a b", "a zz"]), r"model\.merges\[1\]: its part 'zz' is not in model\.vocab\. Add the token"),
        (model(merges=[["a", "b"], ["q", "b"]]), r"model\.merges\[1\]: its part 'q' is not in model\.vocab"),
        (model(vocab=VOCAB | {"": 7}), r"model\.vocab\.'': is empty"),
        (model(vocab=VOCAB | {"c": 3}), r"model\.vocab\.c: id 3 is already that of 'b'"),
        (
            lambda top: top["added_tokens"].append(FLAGS | {"id": 3, "content": "q"}),
            r"added_tokens\[2\]: 'q' has id 3, which",
        ),
        (
            lambda top: top["added_tokens"].append(FLAGS | {"id": 9, "content": "q"}),
            r"has id 9, but the library .* gives it 7",
        ),
        (
            lambda top: top.update(pre_tokenizer={"type": "Unknown"}),
            r"pre-tokenizer 'Unknown' is not known here",
        ),
        (lambda top: top.update(decoder={"type": "CTC"}), r"x\.json, decoder: decoder 'CTC' is not known here"),
        (decoder({"type": "Fuse"}, {"type": "CTC"}), r"decoder\.decoders\[1\]: decoder 'CTC' is not known"),
        (decoder({"type": "Fuse", "x": 1}), r"decoder\.decoders\[0\]: has the key 'x'"),
        (
            decoder({"type": "Strip", "content": "ab", "start": 1, "stop": 0}),
            r"decoders\[0\]: .*'ab' is no single",
        ),
        (decoder({"type": "Strip", "content": "a", "start": -1, "stop": 0}), r"decoders\[0\]\.start: is -1, no whole"),
        (
            decoder({"type": "Replace", "pattern": {"String": ""}, "content": "a"}),
            r"decoders\[0\]: .*replace: '' is",
        ),
        (
            decoder({"type": "Replace", "pattern": {"Regex": r"\w$"}, "content": "a"}),
            r"Regex: pattern .* may read",
        ),
        (decoder({"type": "BPEDecoder", "suffix": ""}), r"decoders\[0\]: .*end_of_word: '' is no text"),
        (
            decoder({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "x"}),
            r"prepend_scheme 'x' is not known here",
        ),
        (
            decoder({"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}),
            r"decoders\[0\]\.add_prefix_space: is false, but prepend_scheme is 'always'",
        ),
    ],
)
def test_faults_are_refused_by_place(change: Change, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (model(merges=["b a"]), "merge 0 makes b'ba', which is not in the vocabulary"),  # FM-08
        (model(continuing_subword_prefix="##", merges=["a b"]), "merge 0: its right part, id 3, is shorter than"),
        (model(continuing_subword_prefix="##", merges=["a ▁"]), r"merge 0 makes b'a\\x81', which is not in the voc"),
    ],
)
def test_merges_that_make_no_token_are_refused_when_the_file_is_loaded(
    tmp_path: Path, change: Change, message: str
) -> None:
    top = json.loads(json.dumps(SMALL))
    change(top)
    (tmp_path / "tokenizer.json").write_text(json.dumps(top))
    with pytest.raises(FormatError, match=message):
        Tokenizer.load(tmp_path / "tokenizer.json")


def test_added_tokens_are_written_into_the_vocabulary_only_where_their_ids_ask_for_it() -> None:
    behind = reserved_spec(read(), 2)
    assert list(json.loads(render_hf_json(behind))["model"]["vocab"]) == list(VOCAB)
    offsets = behind.token_offsets + behind.token_offsets[-4:]
    apart = replace(behind, token_offsets=offsets, added_tokens=(*behind.added_tokens[:2], AddedToken("<x>", 9)))
    assert json.loads(render_hf_json(apart))["model"]["vocab"] == VOCAB | {"<x>": 9}
    symbol = replace(apart, added_tokens=(*behind.added_tokens[:2], AddedToken("x", 9)))
    with pytest.raises(FormatError, match=r"cannot hold special token 'x' \(id 9\): the library would"):
        render_hf_json(symbol)


def test_other_formats_and_truncation_refuse_models_over_characters(tmp_path: Path) -> None:
    spec = read()
    with pytest.raises(FormatError, match="a rank file cannot hold a model that joins characters"):
        render_tiktoken(spec)
    with pytest.raises(FormatError, match="cannot hold a model that joins characters"):
        write_gpt2(spec, tmp_path / "vocab.json", tmp_path / "merges.txt")
    with pytest.raises(SpecError, match="does not join bytes cannot be cut"):
        truncated_spec(spec, 6)


def test_saving_keeps_models_over_characters(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_spec(read())
    with pytest.warns(FormatWarning, match="saved without tokenizer.tiktoken"):
        tokenizer.save(tmp_path)
    assert Tokenizer.load(tmp_path).spec == tokenizer.spec
    assert (tmp_path / "tokenizer.json").read_bytes() == render_hf_json(tokenizer.spec)


def test_specs_whose_parts_do_not_fit_are_refused() -> None:
    spec = read()
    with pytest.raises(SpecError, match="unit 'character' needs steps"):
        replace(spec, decoder=Decoder())
    with pytest.raises(SpecError, match="decoder: it has steps"):
        replace(spec, model=BpeModel("merges"))
    with pytest.raises(SpecError, match="token_bytes: byte 0 is not UTF-8"):
        replace(spec, token_bytes=b"\xff" + spec.token_bytes[1:])
