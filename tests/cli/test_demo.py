"""`tokenloom demo` as a person runs it: in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tokenloom

TEXT = "the cat in the hat sat on the mat\r\n" * 40 + "说好的幸福 🙂\n"


def run(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tokenloom", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False, env=os.environ | environment
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus"
    path.mkdir()
    (path / "one.txt").write_bytes(TEXT.encode())
    (path / "two.txt").write_bytes(b"\xff\xfe not UTF-8 <|endoftext|>")
    (path / "empty.txt").write_bytes(b"")
    return path


def summary(corpus: Path, *options: str) -> dict[str, Any]:
    done = run("demo", str(corpus), "--vocab-size", "270", "--json", *options, folder=corpus.parent)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_every_stage_handles_every_byte(corpus: Path) -> None:
    result = summary(corpus)
    n_bytes = sum(path.stat().st_size for path in corpus.iterdir())
    assert (result["n_files"], result["n_bytes"]) == (3, n_bytes)
    assert [stage["name"] for stage in result["stages"]] == ["count", "merge", "encode", "decode"]
    assert result["bytes_per_token"] == n_bytes / result["n_tokens"]


def test_the_first_merges_are_those_of_the_trainer(corpus: Path) -> None:
    first = summary(corpus)["first_merges"][0]
    documents = [path.read_bytes() for path in sorted(corpus.iterdir())]
    trained = tokenloom.train(documents, 270, ["<|endoftext|>"])
    assert (first["left"]["hex"], first["right"]["hex"]) == tuple(token.hex() for token in trained.merges[0])
    assert first["n_pairs"] >= 80


def test_the_tokenizer_is_saved_and_reads_back(corpus: Path) -> None:
    result = summary(corpus, "--out", "left-behind")
    tokenizer = tokenloom.Tokenizer.load(corpus.parent / result["folder"])
    assert result["folder"].startswith("left-behind")
    assert len(tokenizer) == result["vocabulary_size"] == 270


def test_tables_are_for_people(corpus: Path) -> None:
    done = run("demo", str(corpus), "--vocab-size", "270", folder=corpus.parent)
    assert done.returncode == 0
    for words in ("270 tokens", "bytes per token", "longest tokens", "merges", "peak memory", "byte for byte"):
        assert words in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr.startswith("count ")


def test_more_merges_than_the_text_has_is_a_warning(corpus: Path) -> None:
    done = run("demo", str(corpus), "--vocab-size", "5000", folder=corpus.parent)
    assert done.returncode == 0
    assert "warning: vocab_size 5000: the corpus has only" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "nowhere"], "error: 'nowhere'"),
        (["demo", "--vocab-size", "256"], "error: vocab_size 256: must be a whole number from 257"),
    ],
)
def test_an_error_is_one_line_and_exit_code_1(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = run(*arguments, folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_option_is_exit_code_2(tmp_path: Path) -> None:
    assert run("demo", "--colour", folder=tmp_path).returncode == 2


def test_help_names_the_verbs_and_version_the_version(tmp_path: Path) -> None:
    assert "demo" in run("--help", folder=tmp_path).stdout
    assert run("--version", folder=tmp_path).stdout == f"tokenloom {tokenloom.__version__}\n"


def test_a_terminal_without_unicode_gets_escapes(corpus: Path) -> None:
    done = run("demo", str(corpus), "--vocab-size", "270", folder=corpus.parent, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


def test_a_narrow_terminal_cuts_no_number(corpus: Path) -> None:
    done = run("demo", str(corpus), "--vocab-size", "270", folder=corpus.parent, COLUMNS="40")
    assert done.returncode == 0
    assert "\u2026" not in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_cannot_be_written_is_one_line(corpus: Path) -> None:
    command = [sys.executable, "-m", "tokenloom", "demo", str(corpus), "--vocab-size", "270"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=corpus.parent, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "error: output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
