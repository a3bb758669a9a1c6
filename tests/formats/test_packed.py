import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.characters import character_tokenizer
from tests.strategies import HARD_PARTS, SPECIAL_TOKENS
from tokenloom import Tokenizer, train
from tokenloom.errors import CorpusError, FormatError, FormatWarning
from tokenloom.formats.packed import KIND, is_packed, read_packed, verify_packed, write_packed
from tokenloom.spec import BpeModel, Pretokenizer, TokenizerSpec, build_spec
from tokenloom.spec.packing import pack_arena
from tokenloom.storage import Envelope, encode_envelope, read_envelope

GOLDEN = Path(__file__).parents[1] / "golden" / "packed-v1.tloom"
BYTES = {byte: bytes([byte]) for byte in range(256)}
TEXT = "".join(HARD_PARTS) + "the cat sat on the mat, they said\r\n the the"


HEAVY = {"json", "hashlib", "pathlib", "numpy", "tokenloom.spec", "tokenloom.formats.native"}


def rank_spec() -> TokenizerSpec:
    tokens = [bytes([byte]) for byte in range(256)] + [b"th", b"", b"the", b" the", b"aa", b"aaa", b"", b"at"]
    token_bytes, token_offsets = pack_arena(tokens)
    return TokenizerSpec(BpeModel("ranks"), Pretokenizer("cl100k"), (), token_bytes, token_offsets, b"")


TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "bytes": lambda: Tokenizer(BYTES, []),
    "trained": lambda: train(["the cat sat on the mat, the hat", "they said"], 275, SPECIAL_TOKENS),
    "hole": lambda: Tokenizer(BYTES | {300: b"\r\n"}, [(b"\r", b"\n")], ["<|end|>"]),
    "ranks": lambda: Tokenizer.from_spec(rank_spec()),
    "characters": character_tokenizer,
}


@pytest.fixture(params=TOKENIZERS)
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return TOKENIZERS[request.param]()


@pytest.fixture
def path(tokenizer: Tokenizer, tmp_path: Path) -> Path:
    write_packed(tokenizer.spec, tmp_path / "any name", provenance={"seed": 1})
    return tmp_path / "any name"


def rewritten(path: Path, *, header: Mapping[str, Any] = {}, sections: Mapping[str, bytes] = {}) -> None:
    """A file with parts of another writer, who makes checksums that fit."""
    from tokenloom import _core

    envelope = read_envelope(path, kind=KIND)
    parts = {**envelope.sections, **sections}
    sums = {name: f"{_core.section_checksum(data):016x}" for name, data in parts.items()}
    header = {**envelope.header, "checksums": sums, **header}
    path.write_bytes(encode_envelope(kind=KIND, version=(1, 0), header=header, sections=list(parts.items())))


def test_the_packed_tokenizer_is_the_same(tokenizer: Tokenizer, path: Path) -> None:
    again = Tokenizer.load(path)
    assert again.spec == tokenizer.spec
    assert again.spec.fingerprint == tokenizer.spec.fingerprint
    assert (dict(again.provenance), again.special_tokens) == ({"seed": 1}, tokenizer.special_tokens)
    assert len(again) == len(tokenizer)


def test_it_gives_the_same_ids_texts_and_offsets(tokenizer: Tokenizer, path: Path) -> None:
    for special_text in ("plain", "parse"):
        first = Tokenizer.from_spec(tokenizer.spec, special_text=special_text)
        again = Tokenizer.load(path, special_text=special_text)
        for text in (*HARD_PARTS, TEXT, TEXT.encode() + b"\xff\xe4\xbd"):
            ids = first.encode(text)
            assert again.encode(text) == ids
            assert again.count(text) == len(ids)
            assert again.decode_bytes(ids) == first.decode_bytes(ids)
        spans = [x.encode_with_offsets(TEXT).char_offsets.tolist() for x in (first, again)]
        assert spans[0] == spans[1]


def test_ids_and_bytes_of_all_tokens_are_the_same(tokenizer: Tokenizer, path: Path) -> None:
    again = Tokenizer.load(path)
    for token_id, token in tokenizer.vocabulary.items():
        assert (again.token_bytes(token_id), again.id_of(token)) == (token, token_id)


def test_a_pickled_one_needs_the_file_no_more(path: Path) -> None:
    again = Tokenizer.load(path, special_text="plain")
    data = pickle.dumps(again)
    path.unlink()
    assert again.encode(TEXT) == pickle.loads(data).encode(TEXT)


def test_equal_tokenizers_give_equal_files(tokenizer: Tokenizer, path: Path, tmp_path: Path) -> None:
    write_packed(read_packed(path)[0], tmp_path / "again", provenance={"seed": 1})
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_writing_over_a_file_leaves_those_alone_who_have_it(path: Path) -> None:
    first = Tokenizer.load(path, special_text="plain")
    before = first.encode(TEXT)
    write_packed(build_spec(BYTES, []), path)
    first.clear_cache()
    assert first.encode(TEXT) == before


def test_a_damaged_byte_anywhere_is_found(tokenizer: Tokenizer, path: Path) -> None:
    data = path.read_bytes()
    random = Random(len(data))
    for place in [*range(0, 64, 3), *(random.randrange(len(data)) for _ in range(50)), len(data) - 3]:
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :])
        if place < 8:
            assert not is_packed(path)
            continue
        with pytest.raises(FormatError, match="any name'"):
            Tokenizer.load(path)


def test_a_cut_or_longer_file_is_refused(path: Path) -> None:
    data = path.read_bytes()
    random = Random(len(data))
    for length in [8, 9, 40, len(data) - 1, *(random.randrange(8, len(data)) for _ in range(15))]:
        path.write_bytes(data[:length])
        with pytest.raises(FormatError, match="any name'"):
            Tokenizer.load(path)
    path.write_bytes(data + b"\0")
    with pytest.raises(FormatError, match="its table announces"):
        Tokenizer.load(path)


@pytest.mark.parametrize("seed", range(10))
def test_tables_made_to_do_harm_are_refused_or_give_some_ids(seed: int, path: Path) -> None:
    """Nothing may be read outside the tables and no search may go on for ever; all checksums fit."""
    random = Random(seed)
    envelope = read_envelope(path, kind=KIND)
    name = random.choice([name for name, data in envelope.sections.items() if data])
    data = bytearray(envelope.sections[name])
    for _ in range(random.choice((1, 1, 3, 50))):
        at = random.randrange(len(data))
        data[at : at + 4] = random.choice(
            (random.randbytes(4), b"\xff" * 4, bytes(4), data[at - 4 : at] or b"\1\0\0\0")
        )
    rewritten(path, sections={name: bytes(data[: random.choice((len(data), len(data) // 2))])})
    try:
        tokenizer = Tokenizer.load(path, special_text="plain")
    except FormatError:
        return
    ids = tokenizer.encode(TEXT * 3)
    assert all(0 <= token_id < len(tokenizer) for token_id in ids)
    tokenizer.encode_with_offsets(TEXT)


@pytest.mark.parametrize("fill", [b"\0", b"\1", b"\xfe"])
@pytest.mark.parametrize("name", ["token_slots", "pairs"])
def test_a_full_table_is_refused(name: str, fill: bytes, tmp_path: Path) -> None:
    write_packed(build_spec(BYTES | {256: b"th"}, [(b"t", b"h")]), tmp_path / "x")
    size = len(read_envelope(tmp_path / "x", kind=KIND).sections[name])
    rewritten(tmp_path / "x", sections={name: fill * size})
    with pytest.raises(FormatError, match=f"section {name!r} has hardly an empty slot".replace("'", '"')):
        Tokenizer.load(tmp_path / "x")


def written(tmp_path: Path) -> Path:
    """The tokenizer of the golden file, as this version packs it."""
    write_packed(read_packed(GOLDEN)[0], tmp_path / "x", provenance={"made_by": "a test"})
    return tmp_path / "x"


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"pairs": b"\0" * 48}, "number of slots that is no power of two"),
        ({"pairs": b"\0" * 20}, "does not fit the numbers"),
        ({"pairs": b"\xff" * 16}, "number of slots that does not fit the vocabulary"),
        ({"results": b"\0" * 4}, "more or less ids than there are merges"),
        ({"results": b"\xff" * 16}, "an id that is none of this tokenizer"),
        ({"results": (263).to_bytes(4, "little") * 4}, "an id that is none of this tokenizer"),
        ({"pair_seed": b"\0" * 8}, "is no seed"),
        ({"offsets": b"\0" * 6}, "its offsets are no whole numbers"),
        ({"offsets": b"\0" * 8}, "added_only names id 261, which has no token"),
        ({"added_only": b"\xff" * 4}, "added_only names id 4294967295, which has no token"),
        ({"merges": b"\0" * 4}, "merges: 4 bytes are not pairs"),
        ({"merges": b"\0" * 8}, "a rank that is none of this tokenizer"),
    ],
)
def test_sections_that_contradict_each_other_are_refused(
    sections: dict[str, bytes], message: str, tmp_path: Path
) -> None:
    rewritten(written(tmp_path), sections=sections)
    with pytest.raises(FormatError, match=message):
        Tokenizer.load(tmp_path / "x")


@pytest.mark.parametrize("name", ["merges", "arena", "pairs", "token_slots", "pair_seed"])
def test_a_missing_section_is_named(name: str, tmp_path: Path) -> None:
    envelope = read_envelope(written(tmp_path), kind=KIND)
    sections = [(section, data) for section, data in envelope.sections.items() if section != name]
    data = encode_envelope(kind=KIND, version=(1, 0), header=envelope.header, sections=sections)
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(FormatError, match=name):
        Tokenizer.load(tmp_path / "x")


@pytest.mark.parametrize("key", ["spec", "provenance", "layout", "byte_order", "checksums"])
def test_a_header_without_a_part_is_refused(key: str, tmp_path: Path) -> None:
    rewritten(written(tmp_path), header={key: None})
    with pytest.raises(FormatError, match=f"its header has no '{key}'"):
        assert Tokenizer.load(tmp_path / "x").provenance


@pytest.mark.parametrize("header", [{"layout": 0}, {"layout": 99}, {"byte_order": "big"}])
def test_tables_of_another_core_are_built_anew(header: dict[str, Any], tmp_path: Path) -> None:
    rewritten(written(tmp_path), header=header, sections={"pairs": b"nonsense"})
    with pytest.warns(FormatWarning, match="were built anew"):
        tokenizer = Tokenizer.load(tmp_path / "x")
    assert tokenizer.spec == read_packed(GOLDEN)[0]
    assert tokenizer.encode("the the") == [257, 258]


def test_a_newer_version_is_refused_by_name(tmp_path: Path) -> None:
    envelope = read_envelope(GOLDEN, kind=KIND)
    sections = list(envelope.sections.items())
    data = encode_envelope(kind=KIND, version=(2, 0), header=envelope.header, sections=sections)
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(FormatError, match=r"it has version 2\.0, but this tokenloom reads packed_tokenizer files"):
        Tokenizer.load(tmp_path / "x")


@pytest.mark.filterwarnings(f"ignore::{FormatWarning.__module__}.{FormatWarning.__name__}")
def test_golden_file_of_version_1_stays_readable() -> None:
    tokenizer = Tokenizer.load(GOLDEN)
    assert tokenizer.spec.fingerprint == "dfd823eec1b142f5cec9ca1e0945d700aa34616136a72967e9b7a5f9b0e366d6"
    assert tokenizer.encode("the the") == [257, 258]


def test_verifying_finds_tables_that_are_not_those_of_the_tokenizer(tmp_path: Path) -> None:
    assert verify_packed(written(tmp_path)) == read_packed(GOLDEN)[0]
    slots = bytearray(read_envelope(GOLDEN, kind=KIND).sections["token_slots"])
    at = next(at for at in range(0, len(slots), 4) if slots[at : at + 4] != b"\xff" * 4)
    slots[at : at + 4] = b"\xff" * 4
    rewritten(tmp_path / "x", sections={"token_slots": bytes(slots)})
    with pytest.raises(FormatError, match="section 'token_slots' is not what this tokenizer has there"):
        verify_packed(tmp_path / "x")


def test_encoding_from_a_packed_file_imports_next_to_nothing(tmp_path: Path) -> None:
    """What it must not need takes longer to import than the file to load."""
    code = (
        f"import sys, tokenloom; print(tokenloom.Tokenizer.load({str(written(tmp_path))!r}).encode('the the')); "
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines() == ["[257, 258]", "[]"]


def test_other_files_of_ours_and_missing_ones_are_named(tmp_path: Path) -> None:
    data = encode_envelope(kind="demo", version=(1, 0), header={}, sections=[])
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(FormatError, match="it holds a 'demo', not a 'packed_tokenizer'"):
        Tokenizer.load(tmp_path / "x")
    with pytest.raises(CorpusError, match="there is no such file"):
        read_packed(tmp_path / "y")


def test_provenance_that_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the provenance has a value that JSON cannot hold"):
        write_packed(build_spec(BYTES, []), tmp_path / "x", provenance={"a": b"bytes"})
    assert not (tmp_path / "x").exists()


def test_the_command_line_knows_a_packed_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tokenloom.cli.main import run

    for verb, key, value in (("inspect", "format", "packed"), ("verify", "is_whole", True)):
        assert run([verb, str(written(tmp_path)), "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert (facts[0] if isinstance(facts, list) else facts)[key] == value


def test_an_envelope_of_a_packed_file_holds_what_the_module_says(tmp_path: Path) -> None:
    envelope = read_envelope(written(tmp_path), kind=KIND)
    assert isinstance(envelope, Envelope)
    assert set(envelope.header) == {"spec", "provenance", "layout", "byte_order", "checksums"}
    assert {"merges", "arena", "offsets", "added_only"} < set(envelope.sections)
