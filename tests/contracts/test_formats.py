"""Laws for every format: being in `FORMATS` enrols it."""

from pathlib import Path

import pytest

from tokenloom.errors import FormatWarning
from tokenloom.formats import FORMATS, Format
from tokenloom.spec import TokenizerSpec, build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}
SPECS = {
    "bytes only": build_spec(BYTES, []),
    "merges and specials": build_spec(
        BYTES | {256: b"#", 257: b"##"} | {35: b"ab"}, [(b"#", b"#"), (b"a", b"b")], ["<|endoftext|>", "é <b>\n"]
    ),
    "hole": build_spec(BYTES | {300: b"\r\n"}, [(b"\r", b"\n")]),
    "shared id": build_spec(BYTES | {256: b"ab"}, [(b"a", b"b")], ["ab"]),
}

UNNAMED = f"ignore::{FormatWarning.__module__}.{FormatWarning.__name__}"
"""A special token that comes back as an ordinary one is a token that no merge makes."""


@pytest.fixture(params=SPECS)
def spec(request: pytest.FixtureRequest) -> TokenizerSpec:
    return SPECS[request.param]


@pytest.fixture(params=FORMATS)
def file_format(request: pytest.FixtureRequest) -> Format:
    return FORMATS[request.param]


@pytest.mark.filterwarnings(UNNAMED)
def test_vocabulary_and_merges_come_back(spec: TokenizerSpec, file_format: Format, tmp_path: Path) -> None:
    file_format.save(spec, tmp_path)
    again = file_format.load(tmp_path)
    assert again.vocabulary() == spec.vocabulary()
    assert again.merge_list() == spec.merge_list()
    assert (again.fingerprint == spec.fingerprint) or not file_format.keeps_special_tokens


@pytest.mark.filterwarnings(UNNAMED)
def test_saving_what_was_loaded_gives_the_same_files(spec: TokenizerSpec, file_format: Format, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    file_format.save(spec, tmp_path / "first")
    file_format.save(file_format.load(tmp_path / "first"), tmp_path / "second")
    first, second = (
        {entry.name: entry.read_bytes() for entry in (tmp_path / name).iterdir()} for name in ("first", "second")
    )
    assert first == second


def test_every_format_has_a_summary(file_format: Format) -> None:
    assert file_format.summary
