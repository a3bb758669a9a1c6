"""What a verb can be told, from the annotations of its function."""

from pathlib import Path
from typing import Any, Literal

import pytest

from tokenloom.cli.settings import Setting, settings_of
from tokenloom.cli.verbs import VERBS

CHOICE = Literal["stop", "skip"]


def setting(kind: Any, minimum: float | None = None) -> Setting:
    return Setting("name", "name", kind, minimum)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_a_config_file(verb: str) -> None:
    assert settings_of(verb)["config"].type is Path


def test_names_are_those_of_the_command_line() -> None:
    names = settings_of("train")
    assert {"corpus", "vocab-size", "special-token", "format", "report", "pad-vocabulary-to-multiple-of"} <= set(names)
    assert names["special-token"].type == list[str]
    assert names["threads"].minimum == 1


@pytest.mark.parametrize(
    ("kind", "value"),
    [(int, 3), (str, "3"), (bool, False), (Path, "a/b"), (CHOICE, "skip"), (list[str], ["a"]), (list[str], [])],
)
def test_a_value_of_the_type_fits(kind: Any, value: object) -> None:
    assert setting(kind).complaint(value) is None


@pytest.mark.parametrize(
    ("kind", "value", "remedy"),
    [
        (int, "3", "a whole number"),
        (int, True, "a whole number"),
        (int, 3.0, "a whole number"),
        (str, 3, 'a text in quotes, "..."'),
        (bool, 1, "true or false"),
        (Path, ["a"], 'a path in quotes, "..."'),
        (CHOICE, "ask", "one of 'stop', 'skip'"),
        (list[str], "a", 'a list, [...], of which each is a text in quotes, "..."'),
        (list[str], ["a", 1], 'a list, [...], of which each is a text in quotes, "..."'),
    ],
)
def test_a_value_of_another_type_is_refused_with_the_remedy(kind: Any, value: object, remedy: str) -> None:
    assert setting(kind).complaint(value) == f"{value!r} does not fit. Write {remedy}."


def test_a_number_below_the_smallest_is_refused_from_file_and_command_line() -> None:
    assert setting(int, 1).complaint(0) == "0 does not fit. Write a whole number from 1 on."
    with pytest.raises(ValueError, match=r"'0' does not fit\. Write a whole number from 1 on\."):
        setting(int, 1).converted("0")


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(int, "3", 3), (str, "3", "3"), (Path, "a", Path("a")), (CHOICE, "stop", "stop"), (list[int], ("1", "2"), [1, 2])],
)
def test_strings_of_the_command_line_are_converted(kind: Any, text: Any, value: object) -> None:
    assert setting(kind).converted(text) == value
    assert setting(kind).converted(value) == value


def test_url_is_no_path_of_this_machine() -> None:
    with pytest.raises(ValueError, match=r"'s3://bucket/out' is a URL, .*\. Write a path"):
        setting(Path).converted("s3://bucket/out")
