"""Dictionaries of words, against the lesson and the figures of the lecture."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import hard_texts
from tokenloom import TrainingError, train_words
from tokenloom.lessons import words as lesson
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers import WORDS, WordOptions, count_pretokens, pretoken_counts, train_words_on_counts

ORDINARY = "I'll say that I said so! The cat sat on the mat; we'll see what they say.\nDon't they? 3 cats, 12 mats."
LONG = "I'll say supercalifragilisticexpialidocious!"


def test_long_word_of_the_lecture_is_lost() -> None:
    tokenizer = train_words([ORDINARY.replace("say ", "tell ")])
    ids = tokenizer.encode(LONG)
    assert (len(ids), len(LONG.encode())) == (8, 44)
    assert tokenizer.decode(ids) == "I'll say <unk>!"
    assert train_words([ORDINARY.replace("say", "tell")]).decode(ids[:0]) == ""


def test_text_of_the_lecture_decodes_as_there() -> None:
    tokenizer = train_words([ORDINARY.replace("say", "tell")])
    assert tokenizer.decode(tokenizer.encode(LONG)) == "I'll <unk> <unk>!"


def test_clause_of_chinese_is_one_word() -> None:
    tokenizer = train_words(["我爱自然语言处理"])
    assert tokenizer.pretokens("我爱自然语言处理") == ["我爱自然语言处理".encode()]
    assert tokenizer.decode(tokenizer.encode("我爱自然语言处理")) == "我爱自然语言处理"


def test_no_end_of_a_line_is_lost() -> None:
    text = "one\ntwo\r\n\n three\u2028four"
    tokenizer = train_words([text])
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_numbers_have_a_token_of_their_own() -> None:
    tokenizer = train_words(["in 1984 and 2001, 3rd"], unk_token="[UNK]", number_token="[number]")
    assert tokenizer.decode(tokenizer.encode("in 1999 and Ⅷ, 4th")) == "in [number] and [number], [UNK]"
    assert b"1984" not in tokenizer.vocabulary.values()
    assert b"3rd" in tokenizer.vocabulary.values()


def test_vocabulary_is_the_commonest_words() -> None:
    tokenizer = train_words(["a b a c a b d"], 4)
    assert list(tokenizer.vocabulary.values()) == [b"<unk>", b" ", b"a", b"b"]


@settings(max_examples=200)
@given(st.lists(hard_texts, max_size=4), hard_texts, st.integers(2, 30), st.sampled_from([None, "[number]"]))
def test_dictionary_is_that_of_the_lesson(texts: list[str], other: str, size: int, number: str | None) -> None:
    tokenizer = train_words(texts, size, number_token=number, unk_token="[UNK]")
    words = [word for text in texts for word in lesson.split_words(text)]
    tokens = lesson.build_word_dict(words, max_size=size, number=number)
    assert [token.decode() for token in tokenizer.vocabulary.values()] == tokens
    for text in (other, *texts):
        ids = lesson.encode(lesson.split_words(text), tokens, number=number)
        assert tokenizer.encode(text) == ids
        assert tokenizer.decode(ids) == lesson.decode(ids, tokens)


@given(st.lists(st.text("ab 1", max_size=9), max_size=6), st.integers(1, 3))
def test_what_is_left_out_is_counted(texts: list[str], min_count: int) -> None:
    counts = Counter(word for text in texts for word in lesson.split_words(text))
    training = train_words_on_counts(count_pretokens(texts, pretokenizer=WORDS), WordOptions(min_count=min_count))
    rare = {word: count for word, count in counts.items() if count < min_count}
    assert (training.n_left_out, training.n_unknown) == (len(rare), sum(rare.values()))
    assert training.n_words + training.n_left_out == len(counts)


def test_counts_of_a_dictionary_add_up() -> None:
    counts = pretoken_counts({"a": 5, "b": 2, "c": 1, "12": 4})
    training = train_words_on_counts(counts, WordOptions(3, number_token="[number]"))
    assert (training.n_words, training.n_left_out, training.n_unknown) == (1, 2, 3)
    assert (training.n_numbers, training.n_occurrences) == (4, 12)


def test_bytes_that_are_no_text_are_unknown() -> None:
    tokenizer = train_words([b"a\xff\xff a"])
    assert tokenizer.encode(b"a\xff") == [tokenizer.id_of(b"a"), 0]


def test_special_tokens_are_no_words() -> None:
    tokenizer = train_words(["a<|end|>b"], special_tokens=["<|end|>"])
    assert tokenizer.encode("a<|end|>", allowed_special="all") == [tokenizer.id_of(b"a"), 3]


def test_word_that_is_the_unknown_token_is_refused() -> None:
    with pytest.raises(TrainingError, match="'<unk>': is a word of the text and one of the fixed tokens"):
        train_words_on_counts(pretoken_counts({"<unk>": 2, "a": 1}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": 0}, "vocab_size 0: must be a whole number from 1"),
        ({"vocab_size": 1, "number_token": "0"}, "vocab_size 1: must be a whole number from 2"),
        ({"vocab_size": True}, "vocab_size True"),
        ({"min_count": 0}, "min_count 0: is no count"),
        ({"unk_token": ""}, "unk_token: '' is no text"),
        ({"number_token": "<unk>"}, "number_token '<unk>': is the unk_token"),
    ],
)
def test_impossible_dictionary_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        WordOptions(**options)  # type: ignore[arg-type]


def test_threads_do_not_change_the_dictionary() -> None:
    texts = [f"word{n % 977} and {n * n % 1013} " * 50 for n in range(600)]
    one, four = (train_words(texts, 500, n_threads=n) for n in (1, 4))
    assert one.spec.fingerprint == four.spec.fingerprint


@pytest.mark.filterwarnings("ignore:.*saved without")
def test_saved_dictionary_comes_back(tmp_path: object) -> None:
    tokenizer = train_words([ORDINARY], number_token="[number]")
    tokenizer.save(f"{tmp_path}/words")
    assert Tokenizer.load(f"{tmp_path}/words").encode(LONG) == tokenizer.encode(LONG)
