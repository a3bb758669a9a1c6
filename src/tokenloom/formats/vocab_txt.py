r"""BERT's own `vocab.txt`: one token a line, numbered from 0.

    [PAD]
    [UNK]
    the
    ##s

The file has nothing but tokens. All else is BERT's: its text (`BertText`), its words, `##` before what goes on with a
word, 100 characters a word at most, `[CLS]` before a text and `[SEP]` behind it. Whether letters become small is said
by no line: `tokenizer_config.json` beside the file may say it (`do_lower_case`), else the caller must.

Source: `models/wordpiece` and `BertWordPieceTokenizer` of huggingface/tokenizers, whose ids these are.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tokenloom.errors import FormatError
from tokenloom.formats.json_values import Node, parse_json
from tokenloom.formats.text import utf8_text
from tokenloom.spec import (
    AddedToken,
    BertStep,
    BertText,
    Decoder,
    DecodeWordpiece,
    Normalizer,
    Pretokenizer,
    Template,
    TokenizerSpec,
    WordpieceModel,
)
from tokenloom.spec.packing import pack_arena
from tokenloom.storage import read_input, replace_files
from tokenloom.wording import quoted

__all__ = ["VOCAB_TXT", "parse_vocab_txt", "read_vocab_txt", "render_vocab_txt", "write_vocab_txt"]

VOCAB_TXT: Final = "vocab.txt"
_CONFIG: Final = "tokenizer_config.json"
_UNK: Final = "[UNK]"
_CLS: Final = "[CLS]"
_SEP: Final = "[SEP]"
_SPECIAL: Final = ("[PAD]", _UNK, _CLS, _SEP, "[MASK]")
_BLANKS: Final = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What the library strips at the end of a line."""


def read_vocab_txt(
    path: str | os.PathLike[str],
    *,
    lowercase: bool | None = None,
    strip_accents: bool | None = None,
    handle_chinese_chars: bool | None = None,
) -> TokenizerSpec:
    """Read a BERT vocabulary.

    Args:
        path: the file.
        lowercase: letters become small, as for the "uncased" models; None takes what `tokenizer_config.json` beside the
            file says.
        strip_accents: accents are taken away; None takes what that file says, or the value of `lowercase`.
        handle_chinese_chars: Chinese characters stand apart; None takes what that file says, or true.
    Raises: CorpusError for a missing file; FormatError naming file and line, and where nobody says what `lowercase` is.
    """
    place = Path(path)
    said = _config_beside(place)
    lowercase = said.get("do_lower_case") if lowercase is None else lowercase
    if lowercase is None:
        raise FormatError(
            f"{str(place)!r}: it does not say whether letters become small, and no {_CONFIG} beside it does. Use "
            "formats.read_vocab_txt(path, lowercase=True) for an uncased model, or lowercase=False for a cased one."
        )
    accents = said.get("strip_accents") if strip_accents is None else strip_accents
    chinese = said.get("tokenize_chinese_chars") if handle_chinese_chars is None else handle_chinese_chars
    text = BertText(
        handle_chinese_chars=chinese is None or chinese,
        strip_accents=lowercase if accents is None else accents,
        lowercase=lowercase,
    )
    return parse_vocab_txt(read_input(place), text, place=str(place))


def _config_beside(path: Path) -> dict[str, bool]:
    """What the configuration in the same folder says of BERT's text."""
    config = path.parent / _CONFIG
    if not config.is_file():
        return {}
    top = parse_json(read_input(config), file=str(config))
    if top.get("do_basic_tokenize", True).value is not True:
        raise top["do_basic_tokenize"].fault("is not true, and words are always cut as BERT's here", "Remove the file")
    names = ("do_lower_case", "strip_accents", "tokenize_chinese_chars")
    return {name: top[name].flag() for name in names if _is_said(top, name)}


def _is_said(top: Node, name: str) -> bool:
    return top.get(name).value is not None


def parse_vocab_txt(data: bytes, text: BertText, *, place: str) -> TokenizerSpec:
    r"""The tokenizer of a vocabulary and of what is done to its text; errors name `place`.

    >>> spec = parse_vocab_txt(b"[UNK]\n[CLS]\n[SEP]\nthe\n##s\n", BertText(), place="vocab.txt")
    >>> spec.postprocessor, [token.content for token in spec.special_tokens]
    (Template(single=(1, 'A', 2), pair=(1, 'A', 2, 'B', 2)), ['[UNK]', '[CLS]', '[SEP]'])
    """
    tokens = _tokens(data, place)
    ids = {token: token_id for token_id, token in enumerate(tokens) if token}
    if _UNK not in ids:
        raise FormatError(f"{place}: it has no token {_UNK!r}, which unknown words become. Add a line with it.")
    added = sorted((AddedToken(token, ids[token]) for token in _SPECIAL if token in ids), key=lambda token: token.id)
    special = {token.content for token in added}
    token_bytes, token_offsets = pack_arena([b"" if token in special else token.encode() for token in tokens])
    template = None
    if _CLS in ids and _SEP in ids:
        cls, sep = ids[_CLS], ids[_SEP]
        template = Template((cls, "A", sep), (cls, "A", sep, "B", sep))
    return TokenizerSpec(
        model=WordpieceModel(_UNK),
        pretokenizer=Pretokenizer("sequence", steps=(BertStep(),)),
        added_tokens=tuple(added),
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=b"",
        normalizer=Normalizer((text,)),
        postprocessor=template,
        decoder=Decoder((DecodeWordpiece(),)),
    )


def _tokens(data: bytes, place: str) -> list[str]:
    """The token of each line; an empty one is an id without a token."""
    lines = [line.rstrip(_BLANKS) for line in utf8_text(data, place=place).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    first: dict[str, int] = {}
    for number, token in enumerate(lines, 1):
        if token and first.setdefault(token, number) != number:
            what = f"token {quoted(token)} is already in line {first[token]}"
            raise FormatError(f"{place}, line {number}: {what}. Delete one of the two lines.")
    return lines


def write_vocab_txt(spec: TokenizerSpec, path: str | os.PathLike[str]) -> None:
    """Write the tokens of a BERT tokenizer, one a line.

    `BertWordPieceTokenizer` of `tokenizers` reads it, and `read_vocab_txt`; both must be told of its `BertText`.
    Raises: FormatError if anything else of the tokenizer is not BERT's; StorageError if the file cannot be written.
    """
    replace_files({Path(path): render_vocab_txt(spec, place=str(path))})


def render_vocab_txt(spec: TokenizerSpec, *, place: str = VOCAB_TXT) -> bytes:
    r"""The content of the file; errors name `place`.

    >>> spec = parse_vocab_txt(b"[UNK]\nthe\n\n##s\n", BertText(), place="vocab.txt")
    >>> render_vocab_txt(spec)
    b'[UNK]\nthe\n\n##s\n'
    """
    steps = spec.normalizer.steps if spec.normalizer else ()
    if len(steps) != 1 or not isinstance(steps[0], BertText) or not steps[0].clean_text:
        raise _cannot_hold(place, "its normalizer is not BERT's")
    vocabulary = spec.vocabulary()
    tokens = [vocabulary.get(token_id, b"") for token_id in range(spec.n_ids)]
    for token_id, token in enumerate(tokens):
        if b"\n" in token or token.decode(errors="replace").rstrip(_BLANKS) != token.decode(errors="replace"):
            raise _cannot_hold(place, f"token {quoted(token)} (id {token_id}) has a line end or ends in a blank")
    data = b"\n".join(tokens) + b"\n"
    try:
        again: TokenizerSpec | None = parse_vocab_txt(data, steps[0], place=place)
    except FormatError as error:
        raise _cannot_hold(place, f"it would not be read again: {error}") from error
    if again != spec:
        raise _cannot_hold(place, f"its {' and '.join(_differences(spec, again))} is not BERT's")
    return data


def _differences(spec: TokenizerSpec, other: TokenizerSpec | None) -> Sequence[str]:
    parts: dict[str, Any] = {"model": "model", "pretokenizer": "pretokenizer", "added_tokens": "list of added tokens"}
    parts |= {"postprocessor": "postprocessor", "decoder": "decoder"}
    named = [name for part, name in parts.items() if getattr(spec, part) != getattr(other, part)]
    return named or ["vocabulary"]


def _cannot_hold(place: str, what: str) -> FormatError:
    return FormatError(f"{place}: cannot hold this tokenizer: {what}. Use another format, such as tokenizer.json.")
