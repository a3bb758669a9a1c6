import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from tokenloom.errors import StorageError
from tokenloom.storage.atomic import atomic_write, is_temporary, replace_files, set_aside


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_file_appears_whole_at_the_end(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a") as file:
        file.write(b"new")
        (unfinished,) = names(tmp_path)
        assert is_temporary(unfinished)
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.parametrize("interruption", [ValueError, KeyboardInterrupt, SystemExit])
def test_interrupted_write_keeps_the_old_file_and_leaves_nothing(
    tmp_path: Path, interruption: type[BaseException]
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with suppress(interruption), atomic_write(tmp_path / "a") as file:
        file.write(b"half")
        raise interruption
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_missing_folder_is_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="Check that its folder exists"), atomic_write(tmp_path / "no" / "a"):
        pass


def test_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(StorageError, match="cannot be written"), atomic_write(tmp_path / "a"):
        pass
    assert names(tmp_path) == ["a"]


def test_full_disk_in_the_block_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No space left"), atomic_write(tmp_path / "a"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert names(tmp_path) == []


def test_full_disk_at_the_end_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        replace_files({tmp_path / "a": b"new", tmp_path / "b": b"new"})
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_bytes_that_no_disk_takes_are_not_tried_again_when_the_file_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk, where a small file is still in the buffer when it is brought to the disk."""
    opened = open
    monkeypatch.setattr("builtins.open", lambda *_: opened(os.open("/dev/full", os.O_WRONLY), "wb"))
    with pytest.raises(StorageError, match=r"a'.*No space left"), atomic_write(tmp_path / "a") as file:
        file.write(b"small")


def test_other_errors_of_the_block_pass_unchanged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "a"):
        (tmp_path / "missing").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="permission bits are those of POSIX")
def test_new_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    with atomic_write(tmp_path / "atomic"):
        pass
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "atomic")}
    assert len(modes) == 1


def test_replaced_files_are_all_new(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    replace_files({tmp_path / "a": b"new", tmp_path / "z": b"last"})
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == {"a": b"new", "z": b"last"}


@pytest.mark.skipif(os.name != "posix", reason="only POSIX can bring a folder to the disk")
def test_each_step_is_on_the_disk_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    def synced(descriptor: int) -> None:
        steps.append("sync folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "sync file")

    def replaced(source: str, target: str) -> None:
        steps.append(f"replace {Path(target).name}")
        os.rename(source, target)

    (tmp_path / "z").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    replace_files({tmp_path / "a": b"new", tmp_path / "z": b"last"})
    assert steps == ["sync file", "sync file", "replace a", "replace z", "sync folder"]


def test_files_of_several_folders_are_replaced_together(tmp_path: Path) -> None:
    paths = [tmp_path / "x" / "a", tmp_path / "y" / "b"]
    for path in paths:
        path.parent.mkdir()
    replace_files(dict.fromkeys(paths, b"new"))
    assert [path.read_bytes() for path in paths] == [b"new", b"new"]
    assert names(tmp_path / "x") == ["a"]


def test_folder_in_the_place_of_one_file_keeps_all_old_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").mkdir()
    with pytest.raises(StorageError, match=r"b': cannot be written .*Check that its folder"):
        replace_files({tmp_path / "a": b"new", tmp_path / "b": b"new"})
    assert names(tmp_path) == ["a", "b"]
    assert (tmp_path / "a").read_bytes() == b"old"


@pytest.mark.parametrize("n_good", [0, 1, 2])
@pytest.mark.parametrize("links", [True, False], ids=["links", "copies"])
def test_rename_that_the_system_refuses_puts_the_old_files_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_good: int, links: bool
) -> None:
    """As on Windows, where a file that somebody reads cannot be replaced."""
    (tmp_path / "a").write_bytes(b"old a")
    (tmp_path / "c").write_bytes(b"old c")
    replace, calls = os.replace, iter(range(10))

    def refusing(source: str, target: str) -> None:
        if next(calls) == n_good:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        replace(source, target)

    def no_link(*_: object, **options: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "replace", refusing)
    if not links:
        monkeypatch.setattr(os, "link", no_link)
    with pytest.raises(StorageError, match=rf"{'abc'[n_good]}': cannot be written \(Permission denied\)"):
        replace_files({tmp_path / name: b"new" for name in "abc"})
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == {"a": b"old a", "c": b"old c"}


def test_files_set_aside_are_gone_after_the_block(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    with set_aside([tmp_path / "old", tmp_path / "none"]):
        assert not (tmp_path / "old").exists()
    assert list(tmp_path.iterdir()) == []


def test_files_set_aside_come_back_if_the_block_raises(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), set_aside([tmp_path / "old"]):
        raise KeyboardInterrupt
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old", b"old")]


def test_a_read_only_disk_is_named_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StorageError, match=r"'.*a': cannot be written"), atomic_write(tmp_path / "a"):
        pass
