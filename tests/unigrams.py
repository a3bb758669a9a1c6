"""Small unigram models, and the description of one as `tokenizer.json` has it."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from tokenloom.spec import AddedToken, Decoder, Pretokenizer, TokenizerSpec, UnigramModel
from tokenloom.spec.packing import pack_arena, pack_float64

__all__ = ["BYTE_PIECES", "PIECES", "random_pieces", "unigram_json", "unigram_spec"]

BYTE_PIECES: Final = tuple(f"<0x{byte:02X}>" for byte in range(256))
PIECES: Final = (("<unk>", 0.0), ("<s>", 0.0), ("a", -1.5), ("b", -2.5), ("ab", -2.0), ("é", -3.0), ("中", -1e-05))


def unigram_spec(
    pieces: Sequence[tuple[str, float]],
    model: UnigramModel,
    added: Sequence[AddedToken] = (),
) -> TokenizerSpec:
    """A unigram tokenizer whose pretokens are whole texts; added tokens are none of the model."""
    special = {token.content for token in added}
    token_bytes, token_offsets = pack_arena([b"" if piece in special else piece.encode() for piece, _ in pieces])
    return TokenizerSpec(
        model=model,
        pretokenizer=Pretokenizer("none"),
        added_tokens=tuple(added),
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=b"",
        decoder=Decoder(()),
        scores=pack_float64([score for _, score in pieces]),
    )


def unigram_json(pieces: Sequence[Sequence[Any]] = PIECES, special: Sequence[str] = ("<s>",)) -> dict[str, Any]:
    """The same as `tokenizers` writes it."""
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    ids = {piece: token_id for token_id, (piece, _) in enumerate(pieces)}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": ids[content], "content": content} | flags for content in special],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {"type": "Fuse"},
        "model": {
            "type": "Unigram",
            "unk_id": 0,
            "vocab": [[piece, score] for piece, score in pieces],
            "byte_fallback": False,
        },
    }


def random_pieces(random: Random, alphabet: str, *, byte_pieces: bool, digits: int = 3) -> list[tuple[str, float]]:
    """An unknown piece, and random ones, of which many have the same score if that has few digits."""
    n_pieces = random.randint(3, 25)
    texts = {"".join(random.choices(alphabet, k=random.randint(1, 5))) for _ in range(n_pieces)}
    pieces = [("<unk>", 0.0)] + [(text, round(-9 * random.random(), digits)) for text in sorted(texts)]
    return pieces + [(piece, 0.0) for piece in BYTE_PIECES if byte_pieces]
