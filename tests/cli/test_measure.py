"""`tokenloom measure` and `tokenloom compare`: tables, JSON, files, and errors."""

import csv
import io
import json
from pathlib import Path

import pytest

import tokenloom
from tests.cli.conftest import Command


@pytest.fixture
def folder(tmp_path: Path, saved: Path) -> Path:
    (tmp_path / "a.txt").write_text("the then the\n\nthe 你你\n\nthen")
    (tmp_path / "b.txt").write_text("then then")
    tokenloom.Tokenizer.load(saved).truncated(258).save(tmp_path / "shorter")
    return tmp_path


def test_values_stand_beside_their_metrics(command: Command, saved: Path, folder: Path) -> None:
    ended = command(
        "measure", saved, folder / "shorter", "--on", folder / "a.txt", "--document-separator", "\n\n", "-q"
    )
    assert ended.status == 0, ended.err
    head, row = (line.split() for line in ended.out.splitlines()[1:3])
    assert head == ["Unit", "tokenizer", "shorter", "Metric"]
    assert row[0] == "bytes/token"
    assert row[-1] == "bytes_per_token"
    assert "all: 3 documents, 26 B" in ended.err


def test_all_that_follows_on_is_the_corpus(command: Command, saved: Path, folder: Path) -> None:
    ended = command("measure", saved, "--on", folder / "a.txt", folder / "b.txt", "--json", "-q")
    facts = json.loads(ended.out)
    assert facts["manifest"]["corpora"][0]["sources"] == ["a.txt", "b.txt"]
    assert facts["corpora"][0]["tokenizers"]["tokenizer"]["metrics"]["round_trip"]["value"] == 1.0


def test_csv_is_one_list_of_values(command: Command, saved: Path, folder: Path) -> None:
    ended = command("measure", saved, "--on", folder / "b.txt", "--format", "csv", "--words", "whitespace", "-q")
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(ended.out))}
    tokens = tokenloom.Tokenizer.load(saved).count("then then")
    assert float(rows["fertility"]["value"]) == tokens / 2
    assert rows["normalized_length"]["value"] == ""


@pytest.mark.parametrize(("name", "beginning"), [("markdown", "| Metric |"), ("latex", "\\begin{table}")])
def test_tables_for_papers(command: Command, saved: Path, folder: Path, name: str, beginning: str) -> None:
    ended = command("measure", saved, "--on", folder / "b.txt", "--format", name, "-q")
    assert ended.out.startswith(beginning)


def test_report_is_one_page(command: Command, saved: Path, folder: Path) -> None:
    ended = command("measure", saved, "--on", folder / "a.txt", "--report", folder / "page.html", "-q")
    assert ended.status == 0, ended.err
    assert "Occurrences of tokens by rank" in (folder / "page.html").read_text(encoding="utf-8")


def test_comparison_has_the_second_less_the_first(command: Command, saved: Path, folder: Path) -> None:
    arguments = ["compare", folder / "shorter", saved, "--on", folder / "a.txt", "--document-separator", "\n\n", "-q"]
    facts = json.loads(command(*arguments, "--json").out)
    row = facts["corpora"]["all"]["bytes_per_token"]
    assert row["difference"]["value"] == row["second"]["value"] - row["first"]["value"]
    assert (facts["first"], facts["second"]) == ("shorter", "tokenizer")
    assert facts["vocabulary"]["n_only_first"] == 0
    ended = command(*arguments, "--report", folder / "page.html")
    assert "'tokenizer' less 'shorter' on 'all'" in ended.out
    assert "Two tokenizers compared" in (folder / "page.html").read_text(encoding="utf-8")


def test_parallel_text_needs_no_corpus(command: Command, saved: Path, folder: Path) -> None:
    parallel = folder / "parallel"
    parallel.mkdir()
    (parallel / "eng.txt").write_text("the\nthen\n")
    (parallel / "zho.txt").write_text("你\n你你\n")
    ended = command("measure", saved, "--parallel", parallel, "-q")
    assert ended.status == 0, ended.err
    assert "Premium over 'eng' on 2 parallel sentences" in ended.out
    (parallel / "zho.txt").write_text("你\n")
    ended = command("measure", saved, "--parallel", parallel, "-q")
    assert (ended.status, "'zho' has 1 lines and 'eng' has 2" in ended.err) == (1, True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--metric", "fertlity"], "Did you mean 'fertility'"),
        (["--metric", "fertility"], "Name a splitter"),
        (["--metric", "premium"], "--parallel FOLDER"),
        (["--words", "spacy"], "'whitespace', 'punctuation', 'cjk-characters'"),
        (["--level", "2.0"], "between 0 and 1"),
        (["--reference", "other"], "is not measured"),
    ],
)
def test_bad_options_are_refused(command: Command, saved: Path, folder: Path, options: list[str], words: str) -> None:
    ended = command("measure", saved, "--on", folder / "a.txt", "-q", *options)
    assert (ended.status, ended.out) == (1, "")
    assert words in ended.err


def test_tokenizer_that_cannot_be_loaded_is_named(command: Command, folder: Path) -> None:
    ended = command("measure", folder / "nothing", "--on", folder / "a.txt")
    assert (ended.status, "nothing" in ended.err) == (1, True)


def test_corpus_that_is_missing_is_asked_for(command: Command, saved: Path) -> None:
    assert "Name one with --on CORPUS" in command("measure", saved).err
