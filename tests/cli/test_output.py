"""What verbs print."""

import pytest

from tokenloom.cli.output import print_facts, print_json, print_table, warn_of_skipped
from tokenloom.corpus import SkippedRecords


def test_facts_stand_in_two_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts([("a", "1"), ("long", "2\n3"), ("none", "")])
    assert capsys.readouterr().out == "a     1\nlong  2\n      3\nnone\n"


def test_tables_are_right_aligned_but_for_the_last_column(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("n", ""), [("10", "a"), ("1", "bc")])
    assert capsys.readouterr().out == " n\n10  a\n 1  bc\n"


def test_json_is_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": "é\x1b"})
    assert capsys.readouterr().out == '{\n  "text": "\\u00e9\\u001b"\n}\n'


def test_skipped_records_are_counted_and_the_first_five_shown(capsys: pytest.CaptureFixture[str]) -> None:
    warn_of_skipped(SkippedRecords(7, [f"a, line {n}" for n in range(7)]))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "warning: 7 broken records left out:"
    assert lines[1:] == [*(f"  a, line {n}" for n in range(5)), "  ... and 2 more"]
    warn_of_skipped(SkippedRecords())
    assert capsys.readouterr().err == ""


def test_names_of_files_do_not_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    warn_of_skipped(SkippedRecords(1, ["\x1b]0;title\x07\n.jsonl, line 1: is no JSON"]))
    assert capsys.readouterr().err.splitlines()[1] == r"  \x1b]0;title\x07\n.jsonl, line 1: is no JSON"


def test_facts_do_not_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts([("pattern", "\x1b[2J\nsecond\x9b")])
    assert capsys.readouterr().out == "pattern  \\x1b[2J\n         second\\x9b\n"
