"""`MergeStep.n_tied` against a recount of all pairs before every merge."""

import warnings
from collections.abc import Mapping
from random import Random
from typing import get_args

import pytest

from tests.strategies import random_corpus
from tokenloom.errors import TrainingWarning
from tokenloom.lessons.byte_pair import count_pairs, merge_pair
from tokenloom.lessons.byte_pair import count_pretokens as count_by_definition
from tokenloom.lessons.pretokenizing import split_gpt2_bytes
from tokenloom.trainers import BpeOptions, MergeStep, TieBreak, pretoken_counts, train_on_counts

every_tie_break = pytest.mark.parametrize("tie_break", get_args(TieBreak))


def learned(words: Mapping[bytes, int], tie_break: TieBreak, *, n_merges: int) -> tuple[MergeStep, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return train_on_counts(pretoken_counts(words), BpeOptions(256 + n_merges, tie_break=tie_break)).steps


def recounted(words: Mapping[bytes, int], steps: tuple[MergeStep, ...]) -> list[int]:
    """How many other pairs have the count of the merged one, for each merge."""
    sequences = [([bytes([byte]) for byte in word], count) for word, count in words.items()]
    n_tied = []
    for step in steps:
        counts = count_pairs(sequences)
        highest = max(counts.values())
        assert counts[step.left, step.right] == highest == step.n_pairs
        n_tied.append(sum(count == highest for count in counts.values()) - 1)
        sequences = [(merge_pair(tokens, (step.left, step.right)), count) for tokens, count in sequences]
    return n_tied


@every_tie_break
@pytest.mark.parametrize("n_symbols", [2, 3, 5, 26, 300])
@pytest.mark.parametrize("split", [None, split_gpt2_bytes], ids=["whole", "gpt2"])
def test_tied_pairs_are_those_of_a_recount(tie_break: TieBreak, n_symbols: int, split: None) -> None:
    random = Random(n_symbols)
    n_tied = 0
    for _ in range(40):
        words = count_by_definition(random_corpus(random, n_symbols=n_symbols), split=split)
        steps = learned(words, tie_break, n_merges=60)
        assert [step.n_tied for step in steps] == recounted(words, steps), words
        n_tied += sum(step.n_tied for step in steps)
    assert n_tied > 100


@every_tie_break
def test_pairs_that_a_merge_takes_from_or_brings_to_the_highest_count_are_told_apart(tie_break: TieBreak) -> None:
    """Few words of two letters with few counts: new pairs have the old highest count, and overlaps lose it."""
    random = Random(23)
    for _ in range(300):
        words = {bytes(random.choices(b"ab", k=random.randint(1, 12))): random.randint(1, 3) for _ in range(6)}
        steps = learned(words, tie_break, n_merges=30)
        assert [step.n_tied for step in steps] == recounted(words, steps), words


@every_tie_break
def test_rare_pairs_that_come_up_late_tie_with_all_of_their_count(tie_break: TieBreak) -> None:
    random = Random(31)
    for _ in range(20):
        keys = [bytes(random.choices(b"abcdef", k=random.randint(1, 7))) for _ in range(40)]
        words = {key: 10 ** random.randint(0, 9) for key in keys}
        steps = learned(words, tie_break, n_merges=80)
        assert [step.n_tied for step in steps] == recounted(words, steps), words


@every_tie_break
def test_a_tie_by_hand(tie_break: TieBreak) -> None:
    """(a, b) and (c, d) tie. Of (e, f), (f, g) one is merged and takes the other with it, so none is left to tie."""
    steps = learned({b"ab": 5, b"cd": 5, b"efg": 3}, tie_break, n_merges=4)
    assert [(step.n_pairs, step.n_tied) for step in steps] == [(5, 1), (5, 0), (3, 1), (3, 0)]
