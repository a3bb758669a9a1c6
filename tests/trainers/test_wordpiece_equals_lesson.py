"""The core's training of WordPiece equals `tokenloom.lessons.wordpiece_training`, merge by merge."""

import warnings

from hypothesis import given, settings
from hypothesis import strategies as st

from tokenloom.errors import TrainingWarning
from tokenloom.lessons.wordpiece_training import train
from tokenloom.trainers import WordpieceOptions, WordpieceTraining, pretoken_counts, train_wordpiece_on_counts

words = st.dictionaries(
    st.text("abcxé", min_size=1, max_size=12) | st.text("ab", min_size=1, max_size=20),
    st.integers(1, 12),
    min_size=1,
    max_size=14,
)


def trained(counts: dict[str, int], n_merges: int, least: int | None, **more: object) -> WordpieceTraining:
    """The core's training, with room for so many merges."""
    n_characters = len(set("".join(counts)))
    options = WordpieceOptions(5 + 2 * n_characters + n_merges, min_pair_count=least, **more)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return train_wordpiece_on_counts(pretoken_counts(counts), options)


@given(words=words, n_merges=st.integers(0, 40), least=st.none() | st.integers(1, 9))
@settings(max_examples=400)
def test_merges_and_counts_are_those_of_the_lesson(words: dict[str, int], n_merges: int, least: int | None) -> None:
    steps = trained(words, n_merges, least).steps
    expected = train(words, n_merges, min_pair_count=least)
    assert [tuple(step[:6]) for step in steps] == [tuple(merge) for merge in expected]


@given(words=st.dictionaries(st.text("ab", min_size=1, max_size=30), st.integers(1, 10**9), min_size=1, max_size=6))
def test_large_counts_are_compared_exactly(words: dict[str, int]) -> None:
    steps = trained(words, 30, 1).steps
    assert [step.token for step in steps] == [merge.token for merge in train(words, 30, min_pair_count=1)]


@given(words=words)
def test_every_token_is_new_and_counts_of_tokens_fall(words: dict[str, int]) -> None:
    training = trained(words, 60, 1)
    tokens = [token for token in training.spec.model_tokens() if token]
    assert len(set(tokens)) == len(tokens)
    left = [step.n_tokens for step in training.steps]
    assert left == sorted(left, reverse=True)
    assert training.n_tokens == (left[-1] if left else sum(len(word) * n for word, n in words.items()))


def test_a_word_with_a_character_without_a_token_is_no_part_of_the_statistics() -> None:
    words = {"aab": 50, "aaz": 1}
    training = train_wordpiece_on_counts(
        pretoken_counts(words), WordpieceOptions(10, alphabet_limit=2, min_pair_count=1)
    )
    assert training.n_characters == 2
    expected = train(words, 1, characters="ab", min_pair_count=1)
    assert [step.token for step in training.steps] == [merge.token for merge in expected]
