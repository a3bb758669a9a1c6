"""`tokenloom count`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tokenloom
from tests.cli.conftest import Command


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"the then")
    (folder / "b.jsonl").write_bytes(b'{"text": "the"}\n{"no": 1}\n')
    return folder


def test_people_see_a_row_a_file_and_a_total(command: Command, saved: Path, corpus: Path) -> None:
    ended = command("count", corpus, "--tokenizer", saved, "--on-error", "skip", "--quiet")
    tokenizer = tokenloom.Tokenizer.load(saved)
    first, second = tokenizer.count("the then"), tokenizer.count("the")
    assert [line.split() for line in ended.out.splitlines()] == [
        ["tokens", "bytes", "documents"],
        [str(first), "8", "1", "a.txt"],
        [str(second), "3", "1", "b.jsonl"],
        [str(first + second), "11", "2", "total"],
    ]
    assert ended.err.startswith("warning: 1 broken record left out:\n  b.jsonl, line 2: ")


def test_one_file_has_no_total(command: Command, saved: Path, corpus: Path) -> None:
    assert "total" not in command("count", corpus / "a.txt", "--tokenizer", saved).out


def test_json_holds_all_rows(command: Command, saved: Path, corpus: Path) -> None:
    ended = command("count", corpus, "--tokenizer", saved, "--on-error", "skip", "--json")
    result = json.loads(ended.out)
    assert (result["n_docs"], result["n_bytes"], result["n_skipped"]) == (2, 11, 1)
    assert [source["name"] for source in result["sources"]] == ["a.txt", "b.jsonl"]
    assert result["bytes_per_token"] == 11 / result["n_tokens"]


def test_progress_is_on_standard_error_unless_quiet(command: Command, saved: Path, corpus: Path) -> None:
    arguments = ("count", corpus / "a.txt", "--tokenizer", saved)
    assert command(*arguments).err == "count 8 B ...\n"
    assert command(*arguments, "--quiet").err == ""


def test_a_broken_record_is_an_error_with_its_place(command: Command, saved: Path, corpus: Path) -> None:
    ended = command("count", corpus, "--tokenizer", saved, "--quiet")
    assert (ended.status, ended.out) == (1, "")
    assert "b.jsonl', line 2" in ended.err


def test_options_of_documents_reach_the_job(command: Command, saved: Path, corpus: Path) -> None:
    ended = command("count", corpus / "a.txt", "--tokenizer", saved, "--document-separator", " ", "--json")
    assert json.loads(ended.out)["n_docs"] == 2
    ended = command("count", corpus / "b.jsonl", "--tokenizer", saved, "--format", "text", "--json")
    assert json.loads(ended.out)["n_docs"] == 1
    ended = command("count", corpus / "b.jsonl", "--tokenizer", saved, "--text-field", "no", "--on-error", "skip")
    assert "2 broken records" in ended.err


@pytest.mark.parametrize("paths", [[], ["-"]])
def test_without_paths_standard_input_is_counted(paths: list[str], saved: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tokenloom", "count", *paths, "--tokenizer", str(saved), "--json"],
        input=b"a\xff\r\n", capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["n_bytes"] == 4
