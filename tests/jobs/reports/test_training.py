import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.reports.runs import trained, words
from tokenloom.jobs.reports.training import growth_blocks, merges_section, ties_section
from tokenloom.jobs.train_corpus import TrainRun
from tokenloom.report import Text


def test_first_merges_stand_with_their_counts(training: TrainRun) -> None:
    first = training.training.steps[0]
    text = words(merges_section(training.training, n_fixed=257))
    cells = re.search(r"First 30 merges \|.*?\| 1 \| (.*?) \| 2 \|", text)
    assert cells is not None
    assert cells[1].endswith(f"{first.n_pairs:,} | {first.n_tokens:,} | {first.n_tied or '–'}")


def test_ties_are_counted_and_the_rule_is_named(training: TrainRun) -> None:
    tied = [step.n_tied for step in training.training.steps if step.n_tied]
    text = words(ties_section(training.training))
    assert tied
    assert f"Merges with ties | {len(tied):,} |" in text
    assert f"Largest tie | {max(tied) + 1} pairs |" in text
    assert "The rule of this training is 'lexicographic'" in text


def test_training_without_ties_shows_no_empty_chart(training: TrainRun) -> None:
    steps = tuple(step._replace(n_tied=0) for step in training.training.steps)
    text = words(ties_section(replace(training.training, steps=steps)))
    assert "Merges with ties | 0 | 0 % of all merges |" in text
    assert "Where ties were met" not in text
    assert "Largest tie" not in text


@pytest.mark.parametrize("growth", [(), ((10, 1),), ((10, 1), (10, 1)), ((0, 0), (10, 0))], ids=str)
def test_growth_of_any_length_can_be_drawn(training: TrainRun, growth: tuple[tuple[int, int], ...]) -> None:
    blocks = growth_blocks(growth)
    assert len([block.html("b1") for block in blocks]) == len(blocks) <= 2


def test_growth_at_the_end_is_that_of_the_last_twentieth_at_least(training: TrainRun) -> None:
    growth = ((800_000, 100), (900_000, 200), (999_999, 900), (1_000_000, 1000))
    assert growth_blocks(growth)[-1] == Text(
        "At the end of the text, each further megabyte brought about 8,000 new pretokens."
    )


@pytest.mark.filterwarnings("ignore::tokenloom.TrainingWarning")
def test_training_without_a_merge_says_so(tmp_path: Path) -> None:
    run = trained(tmp_path, "a")
    assert "No merge was made" in words(merges_section(run.training, n_fixed=257))


@pytest.mark.filterwarnings("ignore::tokenloom.TrainingWarning")
def test_training_with_fewer_merges_than_asked_for_says_so(tmp_path: Path) -> None:
    run = trained(tmp_path, "the cat", vocab_size=1000)
    assert "of 743 asked for; the text has no more" in words(merges_section(run.training, n_fixed=257))
