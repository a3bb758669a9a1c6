"""SentencePiece model files: read as they are, written back the same, refused by name."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.formats.charsmaps import charsmap_of
from tokenloom import Tokenizer
from tokenloom.errors import FormatError, FormatWarning, SpecError
from tokenloom.formats import read_sentencepiece, write_sentencepiece
from tokenloom.formats.detect import load_any
from tokenloom.formats.protobuf import bytes_field, float_field, number_field
from tokenloom.formats.sentencepiece import parse_sentencepiece, render_sentencepiece
from tokenloom.formats.sentencepiece_proto import (
    BPE,
    BYTE,
    CHAR,
    CONTROL,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    WORD,
    ModelFile,
    Piece,
    read_model_file,
    render_model_file,
)
from tokenloom.spec import BpeModel, Pretokenizer, TokenizerSpec, UnigramModel, WordModel

UNK = Piece("<unk>", 0, UNKNOWN)
BYTES = [Piece(f"<0x{byte:02X}>", 0, BYTE) for byte in range(256)]
NORMALS = [Piece("▁", -3), Piece("a", -4), Piece("b", -5), Piece("▁a", -1), Piece("ab", -2)]
PIECES = [UNK, Piece("<s>", 0, CONTROL), *NORMALS]
FLAGS = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces", "treat_whitespace_as_suffix")
NORMALIZER = "normalizer, charsmap"


def data_of(pieces: Sequence[Piece] = PIECES, model_type: int = BPE, **settings: object) -> bytes:
    return render_model_file(ModelFile(pieces, model_type, **settings), place="x")  # type: ignore[arg-type]


def spec_of(pieces: Sequence[Piece] = PIECES, model_type: int = BPE, **settings: object) -> TokenizerSpec:
    return parse_sentencepiece(data_of(pieces, model_type, **settings), place="x.model")


def test_a_pencil_is_enough() -> None:
    """`ab` becomes `▁ab`: the pair `▁a` (-1) comes before `ab` (-2), and `b` is left."""
    tokenizer = Tokenizer.from_spec(spec_of(), special_text="plain")
    assert tokenizer.encode("ab") == [5, 4]
    assert tokenizer.encode("bab") == [2, 4, 6]
    assert tokenizer.decode([5, 4]) == "ab"


def test_what_stands_where() -> None:
    spec = spec_of([*PIECES, Piece("<n>", 0, USER_DEFINED), Piece("bb", -6, UNUSED)])
    assert spec.model == BpeModel("scores", unit="character", unk_token="<unk>", user_defined=("<n>",), unused=("bb",))
    assert spec.pretokenizer == Pretokenizer("none")
    assert [(token.content, token.id, token.special) for token in spec.added_tokens] == [("<s>", 1, True)]
    assert spec.vocabulary()[5] == "▁a".encode()


@pytest.mark.parametrize("model_type", [BPE, UNIGRAM, WORD, CHAR])
@pytest.mark.parametrize("byte_fallback", [False, True])
def test_files_come_back_as_they_were(model_type: int, byte_fallback: bool) -> None:
    random = Random(model_type)
    for _ in range(12):
        flags = {name: random.random() < 0.5 for name in FLAGS}
        other = Piece("ba", 0.5, random.choice((NORMAL, USER_DEFINED, UNUSED)))
        pieces = [*PIECES, other, *(BYTES if byte_fallback else ())]
        charsmap = random.choice((b"", charsmap_of({"ﬁ": "fi"})))
        spec = spec_of(pieces, model_type, byte_fallback=byte_fallback, unk_surface="??", charsmap=charsmap, **flags)
        assert parse_sentencepiece(render_sentencepiece(spec), place="again") == spec
        assert (
            TokenizerSpec.from_config(
                spec.config_json(),
                token_bytes=spec.token_bytes,
                token_offsets=spec.token_offsets,
                merges=spec.merges,
                scores=spec.scores,
            )
            == spec
        )


def test_the_kinds_of_models() -> None:
    assert spec_of(model_type=UNIGRAM).model == UnigramModel("sentencepiece", "<unk>")
    assert spec_of(model_type=WORD).model == WordModel("<unk>", fuse_unk=True)
    assert spec_of(model_type=CHAR).bpe.unused == ("▁a", "ab"), "they are never made"


def test_the_core_reads_what_is_read_with_care() -> None:
    random = Random(1)
    from tokenloom import _core

    for _ in range(300):
        data = bytearray(data_of())
        for _ in range(random.randrange(3)):
            data[random.randrange(len(data))] = random.choice((0, 1, 2, 3, 10, 13, 21, 24, 0x7F, 0x80, 0xFF))
        fast = _core.read_sentencepiece(bytes(data))
        try:
            file = read_model_file(bytes(data), place="x")
        except FormatError:
            file = None
        if fast is not None and file is not None:
            assert [kind for kind, *_ in fast[3]] == [piece.type for piece in file.pieces if piece.type != NORMAL]
        try:
            spec = parse_sentencepiece(bytes(data), place="x")
        except FormatError:
            continue
        assert file is not None
        assert [token.decode() for token in spec.vocabulary().values()] == [piece.text for piece in file.pieces]


@pytest.mark.parametrize(
    ("pieces", "settings", "message"),
    [
        ([], {}, "it has no unknown piece, .*Add one of type 2"),
        ([Piece("a", 0)], {}, "it has no unknown piece"),
        ([UNK, Piece("?", 0, UNKNOWN)], {}, "piece 1, '.', is a second unknown piece, after piece 0. Keep one"),
        ([UNK, Piece("a", 0), Piece("a", -1)], {}, "piece 2, 'a', is already piece 1. Keep one of the two"),
        ([UNK, Piece("<s>", 0, CONTROL), Piece("<s>", 0)], {}, "piece 2, '<s>', is already piece 1"),
        ([UNK, *BYTES], {}, "piece 1, '<0x00>', is of type byte, and byte_fallback is off"),
        (
            [UNK, *BYTES[1:]],
            {"byte_fallback": True},
            "byte_fallback is on, and it lacks 1 byte piece",
        ),
        ([UNK, Piece("<0xaa>", 0, BYTE)], {"byte_fallback": True}, "piece 1, '<0xaa>', is of type byte and none of"),
        ([UNK], {"charsmap": b"\x04\0\0\0ab"}, f"{NORMALIZER}: a double array of 4 bytes"),
        (
            [UNK],
            {"charsmap": b"\x04\0\0\0\0\0\0\0ab"},
            f"{NORMALIZER}: its last value has no end",
        ),
        (
            [UNK],
            {"charsmap": b"\x04\0\0\0\0\0\0\0\xff\0"},
            f"{NORMALIZER}: byte 8 is in a value that",
        ),
    ],
)
def test_faults_are_named(pieces: list[Piece], settings: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError, match=f"x.model: {message}"):
        spec_of(pieces, **settings)  # type: ignore[arg-type]


def piece(*fields: bytes) -> bytes:
    return bytes_field(1, b"".join(fields))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (piece(bytes_field(1, b"a"), b"\x15\0\0\xc0\x7f"), r"byte 5: piece 1 has nan in field 2\. Use a finite number"),
        (piece(bytes_field(1, b"a"), b"\x15\0\0\x80\x7f"), "piece 1 has inf in field 2"),
        (piece(bytes_field(1, b"\xff")), "piece 1 has text in field 1 that is not UTF-8 at byte"),
        (piece(bytes_field(1, b"a"), number_field(3, 9)), "piece 1 is of type 9, which is unknown here. Upgrade"),
        (piece(bytes_field(1, b"a"), number_field(2, 1)), "piece 1 has a number in field 2, which holds a float"),
        (piece(bytes_field(1, b"a"), number_field(4, 1)), "piece 1 has the field 4, which is unknown here. Upgrade"),
        (piece(float_field(2, 1.0)), "the model has piece 1, which has no text"),
        (number_field(1, 3), "the model has a number in field 1, which holds bytes"),
        (bytes_field(9, b""), "the model has the field 9, which is unknown here. Upgrade tokenloom"),
        (bytes_field(2, number_field(3, 7)), "trainer_spec has model type 7, which is unknown here"),
        (bytes_field(2, b"") * 2, "the model has the field 2 a second time"),
        (bytes_field(3, number_field(3, 2)), "normalizer_spec has 2 in field 3, which is true or false. Use 0 or 1"),
        (bytes_field(3, number_field(7, 2)), "normalizer_spec has the field 7, which is unknown here"),
        (bytes_field(5, bytes_field(2, b"abc")), "it has a denormalizer, which changes decoded text"),
        (b"\x0a\x05\x0a\x09abc", "piece 1 has 9 bytes in field 1, and 3 are left"),
    ],
)
def test_damage_is_named_by_its_byte_or_piece(data: bytes, message: str) -> None:
    first = piece(bytes_field(1, b"?"), number_field(3, UNKNOWN))
    message = message.replace("byte 5", f"byte {len(first) + 5}")
    with pytest.raises(FormatError, match=rf"x\.model(, byte \d+)?: .*{message}|x\.model, {message}"):
        parse_sentencepiece(first + data, place="x.model")


def test_a_file_that_was_cut_is_refused_or_lacks_the_last_fields() -> None:
    data = data_of()
    for at in range(1, len(data)):
        try:
            spec = parse_sentencepiece(data[:at], place="x.model")
        except FormatError:
            continue
        assert len(spec.vocabulary()) <= len(PIECES)


@pytest.mark.parametrize("value", [2**31 - 1, 5, 10**6])
def test_a_map_that_points_out_of_itself_is_refused_by_the_core(value: int) -> None:
    charsmap = bytearray(charsmap_of({"a": "b"}))
    units = [int.from_bytes(charsmap[at : at + 4], "little") for at in range(4, len(charsmap) - 4, 4)]
    at = next(at for at, unit in enumerate(units) if unit >> 31)
    charsmap[4 + 4 * at : 8 + 4 * at] = (1 << 31 | value).to_bytes(4, "little")
    with pytest.raises(SpecError, match="the charsmap of its normalizer points to a value that it does not have"):
        Tokenizer.from_spec(spec_of(charsmap=bytes(charsmap)))


def test_a_hostile_map_reads_no_memory_but_its_own() -> None:
    random = Random(5)
    for _ in range(400):
        charsmap = bytearray(charsmap_of({"a": "b", "ab": "", "é": "e\u0301"}))
        for _ in range(8):
            charsmap[random.randrange(4, len(charsmap) - 8)] = random.randrange(256)
        try:
            tokenizer = Tokenizer.from_spec(spec_of(charsmap=bytes(charsmap)), special_text="plain")
        except (FormatError, SpecError):
            continue
        tokenizer.encode("abéab" * 3)


def test_files_are_known_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "any name"
    write_sentencepiece(spec_of(), path)
    assert load_any(path) == (spec_of(), {"format": "sentencepiece", "file": "any name"})
    assert read_sentencepiece(path) == spec_of()
    write_sentencepiece(spec_of(), tmp_path / "tokenizer.model")
    assert load_any(tmp_path)[0] == spec_of()


def test_a_saved_tokenizer_is_the_same(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_spec(spec_of([*PIECES, *BYTES], byte_fallback=True), special_text="plain")
    with pytest.warns(FormatWarning, match="saved without tokenizer") as warned:
        tokenizer.save(tmp_path / "folder")
    assert len(warned) == 2
    tokenizer.save_packed(tmp_path / "x.tloom")
    for again in (Tokenizer.load(tmp_path / "folder"), Tokenizer.load(tmp_path / "x.tloom")):
        assert again.spec.fingerprint == tokenizer.spec.fingerprint
        assert again.encode("ab é bab") == tokenizer.encode("ab é bab")


def test_each_part_that_decides_ids_or_text_is_in_the_fingerprint() -> None:
    changed: list[dict[str, object]] = [
        {"unk_surface": "?"},
        {"charsmap": charsmap_of({"a": "b"})},
        {"add_dummy_prefix": False},
        {"remove_extra_whitespaces": False},
        {"escape_whitespaces": False},
        {"treat_whitespace_as_suffix": True},
        {"model_type": UNIGRAM},
        {"pieces": [*PIECES[:-1], Piece("ab", -2, USER_DEFINED)]},
        {"pieces": [*PIECES[:-1], Piece("ab", -2, UNUSED)]},
        {"pieces": [*PIECES[:-1], Piece("ab", -2.5)]},
    ]
    assert len({spec_of(**settings).fingerprint for settings in [{}, *changed]}) == len(changed) + 1  # type: ignore[arg-type]


def test_what_no_model_file_holds_is_refused() -> None:
    spec = spec_of()
    for other, message in (
        (replace(spec, normalizer=None), "a model file holds the normalizer of SentencePiece"),
        (
            replace(spec, pretokenizer=Pretokenizer("metaspace")),
            "a model file cannot hold pretokenizer of",
        ),
        (replace(spec, added_tokens=()), "id 1 has no token"),
    ):
        with pytest.raises(FormatError, match=message):
            render_sentencepiece(other)
