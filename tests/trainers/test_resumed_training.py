"""Merges that are made again lead to where they led before."""

from random import Random
from typing import get_args

import pytest

from tests.strategies import random_corpus
from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.lessons.byte_pair import TieBreak
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import count_pretokens, pretoken_counts

BYTES = bytes(range(256))


@pytest.mark.parametrize("tie_break", get_args(TieBreak))
@pytest.mark.parametrize("n_symbols", [2, 5, 100])
def test_training_goes_on_behind_applied_merges_as_if_it_had_chosen_them(tie_break: str, n_symbols: int) -> None:
    random = Random(n_symbols)
    for n_applied in range(20):
        corpus = random_corpus(random, n_symbols=n_symbols)
        counts = count_pretokens([corpus], pretokenizer=Pretokenizer("gpt2"))
        steps = _core.Trainer(counts, BYTES, tie_break).advance(25)
        resumed = _core.Trainer(counts, BYTES, tie_break)
        assert resumed.apply([step[:2] for step in steps[:n_applied]]) == steps[:n_applied]
        assert resumed.advance(25 - n_applied) == steps[n_applied:]


def test_merges_that_the_rule_would_not_choose_are_made_and_training_goes_on() -> None:
    trainer = _core.Trainer(pretoken_counts({"abc": 5, "xy": 3, "zw": 3}), BYTES, "lexicographic")
    x, y, z, w, a, b, c = b"xyzwabc"
    assert trainer.apply([(x, y)]) == [(x, y, 3, 24, 1)]
    assert trainer.advance(9) == [(b, c, 5, 19, 1), (a, 257, 5, 14, 0), (z, w, 3, 11, 0)]


@pytest.mark.parametrize("pair", [(97, 99), (98, 97), (97, 256), (2**31, 0)])
def test_a_merge_of_symbols_that_never_meet_is_refused_with_its_rank(pair: tuple[int, int]) -> None:
    trainer = _core.Trainer(pretoken_counts({"ab": 5, "xy": 3}), BYTES, "lexicographic")
    message = rf"^merge 1 joins ids {pair[0]} and {pair[1]}, which stand nowhere side by side"
    with pytest.raises(TrainingError, match=message):
        trainer.apply([(120, 121), pair])


def test_progress_tells_how_many_merges_were_made() -> None:
    told: list[int] = []
    counts = pretoken_counts({bytes(Random(n).choices(b"abcdefgh", k=30)): n for n in range(1, 9000)})
    steps = _core.Trainer(counts, BYTES, "lowest-id").advance(1500)
    _core.Trainer(counts, BYTES, "lowest-id").apply([step[:2] for step in steps], told.append)
    assert told == sorted(told)
    assert all(0 <= n <= 1500 for n in told)


def test_a_merge_that_is_rare_among_frequent_ones_is_found() -> None:
    counts = pretoken_counts({b"ab": 10**12, b"cd": 10**6, b"xy": 2, b"xyz": 1})
    trainer = _core.Trainer(counts, BYTES, "lowest-id")
    with pytest.raises(TrainingError, match=r"^merge 1 joins ids 121 and 120"):
        trainer.apply([(120, 121), (121, 120)])
    trainer = _core.Trainer(counts, BYTES, "lowest-id")
    n_tokens = 2 * 10**12 + 2 * 10**6 + 2 + 2
    assert trainer.apply([(120, 121)]) == [(120, 121, 3, n_tokens, 0)]
    assert [step[:3] for step in trainer.advance(9)] == [(97, 98, 10**12), (99, 100, 10**6), (256, 122, 1)]
