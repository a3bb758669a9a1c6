"""The message of a SentencePiece model file: pieces, and what of its settings decides ids and text.

    ModelProto        1 pieces, 2 trainer_spec, 3 normalizer_spec, 4 self_test_data, 5 denormalizer_spec
    SentencePiece     1 piece, 2 score, 3 type
    TrainerSpec       3 model_type, 24 treat_whitespace_as_suffix, 35 byte_fallback, 44 unk_surface, 45 unk_piece
    NormalizerSpec    1 name, 2 precompiled_charsmap, 3 add_dummy_prefix, 4 remove_extra_whitespaces,
                      5 escape_whitespaces, 6 normalization_rule_tsv

All other fields of TrainerSpec say how the model was trained and are passed over. Fields of the rest that are unknown
are refused by their number: they could decide ids. Of a field that is there several times the last one counts, as
everywhere in Protocol Buffers; messages that are there several times are refused.

The core reads the pieces of a file without faults in one pass; it accepts nothing that is refused here.
Source: `src/sentencepiece_model.proto` and `ModelInterface::InitializePieces` of google/sentencepiece.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tokenloom.errors import FormatError
from tokenloom.formats.protobuf import Field, bytes_field, float_field, number_field, read_message
from tokenloom.spec.components import ID_LIMIT
from tokenloom.wording import quoted

__all__ = [
    "BPE",
    "BYTE",
    "CHAR",
    "CONTROL",
    "NORMAL",
    "UNIGRAM",
    "UNKNOWN",
    "UNUSED",
    "USER_DEFINED",
    "WORD",
    "ModelFile",
    "Piece",
    "read_model_file",
    "read_settings",
    "render_model_file",
]

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Types of pieces."""
UNIGRAM, BPE, WORD, CHAR = range(1, 5)
"""Types of models."""

_PIECES, _TRAINER, _NORMALIZER, _SELF_TEST, _DENORMALIZER = range(1, 6)
_MODEL_TYPE: Final = 3
_AS_SUFFIX: Final = 24
_BYTE_FALLBACK: Final = 35
_UNK_SURFACE: Final = 44
_UNK_PIECE: Final = 45
_RESTORE: Final = "Restore the file"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece: its text, its score and its type."""

    text: str
    score: float
    type: int = NORMAL


@dataclass(frozen=True, slots=True)
class ModelFile:
    """What of a model file decides ids and text, with the defaults of the format.

    Args:
        pieces: in the order of their ids.
        model_type: one of `UNIGRAM`, `BPE`, `WORD` and `CHAR`.
        unk_surface: what the unknown piece decodes to.
        charsmap: see `SentencepieceRules`.
        has_denormalizer: text is changed by a map of its own when ids are decoded.
    """

    pieces: Sequence[Piece] = ()
    model_type: int = UNIGRAM
    byte_fallback: bool = False
    treat_whitespace_as_suffix: bool = False
    unk_surface: str = " \u2047 "
    charsmap: bytes = field(default=b"", repr=False)
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    has_denormalizer: bool = False


def read_model_file(data: bytes, *, place: str) -> ModelFile:
    """A model file, whose pieces are read one by one; see the module for what is refused.

    Raises: FormatError naming the byte, or the piece by its number.
    """
    pieces = [_piece(item, number) for number, item in enumerate(_of(data, place, _PIECES))]
    return read_settings(data, place=place, pieces=pieces)


def read_settings(data: bytes, *, place: str, start: int = 0, pieces: Sequence[Piece] = ()) -> ModelFile:
    """All of a model file but its pieces, which are given; `data` begins at the byte `start` of the file.

    Raises: FormatError naming the byte.
    """
    seen: dict[int, Field] = {}
    for item in read_message(data, place=place, name="the model", start=start):
        if item.number == _PIECES:
            continue
        if not _TRAINER <= item.number <= _DENORMALIZER:
            raise item.fault(f"has the field {item.number}, which is unknown here", "Upgrade tokenloom")
        if item.number in seen:
            raise item.fault(f"has the field {item.number} a second time")
        item.data()
        seen[item.number] = item
    values: dict[str, object] = {}
    if _TRAINER in seen:
        values |= _trainer_values(seen[_TRAINER])
    if _NORMALIZER in seen:
        values |= _normalizer_values(seen[_NORMALIZER], "normalizer_spec")
    if _DENORMALIZER in seen:
        values["has_denormalizer"] = bool(_normalizer_values(seen[_DENORMALIZER], "denormalizer_spec").get("charsmap"))
    return ModelFile(pieces, **values)  # type: ignore[arg-type]


def _of(data: bytes, place: str, number: int) -> list[Field]:
    found = [item for item in read_message(data, place=place, name="the model") if item.number == number]
    if len(found) > ID_LIMIT:
        raise found[ID_LIMIT].fault(f"has more than {ID_LIMIT:,} pieces", "Use a smaller vocabulary")
    return found


def _piece(message: Field, number: int) -> Piece:
    text, score, kind = "", 0.0, NORMAL
    for item in message.fields(f"piece {number}"):
        match item.number:
            case 1:
                text = item.text()
            case 2:
                score = item.score()
            case 3:
                kind = item.whole_number()
                if not NORMAL <= kind <= BYTE:
                    raise item.fault(f"is of type {kind}, which is unknown here", "Upgrade tokenloom")
            case _:
                raise item.fault(f"has the field {item.number}, which is unknown here", "Upgrade tokenloom")
    if not text:
        raise message.fault(f"has piece {number}, which has no text")
    return Piece(text, score, kind)


def _trainer_values(message: Field) -> dict[str, object]:
    values: dict[str, object] = {}
    for item in message.fields("trainer_spec"):
        match item.number:
            case 3:
                values["model_type"] = item.whole_number()
                if not UNIGRAM <= item.whole_number() <= CHAR:
                    raise item.fault(f"has model type {item.value!r}, which is unknown here", "Upgrade tokenloom")
            case 24:
                values["treat_whitespace_as_suffix"] = item.flag()
            case 35:
                values["byte_fallback"] = item.flag()
            case 44:
                values["unk_surface"] = item.text()
    return values


def _normalizer_values(message: Field, name: str) -> dict[str, object]:
    values: dict[str, object] = {}
    for item in message.fields(name):
        match item.number:
            case 1 | 6:
                item.text()
            case 2:
                values["charsmap"] = item.data()
            case 3:
                values["add_dummy_prefix"] = item.flag()
            case 4:
                values["remove_extra_whitespaces"] = item.flag()
            case 5:
                values["escape_whitespaces"] = item.flag()
            case _:
                raise item.fault(f"has the field {item.number}, which is unknown here", "Upgrade tokenloom")
    return values


def render_model_file(model: ModelFile, *, place: str) -> bytes:
    """The inverse of `read_model_file`; errors name `place`. Raises: FormatError for a score that no float holds."""
    unknown = next((piece.text for piece in model.pieces if piece.type == UNKNOWN), "")
    trainer = [
        number_field(_MODEL_TYPE, model.model_type),
        number_field(4, len(model.pieces)),
        number_field(_AS_SUFFIX, model.treat_whitespace_as_suffix),
        number_field(_BYTE_FALLBACK, model.byte_fallback),
        bytes_field(_UNK_SURFACE, model.unk_surface.encode()),
        bytes_field(_UNK_PIECE, unknown.encode()),
    ]
    normalizer = [
        bytes_field(1, b"custom" if model.charsmap else b"identity"),
        bytes_field(2, model.charsmap),
        number_field(3, model.add_dummy_prefix),
        number_field(4, model.remove_extra_whitespaces),
        number_field(5, model.escape_whitespaces),
    ]
    pieces = [bytes_field(_PIECES, _rendered(piece, number, place)) for number, piece in enumerate(model.pieces)]
    return b"".join((*pieces, bytes_field(_TRAINER, b"".join(trainer)), bytes_field(_NORMALIZER, b"".join(normalizer))))


def _rendered(piece: Piece, number: int, place: str) -> bytes:
    try:
        score = float_field(2, piece.score)
    except FormatError:
        raise FormatError(
            f"{place}: piece {number}, {quoted(piece.text)}, has the score {piece.score!r}, which a float of four "
            "bytes cannot hold. Round it, or use another format."
        ) from None
    kind = b"" if piece.type == NORMAL else number_field(3, piece.type)
    return bytes_field(1, piece.text.encode()) + score + kind
