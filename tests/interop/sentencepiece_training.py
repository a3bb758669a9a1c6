"""Models that SentencePiece trains for the tests, from our own texts, and each as its library and as ours."""

import io
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import sentencepiece

from tests.strategies import HARD_PARTS
from tokenloom import Tokenizer
from tokenloom.formats.sentencepiece import parse_sentencepiece

__all__ = ["TEXTS", "Pair", "pair_of", "trained"]

_WORDS: Final = (
    *("the cat sat on the mat and the hat", "a loaf of bread, and of cake.", "snake_case camelCase 2048 fi abc"),
    *("Straße über Öl und Äpfel", "ελληνικά γράμματα και λόγια", "русский текст и слова", "日本語のテキストと文字"),
    *("中文分词和汉字", "한국어 문장과 낱말", "def encode(self, text): return ids", "x = [1, 2, 3]; y = {'a': 4}"),
    *("resumé naïve café", "the mat is on the cat, the hat is not", "abcab ababc <n> xyz ing sing ring"),
)
TEXTS: Final = (*(" ".join(_WORDS[n:] + _WORDS[:n]) for n in range(len(_WORDS))), *_WORDS * 4, *HARD_PARTS)


@dataclass(frozen=True, slots=True)
class Pair:
    """A model as SentencePiece runs it and as we do."""

    theirs: Any
    ours: Tokenizer


def pair_of(data: bytes) -> Pair:
    """Both tokenizers of the content of a model file."""
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    return Pair(theirs, Tokenizer.from_spec(parse_sentencepiece(data, place="x.model"), special_text="plain"))


@cache
def _trained(options: tuple[tuple[str, Any], ...]) -> bytes:
    out = io.BytesIO()
    given: dict[str, Any] = {
        "vocab_size": 420,
        "hard_vocab_limit": False,
        "character_coverage": 0.98,
        "minloglevel": 2,
        **{key: list(value) if isinstance(value, tuple) else value for key, value in options},
    }
    texts = iter(text for text in TEXTS if "\0" not in text)
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=texts, model_writer=out, **given)
    return out.getvalue()


def trained(**options: Any) -> bytes:
    """The content of a model file, trained with these options."""
    return _trained(tuple(sorted(options.items())))
