"""What a single file is, by how it begins: a tokenizer that is read here, or something else that is named.

Large files are looked at no further than they must be: of JSON, the keys at the top up to the first that decides.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, Never

from tokenloom.errors import FormatError
from tokenloom.formats.json_values import Node, parse_json
from tokenloom.formats.text import refuse_byte_order_mark
from tokenloom.wording import quoted

__all__ = ["Kind", "find_kind", "top_keys"]

Kind = Literal["hf_json", "sentencepiece", "subword_nmt", "tekken", "tiktoken"]

_DECIDING: Final[dict[tuple[str, str], Kind]] = {
    ("model", "{"): "hf_json",
    ("added_tokens", "["): "hf_json",
    ("pre_tokenizer", "{"): "hf_json",
    ("config", "{"): "tekken",
    ("vocab", "["): "tekken",
}
"""Keys at the top and how their values begin: in a vocabulary every word may be a key, with a number."""

_BOTH: Final = "Use Tokenizer.from_files(vocab_path, merges_path, pattern=...)"
_CODES: Final = "formats.read_subword_nmt(path) if it is a code file of subword-nmt"
_EITHER: Final = f"{_BOTH}, or {_CODES}"
_OTHERS: Final = (
    (rb"\x1f\x8b|\x28\xb5\x2f\xfd|\xfd7zXZ|BZh[1-9]|PK\x03\x04", "it is compressed", "Unpack it first"),
    (
        rb"\x80[\x02-\x05]",
        "it is a pickle, which may run any code",
        "Save its tokenizer as tokenizer.json where it was made",
    ),
    (
        rb"version https://git-lfs",
        "it is a pointer of Git LFS, not the file itself",
        "Fetch it with 'git lfs pull', or download the file itself",
    ),
    (
        rb"\[PAD\]\r?\n",
        "it is a vocabulary of BERT, whose name would be vocab.txt",
        "Use formats.read_vocab_txt(path, lowercase=True), or lowercase=False for a cased model",
    ),
    (rb"#version", "it is a list of merges, one of two files", _EITHER),
    (rb"GGUF", "it is a model in the form of GGUF", "Use the tokenizer.json that it was made from"),
)
"""How other files begin, what they are, and what to do."""

_MERGE: Final = re.compile(r"[^\s\x00-\x20]+ [^\s\x00-\x20]+")
_RANK_LINE: Final = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?")
_LINES: Final = 3
"""So many lines are looked at, of which one must be a token in base64 and a rank; the reader names what is wrong."""
_HEAD_BYTES: Final = 1 << 12
_LIKE_CODES: Final = re.compile(rb"#\s*version|\S+[ \t]+\S*</w>")
"""How a damaged code file may begin."""
_JSON_PART: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[{}\[\]]', re.DOTALL)
"""A string may lack its end: one that had to be whole would be looked for again from each quote in it."""
_VALUE: Final = re.compile(rb"\s*:\s*(.)", re.DOTALL)


def find_kind(data: bytes, *, place: str, expected: Kind | None = None) -> Kind:
    r"""What a file is.

    Args:
        data: its content.
        place: names it in errors.
        expected: what its name says; decides where the content does not, so that its reader says what is wrong.
    Raises: FormatError for what is not read here: it says what it is, if that is known, and what to do.

    >>> find_kind(b'{"version": "1.0", "model": {}}', place="x"), find_kind(b"IQ== 0\n", place="x")
    ('hf_json', 'tiktoken')
    """
    if _is_sentencepiece(data):
        return "sentencepiece"
    refuse_byte_order_mark(data, place=place)
    if expected == "sentencepiece":
        _refuse_foreign_model(data, place)
        return expected
    if _is_codes(data[:_HEAD_BYTES], place):
        return "subword_nmt"
    _refuse_foreign_model(data, place)
    head = data[:_HEAD_BYTES].lstrip()
    if head.startswith((b"{", b"[")):
        kind = next((_DECIDING[entry] for entry in top_keys(data) if entry in _DECIDING), expected)
        return kind or _refuse_other_json(parse_json(data, file=place))
    if place.endswith(".json"):
        parse_json(data, file=place)  # says why it is none
    return _kind_of_lines(head, place, expected)


def _refuse_foreign_model(data: bytes, place: str) -> None:
    for pattern, what, remedy in _OTHERS:
        if re.match(pattern, data):
            _refuse(place, what, remedy)


def _kind_of_lines(head: bytes, place: str, expected: Kind | None) -> Kind:
    lines = [line for line in head.split(b"\n") if line.strip()][:_LINES]
    is_list = bool(lines) and all(_MERGE.fullmatch(line.rstrip(b"\r").decode(errors="replace")) for line in lines)
    if not expected and not is_list and (place.endswith(".codes") or _LIKE_CODES.match(head)):
        what = "is empty" if not lines else f"begins with {quoted(lines[0])}, which is no merge and no '#version: 0.2'"
        _refuse(place, f"it {what}", f"Mend or restore it, or use {_CODES}")
    if expected or head.startswith(b"<") or not lines or any(map(_RANK_LINE.fullmatch, lines)):
        return expected or "tiktoken"  # whose reader knows web pages and empty files
    if is_list:
        _refuse(place, "it may be a list of merges, one of two files", _EITHER)
    raise FormatError(
        f"{place}: its first line, {quoted(lines[0])}, is neither JSON nor a token in base64 with a rank. "
        "Name a tokenizer.json, a tekken.json, a rank file of tiktoken, a code file of subword-nmt, or a folder with a "
        "tokenizer."
    )


def top_keys(data: bytes) -> Iterator[tuple[str, str]]:
    """The keys at the top of an object and the first character of their values, one by one as the text is gone through.

    What is no JSON gives some keys or none.

    >>> list(top_keys(b'{"a": {"b": 1}, "c": [2]}'))
    [('a', '{'), ('c', '[')]
    """
    depth = 0
    for part in _JSON_PART.finditer(data):
        if part[0] in b"{[":
            depth += 1
        elif part[0] in b"}]":
            depth -= 1
        elif depth == 1 and (value := _VALUE.match(data, part.end())):
            yield part[0][1:-1].decode(errors="replace"), value[1].decode(errors="replace")


def _refuse_other_json(top: Node) -> Never:
    if isinstance(top.value, dict) and top.value:
        if all(type(value) is int for value in top.value.values()):
            what = "is a vocabulary alone, without merges"
            raise top.fault(what, _BOTH)
        if not top.value.keys().isdisjoint(("tokenizer_class", "model_max_length", "added_tokens_decoder")):
            raise top.fault("is a tokenizer_config.json, which has no vocabulary", "Name the tokenizer.json beside it")
        if "model_type" in top.value or "architectures" in top.value:
            raise top.fault("describes a model, not its tokenizer", "Name the tokenizer.json beside it")
    raise top.fault(
        "has neither the model of a tokenizer.json nor the config and vocab of a tekken.json", "Name another file"
    )


def _is_sentencepiece(data: bytes) -> bool:
    """Whether it begins with a piece: field 1, in it field 1 with the text, then score or type, or another piece."""
    if data[:1] != b"\n" or data[2:3] != b"\n" or len(data) < 5:
        return False
    n_piece, n_text = data[1], data[3]
    if n_piece == n_text + 2:
        return n_piece < 128 and data[2 + n_piece : 3 + n_piece] in (b"\n", b"\x12", b"\x1a")
    return n_text < n_piece < 128 and data[4 + n_text : 5 + n_text] in (b"\x15", b"\x18")


def _is_codes(head: bytes, place: str) -> bool:
    """Whether it begins with merges of characters that have the mark of word ends, and is not GPT-2's kind of list.

    Such lists, too, may have the mark (CLIP's has it), but spell characters in bytes: their name tells them.
    """
    if place.endswith("merges.txt"):
        return False
    for number, line in enumerate(head.split(b"\n")):
        units = line.rstrip(b"\r").split(b" ")
        if number == 0 and line.startswith(b"#version:"):
            continue
        if len(units) != 2:
            return False
        if any(unit.endswith(b"</w>") for unit in units):
            return True
    return False


def _refuse(place: str, what: str, remedy: str) -> Never:
    raise FormatError(f"{place}: {what}. {remedy}.")
