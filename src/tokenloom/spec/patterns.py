r"""The named pretokenizers as regular expressions: each matches one pretoken after the other, whatever the text.

The core does not run these; its scanners are written by hand and tested to be equal. The texts are for people, for
other libraries and for recognizing a pattern in a file. They need `\p{...}`, look-ahead and the classes of Unicode 16.
Where a library gives one regular expression, it is that one, letter by letter.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["KNOWN_PATTERNS", "NAMED_PATTERNS", "digits_pattern"]

_CONTRACTION: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_UPPER: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD: Final = r"[^\r\n\p{L}\p{N}]?"
_BLANKS: Final = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_WORDS_AND_SIGNS: Final = (
    r"[^\r\n\p{L}\p{N}]?+\p{L}++|{digits}| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

_CL100K: Final = "'(?i:[sdmt]|ll|ve|re)|" + _WORDS_AND_SIGNS
"""tiktoken 0.14, with the digits left open."""

_LLAMA3: Final = rf"{_CONTRACTION}|{_LEAD}\p{{L}}+|{{digits}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_BLANKS}"
"""`tokenizer.json` of Llama 3, and with single digits of Qwen 2 and 3."""

_POSSESSIVE_LLAMA3: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|{digits}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""cl100k_base of older versions of tiktoken, and with groups of two nanochat's: equal to Llama 3's."""

_O200K_WORDS: Final = rf"{_LEAD}{_UPPER}*{_LOWER}+{{contraction}}|{_LEAD}{_UPPER}+{_LOWER}*{{contraction}}"
_O200K_REST: Final = rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_BLANKS}"
_O200K: Final = "|".join(
    [_O200K_WORDS.replace("{contraction}", f"{_CONTRACTION}?"), r"\p{N}{1,3}", _O200K_REST],
)
_TEKKEN: Final = "|".join([_O200K_WORDS.replace("{contraction}", ""), r"\p{N}", _O200K_REST])

_CJK: Final = "\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff"
_DEEPSEEK_V3: Final = "|".join(
    [
        r"\p{N}{1,3}",
        # In a run of Chinese and Japanese: words, signs, and what is neither.
        rf"(?:(?![\p{{L}}\p{{P}}\p{{S}}])[{_CJK}])?(?:(?=[\p{{L}}\p{{M}}])[{_CJK}])+",
        rf"(?:(?=[\p{{P}}\p{{S}}])[{_CJK}])+",
        rf"(?:(?![\p{{L}}\p{{M}}\p{{P}}\p{{S}}])[{_CJK}](?!(?=[\p{{L}}\p{{M}}])[{_CJK}]))+",
        # Between such runs and numbers, each of which is like an end of the text.
        r"[!-/:-@\[-`{-~][A-Za-z]+",
        rf"[^\r\n\p{{L}}\p{{P}}\p{{S}}\p{{N}}{_CJK}]?(?:(?=[\p{{L}}\p{{M}}])[^{_CJK}])+",
        rf" ?(?:(?=[\p{{P}}\p{{S}}])[^{_CJK}])+[\r\n]*",
        rf"\s*[\r\n]+|\s+(?![^\s\p{{N}}{_CJK}])|\s+",
        rf"(?:[^\s\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}{_CJK}](?!(?=[\p{{L}}\p{{M}}])[^{_CJK}]))+",
    ]
)
"""The chain of three patterns of `tokenizer.json` as one."""

_BERT_NEWER: Final = (
    "\u061d\u09fd\u0a76\u0c77\u0c84\u1b4e\u1b4f\u1b7d-\u1b7f\u2e43-\u2e4f\u2e52-\u2e5d\U00010d6e\U00010ead"
    "\U00010f55-\U00010f59\U00010f86-\U00010f89\U000113d4\U000113d5\U000113d7\U000113d8\U0001144b-\U0001144f"
    "\U0001145a\U0001145b\U0001145d\U00011660-\U0001166c\U000116b9\U0001183b\U00011944-\U00011946\U000119e2"
    "\U00011a3f-\U00011a46\U00011a9a-\U00011a9c\U00011a9e-\U00011aa2\U00011b00-\U00011b09\U00011be1"
    "\U00011c41-\U00011c45\U00011c70\U00011c71\U00011ef7\U00011ef8\U00011f43-\U00011f4f\U00011fff\U00012ff1"
    "\U00012ff2\U00016d6d-\U00016d6f\U00016e97-\U00016e9a\U00016fe2\U0001e5ff\U0001e95e\U0001e95f"
)
"""Punctuation in Unicode 16 that is none to the pretokenizer of `tokenizers` 0.23.3."""

_BERT_SIGNS: Final = r"\p{P}$+<=>^`|~" + "\u166d\U000111c9"
"""The other way round: two characters that are punctuation no longer, and the symbols of ASCII."""

NAMED_PATTERNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "none": r"[\s\S]+",
        "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        "cl100k": _CL100K,
        "llama3": _LLAMA3,
        "qwen2": _LLAMA3.replace("{digits}", r"\p{N}"),
        "digits3_right": _CL100K.replace("{digits}", r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"),
        "o200k": _O200K,
        "tekken": _TEKKEN,
        "deepseek_v3": _DEEPSEEK_V3,
        "starcoder": r"\p{N}|'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+",
        "whitespace": r"\w+|[^\w\s]+|\s+",
        "metaspace": "[ \u2581][^ \u2581]*|[^ \u2581]+",
        "bert": rf"(?![{_BERT_NEWER}])[{_BERT_SIGNS}]|(?:[^\s{_BERT_SIGNS}]|[{_BERT_NEWER}])+|\s+",
    }
)
"""Texts by type; those of "cl100k" and "llama3" have a place for the digits, which `digits_pattern` fills."""


def digits_pattern(pretokenizer_type: str, digits: int) -> str:
    r"""The text of a type whose digits stand in groups of at most so many.

    >>> r"|\p{N}{1,2}|" in digits_pattern("llama3", 2)
    True
    """
    group = r"\p{N}" if digits == 1 else rf"\p{{N}}{{1,{digits}}}"
    if pretokenizer_type == "cl100k" and digits > 1:
        group += "+"
    return NAMED_PATTERNS[pretokenizer_type].replace("{digits}", group)


KNOWN_PATTERNS: Final[Mapping[str, tuple[str, int | None]]] = MappingProxyType(
    {
        **{text: (name, None) for name, text in NAMED_PATTERNS.items() if "{digits}" not in text},
        **{digits_pattern("cl100k", digits): ("cl100k", digits) for digits in (1, 2, 3)},
        **{digits_pattern("llama3", digits): ("llama3", digits) for digits in (2, 3)},
        # GPT-2's encoder.py, and r50k_base of tiktoken 0.14.
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": ("gpt2", None),
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": ("gpt2", None),
        _POSSESSIVE_LLAMA3.replace("{digits}", r"\p{N}{1,3}"): ("llama3", 3),
        _POSSESSIVE_LLAMA3.replace("{digits}", r"\p{N}{1,2}"): ("llama3", 2),
    }
)
"""Type and digits of texts that cut like a named pretokenizer, as they stand in files of tokenizers."""
