"""Tokens that must be in the vocabulary: their merges come first, and they are reached."""

import warnings
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from tokenloom import Tokenizer, train
from tokenloom.errors import TrainingError, TrainingWarning
from tokenloom.lessons import constraints
from tokenloom.lessons.byte_pair import TieBreak, Training
from tokenloom.trainers import BpeOptions, BpeTraining, MergeJournal, pretoken_counts, train_on_counts
from tokenloom.trainers.must_have import must_have_merges

every_tie_break = pytest.mark.parametrize("tie_break", get_args(TieBreak))
LETTERS = "aab é中文👍"


def words_of(random: Random, *, n_words: int, most: int) -> list[str]:
    words = ("".join(random.choices(LETTERS, k=random.randint(1, most))) for _ in range(n_words))
    return list(dict.fromkeys(word for word in words if len(word.encode()) > 1))


def trained(words: dict[bytes, int], *, n_merges: int, **asked: Any) -> BpeTraining:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return train_on_counts(pretoken_counts(words), BpeOptions(256 + n_merges, pattern=None, **asked))


@pytest.mark.parametrize("whole_characters", [False, True])
@every_tie_break
def test_training_with_must_have_tokens_is_that_of_the_lesson(tie_break: TieBreak, whole_characters: bool) -> None:
    random = Random(53)
    for _ in range(15):
        counts = {word.encode(): random.randint(1, 9) for word in words_of(random, n_words=9, most=7)}
        wanted = words_of(random, n_words=4, most=6)
        asked: dict[str, Any] = {"tie_break": tie_break, "whole_characters": whole_characters}
        steps = trained(counts, n_merges=90, must_have=wanted, **asked).steps
        merges = [(step.left, step.right) for step in steps]
        core = Training(merges, [step.n_pairs for step in steps], [step.n_tokens for step in steps])
        assert core == constraints.train(counts, 90, must_have=[word.encode() for word in wanted], **asked), counts


@pytest.mark.parametrize("limits", [{}, {"whole_characters": True}, {"max_token_bytes": 24}], ids=str)
def test_each_must_have_token_is_one_token_where_it_stands_alone(limits: dict[str, Any]) -> None:
    random = Random(59)
    for _ in range(30):
        counts = {word.encode(): random.randint(1, 9) for word in words_of(random, n_words=9, most=9)}
        wanted = words_of(random, n_words=5, most=6)
        tokenizer = Tokenizer.from_spec(trained(counts, n_merges=120, must_have=wanted, **limits).spec)
        for word in wanted:
            (token_id,) = tokenizer.encode(word)
            assert tokenizer.token_bytes(token_id) == word.encode()
        assert len(set(tokenizer.spec.vocabulary().values())) == len(tokenizer)


def test_their_merges_come_first_in_the_order_given_and_count_what_they_find() -> None:
    steps = trained({b"low": 5, b"lower": 2}, n_merges=5, must_have=["lot", "lower"]).steps
    assert [step[:5] for step in steps[:2]] == [(b"l", b"o", 7, 18, 0), (b"lo", b"t", 0, 18, 0)]
    assert [(step.left, step.right, step.n_pairs) for step in steps[2:]] == [
        (b"lo", b"w", 7),
        (b"low", b"e", 2),
        (b"lowe", b"r", 2),
    ]


def test_a_token_that_an_earlier_one_has_made_needs_no_merge() -> None:
    assert (
        BpeOptions(300, must_have=["lower", "low", "lo"]).given_merges
        == BpeOptions(300, must_have=["lower"]).given_merges
    )


@pytest.mark.parametrize("whole_characters", [False, True])
def test_the_merges_of_many_words_with_parts_in_common_are_those_of_the_lesson(whole_characters: bool) -> None:
    random = Random(61)
    for _ in range(300):
        wanted = words_of(random, n_words=random.randint(1, 9), most=16)
        merges = must_have_merges(wanted, whole_characters=whole_characters)
        by_definition = constraints.must_have_merges(
            [word.encode() for word in wanted], whole_characters=whole_characters
        )
        assert list(merges) == by_definition, wanted


def test_a_must_have_token_of_10_000_characters_is_made_in_time() -> None:
    long = "".join(Random(67).choices("abcdefgh", k=10**4))
    merges = BpeOptions(2 * 10**4, pattern=None, must_have=["a" * 10**4, long]).given_merges
    made = [left + right for left, right in merges]
    assert b"a" * 10**4 in made
    assert made[-1] == long.encode()


def test_runner_ups_are_told_of_merges_that_were_chosen() -> None:
    options = BpeOptions(260, must_have=["qu"], pattern=None)
    steps = train_on_counts(pretoken_counts({"abc": 5, "xyz": 3}), options, runner_up=True).steps
    assert [step.runner_up for step in steps] == [None, (b"a", b"b"), (b"y", b"z"), (b"x", b"y")]


def test_an_interrupted_training_goes_on_behind_them(tmp_path: Path) -> None:
    words = pretoken_counts({word: n + 1 for n, word in enumerate(words_of(Random(3), n_words=40, most=9))})
    options = BpeOptions(300, must_have=["中文", "quick"], pattern=None)
    whole = train_on_counts(words, options)
    journal = MergeJournal(tmp_path / "merges.journal")
    train_on_counts(words, BpeOptions(280, must_have=["中文", "quick"], pattern=None), journal=journal)
    assert len(journal.merges) == 24 - len(options.given_merges)
    assert train_on_counts(words, options, journal=MergeJournal(tmp_path / "merges.journal")) == whole


def test_the_library_trains_with_them_and_keeps_them_in_the_provenance() -> None:
    tokenizer = train(["the cat"] * 9, 270, must_have=[" dog", "unbelievable"], min_pair_count=2)
    assert [len(tokenizer.encode(text)) for text in (" dog", "unbelievable", "dog")] == [1, 1, 3]
    assert tokenizer.provenance["options"]["must_have"] == [" dog", "unbelievable"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"must_have": [""]}, "must-have token '': is empty. Leave it out"),
        ({"must_have": ["a"]}, "must-have token 'a': has one byte, and every byte has a token"),
        ({"must_have": ["ab", "cd", "ab"]}, "must-have token 'ab': it is listed twice"),
        ({"must_have": ["the cat"]}, r"must-have token 'the cat': the pattern cuts it, into \['the', ' cat'\]"),
        (
            {"must_have": ["a<|x|>"], "special_tokens": ["<|x|>"]},
            r"must-have token 'a<\|x\|>': the special token '<\|x\|>'",
        ),
        (
            {"must_have": ["abcd"], "max_token_bytes": 3},
            "must-have token 'abcd': it has 4 bytes, and max_token_bytes is 3",
        ),
        (
            {"must_have": ["abcdefgh"], "vocab_size": 262},
            "vocab_size 262: has no room for 7 merges of must-have tokens",
        ),
        ({"must_have": "ab"}, "must_have 'ab': is no list of texts"),
        ({"must_have": {"ab": 1}}, "must_have {'ab': 1}: is no list of texts"),
        ({"must_have": {"ab"}}, "must_have {'ab'}: is no list of texts"),
        ({"must_have": [b"ab"]}, "must-have token b'ab': is no text. Pass it as str"),
        ({"must_have": ["a\ud800"]}, "must-have token 'a.ud800': character 1 is a lone surrogate"),
    ],
)
def test_must_have_tokens_that_cannot_be_had_are_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=f"^{message}"):
        BpeOptions(**{"vocab_size": 300, **asked})
