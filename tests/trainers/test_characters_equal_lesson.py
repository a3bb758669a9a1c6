"""Training over characters is its definition, `lessons.character_training`, and encoding does what training saw."""

import warnings
from random import Random
from typing import get_args

import pytest

from tokenloom.errors import TrainingError, TrainingWarning
from tokenloom.lessons import character_training
from tokenloom.lessons.characters import Rules
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers import (
    BpeOptions,
    BpeTraining,
    CharacterAlphabet,
    EndOfWord,
    TieBreak,
    pretoken_counts,
    train_on_counts,
    words_pretokenizer,
)

LECTURE = {"cat": 90, "catch": 50, "rat": 80, "rattle": 40}
"""The words of the lecture on subwords."""
LETTERS = "abcé你<>/w\x00𝕏"
"""With those of the mark, which a text may hold one by one, and characters of one to four bytes."""


def trained(
    words: dict[str, int], alphabet: CharacterAlphabet, *, n_merges: int = 10**4, tie_break: TieBreak = "lexicographic"
) -> BpeTraining:
    counts = pretoken_counts(words)
    room = BpeOptions(10**6, pattern=words_pretokenizer(), tie_break=tie_break, characters=alphabet)
    options = BpeOptions(
        room.start(counts).n_tokens + n_merges, pattern=words_pretokenizer(), tie_break=tie_break, characters=alphabet
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return train_on_counts(counts, options)


@pytest.mark.parametrize("tie_break", get_args(TieBreak))
@pytest.mark.parametrize("end", [None, "symbol", "glued"])
@pytest.mark.parametrize(("byte_fallback", "unk_token"), [(False, None), (True, None), (False, "<unk>")])
def test_characters_train_like_the_lesson(
    tie_break: TieBreak, end: EndOfWord | None, byte_fallback: bool, unk_token: str | None
) -> None:
    random = Random(repr((tie_break, end, byte_fallback)))
    mark, rest = (None if end is None else "</w>"), byte_fallback or unk_token is not None
    rules = Rules(byte_fallback, unk_token, False, "", mark or "", end == "symbol")
    for _ in range(12):
        letters = random.sample(LETTERS, k=random.randint(2, len(LETTERS)))
        weights = [random.choice([1, 1, 9]) for _ in letters]
        words = {
            "".join(random.choices(letters, weights, k=random.randint(1, 9))): random.choice([1, 2, 40])
            for _ in range(9)
        }
        coverage = random.choice([0.5, 0.9, 0.99, 1.0]) if rest else 1.0
        alphabet = CharacterAlphabet(
            coverage,
            byte_fallback=byte_fallback,
            unk_token=unk_token,
            end_of_word_suffix=mark,
            end_of_word=end or "symbol",
        )
        training = trained(words, alphabet, n_merges=20, tie_break=tie_break)
        lesson = character_training.train([*words.items()], 20, coverage=coverage, rules=rules, tie_break=tie_break)
        assert [(step.left, step.right) for step in training.steps] == lesson.merges, words
        assert [step.n_pairs for step in training.steps] == lesson.counts
        assert [step.n_tokens for step in training.steps] == lesson.tokens_left
        if training.steps:
            tokenizer = Tokenizer.from_spec(training.spec, special_text="plain")
            n_tokens = sum(len(tokenizer.encode(word)) * count for word, count in words.items())
            assert n_tokens == training.steps[-1].n_tokens, words


@pytest.mark.parametrize(("end", "second"), [("symbol", (b"at", b"</w>", 170)), ("glued", (b"c", b"at</w>", 90))])
def test_the_lecture_s_words_merge_as_there(end: EndOfWord, second: tuple[bytes, bytes, int]) -> None:
    training = trained(LECTURE, CharacterAlphabet(end_of_word_suffix="</w>", end_of_word=end))
    assert training.steps[1][:3] == second
    tokenizer = Tokenizer.from_spec(training.spec)
    ids = tokenizer.encode("rat catch rat")
    assert [tokenizer.token_bytes(token_id) for token_id in ids] == [b"rat</w>", b"catch</w>", b"rat</w>"]
    assert tokenizer.decode(ids) == "rat catch rat"


def test_ids_are_unknown_bytes_mark_characters_merges_special() -> None:
    alphabet = CharacterAlphabet(0.9, byte_fallback=True, end_of_word_suffix="</w>")
    options = BpeOptions(262, ["<|end|>"], None, characters=alphabet)
    training = train_on_counts(pretoken_counts({"abab": 9, "z": 1}), options)
    vocabulary = training.spec.vocabulary()
    assert [vocabulary[token_id] for token_id in (0, 255, 256, 257, 258)] == [
        b"<0x00>", b"<0xFF>", b"</w>", b"a", b"b"
    ]  # fmt: skip
    assert training.spec.special_tokens[0].id == 261
    tokenizer = Tokenizer.from_spec(training.spec)
    assert tokenizer.decode(tokenizer.encode("ababzé")) == "ababzé"


def test_special_tokens_are_listed_by_id_and_no_merge_makes_one() -> None:
    options = BpeOptions(9, ["<end>", "ab", "<unk>"], None, characters=CharacterAlphabet(unk_token="<unk>"))
    with pytest.warns(TrainingWarning):
        training = train_on_counts(pretoken_counts({"abab": 9}), options)
    listed = [(token.content, token.id) for token in training.spec.special_tokens]
    assert listed == [("<unk>", 0), ("<end>", 6), ("ab", 7)]
    assert [step.left + step.right for step in training.steps] == [b"ba", b"bab", b"abab"]


def test_bytes_that_are_no_character_are_written_in_bytes_and_join_no_merge() -> None:
    options = BpeOptions(260, (), None, characters=CharacterAlphabet(byte_fallback=True))
    with pytest.warns(TrainingWarning):
        training = train_on_counts(pretoken_counts({b"ab\xffab": 9, b"b\xe4\xb8": 5}), options)
    assert [step[:4] for step in training.steps] == [(b"a", b"b", 18, 42)]
    tokenizer = Tokenizer.from_spec(training.spec)
    assert [tokenizer.token_bytes(token_id) for token_id in tokenizer.encode(b"ab\xffab")] == [b"ab", b"<0xFF>", b"ab"]


def test_the_unknown_token_may_be_special_too() -> None:
    options = BpeOptions(5, ["<unk>"], None, characters=CharacterAlphabet(unk_token="<unk>"))
    training = train_on_counts(pretoken_counts({"abab": 9}), options)
    assert [(token.content, token.id) for token in training.spec.special_tokens] == [("<unk>", 0)]


def test_a_vocabulary_that_is_too_small_for_the_characters_says_what_it_needs() -> None:
    options = BpeOptions(5, ["<e>"], None, characters=CharacterAlphabet(unk_token="<unk>"))
    with pytest.raises(
        TrainingError, match=r"4 characters of the text and 2 other tokens leave no room. .* at least 6"
    ):
        train_on_counts(pretoken_counts({"abcd": 1}), options)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"coverage": 0.0}, "character coverage 0.0: is no share"),
        ({"coverage": 1.5}, "character coverage 1.5: is no share"),
        ({"coverage": float("nan")}, "character coverage nan: is no share"),
        ({"coverage": 0.5}, "says nothing of the other characters"),
        ({"byte_fallback": True, "unk_token": "?"}, "with byte_fallback no character is unknown"),
        ({"end_of_word": "glued"}, "there is no end_of_word_suffix"),
        ({"end_of_word_suffix": "</w>", "end_of_word": "beside"}, "end_of_word 'beside': is unknown"),
    ],
)
def test_an_alphabet_that_cannot_be_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        CharacterAlphabet(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [{"unk_token": "a"}, {"end_of_word_suffix": "b"}])
def test_a_mark_that_is_a_character_of_the_text_is_refused(values: dict[str, str]) -> None:
    options = BpeOptions(50, (), None, characters=CharacterAlphabet(**values))  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match="is a character of the text, which would become it"):
        train_on_counts(pretoken_counts({"abcd": 1}), options)
