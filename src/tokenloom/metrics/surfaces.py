"""What each token stands for inside a text, as bytes: of byte-level tokenizers its own bytes, of others what decoding
makes of it behind another token.

So `##ing` stands for `ing`, `▁the` for ` the`, and `<0xE4>` for one byte.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy import bool_, int64
from numpy.typing import NDArray

from tokenloom.metrics.tokens import is_half_character
from tokenloom.tokenizer import Tokenizer

__all__ = ["Vocabulary", "unknown_id_of", "vocabulary_of"]

_BYTE_TOKEN: Final = re.compile(rb"<0x([0-9A-F]{2})>")
_ANCHORS: Final = (b"a", b"e", b"0", b"A", b".", b"the")
"""Tokens that most vocabularies have, behind which others are decoded."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The tokens of a tokenizer, in the order of ids; ids without a token are left out.

    Args:
        ids: their ids, int64 of shape (n,).
        surfaces: what each stands for in a text, as bytes.
        special_ids: which of the ids are special tokens.
        unknown_id: the id of what has no token; None where there is none.
    """

    ids: NDArray[int64]
    surfaces: Sequence[bytes]
    special_ids: frozenset[int]
    unknown_id: int | None = None

    def __len__(self) -> int:
        """How many tokens there are, special ones too."""
        return len(self.ids)

    @cached_property
    def is_special(self) -> NDArray[bool_]:
        """Which of the tokens are special, of shape (n,)."""
        return np.isin(self.ids, list(self.special_ids))

    @cached_property
    def is_half(self) -> NDArray[bool_]:
        """Which of them are no sequence of whole characters."""
        return np.fromiter(map(is_half_character, self.surfaces), dtype=np.bool_, count=len(self))

    @cached_property
    def is_blank(self) -> NDArray[bool_]:
        """Which of them are blanks alone, by `str.isspace`."""
        return np.fromiter((_is_blank(token) for token in self.surfaces), dtype=np.bool_, count=len(self))

    @cached_property
    def n_digits(self) -> NDArray[int64]:
        """ASCII digits of each."""
        digits = re.compile(rb"[0-9]")
        return np.fromiter((len(digits.findall(token)) for token in self.surfaces), dtype=np.int64, count=len(self))

    @cached_property
    def n_chars(self) -> NDArray[int64]:
        """Characters of each; a byte outside valid UTF-8 counts as one."""
        sizes = (len(token.decode("utf-8", "surrogateescape")) for token in self.surfaces)
        return np.fromiter(sizes, dtype=np.int64, count=len(self))

    @cached_property
    def n_bytes(self) -> NDArray[int64]:
        """Bytes of each."""
        return np.fromiter(map(len, self.surfaces), dtype=np.int64, count=len(self))


def unknown_id_of(tokenizer: Tokenizer) -> int | None:
    """The id of what has no token; None where there is none."""
    unknown = getattr(tokenizer.spec.model, "unk_token", None)
    return None if unknown is None else tokenizer.id_of(unknown.encode())


def vocabulary_of(tokenizer: Tokenizer) -> Vocabulary:
    """The vocabulary of a tokenizer with the surfaces of its tokens.

    >>> tokenizer = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b" a"}, [(b" ", b"a")], ["<|end|>"])
    >>> vocabulary = vocabulary_of(tokenizer)
    >>> len(vocabulary), vocabulary.surfaces[-2:], vocabulary.special_ids
    (258, [b' a', b'<|end|>'], frozenset({257}))
    """
    spec, tokens = tokenizer.spec, tokenizer.vocabulary
    special = frozenset(tokenizer.special_tokens.values())
    surfaces = list(tokens.values()) if spec.joins_bytes else _surfaces(tokenizer, tokens, special)
    ids = np.fromiter(tokens, dtype=np.int64, count=len(tokens))
    return Vocabulary(ids, surfaces, special, unknown_id_of(tokenizer))


def _surfaces(tokenizer: Tokenizer, tokens: dict[int, bytes], special: frozenset[int]) -> list[bytes]:
    by_token = {token: token_id for token_id, token in tokens.items()}
    anchor = next((by_token[token] for token in _ANCHORS if token in by_token), next(iter(tokens)))
    before = tokenizer.decode_bytes([anchor])
    has_bytes = bool(getattr(tokenizer.spec.model, "byte_fallback", False))
    surfaces = []
    for token_id, token in tokens.items():
        byte = _BYTE_TOKEN.fullmatch(token) if has_bytes else None
        if byte:
            surfaces.append(bytes([int(byte[1], 16)]))
        elif token_id in special:
            surfaces.append(token)
        else:
            surfaces.append(tokenizer.decode_bytes([anchor, token_id]).removeprefix(before))
    return surfaces


def _is_blank(token: bytes) -> bool:
    if token.isascii():
        return token.isspace()
    try:
        return token.decode().isspace()
    except UnicodeDecodeError:
        return False
