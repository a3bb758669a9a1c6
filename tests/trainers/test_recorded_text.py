"""How a text is cut at the steps of a recorded training, against the tokenizer of each step."""

import warnings
from random import Random
from typing import get_args

import pytest

from tests.golden.make_record_v1 import FILE as GOLDEN
from tests.strategies import random_bytes, random_corpus
from tokenloom.errors import EncodeError, TrainingError, TrainingWarning
from tokenloom.spec import PatternName, Semantics, build_spec
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers import (
    BpeOptions,
    CharacterAlphabet,
    TieBreak,
    TrainingRecord,
    count_pretokens,
    open_record,
    pretoken_counts,
    record_training,
    segmentation_at,
    segmentations,
    train_on_counts,
)
from tokenloom.trainers.character_alphabet import EndOfWord, words_pretokenizer


def recorded(corpus: bytes, options: BpeOptions) -> TrainingRecord:
    counts = count_pretokens([corpus], pretokenizer=options.pretokenizer, special_tokens=options.special_tokens)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        training = train_on_counts(counts, options, runner_up=True)
    return record_training(training, counts)


def encoded(tokenizer: Tokenizer, text: bytes) -> tuple[bytes, ...]:
    return tuple(map(tokenizer.token_bytes, tokenizer.encode(text)))


@pytest.mark.parametrize("tie_break", get_args(TieBreak))
@pytest.mark.parametrize("pattern", ["gpt2", "o200k", None])
def test_every_step_cuts_a_text_as_its_tokenizer_does(tie_break: TieBreak, pattern: PatternName | None) -> None:
    random, n_cuts = Random(11), 0
    for n_symbols in (2, 3, 300):
        options = BpeOptions(256 + 18, ["<|a|>", "ab"], pattern, tie_break, "gpt2")
        record = recorded(random_corpus(random, n_symbols=n_symbols, most_symbols=200), options)
        specs = map(record.spec_at, range(record.n_merges + 1))
        tokenizers = [Tokenizer.from_spec(spec, special_text="plain") for spec in specs]
        for text in (random_corpus(random, n_symbols=n_symbols), random_bytes(random), b"<|a|>abab<|a|>"):
            cuts = {cut.step: cut.tokens for cut in segmentations(record, text)}
            assert len(set(cuts.values())) == len(cuts)
            n_cuts += len(cuts)
            made_at = 0
            for step, tokenizer in enumerate(tokenizers):
                made_at = step if step in cuts else made_at
                assert cuts[made_at] == encoded(tokenizer, text), (text, step)
                assert segmentation_at(record, text, step=step) == (made_at, cuts[made_at])
    assert n_cuts > 30


def test_the_history_of_the_lecture_s_word_by_hand() -> None:
    cuts = list(segmentations(open_record(GOLDEN), "newest"))
    assert [(cut.step, b"|".join(cut.tokens)) for cut in cuts] == [
        (0, b"n|e|w|e|s|t"),
        (1, b"n|e|w|es|t"),
        (2, b"n|e|w|est"),
        (5, b"ne|w|est"),
        (6, b"new|est"),
        (7, b"newest"),
    ]


def test_one_merge_at_several_places_is_one_step() -> None:
    cuts = list(segmentations(open_record(GOLDEN), "lowlow, lo"))
    assert [(cut.step, len(cut.tokens)) for cut in cuts] == [(0, 10), (3, 7), (4, 5)]


def test_an_empty_text_has_the_segmentation_of_the_beginning_alone() -> None:
    assert list(segmentations(open_record(GOLDEN), "")) == [(0, ())]


def test_a_step_beyond_the_end_and_a_lone_surrogate_are_refused() -> None:
    record = open_record(GOLDEN)
    with pytest.raises(TrainingError, match="Choose a step from 0 to 9"):
        segmentation_at(record, "low", step=10)
    with pytest.raises(EncodeError, match="surrogate"):
        list(segmentations(record, "low\ud800"))


def test_a_long_text_of_one_character_is_cut_as_its_tokenizer_does() -> None:
    record = recorded(b"a" * 4096, BpeOptions(266, pattern=None))
    made_at, tokens = segmentation_at(record, b"a" * 30_000, step=record.n_merges)
    assert made_at == 10
    assert tokens == encoded(Tokenizer.from_spec(record.spec_at(10)), b"a" * 30_000)


@pytest.mark.parametrize("semantics", ["merges", "ranks"])
def test_a_tokenizer_that_grows_cuts_as_it_does_at_each_step(semantics: Semantics) -> None:
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {258: b"th", 260: b"he"}
    old = build_spec(vocabulary, [(b"t", b"h"), (b"h", b"e")] if semantics == "merges" else [], semantics=semantics)
    record = recorded(b"the cat in the hat sat then on the mat" * 3, BpeOptions.continued(old, 275))
    text = b"then the hat"
    if semantics == "merges":
        cuts = {cut.step: cut.tokens for cut in segmentations(record, text)}
        assert len(cuts) > 3
    else:
        with pytest.raises(TrainingError, match="does not go by merges alone"):
            segmentations(record, text)
    for step in range(record.n_merges + 1):
        tokenizer = Tokenizer.from_spec(record.spec_at(step))
        made_at, tokens = segmentation_at(record, text, step=step)
        assert tokens == encoded(tokenizer, text)
        assert semantics == "ranks" or cuts[made_at] == tokens


@pytest.mark.parametrize("end_of_word", ["symbol", "glued"])
def test_words_of_characters_are_cut_as_the_tokenizer_of_each_step_does(end_of_word: EndOfWord) -> None:
    characters = CharacterAlphabet(0.97, byte_fallback=True, end_of_word_suffix="</w>", end_of_word=end_of_word)
    options = BpeOptions(300, ["<|a|>"], words_pretokenizer(), characters=characters)
    counts = pretoken_counts({"the": 5, "cat": 3, "hat": 2, "sät": 1, "then": 2, "mat": 1, "w>": 1, "cat</": 2})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        record = record_training(train_on_counts(counts, options, runner_up=True), counts)
    text = b"then the rattle cat</w>"
    cuts = {cut.step: cut.tokens for cut in segmentations(record, text)}
    assert len(cuts) > 3
    for step in range(record.n_merges + 1):
        made_at, tokens = segmentation_at(record, text, step=step)
        assert tokens == encoded(Tokenizer.from_spec(record.spec_at(step)), text)
        assert cuts[made_at] == tokens
        assert made_at == max(at for at in cuts if at <= step)
