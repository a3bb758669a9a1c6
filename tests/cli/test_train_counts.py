"""The dry run of a training on counts refuses what the run would, and says what it needs."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tokenloom import BpeOptions, Tokenizer, TrainingError, train
from tokenloom.jobs.train_counts import (
    check_counted_for,
    counts_file_of,
    estimate_count_file,
    estimate_word_counts,
    train_count_file,
)
from tokenloom.jobs.training import TrainingPlan
from tokenloom.trainers import CharacterAlphabet

WORDS = "cat\t90\ncatch\t50\nrat\t80\nrattle\t40\n"


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.tsv"
    path.write_text(WORDS)
    return path


@pytest.fixture
def counts(command: Command, tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("the cat in the hat sat on the mat\n" * 9)
    command("count-pretokens", tmp_path / "a.txt", "--special-token", "<|e|>", "--out", tmp_path / "counts", "--quiet")
    return tmp_path / "counts"


def plan_of(vocab_size: int, *, min_count: int = 1, special_tokens: tuple[str, ...] = ("<|e|>",)) -> TrainingPlan:
    options = BpeOptions(vocab_size, special_tokens, characters=CharacterAlphabet())
    return TrainingPlan(options, min_count=min_count)


@pytest.mark.parametrize("asked", [{"vocab_size": 3}, {"vocab_size": 300, "min_count": 100}])
def test_counts_that_the_training_refuses_are_refused_with_the_same_words(counts: Path, asked: dict[str, int]) -> None:
    plan = plan_of(**asked)  # type: ignore[arg-type]
    with pytest.raises(TrainingError) as estimated:
        estimate_count_file(counts, plan)
    with pytest.raises(TrainingError) as trained:
        train_count_file(counts, plan, out=counts.parent / "out")
    assert str(estimated.value) == str(trained.value)


def test_counts_that_were_cut_otherwise_are_refused(counts: Path) -> None:
    with pytest.raises(TrainingError, match="was counted with"):
        estimate_count_file(counts, plan_of(300, special_tokens=()))


def test_word_counts_are_refused_by_their_own_name(words: Path) -> None:
    with pytest.raises(TrainingError, match=r"words\.tsv': vocab_size 3: 7 characters of the text"):
        estimate_word_counts(words, plan_of(3, special_tokens=()))
    assert [path.name for path in words.parent.iterdir()] == ["words.tsv"]


def test_a_dry_run_counts_reserved_tokens_too(command: Command, words: Path, tmp_path: Path) -> None:
    asked = ["--unit", "character", "--vocab-size", "9", "--reserve-special", "3", "--out", tmp_path / "out"]
    ended = command("train", "--word-counts", words, *asked, "--dry-run")
    assert ended.status == 1
    assert "0 other tokens and 3 reserved tokens leave no room. Ask for at least 10" in ended.err


def test_the_size_of_word_counts_and_the_memory_are_told(command: Command, words: Path, tmp_path: Path) -> None:
    estimate = estimate_word_counts(words, plan_of(300))
    assert (estimate.n_pretokens, estimate.n_text_bytes) == (4, 90 * 3 + 50 * 5 + 80 * 3 + 40 * 6)
    assert estimate.estimated_bytes > 0
    told = command("train", "--word-counts", words, "--vocab-size", "300", "--out", tmp_path / "out", "--dry-run").out
    assert "words.tsv: 4 distinct pretokens, 1.00 kB of text" in told
    assert "of memory" in told


def test_a_need_above_the_limit_is_told_without_the_counts(counts: Path) -> None:
    assert estimate_count_file(counts, plan_of(3), memory_limit=1).estimated_bytes > 1


@pytest.mark.parametrize(
    ("special_tokens", "pattern", "message"),
    [
        (["<|e|>", "<|f|>"], "gpt2", r"counted without the special token '<\|f\|>', .* with all its 2 special tokens"),
        (["<|f|>"], "gpt2", r"counted without the special token '<\|f\|>', .* Count again with it\."),
        ([], "gpt2", r"counted with the special token '<\|e\|>', which .* does not have"),
        (["<|e|>"], "llama3", "cut by another pattern than 'llama3'"),
    ],
)
def test_counts_on_which_a_tokenizer_cannot_grow_say_how_to_count_again(
    command: Command, counts: Path, special_tokens: list[str], pattern: str, message: str
) -> None:
    old = train(["the cat in the hat"], 262, special_tokens, pattern=pattern)  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match=rf"pretokens\.counts': was {message}"):
        check_counted_for(old.spec, counts_file_of(counts))
    old.save(counts.parent / "old")
    ended = command(
        "train",
        "--counts",
        counts,
        "--init",
        counts.parent / "old",
        "--vocab-size",
        "270",
        "--out",
        counts.parent / "o",
    )
    assert (ended.status, "Count again" in ended.err) == (1, True)


def test_counts_that_were_cut_alike_let_a_tokenizer_grow(command: Command, counts: Path) -> None:
    train(["the cat in the hat"], 260, ["<|e|>"]).save(counts.parent / "old")
    asked = ("train", "--counts", counts, "--init", counts.parent / "old", "--vocab-size", "270")
    assert command(*asked, "--out", counts.parent / "out", "--quiet").status == 0
    assert len(Tokenizer.load(counts.parent / "out")) == 270
