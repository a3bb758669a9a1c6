"""Laws for every format: being in `FORMATS` enrols it."""

from contextlib import suppress
from pathlib import Path

import pytest

from tests.strategies import HARD_PARTS
from tokenloom import Tokenizer
from tokenloom.errors import FormatError, FormatWarning
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


@pytest.fixture
def saved(spec: TokenizerSpec, file_format: Format, tmp_path: Path) -> Path:
    """A folder with the tokenizer; a format that cannot hold it says so and has nothing to keep."""
    folder = tmp_path / "saved"
    folder.mkdir()
    try:
        file_format.save(spec, folder)
    except FormatError as error:
        pytest.skip(str(error))
    return folder


@pytest.mark.filterwarnings(UNNAMED)
def test_vocabulary_and_merges_come_back(spec: TokenizerSpec, file_format: Format, saved: Path) -> None:
    again = file_format.load(saved)
    specials = {special.id for special in spec.added_tokens}
    ordinary = {token_id: token for token_id, token in spec.vocabulary().items() if token_id not in specials}
    assert again.vocabulary().items() >= ordinary.items()
    assert again.vocabulary().items() <= spec.vocabulary().items()
    if file_format.semantics == "ranks":
        assert (again.bpe.semantics, again.merge_list()) == ("ranks", [])
    else:
        assert again.merge_list() == spec.merge_list()
        assert again.vocabulary() == spec.vocabulary()
        assert (again.fingerprint == spec.fingerprint) or not file_format.keeps_special_tokens


@pytest.mark.filterwarnings(UNNAMED)
def test_ids_of_text_come_back(spec: TokenizerSpec, file_format: Format, saved: Path) -> None:
    first, again = (Tokenizer.from_spec(x, special_text="plain") for x in (spec, file_format.load(saved)))
    for text in (*HARD_PARTS, "abab##a\r\n<|endoftext|>#", "cab é <b>\n"):
        assert again.encode(text) == first.encode(text)


@pytest.mark.filterwarnings(UNNAMED)
def test_saving_what_was_loaded_gives_the_same_files(file_format: Format, saved: Path, tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    file_format.save(file_format.load(saved), tmp_path / "again")
    first, second = ({entry.name: entry.read_bytes() for entry in x.iterdir()} for x in (saved, tmp_path / "again"))
    assert first == second


@pytest.mark.filterwarnings(UNNAMED)
def test_every_format_holds_most_tokenizers(file_format: Format, tmp_path: Path) -> None:
    n_held = 0
    for number, spec in enumerate(SPECS.values()):
        (tmp_path / str(number)).mkdir()
        with suppress(FormatError):
            file_format.save(spec, tmp_path / str(number))
            n_held += 1
    assert n_held >= 3


def test_every_format_has_a_summary(file_format: Format) -> None:
    assert file_format.summary
