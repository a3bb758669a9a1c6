import errno
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenloom.errors import CorpusError, FormatError, StorageError
from tokenloom.storage import encode_envelope, open_section, read_header, write_envelope, write_sections

HEADER = {"a": 1}
SMALL = encode_envelope(kind="demo", version=(1, 0), header={}, sections=[("x", b"abcdefgh")])


def write(path: Path, sections: list[tuple[str, list[bytes]]]) -> None:
    with write_sections(path, kind="demo", version=(1, 2)) as writer:
        for name, pieces in sections:
            writer.begin(name)
            for piece in pieces:
                writer.write(piece)
        writer.header = HEADER


def read(path: Path, data: bytes | None, *, name: str = "x", step: int = 9, pieces: list[bytes] | None = None) -> None:
    if data is not None:
        path.write_bytes(data)
    with open_section(path, kind="demo", name=name) as section:
        while pieces is not None and (piece := section.read(step)):
            pieces.append(piece)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.text(), st.lists(st.binary())), unique_by=lambda item: item[0], max_size=3))
def test_file_in_pieces_has_the_bytes_of_one_written_at_once(
    tmp_path_factory: pytest.TempPathFactory, sections: list[tuple[str, list[bytes]]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "f.tloom"
    write(path, sections)
    whole = [(name, b"".join(pieces)) for name, pieces in sections]
    assert path.read_bytes() == encode_envelope(kind="demo", version=(1, 2), header=HEADER, sections=whole)


def test_failed_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "f.tloom"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write(path, [("x", [b"abc", "no bytes"])])  # type: ignore[list-item]
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [("f.tloom", b"old")]


def test_full_disk_is_an_error_of_the_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(StorageError, match=r"f\.tloom': cannot be written \(No space"),
        write_sections(tmp_path / "f.tloom", kind="demo"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("n_bytes", [1, 3, 100])
def test_section_is_read_in_any_steps(tmp_path: Path, n_bytes: int) -> None:
    write_envelope(tmp_path / "f", kind="demo", header=HEADER, sections=[("x", b"abcdefg")])
    with open_section(tmp_path / "f", kind="demo", name="x") as section:
        pieces = list(iter(lambda: section.read(n_bytes), b""))
    assert b"".join(pieces) == b"abcdefg"
    assert (section.n_bytes, section.header) == (7, HEADER)
    assert read_header(tmp_path / "f", kind="demo") == HEADER


def test_section_that_a_later_version_added_is_passed_over(tmp_path: Path) -> None:
    write_envelope(tmp_path / "f", kind="demo", header={}, sections=[("x", b"abc"), ("y", b"new")])
    with open_section(tmp_path / "f", kind="demo", name="x") as section:
        assert section.read(9) == b"abc"


@pytest.mark.parametrize("place", range(len(SMALL)))
def test_every_changed_byte_is_an_error_before_the_block_has_ended(tmp_path: Path, place: int) -> None:
    changed = bytearray(SMALL)
    changed[place] ^= 1
    with pytest.raises(FormatError, match="f', "):
        read(tmp_path / "f", bytes(changed))


@pytest.mark.parametrize("n_kept", [0, 5, 100, -1])
def test_file_that_was_cut_is_refused_before_anything_is_read(tmp_path: Path, n_kept: int) -> None:
    (tmp_path / "f").write_bytes(SMALL[:n_kept])
    with pytest.raises(FormatError), open_section(tmp_path / "f", kind="demo", name="x"):
        pytest.fail("was opened")


def test_section_of_another_name_and_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="its first section is not 'y'"):
        read(tmp_path / "f", SMALL, name="y")
    with pytest.raises(CorpusError, match="no such file"):
        read(tmp_path / "g", None)


def test_last_bytes_are_not_given_out_if_the_checksum_differs(tmp_path: Path) -> None:
    pieces: list[bytes] = []
    with pytest.raises(FormatError, match="section 'x' at byte"):
        read(tmp_path / "f", SMALL.replace(b"abcdefgh", b"Xbcdefgh"), step=4, pieces=pieces)
    assert pieces == [b"Xbcd"]
