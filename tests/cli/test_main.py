"""The frame of the command line: verbs loaded one at a time, exit codes, streams."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Never

import pytest

from tests.cli.conftest import Command
from tokenloom.cli import main
from tokenloom.cli.verbs import VERBS, example_of, function_of

MODULE = [sys.executable, "-m", "tokenloom"]


@pytest.mark.parametrize("verb", VERBS)
def test_the_list_of_verbs_says_what_their_help_says(verb: str) -> None:
    assert (function_of(verb).__doc__ or "").partition("\n")[0] == VERBS[verb]


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_has_a_line_of_purpose_and_an_example(verb: str, command: Command) -> None:
    ended = command(verb, "--help")
    words = " ".join(ended.out.split())
    assert ended.status == 0
    assert VERBS[verb] in words
    assert f"Example: {example_of(verb)}" in words
    assert example_of(verb).startswith(f"tokenloom {verb} ")


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_has_a_help_text(verb: str, command: Command) -> None:
    options, _, _ = command(verb, "--help").out.partition("Example:")
    listed = re.findall(r"^  (-.*?)(?:  +(\S.*))?\n(?: {4,}(\S.*))?", options, re.M)
    assert [option for option, beside, below in listed if not beside and not below] == []


def test_help_names_all_verbs_whole_and_the_exit_codes(command: Command) -> None:
    out = command("--help").out
    assert "..." not in out.replace("[ARGS]...", "")
    assert all(f"  {verb} " in out for verb in VERBS)
    assert all(f" {code} " in out.replace("\n", " ") for code in (0, 1, 2, 130))


def test_help_on_a_narrow_terminal_cuts_no_option(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert "--pad-vocabulary-to-multiple-of" in command("train", "--help").out


def test_only_the_verb_that_runs_is_loaded() -> None:
    script = (
        "import sys; from tokenloom.cli.main import run; run(['inspect', '--help'])\n"
        "print(sorted(name for name in sys.modules if name.startswith(('tokenloom.cli.', 'tokenloom.jobs'))))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    verbs = {verb for verb in VERBS if f"'tokenloom.cli.{verb}'" in out}
    assert verbs == {"inspect"}
    assert "tokenloom.jobs" not in out


def test_show_loads_nothing_that_is_slow_to_load(saved: Path) -> None:
    slow = {"numpy", "pydantic", "rich.console", "tokenloom.trainers", "tokenloom.corpus"}
    script = (
        f"import sys; from tokenloom.cli.main import run; run(['show', 'hello', '--tokenizer', {str(saved)!r}])\n"
        f"print(sorted({slow} & sys.modules.keys()))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["insepct"], "Did you mean 'inspect'?"),
        (["count", "--tokeniser", "x"], "--tokenizer"),
        (["count"], "Missing option '--tokenizer'"),
        (["train", "x", "--out", "y", "--vocab-size", "8k"], "Invalid value for '--vocab-size': '8k'"),
        (["count", "x", "--tokenizer", "y", "--threads", "0"], "Invalid value for '--threads': "),
        (["count", "x", "--tokenizer", "y", "--on-error", "ask"], "'stop', 'skip'"),
    ],
)
def test_a_wrong_command_line_is_exit_code_2_and_says_what_is_right(
    arguments: list[str], words: str, command: Command
) -> None:
    ended = command(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert words in ended.err


def test_without_arguments_there_is_help(command: Command) -> None:
    ended = command()
    assert ended.status == 2
    assert "Commands:" in ended.out + ended.err


def test_completion_offers_options_of_a_verb(tmp_path: Path) -> None:
    words = {"_TOKENLOOM_COMPLETE": "complete_bash", "COMP_WORDS": "tokenloom show --", "COMP_CWORD": "2"}
    done = subprocess.run(MODULE, env=os.environ | words, capture_output=True, text=True, check=False)
    assert "--tokenizer" in done.stdout, done.stderr


def test_a_reader_that_goes_early_is_no_error(saved: Path) -> None:
    text = "the then " * 20_000
    show = subprocess.Popen(
        [*MODULE, "show", "--tokenizer", str(saved), "--rows", "100000"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert show.stdin is not None
    assert show.stdout is not None
    assert show.stderr is not None
    show.stdin.write(text.encode())
    show.stdin.close()
    show.stdout.readline()
    show.stdout.close()
    assert show.stderr.read() == b""
    assert show.wait(timeout=60) == 1
    show.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals between processes")
def test_ctrl_c_is_exit_code_130_and_one_word(saved: Path) -> None:
    count = subprocess.Popen(
        [*MODULE, "show", "--tokenizer", str(saved)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(1.0)
    count.send_signal(signal.SIGINT)
    _, err = count.communicate(timeout=60)
    assert (count.returncode, err) == (130, b"stopped.\n")


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes streams")
@pytest.mark.parametrize(
    ("redirection", "status"), [("<&-", 0), (">&-", 0), ("2>&-", 0), ("< /dev/null > /dev/full 2> /dev/null", 1)]
)
def test_closed_and_full_streams_are_no_traceback(redirection: str, status: int, saved: Path) -> None:
    line = f"{sys.executable} -m tokenloom show --tokenizer {saved} {redirection}"
    done = subprocess.run(line, shell=True, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == status, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            OSError(5, "Input/output error", "corpus.txt"),
            "'corpus.txt': cannot be read or written (Input/output error)",
        ),
        (OSError(28, "No space left on device"), "output cannot be written (No space left on device)"),
    ],
)
def test_an_error_of_the_system_is_put_on_output_only_if_it_names_no_file(
    command: Command, monkeypatch: pytest.MonkeyPatch, error: OSError, words: str
) -> None:
    def fail(arguments: object) -> Never:
        raise error

    monkeypatch.setattr(main, "application", fail)
    ended = command("show")
    assert (ended.status, ended.err.startswith(f"error: {words}")) == (1, True)
