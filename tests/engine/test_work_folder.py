import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.test_local import squares
from tokenloom.engine import claimed_work, finished_work, remove_work, run_tasks
from tokenloom.errors import StorageError

RUN = {"pattern": "gpt2", "sources": [{"name": "a.txt", "changed": 1}]}


def begin(out: Path) -> None:
    with claimed_work(out, RUN) as folder:
        run_tasks(squares(3), folder=folder)
        (folder / ".tokenloom-0123456789abcdef.tmp").write_bytes(b"half")


def names(out: Path) -> set[str]:
    return {path.name for path in (out / ".work").iterdir()}


def test_equal_run_finds_what_was_finished(tmp_path: Path) -> None:
    begin(tmp_path)
    with claimed_work(tmp_path, RUN):
        assert names(tmp_path) == {"run.json", "marks", "3.txt", "square-3.done.json"}


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"pattern": "o200k"}, "it was begun with pattern 'gpt2', and is now asked for 'o200k'"),
        ({"sources": [{"name": "a.txt", "changed": 2}]}, r"another corpus \('a.txt' is new, gone or changed\)"),
    ],
)
def test_another_run_is_refused_and_told_what_differs(tmp_path: Path, changed: dict[str, object], what: str) -> None:
    begin(tmp_path)
    with pytest.raises(StorageError, match=what), claimed_work(tmp_path, RUN | changed):
        pass
    assert "3.txt" in names(tmp_path)


def test_another_run_begins_anew_where_nothing_was_finished(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / ".work" / "square-3.done.json").unlink()
    with claimed_work(tmp_path, RUN | {"pattern": "o200k"}):
        assert names(tmp_path) == {"run.json"}


def test_unknown_files_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / ".work").mkdir()
    (tmp_path / ".work" / "mine.txt").write_text("mine")
    with pytest.raises(StorageError, match="it holds work of a run that is not known"), claimed_work(tmp_path, RUN):
        pass
    assert names(tmp_path) == {"mine.txt"}


def test_one_run_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with (
        claimed_work(tmp_path, RUN),
        pytest.raises(StorageError, match="another run is writing there"),
        claimed_work(tmp_path, RUN),
    ):
        pass


def test_removed_folder_is_gone_and_may_be_missing(tmp_path: Path) -> None:
    begin(tmp_path)
    remove_work(tmp_path)
    remove_work(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("n_removed", range(5))
def test_folder_that_was_removed_in_part_is_begun_anew_or_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_removed: int
) -> None:
    begin(tmp_path)
    unlink, left = Path.unlink, iter(range(n_removed))

    def unlink_some(path: Path, missing_ok: bool = False) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink_some)
    with pytest.raises(KeyboardInterrupt):
        remove_work(tmp_path)
    monkeypatch.undo()
    with claimed_work(tmp_path, RUN | ({} if n_removed == 0 else {"pattern": "none"})) as folder:
        run_tasks(squares(3), folder=folder)


def test_free_values_may_change_until_there_is_a_journal(tmp_path: Path) -> None:
    begin(tmp_path)
    for pattern in ("o200k", "qwen2"):
        with claimed_work(tmp_path, RUN | {"pattern": pattern}, free={"pattern"}):
            assert "3.txt" in names(tmp_path)
    (tmp_path / ".work" / "merges.journal").write_bytes(b"")
    with (
        pytest.raises(StorageError, match="begun with pattern 'qwen2'"),
        claimed_work(tmp_path, RUN, free={"pattern"}),
    ):
        pass


def test_free_values_do_not_hide_another_difference(tmp_path: Path) -> None:
    begin(tmp_path)
    changed = RUN | {"pattern": "o200k", "sources": []}
    with pytest.raises(StorageError, match="another corpus"), claimed_work(tmp_path, changed, free={"pattern"}):
        pass
    assert "3.txt" in names(tmp_path)


def test_work_that_cannot_be_read_is_named_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(tmp_path)

    def refuse(folder: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(StorageError, match=r"\.work': cannot be used as an output folder \(Permission denied\)"):
        finished_work(tmp_path, RUN)


def test_work_that_is_removed_while_it_is_looked_at_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(tmp_path)
    listed = Path.iterdir

    def vanish(folder: Path) -> Iterator[Path]:
        shutil.rmtree(folder)
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", vanish)
    assert finished_work(tmp_path, RUN) is None


def test_work_of_a_folder_that_is_missing_or_a_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert [finished_work(tmp_path / name, RUN) for name in ("missing", "file")] == [None, None]
