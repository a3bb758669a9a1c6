"""What is read from `tokenizer.json` and what is refused; that ids are equal is tested in `interop`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokenloom.errors import FormatError
from tokenloom.formats.hf_json import parse_hf_json, read_hf_json, render_hf_json
from tokenloom.spec import (
    AddedToken,
    BpeModel,
    Lowercase,
    Normalizer,
    Prepend,
    Pretokenizer,
    Replace,
    Strip,
    Template,
    TokenizerSpec,
    UnicodeForm,
    build_spec,
)
from tokenloom.spec.alphabets import to_characters

BYTES = {byte: bytes([byte]) for byte in range(256)}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
SMALL = build_spec(BYTES | {256: b" a", 257: b" ab"}, [(b" ", b"a"), (b" a", b"b")], ["<s>", "é <b>\n"])
Change = Callable[[dict[str, Any]], object]


def document(change: Change = lambda top: None) -> bytes:
    """The file of `SMALL`, changed."""
    top = json.loads(render_hf_json(SMALL))
    change(top)
    return json.dumps(top).encode()


def read(change: Change) -> TokenizerSpec:
    return parse_hf_json(document(change), place="x.json")[0]


def split(regex: str, **changes: Any) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False} | changes


def chain(*members: dict[str, Any], use_regex: bool = False) -> Change:
    sequence = {"type": "Sequence", "pretokenizers": [*members, BYTE_LEVEL | {"use_regex": use_regex}]}
    return lambda top: top.update(pre_tokenizer=sequence)


FLAGS = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)


def added(*tokens: dict[str, Any]) -> Change:
    """Each with the flags that it does not name."""
    return lambda top: top["added_tokens"].extend(FLAGS | token for token in tokens)


def model(**changes: Any) -> Change:
    return lambda top: top["model"].update(changes)


def vocab(**changes: Any) -> Change:
    return lambda top: top["model"]["vocab"].update(changes)


def merges(*changes: Any) -> Change:
    return lambda top: top["model"]["merges"].extend(changes)


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(render_hf_json(SMALL))
    assert read_hf_json(tmp_path / "tokenizer.json") == SMALL


def test_merges_may_be_strings_with_a_header_among_them() -> None:
    def as_strings(top: dict[str, Any]) -> None:
        top["model"]["merges"] = ["#version: 0.2", *(" ".join(pair) for pair in top["model"]["merges"])]

    assert read(as_strings) == SMALL


def test_merges_with_the_sign_of_comments_are_merges() -> None:
    """FM-03."""
    spec = build_spec(BYTES | {256: b"##", 257: b"##a"}, [(b"#", b"#"), (b"##", b"a")])
    top = json.loads(render_hf_json(spec))
    top["model"]["merges"] = ["# #", "## a"]
    assert parse_hf_json(json.dumps(top).encode(), place="x")[0] == spec


def test_keys_need_not_stand_in_the_order_of_ids() -> None:
    def reverse(top: dict[str, Any]) -> None:
        top["model"]["vocab"] = dict(reversed(top["model"]["vocab"].items()))

    assert read(reverse) == SMALL


@pytest.mark.parametrize(
    "change",
    [
        model(continuing_subword_prefix="", end_of_word_suffix="", dropout=0.0),
        model(unk_token="<s>", fuse_unk=True, byte_fallback=True),  # every byte has a token
        lambda top: [top["model"].pop(key) for key in ("type", "dropout", "ignore_merges", "fuse_unk", "unk_token")],
        lambda top: top.update(post_processor=BYTE_LEVEL | {"trim_offsets": False, "add_prefix_space": True}),
        lambda top: top.update(decoder={"type": "Sequence", "decoders": [BYTE_LEVEL]}),
        lambda top: top.update(normalizer={"type": "Sequence", "normalizers": []}),
        lambda top: top.update(normalizer={"type": "Strip", "strip_left": False, "strip_right": False}),
        lambda top: top.update(pre_tokenizer={"type": "Sequence", "pretokenizers": [BYTE_LEVEL]}),
        lambda top: top["pre_tokenizer"].pop("use_regex", None),  # older files do not have it
    ],
)
def test_what_decides_no_ids_changes_nothing(change: Change) -> None:
    assert read(change) == SMALL


def test_settings_for_models_are_handed_on_and_not_applied() -> None:
    truncation = {"max_length": 3, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    spec, settings = parse_hf_json(document(lambda top: top.update(truncation=truncation)), place="x")
    assert (spec, settings) == (SMALL, {"truncation": truncation})


def test_added_tokens_have_their_flags() -> None:
    flags = {"single_word": True, "lstrip": True, "rstrip": True, "normalized": True, "special": False}
    spec = read(added({"id": 260, "content": "<x>", **flags}, {"id": 261, "content": "<y>"}))
    assert spec.added_tokens[2:] == (AddedToken("<x>", 260, **flags), AddedToken("<y>", 261, special=False))


def test_added_tokens_lie_behind_the_vocabulary_or_in_it() -> None:
    """Only where no merge makes it is its id a hole of the model."""
    spec = read(
        lambda top: (
            vocab(**{"<｜x｜>": 300, "<y>": 301})(top),
            added({"id": 300, "content": "<｜x｜>"}, {"id": 301, "content": "<y>"})(top),
            added({"id": 302, "content": "<z>"}, {"id": 97, "content": "a"})(top),
        )
    )
    assert [token.id for token in spec.added_tokens] == [97, 258, 259, 300, 301, 302]
    assert spec.token_bytes.endswith(b" a ab")
    assert len(spec.token_offsets) // 4 == 304


def test_a_token_that_spells_no_bytes_is_kept_for_decoding() -> None:
    assert read(vocab(中=270)).vocabulary()[270] == "中".encode()


def test_ignore_merges_is_read() -> None:
    assert read(model(ignore_merges=True)).model == BpeModel("merges", ignore_merges=True)


@pytest.mark.parametrize(
    ("normalizer", "steps"),
    [
        ({"type": "NFC"}, [UnicodeForm("nfc")]),
        ({"type": "NFKD"}, [UnicodeForm("nfkd")]),
        ({"type": "Lowercase"}, [Lowercase()]),
        ({"type": "Prepend", "prepend": "▁"}, [Prepend("▁")]),
        ({"type": "Strip", "strip_left": True, "strip_right": False}, [Strip(left=True, right=False)]),
        ({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, [Replace(" ", by="▁")]),
        ({"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}, [Replace(pattern=r"\s+", by=" ")]),
        (
            {
                "type": "Sequence",
                "normalizers": [{"type": "NFD"}, {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}],
            },
            [UnicodeForm("nfd"), Lowercase()],
        ),
    ],
)
def test_normalizers_are_steps_and_come_back(normalizer: dict[str, Any], steps: list[Any]) -> None:
    spec = read(lambda top: top.update(normalizer=normalizer))
    assert spec.normalizer == Normalizer(tuple(steps))
    assert parse_hf_json(render_hf_json(spec), place="x")[0] == spec


GPT4 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda top: top.update(pre_tokenizer=BYTE_LEVEL | {"use_regex": False}), Pretokenizer("none")),
        (chain(split(GPT4 + r"|\s+(?!\S)|\s+")), Pretokenizer("llama3")),
        (chain(split(GPT4 + r"|\s+(?!\S)|\s+", behavior="Removed", invert=True)), Pretokenizer("llama3")),
        (chain(split(GPT4.replace("{1,3}", "") + r"|\s+(?!\S)|\s+")), Pretokenizer("qwen2")),
        (chain({"type": "Digits", "individual_digits": True}, use_regex=True), Pretokenizer("starcoder")),
        (chain(split(r" ?\p{L}+|\p{N}")), Pretokenizer("custom", regex=r" ?\p{L}+|\p{N}")),
    ],
)
def test_pretokenizers_are_known_by_their_chain_and_come_back(change: Change, expected: Pretokenizer) -> None:
    spec = read(change)
    assert spec.pretokenizer == expected
    assert parse_hf_json(render_hf_json(spec), place="x")[0] == spec


@pytest.mark.parametrize("name", ["cl100k", "llama3", "qwen2", "o200k", "tekken", "deepseek_v3", "starcoder"])
def test_named_pretokenizers_come_back(name: Any) -> None:
    spec = build_spec(BYTES, [], pretokenizer=Pretokenizer(name))
    assert parse_hf_json(render_hf_json(spec), place="x")[0] == spec


def template(*single: dict[str, Any], **special: Any) -> Change:
    sequence = {"Sequence": {"id": "A", "type_id": 0}}
    pair = [*single, sequence, {"Sequence": {"id": "B", "type_id": 1}}]
    processor = {"type": "TemplateProcessing", "single": [*single, sequence], "pair": pair, "special_tokens": special}
    return lambda top: top.update(post_processor={"type": "Sequence", "processors": [BYTE_LEVEL, processor]})


def test_templates_are_ids_and_come_back() -> None:
    start = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    spec = read(template(start, **{"<s>": {"id": "<s>", "ids": [258], "tokens": ["<s>"]}}))
    assert spec.postprocessor == Template((258, "A"), (258, "A", "B"))
    assert parse_hf_json(render_hf_json(spec), place="x")[0] == spec


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda top: top.update(version="2.0"), r"x\.json, version: is '2\.0', and 1\.0 is read here"),
        (lambda top: top.update(extra=1), r"x\.json, top level: has the key 'extra', which this tokenloom"),
        (lambda top: top.pop("model"), "top level: lacks the key 'model'"),
        (model(type="Lattice"), r"x\.json, model\.type: model 'Lattice' is not known here"),
        (model(type="WordBits"), "model 'WordBits' is not known here"),
        (model(dropout=0.1), r"model\.dropout: is 0\.1, so ids are left to chance\. Use null"),
        (model(unk_token=1), r"model\.unk_token: is 1, no string"),
        (model(fuse_unk=1), r"model\.fuse_unk: is 1, not true or false"),
        (model(byte_fallback=0), r"model\.byte_fallback: is 0, not true or false"),
        (model(surprise=1), r"model: has the key 'surprise'"),
        (model(ignore_merges=1), r"model\.ignore_merges: is 1, not true or false"),
        (lambda top: top.update(normalizer={"type": "BartNormalizer"}), "normalizer 'BartNormalizer' is not known"),
        (lambda top: top.update(normalizer={"type": "NFC", "x": 1}), "normalizer: has the key 'x'"),
        (
            lambda top: top.update(normalizer={"type": "Prepend", "prepend": ""}),
            "x.json, normalizer: normalizer, prepend",
        ),
        (
            chain(split(r"\w+")),
            r"pretokenizers\[0\]\.pattern\.Regex: pattern '\\\\w\+' has '\\\\w\+', which the library's",
        ),
        (chain(split(r"a$")), r"has '\$', which the library's engine may read otherwise"),
        (chain(split(r"\p{N}{1,3}+")), r"has '\{1,3\}\+', which"),
        (lambda top: top.update(decoder={"type": "WordBits"}), "decoder 'WordBits' is not known here"),
        (
            lambda top: top.update(post_processor={"type": "BartProcessing"}),
            "post_processor: post-processor 'BartProcessing' is not known here",
        ),
        (template({"SpecialToken": {"id": "<q>", "type_id": 0}}), r"'<q>' is not among the template's special_tokens"),
        (
            template(
                {"SpecialToken": {"id": "<q>", "type_id": 0}}, **{"<q>": {"id": "<q>", "ids": [999], "tokens": ["<q>"]}}
            ),
            r"x\.json: postprocessor: id 999 has no token",
        ),
        (added({"id": 258, "content": "<q>"}), r"x\.json, added_tokens\[2\]: '<q>' has id 258, which is that of '<s>'"),
        (added({"id": 260, "content": "<s>"}), r"added_tokens\[2\]: '<s>' is already added_tokens\[0\]\. Remove"),
        (
            added({"id": 1, "content": "<q>"}),
            r"added_tokens\[2\]: '<q>' has id 1, which is that of 'ā' in model\.vocab",
        ),
        (
            added({"id": 99, "content": "a"}),
            r"'a' has id 99, but the library that reads this file gives it 97, from mod",
        ),
        (
            added({"id": 270, "content": "<q>"}),
            r"has id 270, but the library that reads this file gives it 260, by its",
        ),
        (added({"id": 260, "content": " a"}), r"' a' has id 260, and the same text is token 'Ġa' with id 256"),
        (added({"id": 260, "content": ""}), r"x\.json: .* it is empty"),
        (added({"id": "260", "content": "q"}), r"added_tokens\[2\]\.id: is '260', no whole number"),
        (added({"id": 10**9, "content": "q"}), r"x\.json: .*1000000000 is not an id"),
        (added({"id": 260, "content": "q", "bold": True}), r"added_tokens\[2\]: has the key 'bold'"),
        (vocab(q=10**9), r"x\.json, model\.vocab\.q: 1000000000 is not an id\. Use whole numbers from 0"),
        (vocab(q=2**24 - 1), r"x\.json, model\.vocab: its highest id is 16,777,215, and it has \d+ entries"),
        (vocab(q=-1), r"model\.vocab\.q: -1 is not an id"),
        (vocab(q="1"), r"model\.vocab\.q: '1' is not an id"),
        (vocab(q=True), r"model\.vocab\.q: True is not an id"),
        (vocab(abc=97), r"model\.vocab\.abc: id 97 is already that of 'a'\. Give each token its own id"),
        (vocab(**{"": 300}), r"model\.vocab\.'': is empty"),
        (vocab(**{"中": 300, "ä¸Ń": 301}), r"model\.vocab\..*: is another spelling of a token that is there already"),
        (
            lambda top: top["model"]["vocab"].pop("Ġ"),
            r"model\.vocab: 1 single byte of 256 have no token, the first is b' '",
        ),
        (lambda top: top["model"].update(vocab={}), r"model\.vocab: is empty"),
        (lambda top: top["model"].update(vocab=[]), r"model\.vocab: is \[\], no object"),
        (
            merges(["q", "zz"]),
            r"x\.json, model\.merges\[2\]: its part 'zz' is not in model\.vocab\. Add the token or drop",
        ),
        (merges(["<s>", "a"]), r"model\.merges\[2\]: its part '<s>' is an added token, which no merge makes"),
        (merges(["a"]), r"model\.merges\[2\]: \['a'\] is not two tokens"),
        (merges(["a", 1]), r"model\.merges\[2\]: \['a', 1\] is not two tokens"),
        (merges("a b"), r"model\.merges: has strings and pairs side by side"),
        (lambda top: top["model"].update(merges=["a b", "a  b"]), r"model\.merges\[1\]: 'a  b' is not two tokens"),
        (lambda top: top["model"].update(merges=["a b c", "ab"]), r"model\.merges\[0\]: 'a b c' is not two tokens"),
        (lambda top: top["model"].update(merges={}), r"model\.merges: is \{\}, no list"),
    ],
)
def test_contradictions_and_unknown_parts_are_refused_by_place(change: Change, message: str) -> None:
    """FM-02, FM-08, FM-10, FM-11 and what is not known here."""
    with pytest.raises(FormatError, match=message):
        read(change)


def test_letters_beside_the_alphabet_of_bytes_are_refused_where_whole_pretokens_are_looked_up() -> None:
    with pytest.raises(FormatError, match=r"model\.vocab\..*: has the character '中', which stands for no byte"):
        read(lambda top: (vocab(中=300)(top), model(ignore_merges=True)(top)))


def test_the_letter_and_the_byte_of_the_same_character_stay_apart() -> None:
    """FM-16."""
    spec = build_spec(BYTES | {256: "é".encode()}, [(b"\xc3", b"\xa9")])
    ids = json.loads(render_hf_json(spec))["model"]["vocab"]
    assert (ids["é"], ids[to_characters("é".encode())]) == (0xE9, 256)
    assert parse_hf_json(render_hf_json(spec), place="x")[0] == spec


def test_a_file_cut_anywhere_is_refused() -> None:
    data = document()
    for length in range(0, len(data), 7):
        with pytest.raises(FormatError, match=r"^x\.json"):
            parse_hf_json(data[:length], place="x.json")


@pytest.mark.parametrize("name", ["llama3_1", "qwen3", "deepseek_v3"])
def test_published_files_come_back_with_the_same_bytes(shared: Path, name: str) -> None:
    spec = read_hf_json(shared / "vocabs" / name / "tokenizer.json")
    data = render_hf_json(spec)
    again, _ = parse_hf_json(data, place="x")
    assert again == spec
    assert render_hf_json(again) == data
