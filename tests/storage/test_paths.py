import os
from pathlib import Path

import pytest

from tokenloom.errors import CorpusError
from tokenloom.storage import open_input


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
