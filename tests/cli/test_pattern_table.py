"""`tokenloom show --explain-pattern`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tokenloom import Tokenizer
from tokenloom.cli.pattern_table import pattern_lines
from tokenloom.cli.token_view import MARKS
from tokenloom.spec import ByteLevelStep, DigitsStep, Pretokenizer, PunctuationStep
from tokenloom.tokenizer import ExplainedPretoken

BYTES = {byte: bytes([byte]) for byte in range(256)}


def table(command: Command, folder: Path, text: str, *options: str) -> list[str]:
    ended = command("show", text, "--tokenizer", folder, "--explain-pattern", *options)
    assert ended.status == 0, ended.err
    out = ended.out.splitlines()
    return out[out.index("") + 1 : -2]


def test_the_table_names_the_alternative_of_each_pretoken(command: Command, saved: Path) -> None:
    assert table(command, saved, "it's") == [
        "pretoken  no.  alternative           what it is",
        r"it          2  [ ]?\p{L}+            letters, with at most one space before them",
        "'s          1  '(?:[sdmt]|ll|ve|re)  a contraction",
    ]


def test_json_has_the_same(command: Command, saved: Path) -> None:
    ended = command("show", "a b", "--tokenizer", saved, "--explain-pattern", "--json")
    (result,) = json.loads(ended.out)["tokenizers"]
    assert result["pretokens"][1] == {
        "text": " b",
        "hex": "2062",
        "number": 2,
        "alternative": r" ?\p{L}+",
        "words": "letters, with at most one space before them",
    }
    assert "pretokens" not in json.loads(command("show", "a", "--tokenizer", saved, "--json").out)["tokenizers"][0]


def test_rows_that_are_left_out_are_counted(command: Command, saved: Path) -> None:
    assert table(command, saved, "a b c", "--rows", "1")[2] == "... and 2 more pretokens; --rows N shows more."


@pytest.mark.filterwarnings("ignore::tokenloom.FormatWarning")
def test_a_sequence_shows_its_steps(command: Command, tmp_path: Path) -> None:
    steps = (PunctuationStep(), ByteLevelStep(), DigitsStep())
    Tokenizer(BYTES, [], pattern=Pretokenizer("sequence", steps=steps)).save(tmp_path / "it")
    lines = table(command, tmp_path / "it", "a!12 x")
    assert [line.split() for line in (lines[0], lines[2])] == [
        ["pretoken", "step", "cut", "by", "what", "it", "is"],
        ["!", "1", "punctuation", "at", "punctuation:", "each", "is", "a", "piece"],
    ]
    inspected = command("inspect", tmp_path / "it").out
    assert "steps            punctuation behavior='isolated'\n                 byte_level\n" in inspected
    assert json.loads(command("inspect", tmp_path / "it", "--json").out)["pattern"] is None


def test_a_long_alternative_is_cut_and_nothing_moves_a_cursor() -> None:
    rows = [
        ExplainedPretoken("你\n".encode(), 1, "a" * 99 + "\x1b[2J", "words"),
        ExplainedPretoken(b"\xff", None, None, "-"),
    ]
    lines = list(pattern_lines(rows, MARKS, limit=5, is_sequence=False))
    assert lines[1] == "你⏎         1  " + "a" * 45 + "...  words"
    assert lines[2].startswith("‹ff›        -  -  ")
    assert "\x1b" not in "".join(lines)
