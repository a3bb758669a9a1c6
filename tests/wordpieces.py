"""A small WordPiece tokenizer, and the description of one as `tokenizer.json` has it."""

from collections.abc import Sequence
from typing import Any, Final

from tokenloom import Tokenizer
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

__all__ = ["BERT", "FLAGS", "WORDS", "wordpiece_json", "wordpiece_spec", "wordpiece_tokenizer"]

WORDS: Final = (
    *("[UNK]", "[CLS]", "[SEP]", "the", "th", "##e", "##m", "un", "##a", "##able", "do", "n", "t", "cat", "##s", "a"),
    *(".", ",", "'", "!", "#", "<", "|", "1", "##1", "##b", "b", "中", "文", "kyoto", "nu", "cafe", "fi", "x"),
)
"""Special tokens come first."""
BERT: Final = Pretokenizer("sequence", steps=(BertStep(),))
FLAGS: Final = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def wordpiece_spec(tokens: Sequence[str] = WORDS, text: BertText | None = BertText()) -> TokenizerSpec:  # noqa: B008
    """An uncased BERT of a few tokens, of which the first three are special; None changes no text."""
    token_bytes, token_offsets = pack_arena([b"", b"", b"", *map(str.encode, tokens[3:])])
    return TokenizerSpec(
        model=WordpieceModel("[UNK]"),
        pretokenizer=BERT,
        added_tokens=tuple(AddedToken(token, token_id) for token_id, token in enumerate(tokens[:3])),
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=b"",
        normalizer=Normalizer((text,)) if text else None,
        postprocessor=Template((1, "A", 2), (1, "A", 2, "B", 2)),
        decoder=Decoder((DecodeWordpiece(),)),
    )


def wordpiece_tokenizer(text: BertText | None = BertText(), **options: Any) -> Tokenizer:  # noqa: B008
    """That tokenizer, ready."""
    return Tokenizer.from_spec(wordpiece_spec(text=text), **options)


def wordpiece_json(tokens: Sequence[str] = WORDS, **model: Any) -> dict[str, Any]:
    """The same as `tokenizers` writes it."""
    return {
        "version": "1.0",
        "added_tokens": [{"id": token_id, "content": token} | FLAGS for token_id, token in enumerate(tokens[:3])],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {token: token_id for token_id, token in enumerate(tokens)},
        }
        | model,
    }
