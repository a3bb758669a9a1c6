"""`tokenloom convert`: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tokenloom import Tokenizer, train
from tokenloom.cli.settings import settings_of
from tokenloom.formats.conversions import TARGETS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    train(["the cat in the hat"] * 9, 262, ["<|end|>"], pattern="o200k").save(tmp_path / "saved")
    (tmp_path / "text.txt").write_text("the cat\nI'm in the hat\n")
    return tmp_path


def test_files_are_named_and_the_conversion_called_exact(command: Command, folder: Path) -> None:
    done = command("convert", folder / "saved", "--to", "tiktoken", "-o", folder / "a.tiktoken")
    n_bytes = (folder / "a.tiktoken").stat().st_size
    assert done.out.splitlines() == [
        f"written  {folder / 'a.tiktoken'} ({n_bytes / 1000:.2f} kB)",
        "exact    read again; same ids on 2,000 generated texts",
    ]
    assert (done.status, done.err) == (0, "")


def test_the_reason_is_given_and_the_exit_code_is_one(command: Command, folder: Path) -> None:
    done = command("convert", folder / "saved", "--to", "gpt2", "--out", folder / "out")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("error: ")
    assert "cannot hold pretokenizer 'o200k'" in done.err
    assert "--allow-differences" in command("convert", "--help").out
    assert command("convert", folder / "saved", "--to", "onnx", "--out", folder / "out").status == 2


def test_differences_are_measured_and_shown(command: Command, folder: Path) -> None:
    arguments = ("convert", folder / "saved", "--to", "gpt2", "--allow-differences", "--text", folder / "text.txt")
    done = command(*arguments, "--out", folder / "one")
    lines = [line.strip() for line in done.out.splitlines()]
    assert "differs   GPT-2's pattern in the place of pretokenizer 'o200k'" in lines
    assert "measured  0 of 2 documents differ (0.00%)" in lines
    facts = json.loads(command(*arguments, "--out", folder / "two", "--json").out)
    assert facts["files"] == [str(folder / "two" / name) for name in ("vocab.json", "merges.txt")]
    assert (facts["is_exact"], facts["n_docs"], facts["n_different"], facts["different_share"]) == (False, 2, 0, 0.0)
    assert facts["first_difference"] is None


def test_the_first_difference_is_shown_with_both_ids(command: Command, tmp_path: Path) -> None:
    """cl100k cuts digits in groups of three, over which GPT-2's pattern lets them merge."""
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {256: b"31"}
    Tokenizer(vocabulary, [(b"3", b"1")], pattern="cl100k").save(tmp_path / "saved")
    (tmp_path / "text.txt").write_text("a\n123123\n")
    arguments = ("convert", tmp_path / "saved", "--to", "gpt2", "--allow-differences", "--text", tmp_path / "text.txt")
    done = command(*arguments, "--out", tmp_path / "out", "--json")
    first = json.loads(done.out)["first_difference"]
    assert (first["document"], first["text"]) == (2, "3123")
    assert (first["ids_before"], first["ids_after"]) == (list(b"3123"), [256, *b"23"])
    again = command(*arguments, "--out", tmp_path / "again").out
    assert f"ids before {first['ids_before']}" in again
    assert f"ids after  {first['ids_after']}" in again


def test_the_option_names_every_kind_of_file() -> None:
    assert set(settings_of("convert")["to"].type.__args__) == set(TARGETS)
