r"""SentencePiece's model files: pieces with scores, and the rules by which a text becomes what they are made of.

What stands where in the spec:

* BPE becomes a `BpeModel` with semantics "scores", and so does the model of characters, which joins nothing. The model
  of words becomes a `WordModel` behind a cut before each U+2581, Unigram a `UnigramModel`.
* All that the library does to a text before is one step of the normalizer (`SentencepieceRules`), and all that it does
  to pieces behind is one step of the decoder (`DecodeSentencepiece`).
* Control symbols, such as `<s>`, are special tokens. The library never makes one of text: read text with
  `special_text="plain"` for its ids.
* User-defined symbols, unused pieces, the unknown piece and byte pieces are tokens like others, which the model knows
  by their texts.

Refused, as by the library: a file without an unknown piece or with two, a piece without text, a piece that is there
twice, byte pieces without byte fallback and byte fallback without all of them. Refused here and not there: scores that
are no finite numbers, a text that is a piece of one type and of another, a denormalizer. One thing differs: where the
text holds the one character of a control symbol, the library gives no ids but an error, and here it is unknown.
Source: `src/model_interface.cc` and `src/sentencepiece_processor.cc` of google/sentencepiece.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Never

from tokenloom.errors import FormatError, SpecError, SpecialTokenError
from tokenloom.formats import sentencepiece_proto as proto
from tokenloom.formats.sentencepiece_proto import ModelFile, Piece
from tokenloom.spec import (
    AddedToken,
    BpeModel,
    Decoder,
    DecodeSentencepiece,
    Model,
    Normalizer,
    Pretokenizer,
    SentencepieceRules,
    TokenizerSpec,
    UnigramModel,
    WordModel,
)
from tokenloom.spec.packing import pack_arena, pack_float64, unpack_arena, unpack_float64
from tokenloom.storage import read_input
from tokenloom.wording import counted, quoted

__all__ = [
    "SENTENCEPIECE",
    "parse_sentencepiece",
    "read_sentencepiece",
    "render_sentencepiece",
    "write_sentencepiece",
]

SENTENCEPIECE: Final = "tokenizer.model"

_BYTE_PIECES: Final = tuple(f"<0x{byte:02X}>" for byte in range(256))
_WORDS: Final = Pretokenizer("metaspace")
_WORDS_WITH_BLANKS: Final = Pretokenizer("custom", regex="\u2581?[^\u2581]+|\u2581")
"""Where blanks are not written U+2581 they do not end a word."""
_RESTORE: Final = "Restore the file"
_NO_WAY: Final = "Use another format"

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The pieces as arrays of a spec, and those that are not normal: type, id and text of each."""

    token_bytes: bytes
    token_offsets: bytes
    scores: bytes
    others: Sequence[tuple[int, int, str]]

    def of(self, kind: int) -> list[tuple[int, str]]:
        return [(token_id, text) for other, token_id, text in self.others if other == kind]

    def texts(self, kind: int) -> tuple[str, ...]:
        return tuple(text for _, text in self.of(kind))


def read_sentencepiece(path: PathLike) -> TokenizerSpec:
    """Read a tokenizer from a model file, such as `tokenizer.model`.

    Raises: CorpusError for a missing file; FormatError naming the file, and the byte or the piece.
    """
    return parse_sentencepiece(read_input(path), place=str(Path(path)))


def parse_sentencepiece(data: bytes, *, place: str) -> TokenizerSpec:
    """The content of a model file; errors name `place`. See `read_sentencepiece`."""
    from tokenloom import _core  # formats can be listed without it

    read = _core.read_sentencepiece(data)
    if read is None:
        file = proto.read_model_file(data, place=place)
        pieces = _arrays(file.pieces, place)
    else:
        token_bytes, token_offsets, scores, others, end = read
        file = proto.read_settings(data[end:], place=place, start=end)
        pieces = _Pieces(token_bytes, token_offsets, scores, others)
    _check_types(pieces, file, place)
    try:
        return _spec(file, pieces)
    except (SpecError, SpecialTokenError) as error:
        raise FormatError(f"{place}: {error}") from error


def _arrays(pieces: Sequence[Piece], place: str) -> _Pieces:
    numbers: dict[str, int] = {}
    for number, piece in enumerate(pieces):
        if (first := numbers.setdefault(piece.text, number)) != number:
            what = f"piece {number}, {quoted(piece.text)}, is already piece {first}"
            raise FormatError(f"{place}: {what}. Keep one of the two.")
    tokens = [b"" if piece.type == proto.CONTROL else piece.text.encode() for piece in pieces]
    others = [(piece.type, number, piece.text) for number, piece in enumerate(pieces) if piece.type != proto.NORMAL]
    return _Pieces(*pack_arena(tokens), pack_float64(piece.score for piece in pieces), others)


def _check_types(pieces: _Pieces, file: ModelFile, place: str) -> None:
    unknown = pieces.of(proto.UNKNOWN)
    if not unknown:
        _refuse(place, "it has no unknown piece, so what becomes of other characters is open", "Add one of type 2")
    if len(unknown) > 1:
        (first, _), (second, text), *_ = unknown
        _refuse(place, f"piece {second}, {quoted(text)}, is a second unknown piece, after piece {first}", "Keep one")
    byte_pieces = pieces.of(proto.BYTE)
    if byte_pieces and not file.byte_fallback:
        number, text = byte_pieces[0]
        _refuse(place, f"piece {number}, {quoted(text)}, is of type byte, and byte_fallback is off", _RESTORE)
    for number, text in byte_pieces:
        if text not in _BYTE_PIECES:
            _refuse(place, f"piece {number}, {quoted(text)}, is of type byte and none of <0x00> to <0xFF>", _RESTORE)
    if file.byte_fallback and (missing := sorted(set(_BYTE_PIECES) - {text for _, text in byte_pieces})):
        what = f"byte_fallback is on, and it lacks {counted(len(missing), 'byte piece')}, the first is {missing[0]}"
        _refuse(place, what, _RESTORE)
    if file.has_denormalizer:
        _refuse(place, "it has a denormalizer, which changes decoded text and is unknown here", "Upgrade tokenloom")


def _spec(file: ModelFile, pieces: _Pieces) -> TokenizerSpec:
    ((_, unknown),) = pieces.of(proto.UNKNOWN)
    control, symbols = pieces.texts(proto.CONTROL), pieces.texts(proto.USER_DEFINED)
    unused = pieces.of(proto.UNUSED)
    model: Model
    pretokenizer, scores = Pretokenizer("none"), pieces.scores
    if file.model_type == proto.UNIGRAM:
        model = UnigramModel("sentencepiece", unknown, file.byte_fallback, symbols, pieces.texts(proto.UNUSED))
    elif file.model_type == proto.WORD:
        model = WordModel(unknown, file.byte_fallback, fuse_unk=not file.byte_fallback)
        pretokenizer, scores = (_WORDS if file.escape_whitespaces else _WORDS_WITH_BLANKS), b""
    else:
        if file.model_type == proto.CHAR:
            unused = sorted(unused + _longer_pieces(pieces))
        fallback, texts = file.byte_fallback, tuple(text for _, text in unused)
        model = BpeModel(
            "scores", unit="character", byte_fallback=fallback, unk_token=unknown, user_defined=symbols, unused=texts
        )
    rules = SentencepieceRules(
        file.charsmap,
        add_dummy_prefix=file.add_dummy_prefix,
        remove_extra_whitespaces=file.remove_extra_whitespaces,
        escape_whitespaces=file.escape_whitespaces,
        treat_whitespace_as_suffix=file.treat_whitespace_as_suffix,
        symbols=symbols,
    )
    drops = "all" if file.remove_extra_whitespaces else "first" if file.add_dummy_prefix else "none"
    return TokenizerSpec(
        model=model,
        pretokenizer=pretokenizer,
        added_tokens=tuple(AddedToken(text, token_id) for token_id, text in pieces.of(proto.CONTROL)),
        token_bytes=pieces.token_bytes,
        token_offsets=pieces.token_offsets,
        merges=b"",
        normalizer=Normalizer((rules,)),
        decoder=Decoder(
            (DecodeSentencepiece(unknown, file.unk_surface, control, file.byte_fallback, drops),)  # type: ignore[arg-type]
        ),
        scores=scores,
    )


def _longer_pieces(pieces: _Pieces) -> list[tuple[int, str]]:
    """Normal pieces of several characters, which a model of characters never makes: joined, they are cut again."""
    others = {token_id for _, token_id, _ in pieces.others}
    tokens = enumerate(unpack_arena(pieces.token_bytes, pieces.token_offsets))
    texts = ((token_id, token.decode()) for token_id, token in tokens if token_id not in others)
    return [(token_id, text) for token_id, text in texts if len(text) > 1]


def write_sentencepiece(spec: TokenizerSpec, path: PathLike) -> None:
    """Write a tokenizer as a model file; it is replaced if it exists.

    Raises: FormatError for a tokenizer that the format cannot hold; StorageError if the file cannot be written.
    """
    from tokenloom.storage import replace_files

    replace_files({Path(path): render_sentencepiece(spec, place=str(Path(path)))})


def render_sentencepiece(spec: TokenizerSpec, *, place: str = SENTENCEPIECE) -> bytes:
    """The content of a model file; errors name `place`. See `write_sentencepiece`."""
    rules, decoder = _parts(spec, place)
    kinds, model_type, byte_fallback = _kinds(spec, rules, place)
    control = {added.content for added in spec.added_tokens}
    tokens, scores = spec.vocabulary(), unpack_float64(spec.scores)
    pieces = []
    for token_id in range(spec.n_ids):
        if token_id not in tokens:
            _refuse(place, f"id {token_id} has no token, and all ids of a model file have one", _NO_WAY)
        text = tokens[token_id].decode()
        kind = proto.CONTROL if text in control else kinds.get(text, proto.NORMAL)
        if kind == proto.NORMAL and byte_fallback and text in _BYTE_PIECES:
            kind = proto.BYTE
        pieces.append(Piece(text, scores[token_id] if spec.scores else 0.0, kind))
    file = ModelFile(
        pieces,
        model_type,
        byte_fallback,
        rules.treat_whitespace_as_suffix,
        decoder.unknown_surface,
        rules.charsmap,
        rules.add_dummy_prefix,
        rules.remove_extra_whitespaces,
        rules.escape_whitespaces,
    )
    data = proto.render_model_file(file, place=place)
    _check_same(parse_sentencepiece(data, place=place), spec, place)
    return data


def _parts(spec: TokenizerSpec, place: str) -> tuple[SentencepieceRules, DecodeSentencepiece]:
    steps: tuple[Any, ...] = spec.normalizer.steps if spec.normalizer else ()
    if len(steps) != 1 or not isinstance(steps[0], SentencepieceRules):
        _refuse(
            place, "a model file holds the normalizer of SentencePiece, and this tokenizer has not this one", _NO_WAY
        )
    last: tuple[Any, ...] = spec.decoder.steps or ()
    if len(last) != 1 or not isinstance(last[0], DecodeSentencepiece):
        _refuse(place, "a model file holds the decoder of SentencePiece, and this tokenizer has not this one", _NO_WAY)
    return steps[0], last[0]


def _kinds(spec: TokenizerSpec, rules: SentencepieceRules, place: str) -> tuple[dict[str, int], int, bool]:
    """Types by text of pieces that are not normal, and the type of the model."""
    model = spec.model
    match model:
        case BpeModel(semantics="scores"):
            model_type = proto.BPE
        case UnigramModel(semantics="sentencepiece"):
            model_type = proto.UNIGRAM
        case WordModel():
            model_type = proto.WORD
        case _:
            _refuse(place, f"model {model.type!r} of this tokenizer is none of a model file", _NO_WAY)
    unused: Iterable[str] = () if isinstance(model, WordModel) else model.unused
    kinds = dict.fromkeys(unused, proto.UNUSED) | dict.fromkeys(rules.symbols, proto.USER_DEFINED)
    return kinds | {str(model.unk_token): proto.UNKNOWN}, model_type, model.byte_fallback


def _check_same(written: TokenizerSpec, spec: TokenizerSpec, place: str) -> None:
    """Refuse what came back another one: each part of a tokenizer is in the file, or the file does not stand for it."""
    if written == spec:
        return
    names = ("model", "pretokenizer", "added_tokens", "normalizer", "postprocessor", "decoder")
    lost = [name for name in names if getattr(written, name) != getattr(spec, name)]
    what = " and ".join(lost) or "the tokens"
    _refuse(place, f"a model file cannot hold {what} of this tokenizer exactly", _NO_WAY)


def _refuse(place: str, what: str, remedy: str) -> Never:
    raise FormatError(f"{place}: {what}. {remedy}.")
