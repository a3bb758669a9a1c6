"""A training at its steps."""

import pytest

from tests.golden.make_record_v1 import FILE as GOLDEN
from tokenloom import TrainingError, open_record
from tokenloom.jobs.replay import count_kinds, log_of, replay_step, token_kind
from tokenloom.trainers import BpeOptions, pretoken_counts, record_training, train_on_counts


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        (b"\xe4\xbd", "part of a character"),
        (b"\xa0", "part of a character"),
        (b"\xa0\xe4", "part of a character"),
        ("你".encode() + b"\xe5", "part of a character"),
        ("你".encode(), "one character"),
        (b" ", "one character"),
        ("你好".encode(), "several characters"),
        ("e\u0301".encode(), "several characters"),
        (b" a", "several characters"),
    ],
)
def test_a_token_is_of_the_kind_that_its_bytes_say(token: bytes, kind: str) -> None:
    assert token_kind(token) == kind


def test_merges_of_a_chinese_character_are_counted_as_the_lecture_does() -> None:
    counts = pretoken_counts({"你好": 3, "你们": 2})
    training = train_on_counts(counts, BpeOptions(261, pattern=None), runner_up=True)
    record = record_training(training, counts)
    kinds = [merge.kind for merge in log_of(record)]
    assert kinds[:2] == ["part of a character", "one character"]
    assert count_kinds(record.tokens(2)) == {"part of a character": 1, "one character": 1, "several characters": 0}


def test_a_step_shows_what_there_is_behind_its_merge() -> None:
    state = replay_step(open_record(GOLDEN), 4)
    assert state.logged is not None
    assert (state.logged.id, state.logged.token, state.logged.kind) == (259, b"low", "several characters")
    assert (state.n_tokens, state.vocabulary_size) == (47, 256 + 4 + 1)
    assert state.bytes_per_token == 79 / 47
    assert state.longest == (b"est", b"low", b"es", b"lo")


def test_step_0_has_no_merge() -> None:
    state = replay_step(open_record(GOLDEN), 0)
    assert (state.logged, state.n_tokens, state.bytes_per_token, state.longest) == (None, 79, 1.0, ())


def test_a_special_token_that_a_merge_makes_too_counts_once() -> None:
    options = BpeOptions(260, ["th", "<|a|>"], pattern=None)
    counts = pretoken_counts({"the": 3})
    training = train_on_counts(counts, options, runner_up=True)
    record = record_training(training, counts)
    for step in range(record.n_merges + 1):
        assert replay_step(record, step).vocabulary_size == len(record.spec_at(step).vocabulary())


def test_an_empty_training_has_no_compression() -> None:
    counts = pretoken_counts({})
    with pytest.warns(UserWarning, match="the corpus has only 0 merges"):
        training = train_on_counts(counts, BpeOptions(260), runner_up=True)
    record = record_training(training, counts)
    assert replay_step(record, 0).bytes_per_token is None
    assert list(log_of(record)) == []


def test_the_log_is_a_part_of_the_merges() -> None:
    record = open_record(GOLDEN)
    assert [merge.step for merge in log_of(record, start=3, first=4)] == [3, 4, 5, 6]
    assert [merge.step for merge in log_of(record, start=8, first=40)] == [8, 9]
    assert [merge.merge for merge in log_of(record)] == list(record.merges())
    with pytest.raises(TrainingError, match="step 10: the record has 9 merges"):
        log_of(record, start=10)
