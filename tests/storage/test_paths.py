import io
import os
import tracemalloc
from pathlib import Path
from typing import Never

import pytest

from tokenloom.errors import CorpusError
from tokenloom.storage import has_entry, open_input, paths, read_input


def test_file_is_opened_for_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"k\r\nv")
    with open_input(tmp_path / "a") as file:
        assert file.read() == b"k\r\nv"


def test_missing_file_names_its_folder(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"'.*corpus\.txt': there is no such file in folder .*\. Check the path\."):
        open_input(tmp_path / "corpus.txt")


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"there is no folder '.*texts'"):
        open_input(tmp_path / "texts" / "corpus.txt")


def test_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"is a folder\. Name a file inside it\."):
        open_input(tmp_path)


def test_link_to_nowhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("gone.txt")
    with pytest.raises(CorpusError, match=r"is a link to 'gone\.txt', which does not exist"):
        open_input(tmp_path / "link")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read every file")
def test_unreadable_file_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "a").touch(mode=0o000)
    with pytest.raises(CorpusError, match=r"may not be read by this user\. Change its permissions"):
        open_input(tmp_path / "a")


def test_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(CorpusError, match=r"cannot be read \(.*\)"):
        open_input(tmp_path / "loop")


def test_name_with_a_nul_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"'a\\x00b': cannot be read"):
        open_input("a\0b")


def test_a_file_above_the_limit_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_input(tmp_path / "a") == b"12345"
    monkeypatch.setattr(paths, "MOST_BYTES", 4)
    with pytest.raises(CorpusError, match=r"a': has 5 B, and is read as a whole up to 4 B\. Name"):
        read_input(tmp_path / "a")


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    tracemalloc.start()
    try:
        read_input(tmp_path / "a")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize("fault", [OSError(5, "Input/output error"), MemoryError()])
def test_a_fault_while_reading_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    (tmp_path / "a").touch()

    class Broken(io.BytesIO):
        def fileno(self) -> int:
            raise fault

    monkeypatch.setattr(paths, "open_input", lambda path: Broken())
    with pytest.raises(CorpusError, match=r"a': cannot be read \((Input/output error|there is not enough memory)\)"):
        read_input(tmp_path / "a")


def test_a_folder_that_may_not_be_looked_into_is_no_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(path: str) -> Never:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "stat", deny)
    with pytest.raises(CorpusError, match=r"'x': cannot be looked through for 'a' \(Permission denied\)\. Change"):
        has_entry("x", "a")


def test_an_entry_is_anything_but_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "b").mkdir()
    assert [has_entry(tmp_path, name) for name in ("a", "b", "c")] == [True, False, False]
    assert not has_entry(tmp_path / "a", "a")
