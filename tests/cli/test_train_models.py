"""`tokenloom train --model`."""

import json
import tomllib
from pathlib import Path

import pytest

import tokenloom
from tests.cli.conftest import Command
from tokenloom import Tokenizer
from tokenloom.cli.settings import settings_of
from tokenloom.cli.train_models import _MODELS_OF

pytestmark = pytest.mark.filterwarnings("ignore::tokenloom.FormatWarning", "ignore::tokenloom.TrainingWarning")
TEXT = "The quick cat in the hat sat on the mat; the duck quacked back.\n" * 40
QUIET = ("--no-report", "--quiet")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def test_wordpiece_is_that_of_the_library(command: Command, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = command("train", text, "--model", "wordpiece", "--vocab-size", "60", "--out", out, "--lowercase", *QUIET)
    assert ended.status == 0, ended.err
    tokenizer = Tokenizer.load(out)
    assert tokenizer.spec == tokenloom.train_wordpiece([TEXT], 60, lowercase=True).spec
    assert tokenizer.provenance["trainer"] == "wordpiece"
    assert tokenizer.decode(tokenizer.encode("The cat")) == "the cat"


def test_characters_and_words_are_those_of_the_library(command: Command, text: Path, tmp_path: Path) -> None:
    chars, words = tmp_path / "chars", tmp_path / "words"
    assert command("train", text, "--model", "char", "--vocab-size", "21", "--out", chars, *QUIET).status == 0
    assert Tokenizer.load(chars).spec == tokenloom.train_characters([TEXT]).spec
    arguments = ("--model", "word", "--vocab-size", "9", "--unk-token", "[UNK]")
    assert command("train", text, *arguments, "--out", words, *QUIET).status == 0
    assert Tokenizer.load(words).spec == tokenloom.train_words([TEXT], 9, unk_token="[UNK]").spec


def test_unigrams_are_those_of_the_library_and_keep_text(command: Command, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("--model", "unigram", "--vocab-size", "300", "--byte-fallback", "--special-token", "<s>")
    ended = command("train", text, *arguments, "--out", out, *QUIET)
    assert ended.status == 0, ended.err
    tokenizer = Tokenizer.load(out)
    with pytest.warns(tokenloom.TrainingWarning):
        expected = tokenloom.train_unigram([TEXT], 300, ["<s>"], byte_fallback=True)
    assert tokenizer.spec == expected.spec
    for sample in (TEXT, "  two  blanks\n\ttab ", "naïve ☃", ""):
        assert tokenizer.decode(tokenizer.encode(sample)) == sample


def test_the_page_of_unigrams_tells_the_rounds(command: Command, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = command(
        "train", text, "--model", "unigram", "--vocab-size", "40", "--normalizer", "lowercase", "--out", out
    )
    assert ended.status == 0, ended.err
    assert "normalizer       lowercase: changed" in ended.out
    assert "Rounds" in (out / "report.html").read_text("utf-8")


def test_characters_may_be_written_in_bytes(command: Command, text: Path, tmp_path: Path) -> None:
    arguments = ("--model", "char", "--vocab-size", "276", "--byte-fallback", "--out", tmp_path / "out")
    assert command("train", text, *arguments, *QUIET).status == 0
    tokenizer = Tokenizer.load(tmp_path / "out")
    assert tokenizer.decode(tokenizer.encode("naïve cat")) == "naïve cat"


def test_the_summary_and_the_report_are_there(command: Command, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = command("train", text, "--model", "wordpiece", "--vocab-size", "60", "--out", out)
    assert ended.status == 0, ended.err
    assert "model            wordpiece\n" in ended.out
    assert "vocabulary size  60, 5 special tokens among them\n" in ended.out
    page = (out / "report.html").read_text("utf-8")
    assert "First " in page
    assert "Score" in page


def test_the_run_file_does_it_again(command: Command, text: Path, tmp_path: Path) -> None:
    first, again = tmp_path / "first", tmp_path / "again"
    command("train", text, "--model", "wordpiece", "--vocab-size", "55", "--out", first, *QUIET)
    assert tomllib.loads((first / "run.toml").read_text("utf-8"))["train"]["model"] == "wordpiece"
    ended = command("train", "--config", first / "run.toml", "--out", again, "--quiet")
    assert ended.status == 0, ended.err
    assert (first / "manifest.json").read_bytes() == (again / "manifest.json").read_bytes()


@pytest.mark.parametrize("model", ["wordpiece", "unigram", "char", "word"])
def test_a_dry_run_says_what_it_would_do_and_does_nothing(
    command: Command, text: Path, tmp_path: Path, model: str
) -> None:
    arguments = ("train", text, "--model", model, "--vocab-size", "60", "--out", tmp_path / "out", "--dry-run")
    ended = command(*arguments)
    assert (ended.status, ended.err) == (0, "")
    assert f"a tokenizer of model {model}; nothing was written" in ended.out
    assert json.loads(command(*arguments, "--json").out)["n_sample_bytes"] == len(TEXT)
    assert not (tmp_path / "out").exists()


def test_counts_and_word_lists_train_too(command: Command, text: Path, tmp_path: Path) -> None:
    counts, out = tmp_path / "counts", tmp_path / "out"
    assert command("count-pretokens", text, "--pattern", "bert", "--out", counts, "--quiet").status == 0
    arguments = ("--model", "wordpiece", "--vocab-size", "60", "--out", out, "--special-token", "[UNK]")
    ended = command("train", "--counts", counts, *arguments, *QUIET)
    assert "special tokens" in ended.err
    counts = tmp_path / "more"
    asked = ("--pattern", "bert", "--special-token", "[UNK]")
    assert command("count-pretokens", text, *asked, "--out", counts, "--quiet").status == 0
    assert command("train", "--counts", counts, *arguments, *QUIET).status == 0
    assert Tokenizer.load(out).spec == tokenloom.train_wordpiece([TEXT], 60, ["[UNK]"]).spec
    assert "would need" in command("train", "--counts", counts, *arguments, "--dry-run").out
    (tmp_path / "words.tsv").write_text("duck\t40\nquack\t30\ncat\t90\n")
    ended = command("train", "--word-counts", tmp_path / "words.tsv", *arguments, *QUIET)
    assert ended.status == 0, ended.err
    assert "qu" in {token.decode() for token in Tokenizer.load(out).vocabulary.values()}


GIVEN = {
    "reserve_special": ("2",), "pad_multiple": ("64",), "pattern": ("gpt2",), "normalizer": ("nfc",),
    "tie_break": ("lowest-id",),
    "alphabet": ("gpt2",), "min_pair_count": ("3",), "max_token_bytes": ("9",), "whole_characters": (),
    "must_have": ("cat",), "init": ("old",), "unit": ("character",), "character_coverage": ("0.9",),
    "byte_fallback": (), "end_of_word_suffix": ("_",), "end_of_word": ("glued",), "record": ("r.tlr",),
    "vocabulary_limit": ("hard",), "lowercase": (), "max_piece_chars": ("9",),
}  # fmt: skip


@pytest.mark.parametrize("name", _MODELS_OF)
def test_options_of_other_models_are_refused_by_name(command: Command, text: Path, tmp_path: Path, name: str) -> None:
    option = next(f"--{key}" for key, setting in settings_of("train").items() if setting.parameter == name)
    for model in {"bpe", "wordpiece", "unigram", "char", "word"} - _MODELS_OF[name]:
        arguments = ("train", text, "--model", model, "--vocab-size", "400", "--out", tmp_path / "out")
        ended = command(*arguments, option, *GIVEN[name])
        assert ended.status == 2
        assert f"{option} plays no part with --model {model}" in " ".join(ended.err.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--model", "wordpiece", "--vocab-size", "20"), "with 2 tokens each"),
        (("--model", "unigram", "--vocab-size", "9"), "leave no room. Ask for at least 21"),
        (("--model", "char", "--vocab-size", "9"), "leave no room. Ask for at least 21"),
        (("--model", "char", "--vocab-size", "99", "--vocabulary-limit", "hard"), "largest possible size is 21"),
        (("--model", "unigram", "--vocab-size", "999", "--vocabulary-limit", "hard"), "the largest possible size is"),
        (("--model", "wordpiece", "--vocab-size", "999", "--vocabulary-limit", "hard"), "the largest possible size is"),
        (("--model", "bpe", "--vocab-size", "999", "--vocabulary-limit", "hard"), "the largest possible size is"),
        (("--model", "word", "--vocab-size", "0"), "must be a whole number from 1"),
        (("--model", "unigram", "--vocab-size", "99", "--character-coverage", "nan"), "character coverage nan"),
    ],
)
def test_sizes_that_cannot_be_met_name_those_that_can(
    command: Command, text: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    ended = command("train", text, *arguments, "--out", tmp_path / "out", *QUIET)
    assert (ended.status, ended.out) == (1, "")
    assert words in ended.err


def test_a_pattern_without_words_is_refused_for_wordpiece(command: Command, text: Path, tmp_path: Path) -> None:
    arguments = ("--model", "wordpiece", "--pattern", "gpt2", "--vocab-size", "99")
    ended = command("train", text, *arguments, "--out", tmp_path / "out")
    assert ended.status == 2
    assert "--pattern gpt2 is none for --model wordpiece" in ended.err
