"""Shares of text that a closed vocabulary does not know, against tokenizers that are trained and run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import hard_texts
from tokenloom import TrainingError, train_characters, train_words
from tokenloom.metrics import unknown_by_size
from tokenloom.trainers import WORDS, count_pretokens


def words_of(text: str) -> list[tuple[bytes, int]]:
    return count_pretokens([text], pretokenizer=WORDS).items()


def characters_of(text: str) -> list[tuple[bytes, int]]:
    return [(character.encode(), text.count(character)) for character in set(text)]


@given(hard_texts, hard_texts, st.integers(1, 20) | st.none())
def test_unknown_words_are_those_of_the_tokenizer(text: str, other: str, size: int | None) -> None:
    (row,) = unknown_by_size(words_of(text), words_of(other), [size])
    tokenizer = train_words([text], size, unk_token="[UNK]")
    encoding = tokenizer.encode_with_offsets(other)
    lost = [
        other[start:stop]
        for token_id, (start, stop) in zip(encoding.ids, encoding.char_offsets.tolist(), strict=True)
        if token_id == 0
    ]
    assert (row.n_tokens, row.n_all) == (len(tokenizer), len(encoding.ids))
    assert (row.n_unknown, row.n_unknown_types, row.n_unknown_chars) == (len(lost), len(set(lost)), len("".join(lost)))
    assert (row.n_types, row.n_chars) == (len(words_of(other)), len(other))


@given(hard_texts, hard_texts, st.integers(1, 20) | st.none())
def test_unknown_characters_are_those_of_the_tokenizer(text: str, other: str, size: int | None) -> None:
    (row,) = unknown_by_size(characters_of(text), characters_of(other), [size])
    tokenizer = train_characters([text], size, unk_token="[UNK]")
    assert row.n_tokens == len(tokenizer)
    assert row.n_unknown == row.n_unknown_chars == tokenizer.encode(other).count(0)


@given(hard_texts, hard_texts)
def test_larger_vocabularies_know_no_less(text: str, other: str) -> None:
    rows = unknown_by_size(words_of(text), words_of(other), [*range(1, 12), None])
    assert [row.n_unknown for row in rows] == sorted((row.n_unknown for row in rows), reverse=True)
    assert unknown_by_size(words_of(text), words_of(text), [None])[0].n_unknown == 0


def test_shares_of_nothing_are_none() -> None:
    (row,) = unknown_by_size([(b"a", 1)], [], [None])
    assert (row.token_share, row.type_share, row.char_share) == (None, None, None)


@pytest.mark.parametrize("size", [0, -1, True, "9"])
def test_impossible_size_is_refused(size: object) -> None:
    with pytest.raises(TrainingError, match=r"is no number of tokens\. Use a whole number from 1"):
        unknown_by_size([], [], [size])  # type: ignore[list-item]
