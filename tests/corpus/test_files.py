import os
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from tokenloom.corpus import list_files, list_sources, pieces, read_blocks
from tokenloom.errors import CorpusError, TokenloomWarning


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_text("22")
    (tmp_path / "one.txt").write_text("1")
    return tmp_path


def test_folder_stands_for_its_files_in_order_without_hidden_ones(folder: Path) -> None:
    (folder / ".hidden").write_text("no")
    files = list_files(folder)
    assert [str(file.relative_to(folder)) for file in files] == ["one.txt", os.path.join("b", "two.txt")]


def test_order_of_files_is_that_of_their_names_and_not_of_the_disk(tmp_path: Path) -> None:
    for number in Random(0).sample(range(10, 60), 50):
        (tmp_path / f"folder{number}").mkdir()
        for name in ("b", "c", "a") if number % 2 else ("c", "a", "b"):
            (tmp_path / f"folder{number}" / name).touch()
    files = list_files(tmp_path)
    assert len(files) == 150
    assert files == sorted(files)


def test_disk_that_fails_while_reading_is_named_with_the_byte(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() == 6:
                raise OSError(5, "Input/output error")
            return super().read(size)

    monkeypatch.setattr(pieces, "open_input", lambda path, storage_options: Failing(b"123456"))
    with pytest.raises(
        CorpusError, match=r"one\.txt': cannot be read at byte 6 \(Input/output error\)\. Check the disk"
    ):
        list(read_blocks(folder / "one.txt", block_bytes=3))


def test_file_stands_for_itself(folder: Path) -> None:
    assert list_files(folder / "one.txt") == [folder / "one.txt"]


def test_missing_path_is_named(folder: Path) -> None:
    with pytest.raises(CorpusError, match=r"none\.txt': there is no such file in folder .* Check the path"):
        list_files(folder / "none.txt")


@pytest.mark.parametrize("path", ["a\0b", "a" * 5000])
def test_path_that_no_system_takes_is_refused_in_short(path: str) -> None:
    with pytest.raises(CorpusError, match=r"cannot be read .* Check the path") as caught:
        list_files(path)
    assert len(str(caught.value)) < 500


def test_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"is a folder without files\. Name a text file"):
        list_files(tmp_path)


def test_a_link_to_nothing_in_a_folder_is_left_out_with_a_warning(folder: Path) -> None:
    files = list_files(folder)
    (folder / "link.txt").symlink_to("gone.txt")
    with pytest.warns(TokenloomWarning, match=r"link\.txt': is a link to 'gone\.txt', which .* is left out"):
        assert list_files(folder) == files


def test_a_link_to_nothing_that_is_named_itself_is_refused(folder: Path) -> None:
    (folder / "link.txt").symlink_to("gone.txt")
    with pytest.raises(CorpusError, match=r"link\.txt': is a link to 'gone\.txt', which does not exist. Check"):
        list_files(folder / "link.txt")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipe_in_a_folder_is_refused_instead_of_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(CorpusError, match=r"pipe': is a pipe, a socket or a device.*Name a file"):
        list_sources([folder])


def test_folder_that_cannot_be_read_is_not_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read every folder, so the refusal of the system is made here."""
    scandir = os.scandir

    def refused(path: str) -> "os._ScandirIterator[str]":
        if os.path.basename(path) == "b":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(CorpusError, match=r"b': this folder cannot be read \(Permission denied\)\. Change"):
        list_files(folder)
