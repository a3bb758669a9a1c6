"""`--normalizer` of `tokenloom train` and `tokenloom count-pretokens`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tokenloom import Tokenizer, train
from tokenloom.trainers import load_counts

TEXTS = ["the ﬁrst ﬁle, e\u0301\n" * 30, "plain text\n" * 10]

pytestmark = pytest.mark.filterwarnings("ignore:.*saved without tokenizer.tiktoken")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for place, text in enumerate(TEXTS):
        (folder / f"{place}.txt").write_text(text)
    return folder


def test_training_says_what_is_lost(command: Command, corpus: Path, tmp_path: Path) -> None:
    ended = command("train", corpus, "--vocab-size", "270", "--normalizer", "nfkc", "--out", tmp_path / "out")
    assert "normalizer       nfkc: changed 120 characters in 1 document, which decoding does not give back" in ended.out
    assert r"changed most     '\ufb01' to 'fi' (60 times), 'e\u0301' to '\xe9' (30 times)" in ended.out
    page = (tmp_path / "out" / "report.html").read_text()
    assert ">Normalizer</h2>" in page
    assert "LATIN SMALL LIGATURE FI" in page


def test_tokenizer_is_that_of_the_library(command: Command, corpus: Path, tmp_path: Path) -> None:
    command("train", corpus, "--vocab-size", "270", "--normalizer", "nfkc", "--out", tmp_path / "out", "--quiet")
    tokenizer = Tokenizer.load(tmp_path / "out")
    expected = train(TEXTS, 270, normalizer="nfkc")
    assert tokenizer.spec.fingerprint == expected.spec.fingerprint
    assert tokenizer.decode(tokenizer.encode("ﬁle")) == "file"


def test_json_has_what_changed(command: Command, corpus: Path, tmp_path: Path) -> None:
    ended = command(
        "train", corpus, "--vocab-size", "270", "--normalizer", "nfc", "--out", tmp_path / "out", "--json", "--quiet"
    )
    facts = json.loads(ended.out)["normalizer"]
    assert facts["steps"] == [{"type": "nfc", "unicode": "16.0"}]
    assert (facts["n_changed_docs"], facts["n_changed_chars"]) == (1, 60)
    assert facts["most_changed"] == [
        {"character": "\u0301", "n_stretches": 30, "example": "e\u0301", "became": "é"},
    ]


def test_no_normalizer_says_nothing(command: Command, corpus: Path, tmp_path: Path) -> None:
    ended = command(
        "train", corpus, "--vocab-size", "270", "--normalizer", "none", "--out", tmp_path / "out", "--json", "--quiet"
    )
    assert json.loads(ended.out)["normalizer"] is None
    assert Tokenizer.load(tmp_path / "out").spec.normalizer is None


def test_counts_keep_their_normalizer(command: Command, corpus: Path, tmp_path: Path) -> None:
    counts, out = tmp_path / "counts", tmp_path / "out"
    ended = command("count-pretokens", corpus, "--normalizer", "nfkc", "--out", counts, "--quiet")
    assert "nfkc: changed 120 characters in 1 document, which" in ended.out
    assert (b" first", 30) in load_counts(counts / "pretokens.counts").items()
    ended = command("train", "--counts", counts, "--vocab-size", "270", "--out", out, "--quiet")
    assert ended.status == 0
    assert Tokenizer.load(out).spec.fingerprint == train(TEXTS, 270, normalizer="nfkc").spec.fingerprint
    assert "nfkc: changed 120 characters" in ended.out
    assert command("verify", out, "--counts", counts).status == 0


def test_other_normalizer_than_that_of_the_counts_is_refused(command: Command, corpus: Path, tmp_path: Path) -> None:
    command("count-pretokens", corpus, "--out", tmp_path / "counts", "--quiet")
    ended = command(
        "train",
        "--counts",
        tmp_path / "counts",
        "--vocab-size",
        "270",
        "--normalizer",
        "nfc",
        "--out",
        tmp_path / "out",
    )
    assert ended.status == 1
    assert "normalizer 'nfc'" in ended.err
    assert "was counted with 'none'" in ended.err


def test_word_counts_take_no_normalizer(command: Command, tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("ﬁle\t3\n")
    ended = command(
        "train", "--word-counts", tmp_path / "words.tsv", "--vocab-size", "260", "--normalizer", "nfkc",
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert ended.status == 1
    assert "normalizer: words that were counted elsewhere are taken as they stand" in ended.err
