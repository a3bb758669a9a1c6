"""Defaults, choices and limits of the command line are those of what it calls, which it does not load for its help."""

from dataclasses import MISSING, fields
from inspect import signature
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import pytest

from tokenloom.cli import inspect, options
from tokenloom.cli.settings import settings_of
from tokenloom.cli.verbs import function_of
from tokenloom.corpus import DocumentOptions, Selection
from tokenloom.errors import TrainingError
from tokenloom.formats import native
from tokenloom.jobs.encode import EncodeOptions
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.training import TrainingPlan
from tokenloom.shards import layout
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import COUNTS_KIND, BpeOptions, CountOptions

DOCUMENTS: Final = ("format", "document-separator", "text-field", "compression", "on-error")
OWNERS: Final[list[tuple[tuple[str, ...], type[Any], dict[str, str]]]] = [
    (
        ("train", "count-pretokens", "encode", "count"),
        DocumentOptions,
        {key: key.replace("-", "_") for key in DOCUMENTS},
    ),
    (("train", "count-pretokens"), Selection, {"sample": "sample", "seed": "seed"}),
    (("train", "count-pretokens"), Resources, {"threads": "n_threads", "processes": "n_processes"}),
    (("count-pretokens",), CountOptions, {"max-pretoken-bytes": "max_pretoken_bytes", "positions": "has_positions"}),
    (
        ("train",),
        BpeOptions,
        {
            key: key.replace("-", "_")
            for key in ("tie-break", "alphabet", "min-pair-count", "max-token-bytes", "whole-characters")
        },
    ),
    (
        ("train",),
        TrainingPlan,
        {"reserve-special": "n_reserved", "pad-vocabulary-to-multiple-of": "pad_multiple", "min-count": "min_count"},
    ),
    (("encode",), EncodeOptions, {"shard-tokens": "shard_tokens", "dtype": "dtype", "special": "special_text"}),
]
CASES: Final = [
    (verb, key, owner, name) for verbs, owner, names in OWNERS for verb in verbs for key, name in names.items()
]


@pytest.mark.parametrize(("verb", "key", "owner", "name"), CASES)
def test_defaults_and_choices_are_those_of_the_library(verb: str, key: str, owner: type[Any], name: str) -> None:
    setting = settings_of(verb)[key]
    (default,) = [field.default for field in fields(owner) if field.name == name]
    assert default is not MISSING
    assert signature(function_of(verb)).parameters[setting.parameter].default == default
    hint = get_type_hints(owner)[name]
    if get_origin(hint) is Literal:
        assert set(get_args(setting.type)) == set(get_args(hint))


def test_pattern_of_counting_is_that_of_training() -> None:
    (default,) = [field.default for field in fields(BpeOptions) if field.name == "pattern"]
    assert signature(function_of("count-pretokens")).parameters["pattern"].default == default == "gpt2"


def test_shortest_limit_of_pretokens_is_the_shortest_that_is_taken() -> None:
    least = settings_of("train")["max-pretoken-bytes"].minimum
    assert isinstance(least, int)
    assert CountOptions(Pretokenizer("gpt2"), max_pretoken_bytes=least).max_pretoken_bytes == least
    with pytest.raises(TrainingError, match="max_pretoken_bytes"):
        CountOptions(Pretokenizer("gpt2"), max_pretoken_bytes=least - 1)


def test_longest_limit_of_pretokens_is_the_longest_that_is_taken() -> None:
    most = get_args(options.MaxPretokenBytes)[1].max
    assert isinstance(most, int)
    assert CountOptions(Pretokenizer("gpt2"), max_pretoken_bytes=most).counter(n_threads=1).n_cut_pretokens == 0
    with pytest.raises(TrainingError, match="max_pretoken_bytes"):
        CountOptions(Pretokenizer("gpt2"), max_pretoken_bytes=most + 1)


def test_kinds_of_folders_are_those_that_are_written() -> None:
    assert (inspect._TOKENIZER, inspect._SHARDS, inspect._COUNTS) == (native.KIND, layout.KIND, COUNTS_KIND)
