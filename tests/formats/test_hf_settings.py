import json
from pathlib import Path
from typing import Any

import pytest

from tokenloom import Tokenizer
from tokenloom.errors import FormatError, FormatWarning
from tokenloom.formats import native, write_hf_json
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.spec import build_spec

SPEC = build_spec({byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}, [(b"a", b"b")], ["<pad>"])
TRUNCATION: dict[str, Any] = {"direction": "Left", "max_length": 512, "strategy": "OnlyFirst", "stride": 8}
PADDING: dict[str, Any] = {
    "strategy": {"Fixed": 16},
    "direction": "Right",
    "pad_to_multiple_of": 8,
    "pad_id": 257,
    "pad_type_id": 0,
    "pad_token": "<pad>",
}
SETTINGS = {"truncation": TRUNCATION, "padding": PADDING}


def with_settings(**settings: Any) -> bytes:
    return json.dumps(json.loads(render_hf_json(SPEC)) | settings).encode()


def test_settings_are_kept_from_load_to_save_to_load(tmp_path: Path) -> None:
    write_hf_json(SPEC, tmp_path / "tokenizer.json", settings=SETTINGS)
    Tokenizer.load(tmp_path / "tokenizer.json").save(tmp_path / "ours")
    assert (tmp_path / "ours" / "tokenizer.json").read_bytes() == (tmp_path / "tokenizer.json").read_bytes()
    Tokenizer.load(tmp_path / "ours").save(tmp_path / "again")
    assert (tmp_path / "again" / "tokenizer.json").read_bytes() == (tmp_path / "tokenizer.json").read_bytes()


def test_padding_follows_its_token_where_ids_are_numbered_anew(tmp_path: Path) -> None:
    write_hf_json(SPEC, tmp_path / "tokenizer.json", settings=SETTINGS)
    tokenizer = Tokenizer.load(tmp_path / "tokenizer.json").truncated(257)
    tokenizer.save(tmp_path / "ours")
    written = json.loads((tmp_path / "ours" / "tokenizer.json").read_bytes())
    assert (written["truncation"], written["padding"]["pad_id"]) == (TRUNCATION, tokenizer.special_tokens["<pad>"])


def test_a_provenance_of_others_says_nothing_of_padding(tmp_path: Path) -> None:
    native.save(SPEC, tmp_path / "ours", provenance={"padding": "none of yours"})
    assert json.loads((tmp_path / "ours" / "tokenizer.json").read_bytes())["padding"] is None


def test_settings_that_cannot_be_leave_the_file_out(tmp_path: Path) -> None:
    with pytest.warns(FormatWarning, match=r"without tokenizer\.json .* padding: is 1, no object"):
        native.save(SPEC, tmp_path / "ours", provenance={"format": "hf_json", "padding": 1})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"truncation": 5}, "x, truncation: is 5, no object"),
        ({"padding": PADDING | {"pad_id": 2**32}}, r"x, padding\.pad_id: is 4294967296, .* 0 to 4,294,967,295\."),
        ({"padding": PADDING | {"pad_type_id": 2**32}}, r"x, padding\.pad_type_id: is 4294967296, which is too much"),
        ({"truncation": TRUNCATION | {"max_length": -1}}, r"x, truncation\.max_length: is -1, no whole number"),
        ({"truncation": TRUNCATION | {"strategy": "first"}}, r"truncation\.strategy: is 'first', .*Use 'LongestFirst'"),
        ({"truncation": TRUNCATION | {"side": "Left"}}, "truncation: has the key 'side'"),
        ({"truncation": {"max_length": 1}}, "truncation: lacks the key 'strategy'"),
        ({"padding": []}, r"x, padding: is \[\], no object"),
        ({"padding": {"pad_id": 0}}, "x, padding: lacks the key 'strategy'"),
        ({"padding": PADDING | {"strategy": "Fixed"}}, "is 'Fixed', which is not known here. Use 'BatchLongest'"),
        ({"padding": PADDING | {"strategy": {"Fixed": "a"}}}, r"padding\.strategy\.Fixed: is 'a', no whole number"),
        ({"padding": PADDING | {"pad_token": 1}}, r"padding\.pad_token: is 1, no string"),
        ({"padding": PADDING | {"pad_to_multiple_of": 0.5}}, r"pad_to_multiple_of: is 0\.5, no whole number"),
    ],
)
def test_settings_that_the_library_does_not_read_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_hf_json(with_settings(**settings), place="x")


def test_settings_may_leave_out_what_the_library_fills_in() -> None:
    cut = {key: value for key, value in TRUNCATION.items() if key != "direction"}
    filled = {key: value for key, value in PADDING.items() if key != "pad_to_multiple_of"}
    _, settings = parse_hf_json(with_settings(truncation=cut, padding=filled), place="x")
    assert settings["truncation"] == TRUNCATION | {"direction": "Right"}
    assert settings["padding"] == PADDING | {"pad_to_multiple_of": None}
