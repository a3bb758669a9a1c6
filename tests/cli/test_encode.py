"""`tokenloom encode`, and what `inspect`, `verify` and `decode` make of its result."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tokenloom
from tests.cli.conftest import Command
from tokenloom.cli.encode import _pile_hours, _why_dtype
from tokenloom.shards import open as open_shards

DOCUMENTS = [b"the then\r\n", "你 the".encode(), b"\xff"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number, document in enumerate(DOCUMENTS):
        (folder / f"{number}.txt").write_bytes(document)
    return folder


@pytest.fixture
def shards(command: Command, saved: Path, corpus: Path, tmp_path: Path) -> Path:
    """Shards of three tokens."""
    out = tmp_path / "shards"
    ended = command(
        "encode", corpus, "--tokenizer", saved, "--out", out, "--end-of-document", "<|end|>",
        "--shard-tokens", "3", "--no-report", "--quiet",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    return out


def test_options_reach_the_shards(shards: Path, saved: Path) -> None:
    tokenizer = tokenloom.Tokenizer.load(saved)
    opened = open_shards(shards)
    end = tokenizer.special_tokens["<|end|>"]
    assert [ids.tolist() for ids in opened] == [[*tokenizer.encode(document), end] for document in DOCUMENTS]
    assert opened.header.shard_tokens == 3


def test_the_summary_says_how_much_how_fast_and_why(
    command: Command, saved: Path, corpus: Path, tmp_path: Path
) -> None:
    ended = command("encode", corpus, "--tokenizer", saved, "--out", tmp_path / "out")
    assert ended.status == 0
    for words in (
        "documents    3",
        "bytes per token",
        "uint16, 2 bytes: all ids of a vocabulary of",
    ):
        assert words in ended.out
    assert "The Pile" not in ended.out  # nothing is foretold from the milliseconds of starting
    assert ended.err.startswith("encode ")
    assert (tmp_path / "out" / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_time_for_the_pile_is_told_from_a_second_on() -> None:
    assert _pile_hours(825e9 / 3600, 1.0) == 1
    assert (_pile_hours(825e9, 0.9), _pile_hours(0.0, 10.0)) == (None, None)


def test_json_is_one_document(command: Command, saved: Path, corpus: Path, tmp_path: Path) -> None:
    facts = json.loads(command("encode", corpus, "--tokenizer", saved, "--out", tmp_path / "out", "--json").out)
    assert (facts["n_docs"], facts["dtype"], facts["was_complete"]) == (3, "uint16", False)
    assert facts["n_text_bytes"] == sum(map(len, DOCUMENTS))


def test_the_run_file_does_it_again(command: Command, shards: Path, saved: Path, corpus: Path, tmp_path: Path) -> None:
    values = tomllib.loads((shards / "run.toml").read_text("utf-8"))["encode"]
    assert values["corpus"] == [str(corpus)]
    assert (values["tokenizer"], values["end-of-document"], values["shard-tokens"]) == (str(saved), "<|end|>", 3)
    assert not {"config", "json", "quiet", "dry-run"} & values.keys()
    ended = command("encode", "--config", shards / "run.toml", "--out", tmp_path / "again")
    assert ended.status == 0, ended.err
    for name in ("manifest.json", "tokens-00000.npy", "documents.npy"):
        assert (tmp_path / "again" / name).read_bytes() == (shards / name).read_bytes()


def test_the_same_run_again_has_nothing_to_do(command: Command, shards: Path) -> None:
    ended = command("encode", "--config", shards / "run.toml", "--json")
    assert json.loads(ended.out)["was_complete"]


def test_special_tokens_of_the_text_are_told(command: Command, saved: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the<|end|>the")
    arguments = ("encode", tmp_path / "a.txt", "--tokenizer", saved, "--no-report", "--out")
    assert "special tokens  1 in the text, read as ordinary text" in command(*arguments, tmp_path / "plain").out
    assert "1 in the text, one token each" in command(*arguments, tmp_path / "parse", "--special", "parse").out


@pytest.mark.parametrize(
    ("dtype", "size", "words"),
    [
        ("uint16", 65_536, "uint16, 2 bytes: all ids of a vocabulary of 65,536 are below 65,536"),
        ("uint32", 65_537, "uint32, 4 bytes: uint16 has room for 65,536 ids, the vocabulary has 65,537"),
        ("uint32", 300, "uint32, 4 bytes, as asked for: uint16 would hold a vocabulary of 300 too"),
    ],
)
def test_the_type_of_ids_has_a_reason(dtype: str, size: int, words: str) -> None:
    assert _why_dtype(dtype, size) == words


def test_an_unknown_end_token_is_an_error(command: Command, saved: Path, corpus: Path, tmp_path: Path) -> None:
    ended = command("encode", corpus, "--tokenizer", saved, "--out", tmp_path / "out", "--end-of-document", "<|no|>")
    assert (ended.status, ended.out) == (1, "")
    assert "'<|no|>'" in ended.err
    assert not (tmp_path / "out").exists()


def test_inspect_knows_shards(command: Command, shards: Path) -> None:
    facts = json.loads(command("inspect", shards, "--json").out)
    assert (facts["kind"], facts["n_docs"], facts["end_of_document"]) == ("shards", 3, "<|end|>")
    assert [source["name"] for source in facts["sources"]] == ["0.txt", "1.txt", "2.txt"]
    assert "3 tokens  tokens-00000.npy" in command("inspect", shards).out


def test_verify_tells_whole_from_altered(command: Command, shards: Path, saved: Path) -> None:
    whole = command("verify", shards, saved, "--quiet")
    assert (whole.status, whole.err) == (0, "")
    assert f"{shards}  whole (shards): " in " ".join(whole.out.split(" "))
    path = shards / "tokens-00000.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")
    broken = command("verify", shards, saved, "--json", "--quiet")
    assert broken.status == 1
    assert [row["is_whole"] for row in json.loads(broken.out)] == [False, True]
    assert "'tokens-00000.npy'" in broken.err


def test_verify_passes_over_what_has_no_checksums(command: Command, saved: Path, shared: Path) -> None:
    done = command("verify", shared / "vocabs" / "gpt2.tiktoken", saved, "--quiet")
    assert (done.status, done.err) == (0, "")
    assert "  passed over: can be read, but has no checksums to compare; fingerprint" in done.out
    assert "whole (tokenizer)" in done.out
    rows = json.loads(command("verify", shared / "vocabs" / "gpt2.tiktoken", "--json", "--quiet").out)
    assert (rows[0]["is_whole"], rows[0]["kind"]) == (None, "tokenizer")


def test_decode_gives_the_bytes_back(shards: Path, corpus: Path, tmp_path: Path, command: Command) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tokenloom", "decode", str(shards), "--quiet"], capture_output=True, check=True
    )
    assert done.stdout == b"".join(DOCUMENTS)
    ended = command("decode", shards, "--out", tmp_path / "restored")
    assert ended.out == f"3 files in {str(tmp_path / 'restored')!r}.\n"
    for path in corpus.iterdir():
        assert (tmp_path / "restored" / path.name).read_bytes() == path.read_bytes()


def test_decode_prints_the_text_of_ids(saved: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tokenloom", "decode", "--tokenizer", str(saved), "--ids", "[104, 105,255]\n"],
        capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout == b"hi\xff"


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), 2, "Give either a shard folder"),
        (("x", "--ids", "1"), 2, "Give either a shard folder"),
        (("--ids", "1"), 2, "Give either a shard folder"),
        (("nowhere",), 1, "'nowhere': there is no such folder"),
    ],
)
def test_decode_says_what_it_needs(arguments: tuple[str, ...], status: int, words: str, command: Command) -> None:
    ended = command("decode", *arguments)
    assert (ended.status, ended.out) == (status, "")
    assert words in ended.err


def test_ids_that_are_no_numbers_are_refused(command: Command, saved: Path) -> None:
    ended = command("decode", "--tokenizer", saved, "--ids", "1 x")
    assert (ended.status, ended.err) == (
        1,
        "error: ids: 'x' is no whole number. Write ids with blanks or commas between them.\n",
    )
