"""`tokenloom oov` and `tokenloom round-trip`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tokenloom import byte_tokenizer, train_words

pytestmark = pytest.mark.filterwarnings("ignore:.*saved without")


@pytest.fixture
def texts(tmp_path: Path) -> tuple[Path, Path]:
    train, test = tmp_path / "train.txt", tmp_path / "test.txt"
    train.write_text("the cat sat on the mat\n" * 3)
    test.write_text("the dog sat on the log\n")
    return train, test


def test_table_has_a_row_for_each_size(command: Command, texts: tuple[Path, Path]) -> None:
    ended = command("oov", texts[0], "--held-out", texts[1], "--sizes", "2,4", "--unit", "words", "--quiet")
    assert ended.out.splitlines() == [
        "words: 7 distinct, 0 of them once",
        "vocabulary size  unknown tokens  unknown types  unknown characters",
        "              2          58.33%         85.71%              78.26%",
        "              4          33.33%         57.14%              47.83%",
        "              8          16.67%         28.57%              26.09%  all",
    ]


def test_json_has_the_numbers(command: Command, texts: tuple[Path, Path]) -> None:
    ended = command("oov", texts[0], "--held-out", texts[1], "--json", "--quiet")
    words, characters = json.loads(ended.out)
    assert (words["unit"], characters["unit"]) == ("words", "characters")
    assert words["rows"][-1]["n_unknown"] == 2
    assert characters["rows"][-1]["n_unknown_types"] == len(
        set("the dog sat on the log\n") - set("the cat sat on the mat\n")
    )


def test_report_is_one_page(command: Command, texts: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "oov.html"
    command("oov", texts[0], "--held-out", texts[1], "--sizes", "2,4", "--report", page, "--quiet")
    assert "Unknown characters</h2>" in page.read_text()
    assert "58.33%" in page.read_text()


@pytest.mark.parametrize(("sizes", "status"), [("2,x", 2), ("", 2), ("0", 1), ("1_0", 2), ("-5", 2)])
def test_sizes_that_are_none_are_refused(command: Command, texts: tuple[Path, Path], sizes: str, status: int) -> None:
    ended = command("oov", texts[0], "--held-out", texts[1], "--sizes", sizes, "--quiet")
    assert ended.status == status
    assert repr(sizes) in ended.err or "size 0" in ended.err


def test_size_above_all_is_told(command: Command, texts: tuple[Path, Path]) -> None:
    ended = command("oov", texts[0], "--held-out", texts[1], "--sizes", "99", "--unit", "words", "--quiet")
    assert ended.err == "words: 1 size above all that the text has.\n"


def test_lossy_tokenizer_is_named_with_what_is_lost(command: Command, texts: tuple[Path, Path], tmp_path: Path) -> None:
    train_words([texts[0].read_text()]).save(tmp_path / "words")
    ended = command("round-trip", texts[1], "--tokenizer", tmp_path / "words")
    assert ended.status == 1
    assert "lossy    1 of 1 document came back changed\n" in ended.out
    assert "lost     'dog' (1 time), 'log' (1 time)\n" in ended.out
    assert "document 0, character 4: 'dog sat on the log\\n' came back as '<unk> sat on the <un'" in ended.out
    facts = json.loads(command("round-trip", texts[1], "--tokenizer", tmp_path / "words", "--json").out)
    assert (facts["is_lossless"], facts["n_unknown"]) == (False, 2)


def test_lossless_tokenizer_is_named(command: Command, texts: tuple[Path, Path], tmp_path: Path) -> None:
    byte_tokenizer().save(tmp_path / "bytes")
    ended = command("round-trip", texts[0], texts[1], "--tokenizer", tmp_path / "bytes")
    assert (ended.status, ended.out) == (0, "lossless  all of 2 documents, 92 tokens, came back as they were\n")
