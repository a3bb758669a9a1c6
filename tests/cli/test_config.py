"""`--config FILE.toml`: values under the names of options; the command line wins."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Ended


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "a.toml"


def shown(command: Command, saved: Path, config: Path, content: str, *arguments: str) -> Any:
    """The JSON of `show`, with a config file."""
    config.write_text(content, encoding="utf-8")
    ended = command("show", "--config", config, "--json", *arguments)
    assert ended.status == 0, ended.err
    return json.loads(ended.out)


def refused(command: Command, config: Path, content: str) -> Ended:
    config.write_text(content, encoding="utf-8")
    ended = command("show", "hello", "--config", config)
    assert (ended.status, ended.out) == (2, "")
    return ended


def test_a_file_sets_arguments_and_required_options(command: Command, saved: Path, config: Path) -> None:
    result = shown(command, saved, config, f'text = "the"\ntokenizer = [{json.dumps(str(saved))}]')
    assert result["text"] == "the"


def test_the_command_line_wins(command: Command, saved: Path, config: Path) -> None:
    content = 'text = "the"\ntokenizer = ["nowhere"]\nspecial = "plain"\n'
    result = shown(command, saved, config, content, "x<|end|>", "--tokenizer", str(saved), "--special", "parse")
    assert (result["text"], result["tokenizers"][0]["n_tokens"]) == ("x<|end|>", 2)


@pytest.mark.parametrize("head", ["", "[show]\n", "[count]\non-error = 'skip'\n[show]\n"])
def test_values_stand_at_the_top_or_in_the_table_of_the_verb(
    head: str, command: Command, saved: Path, config: Path
) -> None:
    assert shown(command, saved, config, f'{head}text = "the"', "--tokenizer", str(saved))["text"] == "the"


def test_the_table_of_the_verb_wins_over_the_top(command: Command, saved: Path, config: Path) -> None:
    content = 'text = "top"\n[show]\ntext = "table"'
    assert shown(command, saved, config, content, "--tokenizer", str(saved))["text"] == "table"


@pytest.mark.parametrize("key", ["on-error", "on_error"])
def test_names_may_have_dashes_or_underlines(key: str, command: Command, saved: Path, config: Path) -> None:
    config.write_text(f'{key} = "ask"')
    assert f"{key!r}: 'ask' does not fit. Write one of 'stop', 'skip'." in " ".join(
        command("count", "--config", config).err.split()
    )


def test_an_unknown_name_is_refused_with_the_known_ones(command: Command, config: Path) -> None:
    err = refused(command, config, "colour = true").err
    assert "'show' has no option 'colour'. Use one of: explain-pattern, json, rows, special, text, tokenizer." in err


def test_a_value_of_another_type_is_refused(command: Command, config: Path) -> None:
    assert "'rows': '3' does not fit. Write a whole number from 0 on." in refused(command, config, 'rows = "3"').err


@pytest.mark.parametrize("content", ["rows = ", "\x00", "show = 3", "[count]\nthreads = 1"])
def test_a_file_that_says_nothing_for_the_verb_is_refused(content: str, command: Command, config: Path) -> None:
    assert repr(str(config)) in refused(command, config, content).err


def test_a_missing_file_is_refused(command: Command, tmp_path: Path) -> None:
    ended = command("show", "--config", tmp_path / "nowhere.toml")
    assert ended.status == 2
    assert "cannot be read" in ended.err
