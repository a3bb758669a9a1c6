"""The most probable words, against the lesson that goes through all cuts."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import hard_texts
from tokenloom import SpecError, WordSegmenter
from tokenloom.lessons.word_segmentation import all_cuts

WORDS = {"南京市": 8, "南京": 20, "市长": 9, "长江": 30, "大桥": 12, "江大桥": 1}
BRIDGE = "南京市长江大桥"
DICTIONARIES = st.dictionaries(
    st.text("abc", min_size=1, max_size=4), st.integers(1, 9) | st.floats(0.1, 9), min_size=1
)


def test_bridge_has_two_readings_with_their_scores() -> None:
    first, second = WordSegmenter(WORDS).n_best(BRIDGE, 2)
    assert ("/".join(first.words), "/".join(second.words)) == ("南京市/长江/大桥", "南京/市长/江大桥")
    assert (round(first.score, 2), round(second.score, 2)) == (-5.18, -7.95)


def test_words_of_the_user_count_first() -> None:
    segmenter = WordSegmenter(WORDS, user_words={"江大桥": 60, "市长": 30})
    assert segmenter.segment(BRIDGE) == ["南京", "市长", "江大桥"]
    assert WordSegmenter(WORDS, user_words={BRIDGE: 1}).segment(BRIDGE) == [BRIDGE]


@given(st.text("abcd", max_size=9), DICTIONARIES, st.integers(1, 600))
def test_best_cuts_are_those_of_the_lesson(text: str, words: dict[str, float], n: int) -> None:
    expected = all_cuts(text, words)[:n]
    assert [(cut.score, list(cut.words)) for cut in WordSegmenter(words).n_best(text, n)] == expected


@given(hard_texts, st.integers(1, 3))
def test_words_joined_are_the_text(text: str, n: int) -> None:
    for cut in WordSegmenter(WORDS).n_best(text, n):
        assert "".join(cut.words) == text


def test_text_of_nothing_has_one_cut() -> None:
    assert WordSegmenter(WORDS).n_best("", 5) == [((), 0.0)]


@pytest.mark.parametrize(
    "words", [{}, {"": 1}, {"a": 0}, {"a": -1}, {"a": float("nan")}, {"a": float("inf")}, {"a": True}]
)
def test_dictionary_that_is_none_is_refused(words: dict[str, float]) -> None:
    with pytest.raises(SpecError, match="dictionary"):
        WordSegmenter(words)


@pytest.mark.parametrize("weights", [{"a": 1e308, "b": 1e308}, {1: 2}, {"a": "b"}])
def test_other_weights_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(SpecError, match="dictionary"):
        WordSegmenter(weights)


@pytest.mark.parametrize("n", [0, -1, True, 1.5])
def test_impossible_number_of_cuts_is_refused(n: int) -> None:
    with pytest.raises(SpecError, match="is no number of cuts"):
        WordSegmenter(WORDS).n_best("a", n)


def test_time_grows_with_the_text() -> None:
    segmenter = WordSegmenter({"a" * n: n for n in range(1, 20)})

    def seconds(n_pieces: int) -> float:
        start = process_time()
        for _ in range(n_pieces):
            segmenter.n_best("a" * (40_000 // n_pieces), 2)
        return process_time() - start

    assert min(seconds(1) for _ in range(3)) < 2 * min(seconds(10) for _ in range(3))
