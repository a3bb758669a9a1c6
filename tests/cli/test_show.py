"""`tokenloom show`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tokenloom
from tests.characters import character_tokenizer
from tests.cli.conftest import Command
from tokenloom.formats import write_hf_json
from tokenloom.spec import Prepend, Replace


def shown(command: Command, *arguments: str | Path) -> Any:
    ended = command("show", "--json", *arguments)
    assert ended.status == 0, ended.err
    return json.loads(ended.out)


def test_ids_and_bytes_are_those_of_the_tokenizer(command: Command, saved: Path) -> None:
    text = "the then 你\n"
    (result,) = shown(command, text, "--tokenizer", saved)["tokenizers"]
    tokenizer = tokenloom.Tokenizer.load(saved)
    assert [token["id"] for token in result["tokens"]] == tokenizer.encode(text)
    assert bytes.fromhex("".join(token["hex"] for token in result["tokens"])) == text.encode()
    assert result["fingerprint"] == tokenizer.spec.fingerprint


def test_counts_are_of_bytes_characters_and_tokens(command: Command, saved: Path) -> None:
    result = shown(command, "你x", "--tokenizer", saved)
    assert (result["n_bytes"], result["n_chars"]) == (4, 2)
    only = result["tokenizers"][0]
    assert only["bytes_per_token"] == 4 / only["n_tokens"]


def test_counts_are_of_the_text_as_it_was_given(command: Command, tmp_path: Path) -> None:
    """Tokens for bytes are spelled with six characters each, and a normalizer may change the text."""
    file = tmp_path / "tokenizer.json"
    write_hf_json(character_tokenizer(Prepend("▁"), Replace(" ", by="▁")).spec, file)
    result = shown(command, "ü x", "--tokenizer", file)
    assert (result["text"], result["n_bytes"], result["n_chars"]) == ("ü x", 4, 3)
    only = result["tokenizers"][0]
    assert [token["text"] for token in only["tokens"]] == ["▁", "<0xC3>", "<0xBC>", "▁", "x"]
    assert only["bytes_per_token"] == 4 / 5
    out = command("show", "ü x", "--tokenizer", file).out
    assert "5 tokens, 4 bytes, 3 characters, " in out


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ("#version: 0.2\na t</w>\nc at</w>\nl o\nlo w</w>\n", [(0, 0), (4, 1), (7, 2), (8, 2)]),
        ("a t\nat </w>\nc at</w>\nl o\nlo w\n", [(0, 0), (4, 1), (7, 2), (8, 2), (11, 2)]),
    ],
)
def test_places_are_those_of_the_text_where_tokens_have_marks(
    command: Command, tmp_path: Path, codes: str, expected: list[tuple[int, int]]
) -> None:
    """The mark of word ends and the name of the unknown token take no bytes of the text."""
    file = tmp_path / "bpe.codes"
    file.write_text(codes)
    result = shown(command, "cat at zlow", "--tokenizer", file)["tokenizers"][0]
    assert [(token["start_byte"], token["pretoken"]) for token in result["tokens"]] == expected
    assert result["n_pretokens"] == 3
    rows = command("show", "cat at zlow", "--tokenizer", file).out.splitlines()[:-1]
    assert [row.split()[2] for row in rows if row.split()[:1] in (["0"], ["4"], ["7"])] == ["0", "1", "2"]


def test_people_see_tokens_a_table_and_a_summary(command: Command, saved: Path) -> None:
    out = command("show", "xy z", "--tokenizer", saved).out.splitlines()
    assert out[0] == "x|y|·|z"
    assert out[2].split() == ["byte", "id", "pretoken", "token", "hex"]
    assert out[3].split() == ["0", "120", "0", "x", "78"]
    assert out[4].split() == ["1", "121", "y", "79"]
    assert out[-1] == "4 tokens, 4 bytes, 4 characters, 2 pretokens, 1.00 bytes per token"


def test_a_split_character_is_named_once(command: Command, saved: Path) -> None:
    out = command("show", "好 好", "--tokenizer", saved, "--rows", "0").out
    assert out.count("U+597D") == 1
    assert "‹e5› ‹a5› ‹bd› = 好 U+597D CJK UNIFIED IDEOGRAPH-597D" in out


def test_several_tokenizers_stand_under_their_names(command: Command, saved: Path, tmp_path: Path) -> None:
    tokenloom.train(["xy" * 5], 257, pattern=None).save(tmp_path / "other")
    out = command("show", "xyxy", "--tokenizer", saved, "--tokenizer", tmp_path / "other").out
    assert f"{saved}\nx|y|x|y\n" in out
    assert f"{tmp_path / 'other'}\nxy|xy\n" in out


def test_tokenizers_of_other_libraries_stand_side_by_side(
    command: Command, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shared / "vocabs")
    out = command("show", "strawberry 2048", "--tokenizer", "gpt2", "--tokenizer", "cl100k_base.tiktoken").out
    assert "gpt2\nst|raw|berry|·2048\n" in out
    assert "cl100k_base.tiktoken\nstr|aw|berry|·|204|8\n" in out


def test_special_tokens_are_text_unless_asked_for(command: Command, saved: Path) -> None:
    plain = command("show", "<|end|>", "--tokenizer", saved)
    assert plain.out.startswith("<|||")
    assert "1 special token in the text, read as ordinary text: --special parse" in plain.err
    parsed = command("show", "<|end|>", "--tokenizer", saved, "--special", "parse")
    assert parsed.out.startswith("<|end|>\n")
    assert parsed.err == ""
    refused = command("show", "<|end|>", "--tokenizer", saved, "--special", "refuse")
    assert (refused.status, refused.out) == (1, "")
    assert "at byte 0 of the text" in refused.err
    assert refused.err.endswith("Use --special parse to make it one token, or --special plain.\n")
    assert "allowed_special" not in refused.err


def test_an_empty_text_has_no_tokens(command: Command, saved: Path) -> None:
    assert command("show", "", "--tokenizer", saved).out.strip() == (
        "0 tokens, 0 bytes, 0 characters, 0 pretokens, bytes per token undefined"
    )


def test_a_long_text_is_cut_with_a_note_and_counted_whole(command: Command, saved: Path) -> None:
    out = command("show", "x " * 3000, "--tokenizer", saved, "--rows", "5").out
    assert out.count("more tokens; --rows N shows more.") == 2
    assert "6,000 tokens" in out
    assert len(out.splitlines()) < 100


def test_a_missing_tokenizer_is_one_line(command: Command) -> None:
    ended = command("show", "x", "--tokenizer", "nowhere")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("error: 'nowhere': there is no such file or folder here, and no published encoding")


def run_with(data: bytes, *arguments: str, **environment: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "tokenloom", "show", *arguments],
        input=data, capture_output=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_standard_input_is_read_as_bytes(saved: Path) -> None:
    result = json.loads(run_with(b"a\xff\r\n", "--tokenizer", str(saved), "--json"))
    assert "".join(token["hex"] for token in result["tokenizers"][0]["tokens"]) == "61ff0d0a"


def test_an_output_without_unicode_gets_ascii_marks(saved: Path) -> None:
    out = run_with("a b 好\n".encode(), "--tokenizer", str(saved), PYTHONIOENCODING="ascii")
    assert out.startswith(b"a|_|b|_|<e5>|<a5>|<bd>|\\n\n")
    assert b"<e5> <a5> <bd> = U+597D CJK" in out


@pytest.mark.parametrize(("name", "value"), [("FORCE_COLOR", "1")])
def test_colours_come_when_asked_for_and_go_with_no_color(saved: Path, name: str, value: str) -> None:
    arguments = ("--tokenizer", str(saved), "--rows", "0")
    assert b"\x1b[" in run_with(b"xy", *arguments, TERM="xterm-256color", **{name: value})
    out = run_with(b"xy", *arguments, TERM="xterm-256color", NO_COLOR="1", **{name: value})
    assert b"x|y" in out


def test_more_rows_than_a_machine_can_count_are_all_rows(command: Command, saved: Path) -> None:
    ended = command("show", "xy", "--tokenizer", saved, "--rows", "9" * 20)
    assert ended.status == 0
    assert len(ended.out.splitlines()) == 7
