"""`tokenloom train --record`, `replay`, and `verify --counts`."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.golden.make_record_v1 import FILE as GOLDEN
from tokenloom import open_record

WORDS = "low\t5\nlower\t2\nnewest\t6\nwidest\t3\n"


@pytest.fixture
def record(command: Command, tmp_path: Path) -> Path:
    """The record of the golden file's training, made by the command."""
    (tmp_path / "words.tsv").write_text(WORDS)
    ended = command(
        "train", "--word-counts", tmp_path / "words.tsv", "--vocab-size", "266", "--special-token", "<|end|>",
        "--tie-break", "first-seen", "--record", tmp_path / "run.tlr", "--out", tmp_path / "out", "--no-report", "-q",
    )  # fmt: skip
    assert (ended.status, ended.err) == (0, "")
    assert f"record           {tmp_path / 'run.tlr'}" in ended.out
    return tmp_path / "run.tlr"


def test_a_training_leaves_its_record_and_says_so_in_its_run_file(record: Path) -> None:
    assert open_record(record).columns == open_record(GOLDEN).columns
    values = tomllib.loads((record.parent / "out" / "run.toml").read_text("utf-8"))
    assert values["train"]["record"] == str(record)


def test_a_record_alone_says_what_it_holds(command: Command, record: Path) -> None:
    ended = command("replay", record)
    assert (ended.status, ended.err) == (0, "")
    assert "merges     9, of which a tie was broken for 6\n" in ended.out
    assert "tie rule   first-seen\n" in ended.out
    facts = json.loads(command("replay", record, "--json").out)
    assert (facts["n_merges"], facts["n_bytes"], facts["n_broken_ties"]) == (9, 79, 6)


def test_a_step_shows_its_merge_and_what_there_was_then(command: Command) -> None:
    assert command("replay", GOLDEN, "--at", "3").out.splitlines() == [
        "step         3 of 9",
        "merge        'l' + 'o'",
        "new token    'lo', id 258, several characters",
        "count        7 times",
        "runner-up    'o' + 'w', 7 times",
        "tie          1 other pair occurred as often, so the tie rule chose",
        "tokens left  54, 1.46 bytes per token",
        "vocabulary   260 tokens",
        "             made by merges: part of a character 0, one character 0, several characters 3",
        "longest      'est'",
        "             'es'",
        "             'lo'",
    ]


def test_a_text_at_a_step_is_shown_with_the_step_that_cut_it_so(command: Command) -> None:
    assert command("replay", GOLDEN, "--at", "3", "--text", "lowest").out.endswith(
        "text         3 tokens since step 3\n             lo|w|est\n"
    )
    facts = json.loads(command("replay", GOLDEN, "--at", "2", "--text", "w w", "--json").out)
    assert facts["merge"]["runner_up"] == [{"text": "l", "hex": "6c"}, {"text": "o", "hex": "6f"}]
    assert facts["text"]["step"] == 0
    assert [token["text"] for token in facts["text"]["tokens"]] == ["w", " ", "w"]


def test_step_0_is_the_state_before_all_merges(command: Command) -> None:
    out = command("replay", GOLDEN, "--at", "0", "--text", "low").out
    assert "merge  " not in out
    assert "tokens left  79, 1.00 bytes per token\n" in out
    assert "3 tokens since the beginning\n" in out


def test_the_history_of_a_text_says_when_it_became_one_token(command: Command) -> None:
    assert command("replay", GOLDEN, "--text", "low").out.splitlines() == [
        "step  tokens  text",
        "   0       3  l|o|w",
        "   3       2  lo|w",
        "   4       1  low",
        "",
        "one token at step 4",
    ]
    assert command("replay", GOLDEN, "--text", "lowest").out.endswith("\nnever one token: 2 tokens at the end\n")
    facts = json.loads(command("replay", GOLDEN, "--text", "newest", "--json").out)
    assert facts["one_token_at"] == 7
    assert [cut["n_tokens"] for cut in facts["segmentations"]] == [6, 5, 4, 3, 2, 1]


def test_blanks_and_parts_of_characters_are_visible_on_one_line(command: Command) -> None:
    out = command("replay", GOLDEN, "--text", "a\n你").out
    assert out.splitlines()[1] == "   0       5  a|⏎|‹e4›|‹bd›|‹a0›"


def test_an_empty_text_has_no_tokens(command: Command) -> None:
    assert command("replay", GOLDEN, "--text", "").out.endswith("\nnever one token: 0 tokens at the end\n")


def test_the_log_lists_merges_as_the_lesson_does(command: Command) -> None:
    assert command("replay", GOLDEN, "--log", "--from", "2", "--first", "2").out.splitlines() == [
        "step  count  tokens left           new token  pair",
        "   2      9           61  several characters  'es' + 't' = 'est'",
        "   3      7           54  several characters  'l' + 'o' = 'lo'",
        "",
        "2 merges: part of a character 0, one character 0, several characters 2",
    ]
    facts = json.loads(command("replay", GOLDEN, "--log", "--json").out)
    assert [merge["n_tokens"] for merge in facts["merges"]] == [70, 61, 54, 47, 41, 35, 29, 26, 23]
    assert facts["n_made"]["several characters"] == 9


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--at", "10"), 1, "step 10: the record has 9 merges. Choose a step from 0 to 9."),
        (("--log", "--from", "10"), 1, "step 10: the record has 9 merges. Choose a step from 1 to 9."),
        (("--at", "-1"), 2, "--at"),
        (("--log", "--at", "1"), 2, "--log does not go with --at or --text"),
        (("--log", "--text", "low"), 2, "--log does not go with --at or --text"),
        (("--first", "3"), 2, "--first is for --log"),
        (("--from", "3"), 2, "--from is for --log"),
        (("--text", "a" * 10_001), 2, "is longer than 10,000 bytes"),
    ],
)
def test_what_cannot_be_shown_is_refused(command: Command, arguments: tuple[str, ...], status: int, words: str) -> None:
    ended = command("replay", GOLDEN, *arguments)
    assert (ended.status, ended.out) == (status, "")
    assert words in " ".join(ended.err.split())


def test_merges_that_were_given_say_so(command: Command, tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("zebra\t1\nlow\t5\n")
    asked = ("--vocab-size", "262", "--must-have", "zebra", "--must-have", "oxo", "--record", tmp_path / "run.tlr")
    command("train", "--word-counts", tmp_path / "words.tsv", *asked, "--out", tmp_path / "out", "--no-report", "-q")
    assert "count        1 time\nrunner-up    none: a must-have token gave the merge\n" in (
        command("replay", tmp_path / "run.tlr", "--at", "1").out
    )
    assert "6 merges; 6 given by must-have tokens: part of" in command("replay", tmp_path / "run.tlr", "--log").out
    facts = json.loads(command("replay", GOLDEN, "--at", "1", "--json").out)
    assert facts["merge"]["is_given"] is False


def test_a_dry_run_checks_the_place_of_the_record_and_names_it(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat in the hat\n" * 9)
    asked = ("train", tmp_path / "a.txt", "--vocab-size", "260", "--out", tmp_path / "out", "--dry-run", "--record")
    out = command(*asked, tmp_path / "run.tlr").out
    assert f"{tmp_path / 'out'} and {tmp_path / 'run.tlr'}; nothing was written" in out
    assert json.loads(command(*asked, tmp_path / "run.tlr", "--json").out)["record"] == str(tmp_path / "run.tlr")
    ended = command(*asked, tmp_path / "a.txt")
    assert (ended.status, ended.out) == (1, "")
    assert "is there and is no record of a training" in ended.err
    for name in ("", "-"):
        assert "names no file" in command(*asked, name).err


def test_a_file_that_is_no_record_is_refused(command: Command, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(GOLDEN.read_bytes()[:-1])
    for path, words in ((tmp_path / "x", "bytes, the file has"), (tmp_path / "none", "there is no such file")):
        ended = command("replay", path)
        assert (ended.status, ended.out) == (1, "")
        assert f"{str(path)!r}" in ended.err
        assert words in ended.err


def test_verify_makes_the_merges_again_and_compares_the_record(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat in the hat\n" * 9)
    assert command("count-pretokens", tmp_path / "a.txt", "--out", tmp_path / "counts", "-q").status == 0
    record, out = tmp_path / "run.tlr", tmp_path / "out"
    asked = ("--vocab-size", "260", "--record", record, "--out", out, "--no-report", "-q")
    assert command("train", "--counts", tmp_path / "counts", *asked).status == 0
    ended = command("verify", out, "--counts", tmp_path / "counts", "--record", record, "-q")
    assert (ended.status, ended.err) == (0, "")
    assert "4 merges, made again on " in ended.out
    assert ": each is the choice of the rule 'lexicographic'\n" in ended.out
    assert f"counts, runners-up and tokens left are those of {record}\n" in ended.out
    (row,) = json.loads(command("verify", out, "--counts", tmp_path / "counts", "--json", "-q").out)
    assert (row["merges"]["n_merges"], row["merges"]["record"]) == (4, None)


def test_verify_says_which_merge_is_wrong(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat in the hat\n" * 9)
    (tmp_path / "b.txt").write_text("dog")
    assert command("count-pretokens", tmp_path / "b.txt", "--out", tmp_path / "counts", "-q").status == 0
    out = tmp_path / "out"
    assert command("train", tmp_path / "a.txt", "--vocab-size", "260", "--out", out, "--no-report", "-q").status == 0
    ended = command("verify", out, "--counts", tmp_path / "counts", "-q")
    assert (ended.status, ended.out) == (1, "")
    assert "merge 1 joins b'" in ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("a", "b", "--counts", "c"), "--counts are those of one tokenizer"), (("a", "--record", "r"), "Add --counts")],
)
def test_options_of_verify_that_do_not_go_together_are_refused(
    command: Command, arguments: tuple[str, ...], words: str
) -> None:
    ended = command("verify", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert words in " ".join(ended.err.split())
