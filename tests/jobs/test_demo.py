from pathlib import Path

import pytest

from tokenloom import train
from tokenloom.errors import CorpusError, StorageError, TokenloomError, TokenloomWarning
from tokenloom.jobs.demo import demo
from tokenloom.jobs.verify import verify
from tokenloom.tokenizer import Tokenizer


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    for number in range(5):
        (tmp_path / "corpus" / f"{number}.txt").write_text(f"the cat in hat number {number} " * 20)
    return tmp_path / "corpus"


def test_tokenizer_shards_and_report_are_left_behind(corpus: Path, tmp_path: Path) -> None:
    done = demo(corpus, out=tmp_path / "out", vocab_size=270)
    assert [verify(tmp_path / "out" / name).kind for name in ("tokenizer", "shards")] == ["tokenizer", "shards"]
    assert done.report.read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert done.encoding.shards.n_docs == len(done.sources) == 5


def test_every_stage_reports_up_to_the_total_and_not_beyond(corpus: Path, tmp_path: Path) -> None:
    calls: list[tuple[str, int, int | None]] = []
    done = demo(corpus, out=tmp_path / "out", vocab_size=270, progress=lambda *call: calls.append(call))
    assert [stage.name for stage in done.stages] == ["count", "merge", "encode", "decode"]
    assert {stage for stage, _, _ in calls} == {"count", "merge", "encode", "decode"}
    for name in ("count", "encode", "decode"):
        amounts = [amount for stage, amount, _ in calls if stage == name]
        assert amounts == sorted(amounts)
        assert amounts[-1] == done.training.n_text_bytes
        assert all(amount <= (total or 0) for stage, amount, total in calls if stage == name)


def test_file_that_does_not_come_back_is_named(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tokenizer, "decode_bytes", lambda self, ids: b"something else")
    with pytest.raises(TokenloomError, match=r"0\.txt', document 1: did not come back byte for byte"):
        demo(corpus, out=tmp_path / "out", vocab_size=270)


def test_second_demonstration_replaces_the_first(corpus: Path, tmp_path: Path) -> None:
    demo(corpus, out=tmp_path / "out", vocab_size=270)
    again = demo(corpus, out=tmp_path / "out", vocab_size=275)
    assert len(again.encoding.shards.tokenizer()) == len(Tokenizer.load(tmp_path / "out" / "tokenizer")) == 275


def test_folder_with_files_of_others_is_refused_and_left_alone(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / "shards").mkdir(parents=True)
    (tmp_path / "out" / ".tokenloom-demo").touch()
    (tmp_path / "out" / "shards" / "thesis.txt").write_text("years of work")
    with pytest.raises(StorageError, match=r"it holds other files \(the first is 'thesis\.txt'\)"):
        demo(corpus, out=tmp_path / "out", vocab_size=270)
    assert (tmp_path / "out" / "shards" / "thesis.txt").read_text() == "years of work"


def test_tokenizer_of_a_user_is_not_replaced(corpus: Path, tmp_path: Path) -> None:
    train(["the cat"], 258).save(tmp_path / "out" / "tokenizer")
    with pytest.raises(StorageError, match="it holds 'tokenizer', which no demonstration has made"):
        demo(corpus, out=tmp_path / "out", vocab_size=270)
    assert len(Tokenizer.load(tmp_path / "out" / "tokenizer")) == 258


def test_tokenizer_folder_is_no_place_for_a_demonstration(corpus: Path, tmp_path: Path) -> None:
    train(["the cat"], 258).save(tmp_path / "out")
    with pytest.raises(StorageError, match=r"it holds 'manifest\.json'"):
        demo(corpus, out=tmp_path / "out", vocab_size=270)


def test_a_link_to_nothing_is_left_out_with_a_warning(corpus: Path, tmp_path: Path) -> None:
    (corpus / "x.txt").symlink_to("gone.txt")
    with pytest.warns(TokenloomWarning, match=r"x\.txt': is a link to 'gone\.txt', which .* is left out"):
        done = demo(corpus, out=tmp_path / "out", vocab_size=270)
    assert len(done.sources) == 5


def test_text_that_holds_nothing_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(CorpusError, match=r"empty\.txt': holds no text to train on"):
        demo(tmp_path / "empty.txt", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_place_that_cannot_be_written_is_refused_before_the_work(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    calls: list[object] = []
    with pytest.raises(StorageError, match="Choose another place"):
        demo(corpus, out=tmp_path / "out", vocab_size=270, progress=lambda *call: calls.append(call))
    assert calls == []
