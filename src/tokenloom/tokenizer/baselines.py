"""Tokenizers that learn nothing: what others are measured against."""

from typing import Final

from tokenloom.spec import BpeModel, Decoder, Pretokenizer, TokenizerSpec, build_spec
from tokenloom.spec.packing import pack_arena
from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["byte_tokenizer", "code_point_tokenizer"]

_N_CODE_POINTS: Final = 0x110000
_SURROGATES: Final = range(0xD800, 0xE000)
_CUTS: Final = Pretokenizer("gpt2")
"""No token of these is longer than a character, so cuts change no id; with them text is read in parts, and words that
come again are looked up once.
"""


def byte_tokenizer() -> Tokenizer:
    """A token for each of the 256 bytes, whose value is its id: never an unknown one, and one byte per token.

    >>> byte_tokenizer().encode("你!")
    [228, 189, 160, 33]
    """
    return Tokenizer.from_spec(build_spec({byte: bytes([byte]) for byte in range(256)}, [], pretokenizer=_CUTS))


def code_point_tokenizer() -> Tokenizer:
    """A token for each character of Unicode, whose id is its code point.

    1,114,112 ids, of which those of the 2,048 surrogates are holes. Bytes outside valid UTF-8, which no str has, become
    U+FFFD, each by itself.

    >>> tokenizer = code_point_tokenizer()
    >>> tokenizer.encode("Hi 你")
    [72, 105, 32, 20320]
    >>> len(tokenizer)
    1114112
    """
    tokens = [b"" if point in _SURROGATES else chr(point).encode() for point in range(_N_CODE_POINTS)]
    token_bytes, token_offsets = pack_arena(tokens)
    return Tokenizer.from_spec(
        TokenizerSpec(
            model=BpeModel("merges", unit="character", unk_token="\ufffd"),
            pretokenizer=_CUTS,
            added_tokens=(),
            token_bytes=token_bytes,
            token_offsets=token_offsets,
            merges=b"",
            decoder=Decoder(()),
        )
    )
