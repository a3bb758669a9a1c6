from pathlib import Path

import pytest

import tokenloom
from tokenloom import StorageError
from tokenloom.jobs.encode import encode_corpus
from tokenloom.jobs.verify import verify


def test_tokenizer_folder_is_verified_with_its_exports(tmp_path: Path) -> None:
    tokenizer = tokenloom.train(["the cat"], 258)
    tokenizer.save(tmp_path / "tokenizer")
    found = verify(tmp_path / "tokenizer")
    assert (found.kind, found.fingerprint) == ("tokenizer", tokenizer.spec.fingerprint)
    (tmp_path / "tokenizer" / "tokenizer.json").write_text("{}")
    with pytest.raises(StorageError, match=r"'tokenizer\.json' has 2 bytes"):
        verify(tmp_path / "tokenizer")


def test_shard_folder_is_verified_and_reports_all_bytes(tmp_path: Path) -> None:
    tokenizer = tokenloom.train(["the cat"], 258)
    (tmp_path / "a.txt").write_text("the cat")
    encode_corpus([tmp_path / "a.txt"], tokenizer=tokenizer, out=tmp_path / "out")
    calls: list[tuple[str, int, int | None]] = []
    found = verify(tmp_path / "out", progress=lambda *call: calls.append(call))
    assert (found.kind, found.n_files) == ("shards", 3)
    assert calls[-1] == ("verify", found.n_bytes, found.n_bytes)


@pytest.mark.parametrize(("name", "message"), [("none", "there is no such folder"), (".", "has no manifest.json")])
def test_what_is_no_folder_of_ours_is_refused(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(StorageError, match=message):
        verify(tmp_path / name)
