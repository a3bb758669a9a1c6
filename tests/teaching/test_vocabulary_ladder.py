"""The ladder of vocabularies: what it shows on the stories, and that a rung is what a training of that size gives."""

import pytest

from tokenloom import TrainingError, train
from tokenloom.teaching import DOCUMENT_END, VocabularyLadder, stories, vocabulary_ladder

STORIES = stories()


@pytest.fixture(scope="module")
def ladder() -> VocabularyLadder:
    return vocabulary_ladder({"english": STORIES.english, "chinese": STORIES.chinese}, STORIES.tests)


def test_without_merges_a_byte_is_a_token(ladder: VocabularyLadder) -> None:
    assert set(ladder.rungs[0].train.values()) == set(ladder.rungs[0].test.values()) == {1.0}
    assert ladder.rungs[0].longest == b""


def test_new_text_stops_gaining_while_the_corpus_goes_on(ladder: VocabularyLadder) -> None:
    few, many = ladder.rungs[2], ladder.rungs[3]
    assert (few.vocab_size, many.vocab_size) == (1500, 2000)
    assert many.test["english"] == few.test["english"]
    assert many.test["chinese"] < few.test["chinese"] * 1.05
    assert many.train["chinese"] > few.train["chinese"] * 1.5


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
