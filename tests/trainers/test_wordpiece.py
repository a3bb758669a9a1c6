"""WordPiece training: what the lecture says of it, what it refuses, and what it does not depend on."""

import math
from typing import Any

import pytest

from tokenloom import Tokenizer, TrainingWarning, train_wordpiece
from tokenloom.errors import TrainingError
from tokenloom.spec import TokenizerSpec
from tokenloom.trainers import WordpieceOptions, pretoken_counts, train_wordpiece_on_counts

WORDS = {
    "quick": 30,
    "quack": 20,
    "block": 40,
    "lock": 30,
    "clock": 10,
    "ten": 400,
    "net": 300,
    "let": 250,
    "bell": 300,
}


def test_the_first_merges_are_of_rare_letters_that_always_go_together() -> None:
    steps = train_wordpiece_on_counts(pretoken_counts(WORDS), WordpieceOptions(40, min_pair_count=40)).steps
    assert [step.token for step in steps[:3]] == ["qu", "##ck", "##ock"]
    assert (steps[0].n_pairs, steps[0].n_left, steps[0].n_right) == (50, 50, 50)
    assert steps[0].score == 50 / (50 * 50)


def test_a_pair_seen_once_wins_where_no_least_count_is_asked_for() -> None:
    steps = train_wordpiece_on_counts(pretoken_counts(WORDS | {"xyz": 1}), WordpieceOptions(50, min_pair_count=1)).steps
    assert (steps[0].left, steps[0].n_pairs, steps[0].score) == ("x", 1, 1.0)


def test_a_falling_least_count_fills_the_vocabulary() -> None:
    training = train_wordpiece_on_counts(pretoken_counts(WORDS), WordpieceOptions(45))
    assert training.spec.n_ids == 45
    with pytest.warns(TrainingWarning, match="merges of pairs that occur 40 times or more, so the vocabulary has"):
        assert train_wordpiece_on_counts(pretoken_counts(WORDS), WordpieceOptions(45, min_pair_count=40)).steps


def test_a_trained_tokenizer_encodes_and_decodes() -> None:
    tokenizer = train_wordpiece([" ".join(word for word, n in WORDS.items() for _ in range(n))], 45)
    ids = tokenizer.encode("quick lock?")
    assert ids[-1] == tokenizer.special_tokens["[UNK]"] == 1
    assert tokenizer.decode(ids[:-1]) == "quick lock"


def test_uncased_text_has_neither_capitals_nor_accents() -> None:
    tokenizer = train_wordpiece(["Ünï ünï Uni 中文"], 17, lowercase=True, min_pair_count=1)
    letters = {token.decode().removeprefix("##") for token in tokenizer.vocabulary.values()}
    assert {"u", "n", "i", "中", "文"} <= letters
    assert not {"U", "Ü", "ü", "中文"} & letters


def trained_spec() -> TokenizerSpec:
    return train_wordpiece(["ab cd ef gh ij kl ax cx ex gx ix kx"], 36, ["[UNK]"], min_pair_count=1).spec


def test_a_text_of_nothing_but_ties_trains_one_vocabulary() -> None:
    """TR-02."""
    assert len({trained_spec().fingerprint for _ in range(100)}) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"vocab_size": 4}, "from 5 (5 special tokens)"),
        ({"vocab_size": 2.0}, "vocab_size 2.0"),
        ({"min_pair_count": 0}, "min_pair_count 0"),
        ({"min_pair_count": math.nan}, "min_pair_count nan"),
        ({"character_coverage": math.nan}, "character coverage nan"),
        ({"character_coverage": 0}, "character coverage 0"),
        ({"alphabet_limit": 0}, "alphabet_limit 0"),
        ({"prefix": ""}, "prefix ''"),
        ({"unk_token": ""}, "unk_token"),
        ({"pattern": "gpt2"}, "pattern 'gpt2'"),
        ({"lowercase": 1}, "lowercase 1"),
        ({"vocabulary_limit": "firm"}, "vocabulary_limit 'firm'"),
        ({"max_input_chars_per_word": -1}, "max_input_chars_per_word"),
    ],
)
def test_impossible_options_are_refused_before_any_text_is_read(options: dict[str, Any], words: str) -> None:
    with pytest.raises(TrainingError) as caught:
        WordpieceOptions(**({"vocab_size": 1000} | options))
    assert words in str(caught.value)


def test_a_vocabulary_too_small_for_the_characters_names_the_smallest_size() -> None:
    with pytest.raises(TrainingError, match=r"3 characters of the text with 2 tokens each .* at least 11"):
        train_wordpiece(["abc"], 10)
    assert len(train_wordpiece(["abc"], 11)) == 11


def test_a_hard_limit_names_the_largest_size() -> None:
    with pytest.raises(TrainingError, match="largest possible size is 13"):
        train_wordpiece(["abc"] * 2, 14, vocabulary_limit="hard")
    assert len(train_wordpiece(["abc"] * 2, 13, vocabulary_limit="hard")) == 13


@pytest.mark.parametrize("corpus", [[], [""], ["  \n"]])
def test_a_corpus_without_words_has_special_tokens_alone(corpus: list[str]) -> None:
    with pytest.warns(TrainingWarning, match="so the vocabulary has 5 tokens"):
        tokenizer = train_wordpiece(corpus, 100)
    assert (len(tokenizer), tokenizer.encode("a")) == (5, [1])


def test_a_special_token_that_is_a_character_of_the_text_is_refused() -> None:
    with pytest.raises(TrainingError, match="special token '##a'"):
        train_wordpiece(["aa"], 20, ["[UNK]", "##a"])


def test_a_long_word_of_one_letter_trains() -> None:
    training = train_wordpiece_on_counts(pretoken_counts({"a" * 50_000: 3}), WordpieceOptions(40, min_pair_count=2))
    assert len(training.steps) > 10


def test_a_tokenizer_comes_back_from_its_folder(tmp_path: Any) -> None:
    tokenizer = train_wordpiece(["low lower lowest"] * 9, 24)
    with pytest.warns(UserWarning, match="tiktoken"):
        tokenizer.save(tmp_path / "out")
    assert Tokenizer.load(tmp_path / "out").spec == tokenizer.spec
