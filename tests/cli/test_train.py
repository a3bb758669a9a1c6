"""`tokenloom train`."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest

import tokenloom
from tests.cli.conftest import Command
from tokenloom import Tokenizer
from tokenloom.cli.settings import settings_of
from tokenloom.jobs.estimate_counting import CountedSample, count_sample
from tokenloom.spec import PatternName
from tokenloom.trainers import CountOptions

TEXT = "the cat in the hat sat on the mat\n" * 50


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    (folder / "b.jsonl").write_text(json.dumps({"body": TEXT}) + "\n")
    return folder


@pytest.fixture
def trained(command: Command, corpus: Path, tmp_path: Path) -> Path:
    """A tokenizer with every option that its training has."""
    out = tmp_path / "tokenizer"
    ended = command(
        "train", corpus, "--vocab-size", "270", "--out", out, "--special-token", "<|a|>", "--special-token", "<|b|>",
        "--reserve-special", "2", "--pad-vocabulary-to-multiple-of", "64", "--pattern", "none",
        "--tie-break", "lowest-id", "--alphabet", "gpt2", "--text-field", "body", "--quiet",
    )  # fmt: skip
    assert (ended.status, ended.err) == (0, "")
    return out


def test_the_result_is_that_of_the_library(trained: Path) -> None:
    tokenizer = tokenloom.Tokenizer.load(trained)
    expected = tokenloom.train(
        [TEXT, TEXT], 268, ["<|a|>", "<|b|>"], pattern=None, tie_break="lowest-id", alphabet="gpt2"
    )
    assert tokenizer.merges == expected.merges
    assert len(tokenizer) == 320
    assert len(tokenizer.special_tokens) == 2 + 2 + 50


def test_the_summary_and_the_report_are_there(command: Command, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = command("train", corpus / "a.txt", "--vocab-size", "260", "--out", out)
    assert ended.status == 0
    assert "vocabulary size  260: 4 merges, 256 bytes, 0 special tokens\n" in ended.out
    assert "1.70 kB in 1 file, 9 distinct pretokens" in ended.out
    assert ended.err.splitlines() == ["count 1.70 kB ...", "merge 4 merges ..."]
    assert (out / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_without_a_report_there_is_none(command: Command, corpus: Path, tmp_path: Path) -> None:
    arguments = ("train", corpus / "a.txt", "--vocab-size", "260", "--out", tmp_path / "out", "--no-report", "--json")
    facts = json.loads(command(*arguments).out)
    assert facts["report"] is None
    assert not (tmp_path / "out" / "report.html").exists()


def test_the_run_file_does_it_again(command: Command, trained: Path, tmp_path: Path) -> None:
    values = tomllib.loads((trained / "run.toml").read_text("utf-8"))["train"]
    assert values["special-token"] == ["<|a|>", "<|b|>"]
    assert values["pad-vocabulary-to-multiple-of"] == 64
    ended = command("train", "--config", trained / "run.toml", "--out", tmp_path / "again", "--quiet")
    assert ended.status == 0, ended.err
    first, second = (Path(folder) / "manifest.json" for folder in (trained, tmp_path / "again"))
    assert first.read_bytes() == second.read_bytes()


def test_the_same_folder_can_be_trained_into_again(command: Command, trained: Path) -> None:
    ended = command("train", "--config", trained / "run.toml", "--quiet")
    assert ended.status == 0, ended.err


def test_every_named_pattern_can_be_asked_for(command: Command, corpus: Path, tmp_path: Path) -> None:
    assert get_args(settings_of("train")["pattern"].type) == (*get_args(PatternName), "none")
    options = ("--vocab-size", "262", "--no-report", "--quiet")
    assert command("train", corpus / "a.txt", "--pattern", "o200k", "--out", tmp_path / "o", *options).status == 0
    assert Tokenizer.load(tmp_path / "o").spec.pretokenizer.type == "o200k"


def test_a_dry_run_says_what_it_would_do_and_does_nothing(command: Command, corpus: Path, tmp_path: Path) -> None:
    arguments = ("train", corpus / "a.txt", "--vocab-size", "260", "--out", tmp_path / "out", "--dry-run")
    ended = command(*arguments)
    assert (ended.status, ended.err) == (0, "")
    assert "would read   1 file, 1.70 kB on the disk" in ended.out
    assert "nothing was written" in ended.out
    facts = json.loads(command(*arguments, "--json").out)
    assert facts["n_file_bytes"] == len(TEXT)
    assert not (tmp_path / "out").exists()


def test_a_dry_run_cuts_pretokens_as_it_is_told(
    command: Command, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[CountOptions] = []

    def sample(*arguments: Any, options: CountOptions, **more: Any) -> CountedSample:
        asked.append(options)
        return count_sample(*arguments, options=options, **more)

    monkeypatch.setattr("tokenloom.jobs.estimate_training.count_sample", sample)
    arguments = ("--vocab-size", "260", "--max-pretoken-bytes", "5", "--tie-break", "first-seen", "--dry-run")
    assert command("train", corpus / "a.txt", "--out", tmp_path / "out", *arguments).status == 0
    assert [(options.max_pretoken_bytes, options.has_positions) for options in asked] == [(5, True)]


LIMITS = (
    *("--min-pair-count", "60", "--max-token-bytes", "6", "--whole-characters"),
    *("--must-have", " dog", "--must-have", "zebra"),
)


def test_limits_and_must_have_tokens_are_those_of_the_library(command: Command, corpus: Path, tmp_path: Path) -> None:
    arguments = ("train", corpus / "a.txt", "--vocab-size", "266", *LIMITS, "--no-report", "--quiet")
    assert command(*arguments, "--out", tmp_path / "out").status == 0
    tokenizer = Tokenizer.load(tmp_path / "out")
    expected = tokenloom.train(
        [TEXT], 266, min_pair_count=60, max_token_bytes=6, whole_characters=True, must_have=[" dog", "zebra"]
    )
    assert tokenizer.merges == expected.merges
    assert (tokenizer.count(" dog"), tokenizer.count("zebra")) == (1, 1)
    kept = {"min_pair_count": 60, "max_token_bytes": 6, "whole_characters": True, "must_have": [" dog", "zebra"]}
    assert tokenizer.provenance["options"].items() >= kept.items()
    command("train", "--config", tmp_path / "out" / "run.toml", "--out", tmp_path / "again", "--quiet")
    assert Tokenizer.load(tmp_path / "again").merges == expected.merges


def test_a_dry_run_takes_limits_and_refuses_what_the_run_would(command: Command, corpus: Path, tmp_path: Path) -> None:
    arguments = ("train", corpus / "a.txt", "--vocab-size", "300", "--out", tmp_path / "out", "--dry-run")
    assert command(*arguments, *LIMITS).status == 0
    ended = command(*arguments, "--must-have", "the cat")
    assert (ended.status, ended.out) == (1, "")
    assert "must-have token 'the cat': the pattern cuts it" in ended.err


def test_an_encoding_has_a_dry_run_too(command: Command, saved: Path, corpus: Path, tmp_path: Path) -> None:
    arguments = ("encode", corpus / "a.txt", "--tokenizer", saved, "--out", tmp_path / "out", "--dry-run")
    ended = command(*arguments)
    assert (ended.status, ended.err) == (0, "")
    assert "would read   1 file, about 1.70 kB of text" in ended.out
    facts = json.loads(command(*arguments, "--json").out)
    assert facts["n_tokens"] == tokenloom.Tokenizer.load(saved).count(TEXT)
    assert not (tmp_path / "out").exists()


def test_warnings_are_one_line_on_standard_error(corpus: Path, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tokenloom",
        "train",
        str(corpus / "a.txt"),
        "--vocab-size",
        "9000",
        "--out",
        "out",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0
    assert "warning: vocab_size 9000: the corpus has only" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "--vocab-size", "300"), "'nowhere'"),
        ((".", "--vocab-size", "256", "--special-token", "<|a|>"), "must be a whole number from 257"),
        ((".", "--vocab-size", "300", "--document-separator", ""), "is empty"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(
    arguments: tuple[str, ...], words: str, command: Command, tmp_path: Path
) -> None:
    ended = command("train", *arguments, "--out", tmp_path / "out")
    assert (ended.status, ended.out) == (1, "")
    assert words in ended.err
    assert ended.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_tokenizer_grows_with_init(command: Command, corpus: Path, trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "grown"
    grown = command("train", corpus / "a.txt", "--init", trained, "--vocab-size", "330", "--out", out, "--quiet")
    old, new = Tokenizer.load(trained), Tokenizer.load(out)
    assert (grown.status, grown.err) == (0, "")
    assert f"330: {330 - len(old)} merges behind {len(old)} ids of --init" in grown.out
    assert new.merges[: len(old.merges)] == old.merges
    assert tomllib.loads((out / "run.toml").read_text())["train"]["init"] == str(trained)


def test_counts_of_another_pattern_than_that_of_init_are_refused(
    command: Command, corpus: Path, trained: Path, tmp_path: Path
) -> None:
    counts = tmp_path / "counts"
    special = ("--special-token", "<|a|>")
    assert command("count-pretokens", corpus / "a.txt", "--out", counts, *special, "--quiet").status == 0
    ended = command("train", "--counts", counts, "--init", trained, "--vocab-size", "330", "--out", tmp_path / "grown")
    assert "was cut by another pattern than 'none', with which the tokenizer of init cuts" in ended.err
    assert not (tmp_path / "grown").exists()


def test_a_dry_run_tells_how_far_init_would_grow(command: Command, corpus: Path, trained: Path, tmp_path: Path) -> None:
    ended = command(
        "train", corpus / "a.txt", "--init", trained, "--vocab-size", "330", "--out", tmp_path / "out", "--dry-run"
    )
    assert f"from {len(Tokenizer.load(trained))} to 330 ids at most" in ended.out


def test_the_alphabet_of_init_stays(command: Command, corpus: Path, trained: Path, tmp_path: Path) -> None:
    ended = command(
        "train", corpus / "a.txt", "--init", trained, "--vocab-size", "330", "--out", tmp_path, "--alphabet", "gpt2"
    )
    assert "--alphabet plays no part with --init" in ended.err
