from collections.abc import Iterator
from pathlib import Path

import pytest

from tokenloom.errors import CorpusError, StorageError, TokenloomError, TokenloomWarning, TrainingWarning
from tokenloom.jobs import demo as job
from tokenloom.jobs.demo import demo
from tokenloom.tokenizer import Tokenizer


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    for number in range(5):
        (tmp_path / "corpus" / f"{number}.txt").write_text(f"the cat in hat number {number} " * 20)
    return tmp_path / "corpus"


def test_every_stage_reports_up_to_the_total_and_not_beyond(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "_BATCH_BYTES", 1000)
    calls: list[tuple[str, int, int | None]] = []
    done = demo(corpus, out=tmp_path / "out", vocab_size=270, progress=lambda *call: calls.append(call))
    assert {stage for stage, _, _ in calls} == {"count", "merge", "encode", "decode"}
    for name in ("count", "encode", "decode"):
        amounts = [amount for stage, amount, total in calls if stage == name and total == done.n_bytes]
        assert amounts == sorted(amounts)
        assert amounts[-1] == done.n_bytes


def test_file_that_changes_between_encoding_and_decoding_is_named(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tokenizer, "decode_bytes", lambda self, ids: b"something else")
    with pytest.raises(TokenloomError, match=r"0\.txt': did not come back byte for byte\. Please report"):
        demo(corpus, out=tmp_path / "out", vocab_size=270)
    assert list((tmp_path / "out").iterdir()) == []


def test_encoding_reports_bytes_of_earlier_batches_too() -> None:
    calls: list[tuple[str, int, int | None]] = []
    job._report_encoded(lambda *call: calls.append(call), 100, 7)
    assert calls == [("encode", 107, None)]


def test_files_that_grow_under_way_do_not_pass_the_total() -> None:
    calls: list[tuple[str, int, int | None]] = []
    report = job._with_total(lambda *call: calls.append(call), 10)
    report("encode", 12, None)
    report("merge", 3, 4)
    assert calls == [("encode", 10, 10), ("merge", 3, 4)]


def test_a_link_to_nothing_is_left_out_with_a_warning(corpus: Path, tmp_path: Path) -> None:
    (corpus / "x.txt").symlink_to("gone.txt")
    with pytest.warns(TokenloomWarning, match=r"x\.txt': is a link to 'gone\.txt', which .* is left out"):
        done = demo(corpus, out=tmp_path / "out", vocab_size=270)
    assert done.n_files == 5


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


def test_special_tokens_are_tokens_as_in_the_training(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("one two<|endoftext|>" * 200)
    with pytest.warns(TrainingWarning):
        assert demo(tmp_path / "text.txt", out=tmp_path / "out").n_tokens == 3 * 200


def test_a_long_file_goes_through_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "_PART_BYTES", 1000)
    (tmp_path / "text.txt").write_bytes(b"the cat in the hat\r\n" * 500 + b"x" * 5000)
    done = demo(tmp_path / "text.txt", out=tmp_path / "out", vocab_size=265)
    assert done.n_bytes == (tmp_path / "text.txt").stat().st_size
    parts = [text for _, texts in job._batches([tmp_path / "text.txt"]) for text in texts]
    assert max(map(len, parts)) < 2000
    assert parts[0].endswith(b"\r\n")
    assert b"".join(parts) == (tmp_path / "text.txt").read_bytes()


def test_batches_hold_all_documents_in_order(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted(corpus.iterdir())
    n_bytes = files[0].stat().st_size
    monkeypatch.setattr(job, "_BATCH_BYTES", 2 * n_bytes)
    batches = list(job._batches(files))
    assert [len(names) for names, _ in batches] == [2, 2, 1]
    assert [name for names, _ in batches for name in names] == files


def test_many_empty_files_are_batched_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hostile size: summing all lengths anew for each file would take hours."""
    monkeypatch.setattr(job, "read_parts", lambda path, part_bytes: [b""])
    n_files = 200_000
    batches: Iterator[tuple[list[Path], list[bytes]]] = job._batches([Path("empty.txt")] * n_files)
    assert [len(names) for names, _ in batches] == [n_files]
