"""Unigram training: what it refuses, what it does not depend on, and hostile text."""

import math
import time
from random import Random
from typing import Any

import pytest

from tokenloom import TrainingWarning
from tokenloom.errors import TrainingError
from tokenloom.jobs.train_model_corpus import ModelPlan
from tokenloom.spec import Pretokenizer, normalizer_of
from tokenloom.spec.packing import unpack_float64
from tokenloom.trainers import (
    UnigramOptions,
    UnigramTraining,
    count_pretokens,
    pretoken_counts,
    train_unigram_on_counts,
)

pytestmark = pytest.mark.filterwarnings("ignore::tokenloom.TrainingWarning")
TEXT = "the cat in the hat sat on the mat, and that cat has a hat that the other cat had had\n" * 20


def trained(texts: list[str], vocab_size: int, *, n_threads: int = 1, **options: Any) -> UnigramTraining:
    asked = UnigramOptions(vocab_size, **options)
    counts = count_pretokens(texts, pretokenizer=asked.pretokenizer, special_tokens=asked.special_tokens)
    return train_unigram_on_counts(counts, asked, n_threads=n_threads)


def tokens_of(training: UnigramTraining) -> list[str]:
    return [token.decode() for token in training.spec.model_tokens()]


def test_ids_are_fixed_tokens_then_pieces_by_falling_score() -> None:
    training = trained([TEXT], 290, special_tokens=["<s>"], byte_fallback=True)
    tokens, scores = tokens_of(training), unpack_float64(training.spec.scores)
    assert tokens[:3] == ["<unk>", "", "<0x00>"]
    assert training.spec.special_tokens[0].id == 1
    assert sorted(scores[258:], reverse=True) == list(scores[258:])
    assert set(scores[:258]) == {0.0}


def test_probabilities_of_pieces_are_about_one_together() -> None:
    scores = list(unpack_float64(trained([TEXT], 40).spec.scores))[1:]
    assert 0.9 < sum(map(math.exp, scores)) <= 1.0


def test_threads_do_not_change_a_score() -> None:
    text = "".join(Random(5).choices(["ab", "ba", "cab", " a", " bac", "é", "\n"], k=200_000))
    one, four = (trained([text], 300, n_threads=n, pattern=None) for n in (1, 4))
    assert one.spec.fingerprint == four.spec.fingerprint
    assert one.rounds == four.rounds


def test_every_character_stays_a_piece() -> None:
    training = trained([TEXT + "é"], 22 + len(set(TEXT)))
    assert {"▁" if character == " " else character for character in TEXT + "é"} <= set(tokens_of(training))


def test_rare_characters_have_no_piece_where_coverage_leaves_them_out() -> None:
    assert "é" not in tokens_of(trained([TEXT + "é"], 60, character_coverage=0.999))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"vocab_size": 0}, "from 1 (what is there without pieces)"),
        ({"vocab_size": 256, "byte_fallback": True}, "from 257"),
        ({"vocab_size": math.nan}, "vocab_size nan"),
        ({"character_coverage": math.nan}, "character coverage nan"),
        ({"max_piece_chars": 0}, "max_piece_chars 0"),
        ({"max_piece_chars": 2.0}, "max_piece_chars 2.0"),
        ({"n_seed_pieces": 10**9}, "n_seed_pieces"),
        ({"pattern": "words"}, "pattern 'words'"),
        ({"unk_token": ""}, "unk_token"),
        ({"special_tokens": ["<0x0A>"], "byte_fallback": True}, "token for a byte"),
        ({"vocabulary_limit": None}, "vocabulary_limit None"),
    ],
)
def test_impossible_options_are_refused_before_any_text_is_read(options: dict[str, Any], words: str) -> None:
    with pytest.raises(TrainingError) as caught:
        UnigramOptions(**({"vocab_size": 1000} | options))
    assert words in str(caught.value)


def test_a_vocabulary_too_small_for_the_characters_names_the_smallest_size() -> None:
    with pytest.raises(TrainingError, match=r"10 characters of the text and 1 other token leave no room.* at least 11"):
        trained(["abcdefghij"], 5)
    assert trained(["abcdefghij"], 11).spec.n_ids == 11


def test_a_hard_limit_names_the_largest_size() -> None:
    """TR-11."""
    with pytest.warns(TrainingWarning, match="so the vocabulary has 5 tokens"):
        assert trained(["a b c"], 1000).spec.n_ids == 5
    with pytest.raises(TrainingError, match="the largest possible size is 5"):
        trained(["a b c"], 1000, vocabulary_limit="hard")
    assert trained(["a b c"], 5, vocabulary_limit="hard").spec.n_ids == 5


@pytest.mark.parametrize("corpus", [[], [""]])
def test_a_corpus_without_text_has_fixed_tokens_alone(corpus: list[str]) -> None:
    with pytest.warns(TrainingWarning, match="has 1 token"):
        assert trained(corpus, 100).spec.n_ids == 1


def test_a_corpus_of_one_character_has_one_piece() -> None:
    """TR-18."""
    training = trained(["a"], 2)
    assert (tokens_of(training), list(unpack_float64(training.spec.scores))) == (["<unk>", "a"], [0.0, 0.0])


def seconds_of(n: int) -> float:
    """Processor time; with as many pieces to begin with, and so as many rounds, for every length."""
    text = "".join(Random(0).choices("ACGT", k=n))
    start = time.process_time()
    assert trained([text], 500, pattern=None, n_seed_pieces=5000).spec.n_ids > 100
    return time.process_time() - start


def test_long_text_without_blanks_trains_in_linear_time() -> None:
    """TR-18."""
    seconds_of(1000)
    short, long = min(seconds_of(30_000) for _ in range(2)), seconds_of(300_000)
    assert long < 20 * short + 0.5


@pytest.mark.parametrize("text", ["a" * 300_000, "ab" * 150_000, "\u4f60" * 100_000])
def test_a_long_run_of_one_thing_neither_stops_nor_explodes(text: str) -> None:
    start = time.perf_counter()
    assert trained([text], 200, pattern=None).spec.n_ids > 5
    assert time.perf_counter() - start < 5


def test_no_line_is_dropped_for_its_length() -> None:
    """TR-20."""
    tokens = tokens_of(trained(["hello world foo bar"] * 20 + ["\u2603" + "q" * 5000], 40))
    assert {"\u2603", "q"} <= set(tokens)


def test_a_nul_is_a_character_like_others() -> None:
    """TR-21."""
    assert "\x00" in tokens_of(trained(["ab\x00cd ab ab cd"] * 20, 12))


def test_bytes_that_are_no_character_end_a_word() -> None:
    training = train_unigram_on_counts(pretoken_counts({b"ab\xffab": 5, b"\xff": 2}), UnigramOptions(4))
    assert sorted(tokens_of(training)) == ["<unk>", "a", "ab", "b"]


def test_a_special_token_is_no_piece() -> None:
    training = trained(["the then there <the>" * 30], 15, special_tokens=["the"])
    assert tokens_of(training).count("the") == 0


def test_a_special_token_of_one_character_of_the_text_is_refused() -> None:
    with pytest.raises(TrainingError, match="special token 'a': is a character of the text"):
        train_unigram_on_counts(pretoken_counts({"abc": 2}), UnigramOptions(20, ["a"]))


def test_progress_tells_the_pieces_that_were_left_out() -> None:
    told: list[tuple[str, int, int | None]] = []
    counts = count_pretokens([TEXT], pretokenizer=Pretokenizer("none"))
    train_unigram_on_counts(counts, UnigramOptions(30), progress=lambda *report: told.append(report))
    assert {stage for stage, _, _ in told} == {"shrink"}
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_text_is_normalized_before_it_is_counted_and_later() -> None:
    options = UnigramOptions(9, normalizer=normalizer_of("nfkc"))
    normalizer = ModelPlan(options).counting(None).normalizer
    counts = count_pretokens(["\u2460\u2461 \uff21"], pretokenizer=options.pretokenizer, normalizer=normalizer)
    assert counts.items() == [(b" A", 1), (b"12", 1)]
    steps = train_unigram_on_counts(counts, options).spec.normalizer
    assert steps is not None
    assert [step.config()["type"] for step in steps.steps] == ["nfkc", "replace"]
