"""`tokenloom pack`, and the verbs that take what it writes."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tokenloom import Tokenizer, train
from tokenloom.wording import format_bytes


@pytest.fixture
def packed(command: Command, tmp_path: Path) -> Path:
    train(["the cat in the hat"] * 9, 262, ["<|end|>"]).save(tmp_path / "saved")
    assert command("pack", tmp_path / "saved", "--out", tmp_path / "cat.packed").status == 0
    return tmp_path / "cat.packed"


def test_the_file_is_named_with_its_length_and_what_it_holds(command: Command, packed: Path) -> None:
    done = command("pack", packed, "--out", packed.with_name("again.packed"))
    n_bytes, fingerprint = packed.stat().st_size, Tokenizer.load(packed).spec.fingerprint
    assert (
        done.out
        == f"{packed.with_name('again.packed')}  {format_bytes(n_bytes)}, 262 ids; fingerprint {fingerprint[:12]}\n"
    )
    facts = json.loads(command("pack", packed, "--out", packed, "--json").out)
    assert facts == {"file": str(packed), "n_bytes": n_bytes, "vocabulary_size": 262, "fingerprint": fingerprint}


def test_every_verb_takes_a_packed_file(command: Command, packed: Path) -> None:
    (packed.parent / "a.txt").write_text("the hat")
    facts = json.loads(command("inspect", packed, "--json").out)
    assert (facts["format"], facts["vocabulary_size"], list(facts["files"])) == ("packed", 262, ["cat.packed"])
    for verb in (("show", "the hat"), ("count", packed.parent / "a.txt", "--json"), ("encode", "a.txt")):
        if verb[0] == "encode":
            done = command("encode", packed.parent / "a.txt", "--tokenizer", packed, "--out", packed.parent / "s", "-q")
        else:
            of_folder = command(*verb, "--tokenizer", packed.parent / "saved")
            done = command(*verb, "--tokenizer", packed)
            assert done.out == of_folder.out
        assert done.status == 0, done.err
    assert command("decode", "--tokenizer", packed, "--ids", "97 98").out == "ab"
    assert "whole (tokenizer)" in command("verify", packed, packed.parent / "s", "--quiet").out


def test_what_is_there_is_kept_and_the_exit_code_is_one(command: Command, packed: Path) -> None:
    (packed.parent / "notes").write_text("keep me")
    done = command("pack", packed, "--out", packed.parent / "notes")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("error: ")
    assert "is there and no packed tokenizer" in done.err
    assert (packed.parent / "notes").read_text() == "keep me"
    assert command("pack", packed).status == 2
