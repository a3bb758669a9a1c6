"""A SentencePiece BPE model as `tokenizer.json`, the way `transformers` converts Llama 2's and Mistral's.

Only what the conversion needs is read of the protobuf: field 1 of the model is a piece, with its text as field 1, its
score as field 2 and its type as field 3.
"""

import json
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

__all__ = ["tokenizer_json"]

_VARINT: Final = 0
_FIXED64: Final = 1
_BYTES: Final = 2


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of each field of a message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        length = 8 if kind == _FIXED64 else 4
        if kind == _BYTES:
            length, at = _varint(data, at)
        yield number, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def _pieces(data: bytes) -> dict[str, float]:
    """Scores by piece, in the order of ids."""
    scores = {}
    for number, value in _fields(data):
        if number == 1:
            piece = dict(_fields(value))
            (score,) = struct.unpack("<f", piece.get(2, bytes(4)))
            scores[piece[1].decode()] = score
    return scores


def _merges(scores: dict[str, float]) -> list[list[str]]:
    """All cuts of a piece into two pieces; best score of the whole first, then the longer left part."""
    ids = {piece: token_id for token_id, piece in enumerate(scores)}
    found = []
    for piece, score in scores.items():
        cuts = [(piece[:at], piece[at:]) for at in range(1, len(piece))]
        known = sorted((ids[left], ids[right], left, right) for left, right in cuts if left in ids and right in ids)
        found += [(score, left, right) for _, _, left, right in known]
    found.sort(key=lambda merge: (merge[0], len(merge[1]), len(merge[2])), reverse=True)
    return [[left, right] for _, left, right in found]


@cache
def tokenizer_json(path: Path) -> str:
    """The content of `tokenizer.json`."""
    scores = _pieces(path.read_bytes())
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": at, "content": content, **flags} for at, content in enumerate(("<unk>", "<s>", "</s>"))
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": {piece: token_id for token_id, piece in enumerate(scores)},
            "merges": _merges(scores),
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=2)
