"""Parts of a packed file that another writer made, with checksums that fit."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tokenloom import Tokenizer, _core
from tokenloom.errors import FormatError, FormatWarning
from tokenloom.formats.packed import KIND, verify_packed, write_packed
from tokenloom.spec import TokenizerSpec, build_spec
from tokenloom.storage import encode_envelope, read_envelope

SPEC: Final[TokenizerSpec] = build_spec(
    {**{byte: bytes([byte]) for byte in range(256)}, 256: b"th"}, [(b"t", b"h")], ["<e>"]
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_packed(SPEC, tmp_path / "x.packed")
    return tmp_path / "x.packed"


def rewrite(path: Path, *, header: Mapping[str, Any] = {}, sections: Mapping[str, bytes | None] = {}) -> None:
    """Change some parts; a section that is None is left out."""
    envelope = read_envelope(path, kind=KIND)
    parts = {name: data for name, data in {**envelope.sections, **sections}.items() if data is not None}
    sums = {name: f"{_core.section_checksum(data):016x}" for name, data in parts.items()}
    whole = {**envelope.header, "checksums": sums, **header}
    path.write_bytes(encode_envelope(kind=KIND, version=(1, 0), header=whole, sections=list(parts.items())))


@pytest.mark.parametrize("header", [{"byte_order": "big"}, {"layout": 0}])
def test_tables_of_another_machine_or_version_are_not_compared(header: dict[str, Any], path: Path) -> None:
    rewrite(path, header=header, sections={"pairs": b"other"})
    assert verify_packed(path) == SPEC


@pytest.mark.parametrize("header", [{"byte_order": "big"}, {"layout": 0}])
def test_tables_of_another_machine_or_version_are_not_used_even_if_they_could_be(
    header: dict[str, Any], path: Path
) -> None:
    rewrite(path, header=header)
    with pytest.warns(FormatWarning, match="its tables are those of another version"):
        assert Tokenizer.load(path).spec == SPEC


def test_verifying_misses_a_table_that_is_not_there(path: Path) -> None:
    rewrite(path, sections={"pairs": None})
    with pytest.raises(FormatError, match=r"x.packed': section 'pairs' is not what this tokenizer has there"):
        verify_packed(path)


@pytest.mark.parametrize("checksum", ["abc", "0" * 17, "0" * 15 + "G", 7, None])
def test_a_checksum_that_is_none_is_a_fault_of_the_header(checksum: object, path: Path) -> None:
    sums = read_envelope(path, kind=KIND).header["checksums"]
    rewrite(path, header={"checksums": {**sums, "arena": checksum}})
    with pytest.raises(FormatError, match=r"x.packed': its header has no 'checksums' of the kind that belongs there"):
        Tokenizer.load(path)


LONG: Final = [{"type": "replace", "text": "e", "by": "x" * 9999}]


@pytest.mark.parametrize(
    ("changes", "normalizer", "said"),
    [
        ({"content": ""}, None, "it is empty"),
        ({"content": "x" * 2000}, None, "1,024 are the most"),
        ({"normalized": True}, LONG, "special token '<e>' cannot be normalized"),
    ],
)
def test_special_tokens_that_cannot_be_are_refused_with_the_file(
    changes: dict[str, Any], normalizer: object, said: str, path: Path
) -> None:
    spec = read_envelope(path, kind=KIND).header["spec"]
    added = [{**token, **changes} for token in spec["added_tokens"]]
    rewrite(path, header={"spec": {**spec, "added_tokens": added, "normalizer": normalizer}})
    with pytest.raises(FormatError, match=r"x.packed': ") as caught:
        Tokenizer.load(path)
    assert said in str(caught.value)


def test_padding_that_is_not_empty_is_no_packed_file(path: Path) -> None:
    """Nothing but its own bytes says that it was changed."""
    data = bytearray(path.read_bytes())
    envelope = read_envelope(path, kind=KIND)
    length = next(len(section) for section in envelope.sections.values() if len(section) % 8)
    section = next(section for section in envelope.sections.values() if len(section) == length)
    data[data.index(section) + length] = 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"x.packed'"):
        Tokenizer.load(path)


def test_a_file_ends_behind_its_footer(path: Path) -> None:
    """Also where the footer counts what stands behind it."""
    data = path.read_bytes()
    longer = data[:-16] + (len(data) + 1).to_bytes(8, "little") + data[-8:] + b"\0"
    path.write_bytes(longer)
    with pytest.raises(FormatError, match=r"x.packed'"):
        Tokenizer.load(path)


def test_a_file_is_taken_wherever_it_is_moved(path: Path) -> None:
    shutil.move(path, path.with_name("moved"))
    assert Tokenizer.load(path.with_name("moved")).spec == SPEC
