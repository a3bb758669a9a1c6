"""What a folder may look like when a run begins, and what is done with it."""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tokenloom import StorageError
from tokenloom.shards import SourceRow, writer
from tokenloom.shards.journal import Checkpoint, Journal, claimed, remove_run
from tokenloom.shards.writer import EncodedBatch, write_shards

RUN = {"dtype": "uint16", "sources": [{"name": "a.txt", "changed": 1}, {"name": "b.txt", "changed": 1}]}

SOURCES = [SourceRow(name, "text", "none", 9, 9, 2, 0) for name in ("a.txt", "b.txt")]


def batch(n_before: int) -> EncodedBatch:
    """Four ids, in two documents."""
    checkpoint = Checkpoint(n_before, n_before // 2, SOURCES, n_before // 4, dict)
    return EncodedBatch(np.arange(4, dtype=np.uint16), np.array([0, 2]), checkpoint)


def begin(folder: Path) -> None:
    """A run that is stopped when it has written two shards."""
    with claimed(folder, RUN) as journal:
        write_shards(journal, map(batch, (0, 4)), dtype="uint16", shard_tokens=4)


def state(folder: Path) -> Journal:
    with claimed(folder, RUN) as journal:
        return journal


def test_finished_shards_and_the_place_behind_them_are_known_again(tmp_path: Path) -> None:
    begin(tmp_path)
    journal = state(tmp_path)
    assert list(journal.shards) == ["tokens-00000.npy", "tokens-00001.npy"]
    assert journal.checkpoint is not None
    assert (journal.checkpoint.n_tokens, journal.checkpoint.n_docs) == (4, 2)
    assert journal.checkpoint.sources == SOURCES[:1]


@pytest.mark.parametrize("n_lost", [1, 2, 50])
def test_line_that_was_not_finished_is_cut_off_and_its_shard_made_again(tmp_path: Path, n_lost: int) -> None:
    begin(tmp_path)
    path = tmp_path / ".progress.jsonl"
    whole = path.read_bytes()
    os.truncate(path, len(whole) - n_lost)
    assert list(state(tmp_path).shards) == ["tokens-00000.npy"]
    assert path.read_bytes() == whole.splitlines(keepends=True)[0]
    assert not (tmp_path / "tokens-00001.npy").exists()


def test_each_file_is_written_down_once(tmp_path: Path) -> None:
    begin(tmp_path)
    lines = map(json.loads, (tmp_path / ".progress.jsonl").read_bytes().splitlines())
    assert [[source["name"] for source in line["sources"]] for line in lines] == [[], ["a.txt"]]


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: os.truncate(path, 9)], ids=["gone", "cut"])
@pytest.mark.parametrize("name", ["tokens-00000.npy", ".documents.part"])
def test_run_whose_files_were_lost_is_not_gone_on_with(tmp_path: Path, name: str, damage: object) -> None:
    begin(tmp_path)
    damage(tmp_path / name)  # type: ignore[operator]
    with pytest.raises(StorageError, match=rf"{name}': it was left with .*Empty the folder and begin again"):
        state(tmp_path)


def test_shard_that_the_run_does_not_know_is_removed(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / "tokens-00007.npy").write_bytes(b"killed before it was written down")
    state(tmp_path)
    assert not (tmp_path / "tokens-00007.npy").exists()


def test_run_that_was_killed_before_it_cleaned_up_is_cleaned_up(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / "manifest.json").write_bytes(b'{"kind":"shards"}')
    assert state(tmp_path).is_complete
    assert not list(tmp_path.glob(".progress.jsonl")) + list(tmp_path.glob(".documents.part"))


def test_another_run_is_told_which_file_differs_or_that_the_order_does(tmp_path: Path) -> None:
    begin(tmp_path)
    first, second = RUN["sources"]
    for sources, what in [
        ([first, {"name": "b.txt", "changed": 2}], "'b.txt' is new, gone or changed"),
        ([first], "'b.txt' is new, gone or changed"),
        ([second, first], "its files have another order"),
    ]:
        with pytest.raises(StorageError, match=what), claimed(tmp_path, RUN | {"sources": sources}):
            pass


def test_folder_is_looked_at_when_no_other_run_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another run finished while this one waited is not written over."""
    fcntl = pytest.importorskip("fcntl")

    def finished_meanwhile(descriptor: int, how: int) -> None:
        (tmp_path / "manifest.json").write_bytes(b'{"kind":"shards"}')

    begin(tmp_path)
    monkeypatch.setattr(fcntl, "flock", finished_meanwhile)
    with pytest.raises(StorageError, match="it was begun with dtype"), claimed(tmp_path, RUN | {"dtype": "uint32"}):
        pass
    assert state(tmp_path).is_complete


def test_file_system_without_locks_is_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def missing(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", missing)
    begin(tmp_path)
    assert len(state(tmp_path).shards) == 2


@pytest.mark.parametrize("n_removed", range(5))
def test_folder_that_was_removed_in_part_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_removed: int
) -> None:
    begin(tmp_path)
    unlink, left = Path.unlink, iter(range(n_removed))

    def unlink_some(path: Path) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        unlink(path)

    monkeypatch.setattr(Path, "unlink", unlink_some)
    with pytest.raises(KeyboardInterrupt):
        remove_run(tmp_path)
    monkeypatch.undo()
    journal = state(tmp_path)
    assert bool(journal.shards) == (n_removed == 0)
    begin(tmp_path)


def test_full_disk_while_documents_are_listed_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, _data: bytes) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def documents(_journal: Journal) -> Iterator[Full]:
        yield Full()

    monkeypatch.setattr(writer, "_documents_part", contextmanager(documents))
    with pytest.raises(StorageError, match=r"\.documents\.part': cannot be written \(No space.*it goes on"):
        begin(tmp_path)
