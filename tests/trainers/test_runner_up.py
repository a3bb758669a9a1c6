"""The pair that comes second in each merge, against a recount; and merges of pairs that do not occur."""

import warnings
from collections.abc import Mapping
from itertools import pairwise
from random import Random
from typing import get_args

import pytest

from tests.strategies import random_corpus
from tokenloom import _core
from tokenloom.errors import TrainingError, TrainingWarning
from tokenloom.lessons.byte_pair import Pair, TieBreak, choose_pair, count_pairs, merge_pair
from tokenloom.lessons.byte_pair import count_pretokens as count_by_definition
from tokenloom.lessons.pretokenizing import split_gpt2_bytes
from tokenloom.trainers import BpeOptions, MergeJournal, MergeStep, pretoken_counts, train_on_counts

every_tie_break = pytest.mark.parametrize("tie_break", get_args(TieBreak))
BYTES = bytes(range(256))


def learned(
    words: Mapping[bytes, int],
    tie_break: TieBreak,
    *,
    n_merges: int,
    journal: MergeJournal | None = None,
    runner_up: bool = True,
) -> tuple[MergeStep, ...]:
    options = BpeOptions(256 + n_merges, tie_break=tie_break)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return train_on_counts(pretoken_counts(words), options, journal=journal, runner_up=runner_up).steps


def recounted(
    words: Mapping[bytes, int], steps: tuple[MergeStep, ...], tie_break: TieBreak
) -> list[tuple[Pair | None, int]]:
    """What the rule would choose without the merged pair, and how often that stands, for each merge."""
    sequences = [([bytes([byte]) for byte in word], count) for word, count in words.items()]
    ids = {bytes([byte]): byte for byte in range(256)}
    seconds: list[tuple[Pair | None, int]] = []
    for step in steps:
        counts = count_pairs(sequences)
        del counts[step.left, step.right]
        second = choose_pair(counts, tie_break=tie_break, ids=ids) if counts else None
        seconds.append((second, counts[second] if second else 0))
        sequences = [(merge_pair(tokens, (step.left, step.right)), count) for tokens, count in sequences]
        ids[step.left + step.right] = len(ids)
    return seconds


def seconds_of(steps: tuple[MergeStep, ...]) -> list[tuple[Pair | None, int]]:
    return [(step.runner_up, step.n_runner_up_pairs) for step in steps]


@every_tie_break
@pytest.mark.parametrize("n_symbols", [2, 3, 26, 300])
@pytest.mark.parametrize("split", [None, split_gpt2_bytes], ids=["whole", "gpt2"])
def test_runner_ups_are_those_of_a_recount(tie_break: TieBreak, n_symbols: int, split: None) -> None:
    random = Random(n_symbols)
    for _ in range(12):
        words = count_by_definition(random_corpus(random, n_symbols=n_symbols), split=split)
        steps = learned(words, tie_break, n_merges=60)
        assert seconds_of(steps) == recounted(words, steps, tie_break), words


@every_tie_break
def test_a_run_whose_halves_outnumber_the_runner_up_is_merged_before_it(tie_break: TieBreak) -> None:
    """Merging (a, a) makes (aa, aa), which may stand between the merged pair and the second best."""
    random = Random(23)
    n_steps = 0
    for _ in range(150):
        words = {bytes(random.choices(b"aaab", k=random.randint(1, 30))): random.randint(1, 9) for _ in range(5)}
        steps = learned(words, tie_break, n_merges=30)
        assert seconds_of(steps) == recounted(words, steps, tie_break), words
        plain = learned(words, tie_break, n_merges=30, runner_up=False)
        assert [step[:5] for step in steps] == [step[:5] for step in plain], words
        n_steps += sum(after.n_pairs > before.n_runner_up_pairs for before, after in pairwise(steps))
    assert n_steps > 10


@every_tie_break
def test_a_runner_up_far_rarer_than_the_merged_pair_is_found(tie_break: TieBreak) -> None:
    """The core counts rare pairs only when it must: here it must for the second, before the first is merged."""
    random = Random(31)
    for _ in range(10):
        keys = [bytes(random.choices(b"abcdef", k=random.randint(1, 7))) for _ in range(40)]
        words = {key: 10 ** random.randint(0, 9) for key in keys}
        steps = learned(words, tie_break, n_merges=80)
        assert seconds_of(steps) == recounted(words, steps, tie_break), words
        plain = learned(words, tie_break, n_merges=80, runner_up=False)
        assert [step[:5] for step in steps] == [step[:5] for step in plain]


@every_tie_break
def test_a_resumed_training_tells_the_same_runner_ups(tie_break: TieBreak) -> None:
    random = Random(5)
    for n_applied in range(0, 40, 3):
        counts = pretoken_counts(count_by_definition(random_corpus(random, n_symbols=4), split=split_gpt2_bytes))
        steps = _core.Trainer(counts, BYTES, tie_break).advance(40, None, True)
        resumed = _core.Trainer(counts, BYTES, tie_break)
        first = resumed.apply([(step[0], step[1]) for step in steps[:n_applied]], None, True)
        assert first + resumed.advance(40 - n_applied, None, True) == steps


def test_runner_ups_by_hand() -> None:
    steps = learned({b"ab": 5, b"cd": 5, b"efg": 3}, "lexicographic", n_merges=9)
    assert seconds_of(steps) == [((b"a", b"b"), 5), ((b"f", b"g"), 3), ((b"e", b"f"), 3), (None, 0)]


def test_without_being_asked_a_training_tells_no_runner_up() -> None:
    training = train_on_counts(pretoken_counts({b"ab": 5, b"cd": 5}), BpeOptions(258, tie_break="lexicographic"))
    assert seconds_of(training.steps) == [(None, 0)] * 2


def test_the_runner_up_of_a_merge_that_the_rule_would_not_make_is_the_choice_of_the_rule() -> None:
    trainer = _core.Trainer(pretoken_counts({"abc": 5, "xy": 3, "zw": 3}), BYTES, "lexicographic")
    x, y, _, _, _, b, c = b"xyzwabc"
    assert trainer.apply([(x, y)], None, True) == [(x, y, 3, 24, 1, b, c, 5)]


def test_a_pair_that_does_not_occur_may_be_entered_with_a_count_of_0() -> None:
    trainer = _core.Trainer(pretoken_counts({"abc": 5, "xy": 3}), BYTES, "lexicographic")
    a, b, c, q = b"abcq"
    told = trainer.apply([(q, q), (a, b), (256, q)], None, True, True)
    assert told == [(q, q, 0, 21, 0, b, c, 5), (a, b, 5, 16, 1, b, c, 5), (256, q, 0, 16, 0, 257, c, 5)]
    assert [step[:3] for step in trainer.advance(9)] == [(257, c, 5), (120, 121, 3)]


def test_a_pair_that_does_not_occur_is_refused_where_it_may_not_miss() -> None:
    trainer = _core.Trainer(pretoken_counts({"abc": 5}), BYTES, "lexicographic")
    with pytest.raises(TrainingError, match=r"^merge 0 joins ids 113 and 113, which stand nowhere side by side"):
        trainer.apply([(113, 113)], None, True)
