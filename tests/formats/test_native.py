import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokenloom.errors import FormatError, FormatWarning, StorageError
from tokenloom.formats import native
from tokenloom.formats.hf_json import render_hf_json
from tokenloom.spec import BpeModel, Pretokenizer, TokenizerSpec, build_spec
from tokenloom.storage import encode_envelope, read_folder, write_folder
from tokenloom.storage.manifest import verify_folder
from tokenloom.tokenizer import Tokenizer

GOLDEN = Path(__file__).parents[1] / "golden" / "tokenizer-v1"
FILES = [
    *("manifest.json", "provenance.json", "tokenizer.json", "tokenizer.tiktoken", "tokenizer.tloom"),
    "tokenizer_config.json",
]
BYTES = {byte: bytes([byte]) for byte in range(256)}


def small_spec(*specials: str) -> TokenizerSpec:
    return build_spec(BYTES | {256: b"th", 257: b"the"}, [(b"t", b"h"), (b"th", b"e")], specials)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_tokenizer_and_provenance_come_back(tmp_path: Path) -> None:
    native.save(small_spec("<s>"), tmp_path / "a" / "b", provenance={"seed": 1, "rule": None})
    loaded = native.load_with_provenance(tmp_path / "a" / "b")
    assert loaded == (small_spec("<s>"), {"seed": 1, "rule": None})
    assert names(tmp_path / "a" / "b") == FILES


def test_equal_tokenizers_give_equal_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        native.save(small_spec("<s>"), tmp_path / name)
    for file in names(tmp_path / "a"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_saving_replaces_an_older_tokenizer(tmp_path: Path) -> None:
    native.save(small_spec("<s>"), tmp_path, provenance={"old": True})
    native.save(small_spec("<t>"), tmp_path)
    assert native.load_with_provenance(tmp_path) == (small_spec("<t>"), {})


def test_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_bytes(b"")
    with pytest.raises(StorageError, match=r"holds other files, the first is 'thesis\.tex'"):
        native.save(small_spec(), tmp_path)
    assert names(tmp_path) == ["thesis.tex"]


def test_folder_of_another_kind_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path, {}, kind="shards")
    with pytest.raises(StorageError, match="it holds a 'shards'"):
        native.save(small_spec(), tmp_path)


def test_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    with pytest.raises(StorageError, match="cannot be used as an output folder"):
        native.save(small_spec(), tmp_path / "f")


def test_what_a_killed_save_left_behind_is_cleared(tmp_path: Path) -> None:
    (tmp_path / ".tokenloom-0123456789abcdef.tmp").write_bytes(b"half")
    native.save(small_spec(), tmp_path)
    assert names(tmp_path) == FILES


@pytest.mark.parametrize("value", [float("nan"), b"bytes", {1, 2}, Path()])
def test_provenance_that_json_cannot_hold_changes_nothing(tmp_path: Path, value: Any) -> None:
    native.save(small_spec("<s>"), tmp_path)
    with pytest.raises(FormatError, match="the provenance has a value that JSON cannot hold"):
        native.save(small_spec("<t>"), tmp_path, provenance={"x": value})
    assert native.load(tmp_path) == small_spec("<s>")


def test_damaged_folder_is_reported(tmp_path: Path) -> None:
    native.save(small_spec(), tmp_path)
    (tmp_path / "tokenizer.tloom").write_bytes((tmp_path / "tokenizer.tloom").read_bytes()[:-1])
    with pytest.raises(StorageError, match=r"'tokenizer\.tloom' has [\d,]+ bytes, its manifest says"):
        native.load(tmp_path)


def unholdable(*specials: str) -> TokenizerSpec:
    """A tokenizer that neither of the other libraries can hold."""
    return build_spec(BYTES | {256: b"ab"}, [], ["\n", *specials])


def test_manifest_lists_the_exports_and_verifying_reads_them(tmp_path: Path) -> None:
    native.save(small_spec("<s>"), tmp_path)
    assert sorted([*verify_folder(tmp_path, kind="tokenizer"), "manifest.json"]) == FILES
    assert (tmp_path / "tokenizer.json").read_bytes() == render_hf_json(small_spec("<s>"))
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    with pytest.raises(StorageError, match=r"'tokenizer\.json' has 2 bytes"):
        verify_folder(tmp_path, kind="tokenizer")


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json", "tokenizer.tiktoken"])
def test_edited_or_missing_export_does_not_keep_from_loading(tmp_path: Path, name: str) -> None:
    native.save(small_spec("<s>"), tmp_path)
    (tmp_path / name).write_bytes(b"edited")
    assert native.load(tmp_path) == small_spec("<s>")
    (tmp_path / name).unlink()
    assert native.load(tmp_path) == small_spec("<s>")


def test_export_that_cannot_hold_the_tokenizer_is_left_out_with_the_reason(tmp_path: Path) -> None:
    native.save(small_spec("<s>"), tmp_path)
    with pytest.warns(FormatWarning) as warned:
        native.save(unholdable(), tmp_path)
    json_warning, ranks_warning = (str(warning.message) for warning in warned)
    assert "saved without tokenizer.json and tokenizer_config.json. tokenizer.json: cannot hold spec" in json_warning
    assert "saved without tokenizer.tiktoken. tokenizer.tiktoken: a rank file cannot hold" in ranks_warning
    assert names(tmp_path) == ["manifest.json", "provenance.json", "tokenizer.tloom"]
    assert native.load(tmp_path) == unholdable()
    native.save(small_spec("<s>"), tmp_path)
    assert names(tmp_path) == FILES


def test_save_that_fails_keeps_the_older_exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    native.save(small_spec("<s>"), tmp_path)

    def full_disk(*_: Any, **__: Any) -> None:
        raise StorageError("the disk is full. Make room.")

    monkeypatch.setattr("tokenloom.formats.native.write_folder", full_disk)
    with pytest.raises(StorageError, match="disk is full"):
        native.save(unholdable(), tmp_path)
    assert names(tmp_path) == FILES
    assert verify_folder(tmp_path, kind="tokenizer")


def test_report_and_options_of_a_run_may_lie_in_the_folder(tmp_path: Path) -> None:
    for name in ("report.html", "run.toml"):
        (tmp_path / name).write_bytes(b"kept")
    native.save(small_spec(), tmp_path)
    native.save(small_spec("<s>"), tmp_path)
    assert names(tmp_path) == sorted([*FILES, "report.html", "run.toml"])


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json", "tokenizer.tiktoken"])
def test_file_of_another_library_is_not_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"theirs")
    with pytest.raises(StorageError, match="it holds other files, the first is"):
        native.save(small_spec(), tmp_path)
    assert (tmp_path / name).read_bytes() == b"theirs"


def test_spec_in_memory_comes_back_and_damage_names_its_source() -> None:
    data = native.encode_spec(small_spec("<s>"))
    assert native.decode_spec(data, source="x") == small_spec("<s>")
    with pytest.raises(FormatError, match="shards/tokenizer"):
        native.decode_spec(data[:-1], source="shards/tokenizer.tloom")


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no such folder"):
        native.load(tmp_path / "no")


def test_file_in_the_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    native.save(small_spec(), tmp_path)
    with pytest.raises(StorageError, match=r"tokenizer\.tloom': is a file, not a folder\. Name the folder"):
        native.load(tmp_path / "tokenizer.tloom")


def test_folder_with_gpt2_files_is_no_folder_of_ours(tmp_path: Path) -> None:
    Tokenizer.from_spec(small_spec()).save_files(tmp_path / "vocab.json", tmp_path / "merges.txt")
    with pytest.raises(StorageError, match=r"but GPT-2's vocab\.json and merges\.txt\. Read .*Tokenizer\.from_files"):
        native.load(tmp_path)


def forge(folder: Path, *, version: tuple[int, int] = (1, 0), **changes: Any) -> None:
    """Save a folder that verifies but whose description was changed."""
    spec = small_spec("<s>")
    header = {"spec": json.loads(spec.config_json()) | changes}
    sections = [(name, getattr(spec, name)) for name in ("token_bytes", "token_offsets", "merges")]
    data = encode_envelope(kind="tokenizer", version=version, header=header, sections=sections)
    write_folder(folder, {"tokenizer.tloom": data, "provenance.json": b"{}"}, kind="tokenizer")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": (2, 0)}, r"version 2\.0, but this tokenloom reads tokenizer files up to 1\.x"),
        ({"spec_version": 9}, r"tokenizer\.tloom': .* spec_version: is 9, but this tokenloom reads 1"),
        ({"normalizer": {"type": "NFC"}}, r"tokenizer\.tloom': .* normalizer: \{'type': 'NFC'\} is unknown"),
        ({"added_tokens": [{"content": "", "id": 258}]}, r"tokenizer\.tloom': .* it is empty"),
    ],
)
def test_tokenizer_of_a_newer_tokenloom_is_refused_by_name(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    forge(tmp_path, **changes)
    with pytest.raises(FormatError, match=message):
        native.load(tmp_path)


@pytest.mark.parametrize(
    ("files", "error", "message"),
    [
        ({}, StorageError, r"lists no 'tokenizer\.tloom'"),
        ({"tokenizer.tloom": b""}, StorageError, r"lists no 'provenance\.json'"),
        (
            {
                "tokenizer.tloom": encode_envelope(kind="tokenizer", version=(1, 0), header={}, sections=[]),
                "provenance.json": b"{}",
            },
            FormatError,
            "has no part 'spec'",
        ),
    ],
)
def test_verified_folder_without_a_part_is_refused(
    tmp_path: Path, files: dict[str, bytes], error: type[Exception], message: str
) -> None:
    write_folder(tmp_path, files, kind="tokenizer")
    with pytest.raises(error, match=message):
        native.load(tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"5", r"provenance\.json': it holds 5, not an object of names and values\. Save"),
        (b'["ab"]', r"it holds \['ab'\], not an object"),
        (b"null", "it holds None, not an object"),
        (b"{", r"provenance\.json': it is no canonical JSON"),
        (b'{"a" : 1}', "it is no canonical JSON"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_provenance_that_is_no_object_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    write_folder(
        tmp_path,
        {"tokenizer.tloom": (GOLDEN / "tokenizer.tloom").read_bytes(), "provenance.json": data},
        kind="tokenizer",
    )
    with pytest.raises(FormatError, match=message):
        native.load_with_provenance(tmp_path)


def test_folder_is_read_once_so_two_saves_are_never_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    native.save(small_spec("<s>"), tmp_path, provenance={"save": 1})

    def read_before_another_save(folder: Path, **options: Any) -> dict[str, bytes]:
        files = read_folder(folder, **options)
        native.save(small_spec("<t>"), tmp_path, provenance={"save": 2})
        return files

    monkeypatch.setattr("tokenloom.formats.native.read_folder", read_before_another_save)
    tokenizer = Tokenizer.load(tmp_path)
    assert (tokenizer.spec, dict(tokenizer.provenance)) == (small_spec("<s>"), {"save": 1})


@pytest.mark.parametrize("load", [native.load, native.load_with_provenance])
def test_golden_folder_of_version_1_stays_readable(load: Callable[[Path], Any]) -> None:
    assert load(GOLDEN)


def test_golden_folder_holds_the_same_tokenizer_for_ever() -> None:
    spec = native.load(GOLDEN)
    assert spec.fingerprint == "dfd823eec1b142f5cec9ca1e0945d700aa34616136a72967e9b7a5f9b0e366d6"
    assert spec.merge_list() == [(b"t", b"h"), (b"th", b"e"), (b" ", b"the"), (b"\xe4", b"\xbd")]
    assert {i: token for i, token in spec.vocabulary().items() if i > 255} == {
        256: b"th",
        257: b"the",
        258: b" the",
        260: b"\xe4\xbd",
        261: b"<|endoftext|>",
        262: "<|é😀|>".encode(),
    }
    assert (spec.model, spec.pretokenizer) == (BpeModel("merges"), Pretokenizer("gpt2"))


def test_saving_the_golden_tokenizer_gives_its_bytes(tmp_path: Path) -> None:
    spec, provenance = native.load_with_provenance(GOLDEN)
    native.save(spec, tmp_path, provenance=provenance)
    for name in ("tokenizer.tloom", "provenance.json"):
        assert (tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes()


def test_cut_golden_file_is_refused_even_with_a_fresh_manifest(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path, dirs_exist_ok=True)
    data = (GOLDEN / "tokenizer.tloom").read_bytes()
    write_folder(tmp_path, {"tokenizer.tloom": data[: len(data) // 2], "provenance.json": b"{}"}, kind="tokenizer")
    with pytest.raises(FormatError, match=r"tokenizer\.tloom', byte \d+: its table announces"):
        native.load(tmp_path)
