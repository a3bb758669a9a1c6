"""`tokenloom count-pretokens`, `merge-counts`, and training on what they write."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tokenloom import Tokenizer
from tokenloom.cli.options import byte_count


@pytest.fixture
def corpus(tmp_path: Path) -> list[str]:
    (tmp_path / "en.txt").write_text("the cat in the hat sat on the mat<|end|>\n" * 50)
    (tmp_path / "zh.txt").write_text("你好 世界\n" * 50, encoding="utf-8")
    return [f"en={tmp_path / 'en.txt'}", f"zh={tmp_path / 'zh.txt'}"]


def test_the_summary_the_report_and_the_record_are_there(command: Command, corpus: list[str], tmp_path: Path) -> None:
    out = tmp_path / "counts"
    ended = command("count-pretokens", *corpus, "--mix", "en=0.5,zh=0.5", "--special-token", "<|end|>", "--out", out)
    assert ended.status == 0, ended.err
    assert "2.75 kB, 2 documents in 2 files" in ended.out
    assert "mixture    en " in ended.out
    assert "count 2.75 kB ..." in ended.err
    assert (out / "report.html").read_text("utf-8").startswith("<!doctype html>")
    values = tomllib.loads((out / "run.toml").read_text("utf-8"))["count-pretokens"]
    assert (values["sample"], values["mix"]) == (1.0, "en=0.5,zh=0.5")
    again = command("count-pretokens", "--config", out / "run.toml", "--quiet")
    assert "complete already, nothing was left to do" in again.out


def test_counts_are_merged_and_trained_on(command: Command, corpus: list[str], tmp_path: Path) -> None:
    for name, part in zip(("a", "b"), corpus, strict=True):
        command("count-pretokens", part, "--special-token", "<|end|>", "--pattern", "o200k", "--out", tmp_path / name)
    a, b, merged = (tmp_path / name for name in ("a", "b", "merged"))
    ended = command("merge-counts", a, b, "--multiplier", f"{b}=3", "--out", merged, "--json")
    assert ended.status == 0, ended.err
    assert json.loads(ended.out)["n_corpus_bytes"] == 2750
    ended = command("train", "--counts", merged, "--vocab-size", "270", "--out", tmp_path / "tokenizer")
    assert ended.status == 0, ended.err
    tokenizer = Tokenizer.load(tmp_path / "tokenizer")
    assert tokenizer.spec.pretokenizer.type == "o200k"
    assert list(tokenizer.special_tokens) == ["<|end|>"]


def test_word_counts_are_trained_on_without_a_pattern(command: Command, tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("low\t5\nlower\t2\n")
    out = tmp_path / "tokenizer"
    ended = command("train", "--word-counts", tmp_path / "words.tsv", "--vocab-size", "258", "--out", out, "--json")
    assert ended.status == 0, ended.err
    assert json.loads(ended.out)["n_pretokens"] == 2
    assert Tokenizer.load(out).spec.pretokenizer.type == "none"


def test_what_was_left_out_is_told(command: Command, corpus: list[str], tmp_path: Path) -> None:
    arguments = ("train", *corpus, "--vocab-size", "258", "--out", tmp_path / "out", "--no-report")
    ended = command(*arguments, "--min-count", "51", "--max-pretoken-bytes", "4")
    assert ended.status == 0, ended.err
    assert "left out         " in ended.out
    assert " of the text" in ended.out
    assert "longer than --max-pretoken-bytes" in ended.out


def test_text_that_was_read_and_text_that_was_trained_on_are_told_apart(
    command: Command, corpus: list[str], tmp_path: Path
) -> None:
    """Of 41 bytes a line, seven are a special token; Chinese counts so often that both are a half."""
    arguments = ("--special-token", "<|end|>", "--mix", "en=0.5,zh=0.5")
    direct = command("train", *corpus, *arguments, "--vocab-size", "258", "--out", tmp_path / "direct", "--json")
    command("count-pretokens", *corpus, *arguments, "--out", tmp_path / "counts")
    counts = ("train", "--counts", tmp_path / "counts", "--vocab-size", "258", "--out", tmp_path / "apart", "--json")
    facts, apart = json.loads(direct.out), json.loads(command(*counts).out)
    assert facts["n_text_bytes"] == apart["n_text_bytes"] == 41 * 50 + 14 * 50
    times = facts["mixture"]["multipliers"]
    assert facts["n_trained_bytes"] == apart["n_trained_bytes"] == (34 * times["en"] + 14 * times["zh"]) * 50


def test_memory_of_counts_is_told_before_training(command: Command, corpus: list[str], tmp_path: Path) -> None:
    command("count-pretokens", *corpus, "--out", tmp_path / "counts")
    arguments = ("train", "--counts", tmp_path / "counts", "--vocab-size", "300", "--out", tmp_path / "out")
    ended = command(*arguments, "--memory-limit", "1GB", "--dry-run")
    assert "of memory of 1.00 GB allowed" in ended.out
    assert not (tmp_path / "out").exists()


def test_a_dry_run_says_what_would_be_counted_and_writes_nothing(
    command: Command, corpus: list[str], tmp_path: Path
) -> None:
    arguments = (
        "count-pretokens", *corpus, "--special-token", "<|end|>", "--max-pretoken-bytes", "9", "--mix", "en=0.9,zh=0.1",
        "--memory-limit", "1GB", "--out", tmp_path / "counts",
    )  # fmt: skip
    ended = command(*arguments, "--dry-run")
    assert ended.status == 0, ended.err
    assert "would read   2 files, 2.75 kB on the disk, about 2.75 kB of text" in ended.out
    assert "formats      en: 1 file of text\n             zh: 1 file of text\n" in ended.out
    assert "pretokens    pattern gpt2, special token '<|end|>', at most 9 bytes each\n" in ended.out
    assert "documents    all, mixed en=0.9, zh=0.1\n" in ended.out
    assert "splits       2\n" in ended.out
    assert ", judged by 2.75 kB; tables keep to 1.00 GB\n" in ended.out
    assert f"would write  {tmp_path / 'counts' / 'pretokens.counts'}; nothing was written" in ended.out
    assert not (tmp_path / "counts").exists()
    assert command(*arguments).status == 0
    again = command(*arguments, "--dry-run").out
    assert "was read   2 files, 2.75 kB on the disk, 2.75 kB of text\n" in again
    assert "splits     2, of which an earlier run has counted 2\n" in again
    assert f"nothing: {tmp_path / 'counts' / 'pretokens.counts'} is complete already\n" in again


def test_a_dry_run_as_json_names_each_source_and_split(command: Command, corpus: list[str], tmp_path: Path) -> None:
    ended = command("count-pretokens", *corpus, "--sample", "0.5", "--out", tmp_path / "counts", "--dry-run", "--json")
    facts = json.loads(ended.out)
    assert [(row["name"], row["group"], row["format"]) for row in facts["sources"]] == [
        ("en.txt", "en", "text"),
        ("zh.txt", "zh", "text"),
    ]
    assert [(row["group"], row["was_counted"]) for row in facts["splits"]] == [("en", False), ("zh", False)]
    assert (facts["options"]["sample"], facts["n_text_bytes"]) == (0.5, 1375)


def test_time_of_a_dry_run_is_that_of_one_process_and_says_so(
    command: Command, corpus: list[str], tmp_path: Path
) -> None:
    more = ("--out", tmp_path / "counts", "--dry-run", "--processes")
    outputs = [command("count-pretokens", *corpus, *more, n_processes).out for n_processes in ("1", "2")]
    assert [" in one process, judged by" in output for output in outputs] == [False, True]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ((), "there is nothing to train on"),
        (("corpus", "--counts", "c"), "CORPUS and --counts cannot go together"),
        (("--counts", "c", "--mix", "en=1"), "--mix plays no part with --counts"),
        (("--counts", "c", "--seed", "5"), "--seed plays no part with --counts"),
        (("--word-counts", "w", "--sample", "0.5"), "--sample plays no part with --word-counts"),
        (("--counts", "c", "--text-field", "body"), "--text-field plays no part with --counts"),
        (("--counts", "c", "--processes", "2"), "--processes plays no part with --counts"),
        (("corpus", "--memory-limit", "2 cows"), "--memory-limit '2 cows': is no number of bytes"),
        (("corpus", "--limit", "en=x"), "--limit 'x': is no number of bytes"),
        (("corpus", "--limit", "en=1", "--limit", "en=2"), "this group has a limit already"),
    ],
)
def test_wrong_command_line_of_a_training_is_named(command: Command, arguments: tuple[str, ...], what: str) -> None:
    ended = command("train", *arguments, "--vocab-size", "300", "--out", "out")
    assert ended.status == 2
    assert what in " ".join(ended.err.split())


@pytest.mark.parametrize("multiplier", ["a", "a=0", "a=-1", "a=x", "=3", "a=٣"])
def test_wrong_multiplier_is_named(command: Command, multiplier: str) -> None:
    ended = command("merge-counts", "a", "b", "--multiplier", multiplier, "--out", "out")
    assert ended.status == 2
    assert "Write COUNTS=N" in ended.err


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("512MB", 512 * 10**6), ("2GB", 2 * 10**9), ("1.5GiB", 3 << 29), ("12345", 12345), ("1 kb", 1000), ("3B", 3)],
)
def test_sizes_are_read_as_people_write_them(text: str, n_bytes: int) -> None:
    assert byte_count(text, option="--memory-limit") == n_bytes
