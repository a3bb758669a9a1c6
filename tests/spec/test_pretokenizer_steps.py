"""The steps of a pretokenizer that is a sequence."""

import json
from typing import Any

import pytest

from tokenloom import SpecError, Tokenizer, TrainingError
from tokenloom.spec import (
    BertStep,
    BpeModel,
    ByteLevelStep,
    DigitsStep,
    MetaspaceStep,
    Pretokenizer,
    PretokenizerStep,
    PunctuationStep,
    SplitStep,
    WhitespaceSplitStep,
    WhitespaceStep,
)
from tokenloom.spec.config import parse_config, render_config
from tokenloom.spec.pretokenizer_steps import step_from_config
from tokenloom.trainers import count_pretokens

BYTES = {byte: bytes([byte]) for byte in range(256)}
STEPS: tuple[PretokenizerStep, ...] = (
    SplitStep(r"\d{3}", behavior="merged_with_next", invert=True),
    SplitStep(text="", behavior="contiguous"),
    ByteLevelStep(),
    ByteLevelStep(add_prefix_space=True, use_regex=False),
    DigitsStep(),
    DigitsStep(individual=True),
    PunctuationStep("removed"),
    MetaspaceStep("_", "first", split=False),
    MetaspaceStep(),
    WhitespaceStep(),
    WhitespaceSplitStep(),
    BertStep(),
)


def test_json_holds_every_step_and_gives_it_back() -> None:
    pretokenizer = Pretokenizer("sequence", steps=STEPS[:-4])
    text = render_config(BpeModel("merges"), pretokenizer)
    assert parse_config(text)[1] == pretokenizer
    assert json.loads(text)["pretokenizer"]["steps"][4:6] == [
        {"type": "digits"},
        {"type": "digits", "individual": True},
    ]


@pytest.mark.parametrize("step", STEPS)
def test_the_core_knows_every_step(step: PretokenizerStep) -> None:
    tokenizer = Tokenizer(BYTES, [], pattern=Pretokenizer("sequence", steps=(step,)))
    assert tokenizer.encode("") == []
    assert tokenizer.spec.pretokenizer.steps == (step,)
    assert step.in_words


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SplitStep(), "step 'split': it takes a pattern or a text. Pass one of the two"),
        (lambda: SplitStep("a", "b"), "takes a pattern or a text"),
        (lambda: SplitStep(text="\ud800"), "has a lone surrogate"),
        (lambda: SplitStep(1), "1 is no text"),  # type: ignore[arg-type]
        (lambda: SplitStep("a", behavior="Removed"), "behavior 'Removed' is unknown. Use one of 'removed', 'isol"),  # type: ignore[arg-type]
        (lambda: SplitStep("a", invert=1), "invert is 1. Use True or False"),  # type: ignore[arg-type]
        (lambda: ByteLevelStep(use_regex=None), "use_regex is None"),  # type: ignore[arg-type]
        (lambda: MetaspaceStep("ab"), "replacement 'ab' is no single character"),
        (lambda: MetaspaceStep(prepend_scheme="last"), "prepend_scheme 'last' is unknown"),  # type: ignore[arg-type]
        (lambda: Pretokenizer("sequence"), "'sequence': it has no steps. Pass a tuple of steps"),
        (lambda: Pretokenizer("gpt2", steps=(BertStep(),)), "'gpt2': it has no steps. Use type 'sequence'"),
        (lambda: Pretokenizer("sequence", steps=("bert",)), "'bert' is no step"),  # type: ignore[arg-type]
    ],
)
def test_a_step_that_makes_no_sense_is_refused(make: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        make()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("bert", "x: 'bert' is unknown. Use a step of type 'split', 'byte_level'"),
        ({"type": "scripts"}, "x: 'scripts' is unknown"),
        ({"type": "bert", "a": 1}, "x: has the unknown key 'a'"),
        ({"type": "punctuation"}, "x: lacks the key 'behavior'"),
        ({"type": "digits", "individual": False}, "x: 'individual' is False, which is the default. Leave it out"),
    ],
)
def test_json_that_is_no_step_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        step_from_config(value, place="x")


def test_a_sequence_is_no_pattern_and_says_what_to_do() -> None:
    tokenizer = Tokenizer(BYTES, [], pattern=Pretokenizer("sequence", steps=(DigitsStep(), BertStep())))
    with pytest.raises(SpecError, match=r"digits \+ bert is no single regular expression. Look at its steps"):
        _ = tokenizer.pattern


def test_training_takes_no_sequence() -> None:
    with pytest.raises(TrainingError, match="is a chain, and text is counted by one pattern"):
        count_pretokens(["a"], pretokenizer=Pretokenizer("sequence", steps=(BertStep(),)))


def test_a_mark_that_no_byte_stands_for_is_refused_behind_bytes() -> None:
    steps = (ByteLevelStep(), MetaspaceStep())
    with pytest.raises(SpecError, match="'▁' there, which stands for no byte"):
        Tokenizer(BYTES, [], pattern=Pretokenizer("sequence", steps=steps))
