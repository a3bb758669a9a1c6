"""A tokenizer whose model joins characters, with all that can happen to one that has no token."""

from tests.strategies import SPECIAL_TOKENS
from tokenloom import Tokenizer
from tokenloom.spec import (
    AddedToken,
    BpeModel,
    DecodeByteFallback,
    DecodeFuse,
    Decoder,
    DecodeReplace,
    Normalizer,
    NormalizerStep,
    Pretokenizer,
    TokenizerSpec,
)
from tokenloom.spec.packing import pack_arena, pack_uint32

__all__ = ["character_tokenizer"]


def character_tokenizer(*normalizer: NormalizerStep) -> Tokenizer:
    """Letters of ASCII and a few tokens of several; byte tokens but for the last sixteen; an unknown token, fused."""
    texts = ["<unk>", *map(chr, range(0x20, 0x7F)), "é", "▁", "th", "the", "▁the"]
    texts += [f"<0x{byte:02X}>" for byte in range(0xF0)]
    ids = {text: token_id for token_id, text in enumerate(texts)}
    specials = sorted({token for token in SPECIAL_TOKENS if token not in ids})
    token_bytes, token_offsets = pack_arena([*map(str.encode, texts), *(b"" for _ in specials)])
    spec = TokenizerSpec(
        model=BpeModel("merges", unit="character", byte_fallback=True, unk_token="<unk>", fuse_unk=True),
        pretokenizer=Pretokenizer("none"),
        added_tokens=(AddedToken("<unk>", 0), *(AddedToken(text, len(ids) + at) for at, text in enumerate(specials))),
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=pack_uint32(ids[part] for part in ("t", "h", "th", "e", "▁", "the")),
        normalizer=Normalizer(normalizer) if normalizer else None,
        decoder=Decoder((DecodeReplace("▁", by=" "), DecodeByteFallback(), DecodeFuse())),
    )
    return Tokenizer.from_spec(spec)
