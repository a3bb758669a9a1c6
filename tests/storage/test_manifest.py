import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokenloom.errors import StorageError
from tokenloom.storage import manifest, read_folder, verify_folder, write_folder, write_manifest
from tokenloom.storage.canonical import canonical_json
from tokenloom.storage.manifest import MANIFEST, manifest_kind


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    write_folder(tmp_path / "folder", {"b.bin": b"\0\1", "a.txt": b"text"}, kind="demo")
    return tmp_path / "folder"


def test_complete_folder_verifies_and_is_read(folder: Path) -> None:
    assert verify_folder(folder, kind="demo") == ("a.txt", "b.bin")
    assert read_folder(folder, kind="demo") == {"a.txt": b"text", "b.bin": b"\0\1"}
    assert manifest_kind(folder) == "demo"


def test_bytes_that_are_returned_are_those_that_were_verified(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = manifest._check

    def check_and_change(folder: Path, name: str, *arguments: Any) -> None:
        check(folder, name, *arguments)
        (folder / name).write_bytes(b"by a writer at work")

    monkeypatch.setattr(manifest, "_check", check_and_change)
    assert read_folder(folder, kind="demo") == {"a.txt": b"text", "b.bin": b"\0\1"}


def test_manifest_lists_length_and_checksum_and_nothing_of_the_machine(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_bytes())
    assert manifest["files"]["b.bin"]["bytes"] == 2
    assert set(manifest) == {"files", "kind", "manifest_version"}
    assert {key for entry in manifest["files"].values() for key in entry} == {"bytes", "sha256"}


def test_manifest_of_existing_files_is_the_same(folder: Path) -> None:
    before = (folder / MANIFEST).read_bytes()
    write_manifest(folder, ["b.bin", "a.txt"], kind="demo")
    assert (folder / MANIFEST).read_bytes() == before


def test_manifest_of_a_missing_file_is_refused(folder: Path) -> None:
    with pytest.raises(StorageError, match=r"its file 'c\.bin' is missing"):
        write_manifest(folder, ["c.bin"], kind="demo")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / MANIFEST).unlink(), "no manifest.json, which is written last"),
        (lambda folder: (folder / MANIFEST).write_bytes(b"{"), "manifest.json cannot be read"),
        (lambda folder: (folder / MANIFEST).write_bytes(b"{}"), "no manifest_version"),
        (lambda folder: (folder / "a.txt").unlink(), "its file 'a.txt' is missing"),
        (lambda folder: (folder / "a.txt").write_bytes(b"tex"), "'a.txt' has 3 bytes, its manifest says 4"),
        (lambda folder: (folder / "a.txt").write_bytes(b"Text"), "'a.txt' differs from the checksum"),
    ],
)
def test_damage_is_reported_with_the_file(folder: Path, damage: Callable[[Path], Any], message: str) -> None:
    damage(folder)
    for check in (verify_folder, read_folder):
        with pytest.raises(StorageError, match=message):
            check(folder, kind="demo")


def test_changed_bit_of_the_manifest_is_reported(folder: Path) -> None:
    intact = (folder / MANIFEST).read_bytes()
    for position in range(len(intact)):
        changed = bytearray(intact)
        changed[position] ^= 1
        (folder / MANIFEST).write_bytes(changed)
        with pytest.raises(StorageError):
            verify_folder(folder, kind="demo")


@pytest.mark.parametrize("name", ["../a.txt", "/a.txt", "..", "", "x\\a.txt", "a\0"])
def test_manifest_that_leads_out_of_its_folder_is_refused(folder: Path, name: str) -> None:
    rows = {name: {"bytes": 4, "sha256": ""}}
    (folder / MANIFEST).write_bytes(canonical_json({"files": rows, "kind": "demo", "manifest_version": 1}))
    with pytest.raises(StorageError, match="lists files in a way"):
        verify_folder(folder, kind="demo")


def test_other_kind_newer_manifest_and_missing_folder_are_refused(folder: Path) -> None:
    with pytest.raises(StorageError, match="it holds a 'demo', not a 'tokenizer'"):
        verify_folder(folder, kind="tokenizer")
    (folder / MANIFEST).write_bytes(canonical_json({"files": {}, "kind": "demo", "manifest_version": 2}))
    with pytest.raises(StorageError, match=r"version 2, but this tokenloom reads 1\. Upgrade tokenloom"):
        verify_folder(folder, kind="demo")
    with pytest.raises(StorageError, match="there is no such folder"):
        verify_folder(folder / "no", kind="demo")


def test_folder_is_old_or_new_or_incomplete_at_every_moment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies the folder before each step that reaches the disk: what a kill at that moment would leave."""
    old, new = {"a.txt": b"text", "b.bin": b"\0\1"}, {"a.txt": b"TEXT", "b.bin": b"\2\3"}
    moments: list[Path] = []
    for module, step in ((os, "replace"), (os, "link"), (os, "fsync"), (Path, "unlink")):
        monkeypatch.setattr(module, step, _observed(getattr(module, step), folder, moments))
    write_folder(folder, new, kind="demo")
    monkeypatch.undo()
    states = [_state(moment) for moment in [*moments, folder]]
    assert [state for state in states if state not in (old, new, None)] == []
    assert states[0] == old
    assert states[-1] == new
    assert states.index(None) > 3, "the old folder stays whole until all new files are on the disk"


def _observed(step: Callable[..., Any], folder: Path, moments: list[Path]) -> Callable[..., Any]:
    def observed(*arguments: Any, **options: Any) -> Any:
        moments.append(shutil.copytree(folder, folder.with_name(f"moment{len(moments)}")))
        return step(*arguments, **options)

    return observed


def _state(folder: Path) -> dict[str, bytes] | None:
    try:
        return read_folder(folder, kind="demo")
    except StorageError:
        return None


def test_reading_some_files_leaves_the_others_unread(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a": b"1", "b": b"2"}, kind="numbers")
    (tmp_path / "b").unlink()
    assert read_folder(tmp_path, kind="numbers", names=["a", "not listed"]) == {"a": b"1"}
