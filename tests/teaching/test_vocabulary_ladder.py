"""The ladder of vocabularies: what it shows on the stories, and that a rung is what a training of that size gives."""

from typing import Any

import pytest

from tokenloom import BpeOptions, TrainingError, train
from tokenloom.teaching import DOCUMENT_END, VocabularyLadder, stories, vocabulary_ladder
from tokenloom.teaching.training import trained

STORIES = stories()


@pytest.fixture(scope="module")
def ladder() -> VocabularyLadder:
    return vocabulary_ladder({"english": STORIES.english, "chinese": STORIES.chinese}, STORIES.tests)


def test_without_merges_a_byte_is_a_token(ladder: VocabularyLadder) -> None:
    assert set(ladder.rungs[0].train.values()) == set(ladder.rungs[0].test.values()) == {1.0}
    assert ladder.rungs[0].longest == b""


def test_each_language_alone_gains_more_on_its_corpus_than_on_new_text(ladder: VocabularyLadder) -> None:
    for language, least in (("chinese", 2), ("english", 1.15)):
        _, few, many, *_ = ladder.apart[language]
        in_training, in_test = (many.train[language] / few.train[language], many.test[language] / few.test[language])
        assert in_training > least * in_test, language
    chinese = ladder.apart["chinese"]
    assert chinese[2].test["chinese"] < chinese[3].test["chinese"] < chinese[2].test["chinese"] * 1.03
    assert chinese[3].train["chinese"] > chinese[2].train["chinese"] * 1.15


def test_between_1500_and_2000_english_stands_still_for_all_merges_are_ties_that_chinese_wins(
    ladder: VocabularyLadder,
) -> None:
    few, many = ladder.rungs[2:4]
    assert (few.vocab_size, many.vocab_size) == (1500, 2000)
    assert (many.train["english"], many.test["english"]) == (few.train["english"], few.test["english"])
    steps = trained(STORIES.all, BpeOptions(2000, [DOCUMENT_END])).steps[-500:]
    assert {step.n_pairs for step in steps} == {1}
    assert not any((step.left + step.right).isascii() for step in steps)


def test_a_part_apart_is_a_ladder_of_that_part(ladder: VocabularyLadder) -> None:
    alone = vocabulary_ladder({"english": STORIES.english}, {"english": STORIES.tests["english"]})
    assert ladder.apart["english"] == alone.rungs == alone.apart["english"]


@pytest.mark.parametrize(
    ("corpus", "tests", "message"),
    [
        ({"english": ["", ""]}, {}, "corpus 'english': has no text"),
        ({"english": ["a b"]}, {"english": ""}, "test 'english': has no text"),
        ({"english": "a b"}, {}, "corpus 'english': 'a b' is one text in the place of many"),
    ],
)
def test_what_has_no_bytes_per_token_is_refused(corpus: Any, tests: Any, message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        vocabulary_ladder(corpus, tests)


def test_whole_clauses_become_tokens(ladder: VocabularyLadder) -> None:
    assert ladder.rungs[3].longest.decode() == "非常喜欢和哥哥一起在河边放风筝"


def test_a_corpus_without_pairs_ends_the_training(ladder: VocabularyLadder) -> None:
    last = ladder.rungs[-1]
    assert last.ended_early
    assert not ladder.rungs[-2].ended_early
    assert (last.vocab_size, last.n_tokens) == (3000, 2679)
    assert last.n_whole_pretokens == ladder.n_pretokens, "nothing is left to merge"


def test_a_rung_is_a_training_of_that_size(ladder: VocabularyLadder) -> None:
    tokenizer = train(STORIES.all, 600, [DOCUMENT_END])
    n_bytes = sum(len(text.encode()) for text in STORIES.chinese)
    assert ladder.rungs[1].train["chinese"] == n_bytes / sum(map(tokenizer.count, STORIES.chinese))


def test_a_size_that_no_vocabulary_has_is_refused() -> None:
    with pytest.raises(TrainingError, match="vocab_size 256: must be a whole number from 257"):
        vocabulary_ladder({"english": ["a b"]}, {}, sizes=(300, 256))


def test_the_stories_are_of_the_size_that_they_say_and_the_tests_are_none_of_them() -> None:
    assert 16_000 < sum(len(story.encode()) for story in STORIES.all) < 18_000
    assert not set(STORIES.tests.values()) & set(STORIES.all)
    assert all(story == story.strip() != "" for story in (*STORIES.all, *STORIES.tests.values()))
    with pytest.raises(TypeError):
        STORIES.tests["english"] = ""  # type: ignore[index]
