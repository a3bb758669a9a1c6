"""Closed sets of characters."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import hard_texts
from tokenloom import TrainingError, train_characters
from tokenloom.lessons.character_training import choose_characters


@given(st.lists(hard_texts, max_size=3), st.sampled_from([0.5, 0.9, 1.0]))
def test_characters_are_those_of_the_lesson(texts: list[str], coverage: float) -> None:
    tokenizer = train_characters([text.replace("?", "") for text in texts], coverage=coverage, unk_token="[UNK]")
    chosen = choose_characters([(text.replace("?", ""), 1) for text in texts], coverage) if any(texts) else []
    assert [token.decode() for token in tokenizer.vocabulary.values()] == ["[UNK]", *chosen]


@given(hard_texts, hard_texts)
def test_character_without_a_token_is_unknown(text: str, other: str) -> None:
    tokenizer = train_characters([text], unk_token="[UNK]")
    expected = "".join(character if character in text else "[UNK]" for character in other)
    assert tokenizer.decode(tokenizer.encode(other)) == expected
    assert tokenizer.count(other) == len(other)


@given(st.text("abcdefgh", min_size=1), st.integers(1, 6))
def test_size_keeps_the_commonest(text: str, size: int) -> None:
    tokenizer = train_characters([text], size)
    common = sorted(Counter(text).items(), key=lambda item: (-item[1], item[0]))[: size - 1]
    assert [token.decode() for token in tokenizer.vocabulary.values()] == ["<unk>", *sorted(dict(common))]


def test_size_without_room_is_refused() -> None:
    with pytest.raises(TrainingError, match="vocab_size 1: must be a whole number from 2"):
        train_characters(["abc"], 1, ["<|end|>"])
