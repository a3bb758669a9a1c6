"""Merges that options forbid: the core's training is `lessons.constraints`, under every tie rule."""

import warnings
from collections.abc import Mapping
from random import Random
from typing import Any, get_args

import pytest

from tests.strategies import random_bytes, random_corpus
from tokenloom import _core
from tokenloom.errors import TrainingError, TrainingWarning
from tokenloom.lessons import byte_pair, constraints
from tokenloom.lessons.byte_pair import Pair, TieBreak, Training
from tokenloom.lessons.pretokenizing import split_gpt2_bytes
from tokenloom.trainers import BpeOptions, BpeTraining, pretoken_counts, train_on_counts

N_MERGES = 40
every_tie_break = pytest.mark.parametrize("tie_break", get_args(TieBreak))
LIMITS: tuple[dict[str, Any], ...] = (
    {"min_pair_count": 3},
    {"max_token_bytes": 3},
    {"whole_characters": True},
    {"min_pair_count": 2, "max_token_bytes": 5, "whole_characters": True},
)
every_limit = pytest.mark.parametrize("limits", LIMITS, ids=["rare", "long", "half", "all"])


def trained(
    words: Mapping[bytes, int], *, n_merges: int = N_MERGES, runner_up: bool = False, **asked: Any
) -> BpeTraining:
    options = BpeOptions(256 + n_merges, pattern=None, **asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return train_on_counts(pretoken_counts(words), options, runner_up=runner_up)


def learned(training: BpeTraining) -> Training:
    steps = training.steps
    merges = [(step.left, step.right) for step in steps]
    return Training(merges, [step.n_pairs for step in steps], [step.n_tokens for step in steps])


def multilingual(random: Random) -> dict[bytes, int]:
    """Words of characters of one to four bytes that share bytes; now and then with bytes that are no text."""
    letters = ["a", "b", " ", "é", "è", "ã", "中", "丰", "文", "，", "👍", "👎", "\U00010400"]
    words: dict[bytes, int] = {}
    for _ in range(12):
        word = "".join(random.choices(letters, k=random.randint(1, 6))).encode()
        if random.random() < 0.2:
            word += random_bytes(random)[:6]
        words[word] = words.get(word, 0) + random.randint(1, 5)
    return words


@every_limit
@every_tie_break
def test_training_with_limits_is_that_of_the_lesson(tie_break: TieBreak, limits: dict[str, Any]) -> None:
    random = Random(41)
    for _ in range(20):
        words = multilingual(random)
        core = learned(trained(words, tie_break=tie_break, **limits))
        assert core == constraints.train(words, N_MERGES, tie_break=tie_break, **limits), words
        corpus = byte_pair.count_pretokens(random_corpus(random, n_symbols=3), split=split_gpt2_bytes)
        core = learned(trained(corpus, tie_break=tie_break, **limits))
        assert core == constraints.train(corpus, N_MERGES, tie_break=tie_break, **limits), corpus


@every_tie_break
def test_rare_pairs_are_met_under_limits_as_without(tie_break: TieBreak) -> None:
    """The core counts rare pairs late. A forbidden pair that is the commonest of all must not keep it from them."""
    random = Random(43)
    for _ in range(6):
        keys = ["".join(random.choices("aé中文", k=random.randint(1, 6))).encode() for _ in range(30)]
        words = {key: 10 ** random.randint(0, 9) for key in keys}
        limits = {"min_pair_count": 10 ** random.randint(0, 2), "whole_characters": True}
        core = learned(trained(words, tie_break=tie_break, n_merges=70, **limits))
        assert core == constraints.train(words, 70, tie_break=tie_break, **limits), words


@every_limit
@every_tie_break
def test_ties_and_runner_ups_are_counted_among_pairs_that_may_be_merged(
    tie_break: TieBreak, limits: dict[str, Any]
) -> None:
    random = Random(47)
    for _ in range(12):
        words = multilingual(random)
        training = trained(words, tie_break=tie_break, runner_up=True, **limits)
        plain = trained(words, tie_break=tie_break, **limits)
        assert [step[:5] for step in training.steps] == [step[:5] for step in plain.steps], words
        told = [(step.n_tied, step.runner_up, step.n_runner_up_pairs) for step in training.steps]
        assert told == recounted(words, training, tie_break, limits), words


def recounted(
    words: Mapping[bytes, int], training: BpeTraining, tie_break: TieBreak, limits: Mapping[str, Any]
) -> list[tuple[int, Pair | None, int]]:
    """Ties and runner-ups among the pairs that may be merged, counted anew for each merge."""
    sequences = [([bytes([byte]) for byte in word], count) for word, count in words.items()]
    ids = {bytes([byte]): byte for byte in range(256)}
    token_limits: dict[str, Any] = {"max_token_bytes": None, "whole_characters": False} | dict(limits)
    least = token_limits.pop("min_pair_count", 1)
    told: list[tuple[int, Pair | None, int]] = []
    for step in training.steps:
        counts = {
            pair: count
            for pair, count in byte_pair.count_pairs(sequences).items()
            if count >= least and constraints.is_allowed(pair[0] + pair[1], **token_limits)
        }
        highest = counts.pop((step.left, step.right))
        second = byte_pair.choose_pair(counts, tie_break=tie_break, ids=ids) if counts else None
        n_tied = sum(count == highest for count in counts.values())
        told.append((n_tied, second, counts[second] if second else 0))
        sequences = [(byte_pair.merge_pair(tokens, (step.left, step.right)), count) for tokens, count in sequences]
        ids[step.left + step.right] = len(ids)
    return told


def test_tokens_of_text_are_whole_characters_or_parts_of_one() -> None:
    text = ("中文，中文。你好，世界！ né né été 👍👍👎 " * 3).encode()
    merges = [(step.left, step.right) for step in trained({text: 1}, n_merges=90, whole_characters=True).steps]
    assert len(merges) > 40
    for left, right in merges:
        try:
            (left + right).decode()
        except UnicodeDecodeError:
            assert any((left + right) in character.encode() for character in text.decode()), (left, right)
    free = [step.left + step.right for step in trained({text: 1}, n_merges=90).steps]
    assert not all(constraints.keeps_characters_whole(token) for token in free)


def test_the_rules_of_whole_characters_by_hand() -> None:
    """`，` is ef bc 8c, `中` e4 b8 ad: the commonest pair joins two halves, and is left out."""
    words = {"中，".encode(): 5, "中".encode(): 1, "，".encode(): 1}
    tokens = [step.left + step.right for step in trained(words, n_merges=9, whole_characters=True).steps]
    assert tokens == [b"\xef\xbc", "，".encode(), b"\xe4\xb8", "中".encode(), "中，".encode()]


def test_training_stops_when_no_pair_is_frequent_enough_and_says_so() -> None:
    counts = pretoken_counts({"low": 5, "lower": 2})
    with pytest.warns(TrainingWarning, match=r"only 2 merges within min_pair_count, so the vocabulary has 258"):
        training = train_on_counts(counts, BpeOptions(300, min_pair_count=3))
    assert [step.n_pairs for step in training.steps] == [7, 7]


def test_a_training_that_has_stopped_goes_on_with_given_merges() -> None:
    trainer = _core.Trainer(pretoken_counts({"low": 5, "er": 2}), bytes(range(256)), "lexicographic", 3)
    assert len(trainer.advance(9)) == 2
    assert trainer.advance(9) == []
    assert trainer.apply([(101, 114)]) == [(101, 114, 2, 7, 0)]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"min_pair_count": 0}, "min_pair_count 0: is no count. Use a whole number from 1"),
        ({"min_pair_count": 1.5}, "min_pair_count 1.5: is no count"),
        ({"max_token_bytes": 1}, "max_token_bytes 1: must be a whole number from 2"),
        ({"max_token_bytes": "9"}, "max_token_bytes '9': must be"),
        ({"whole_characters": 1}, "whole_characters 1: is neither True nor False"),
    ],
)
def test_limits_that_no_training_can_have_are_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=f"^{message}"):
        BpeOptions(300, **asked)
