"""`tokenloom train` with another beginning than bytes."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tokenloom import Tokenizer

TEXT = "the cat in the hat sat on the mat\n" * 50


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.tsv"
    path.write_text("cat\t90\ncatch\t50\nrat\t80\nrattle\t40\n")
    return path


saved_without_others = pytest.mark.filterwarnings("ignore:.*saved without:tokenloom.errors.FormatWarning")


@saved_without_others
@pytest.mark.parametrize(
    ("end", "merges"), [("symbol", [(b"a", b"t"), (b"at", b"</w>")]), ("glued", [(b"a", b"t</w>"), (b"c", b"at</w>")])]
)
def test_a_word_list_learns_where_words_end(
    command: Command, words: Path, end: str, merges: list[tuple[bytes, bytes]], tmp_path: Path
) -> None:
    out, size = tmp_path / "out", {"symbol": "11", "glued": "17"}[end]
    ended = command(
        "train", "--word-counts", words, "--unit", "character", "--unk-token", "<unk>", "--end-of-word-suffix", "</w>",
        "--end-of-word", end, "--vocab-size", size, "--out", out, "--quiet",
    )  # fmt: skip
    tokenizer = Tokenizer.load(out)
    assert ended.status == 0
    assert tokenizer.merges == merges
    assert tokenizer.decode(tokenizer.encode("rat  cat\n")) == "rat cat"
    assert f"{size}: 2 merges, {int(size) - 2} other tokens" in ended.out


@saved_without_others
def test_a_corpus_takes_the_commonest_characters(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT + "ñ")
    out = tmp_path / "out"
    ended = command(
        "train", tmp_path / "a.txt", "--unit", "character", "--character-coverage", "0.999", "--byte-fallback",
        "--vocab-size", "280", "--out", out, "--json", "--quiet",
    )  # fmt: skip
    tokenizer = Tokenizer.load(out)
    assert json.loads(ended.out)["unit"] == "character"
    assert b"\xc3\xb1" not in tokenizer.vocabulary.values()
    assert tokenizer.decode(tokenizer.encode(TEXT + "ñ")) == TEXT + "ñ"
    assert tokenizer.provenance["options"]["characters"] == {
        "coverage": 0.999, "byte_fallback": True, "unk_token": None
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--byte-fallback"], "--byte-fallback is for characters"),
        (["--unk-token", "?"], "--unk-token is for characters"),
        (["--end-of-word-suffix", "</w>"], "--end-of-word-suffix is for characters"),
        (["--end-of-word", "glued"], "--end-of-word is for characters"),
        (["--character-coverage", "0.9"], "--character-coverage is for characters"),
        (["--unit", "character", "--alphabet", "gpt2"], "--alphabet plays no part with --unit character"),
        (["--unit", "character", "--init", "old"], "--init plays no part with --unit character"),
        (["--unit", "character", "--character-coverage", "2"], "character coverage 2.0: is no share of the text"),
        (
            ["--unit", "character", "--vocab-size", "12", "--reserve-special", "5"],
            "9 characters of the text, 0 other tokens and 5 reserved tokens leave no room. Ask for at least 14",
        ),
        (["--unit", "character", "--vocab-size", "3"], "9 characters of the text and 0 other tokens leave no room"),
    ],
)
def test_what_does_not_go_together_is_refused(
    command: Command, options: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("the cat sat in")
    ended = command("train", tmp_path / "a.txt", "--vocab-size", "300", *options, "--out", tmp_path / "out")
    assert ended.status != 0
    assert message in ended.err
