r"""Which pretokenizer a regular expression is.

Files hold patterns as text. The text of a published pattern, in each of the spellings that are in use, becomes the
named pretokenizer that cuts alike; any other becomes a custom one.

Files of `tokenizers` are written for the Oniguruma library, which reads some constructs otherwise than the engine
here: `^` and `$` match at line ends, `\p{N}{1,3}+` is a repeated group and not a possessive one, `\w` and `\b` have
other classes, `(?i)` folds `ss` and `ß`. Of their texts only those are taken whose every construct means the same.
"""

import re
from collections.abc import Mapping
from typing import Final

from tokenloom.errors import FormatError, SpecError
from tokenloom.spec import Pretokenizer
from tokenloom.spec.components import PretokenizerType

__all__ = ["PATTERNS", "ambiguity", "pretokenizer_of"]

_CONTRACTIONS: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS: Final = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
_LLAMA3: Final = rf"{_CONTRACTIONS}|{_WORDS}|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_HEAD: Final = r"[^\r\n\p{L}\p{N}]?"
_TAIL: Final = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"

PATTERNS: Final[Mapping[str, PretokenizerType]] = {
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s": "cl100k",
    rf"{_CONTRACTIONS}|{_WORDS}|\s+\z|\s*[\r\n]|\s+(?!\S)|\s": "cl100k",
    _LLAMA3: "llama3",
    _LLAMA3.replace("{1,3}", ""): "qwen2",
    rf"{_HEAD}{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|{_HEAD}{_UPPER}+{_LOWER}*{_CONTRACTIONS}?"
    rf"|\p{{N}}{{1,3}}{_TAIL}": "o200k",
    rf"{_HEAD}{_UPPER}*{_LOWER}+|{_HEAD}{_UPPER}+{_LOWER}*|\p{{N}}{_TAIL}": "tekken",
    r"[\s\S]+": "none",
}
"""Named pretokenizers by the texts of their patterns."""

_ALIKE: Final = re.compile(
    r"""
      \(\?i:'s\|'t\|'re\|'ve\|'m\|'ll\|'d\)   # no letters here fold to more than one character
    | \(\?(?:[:=!>]|<[=!])                      # groups and looks around
    | [()|.]
    | \\[rntfsSdDAz] | \\[pP]\{\^?[A-Za-z_]+\}   # classes of Unicode, and the ends of the text
    | \\[^A-Za-z0-9\s]                          # an escaped sign
    | \[\^?(?:                                  # a class of these, without sets of sets
          \\[rntfsSdD] | \\[pP]\{[A-Za-z_]+\} | \\[^A-Za-z0-9\s] | (?!&&|--|~~)[^\\\[\]]
      )+\]
    | [^\\\[\]^$(){}*+?|.]                      # a character that stands for itself
    """,
    re.VERBOSE,
)
_QUANTIFIER: Final = re.compile(r"[*+?][+?]?|\{[0-9]+(?:,[0-9]*)?\}(?![+?])")


def pretokenizer_of(pattern: str, *, place: str) -> Pretokenizer:
    """The pretokenizer that is named, or whose regular expression is given; errors name `place`.

    >>> pretokenizer_of("gpt2", place="x")
    Pretokenizer(type='gpt2')
    """
    try:
        if re.fullmatch("[a-z0-9_]+", pattern):
            return Pretokenizer(pattern)  # type: ignore[arg-type]  # it refuses unknown names
        if name := PATTERNS.get(pattern):
            return Pretokenizer(name)
        return Pretokenizer("custom", regex=pattern)
    except SpecError as error:
        raise FormatError(f"{place}: {error}") from error


def ambiguity(pattern: str) -> str | None:
    r"""The first part of a pattern that Oniguruma may read otherwise; None if there is none.

    >>> ambiguity(r" ?\p{L}+|\s+(?!\S)"), ambiguity(r"\w+|\s+$"), ambiguity(r"\s+$")
    (None, '\\w+|\\s+$', '$')
    """
    at = 0
    while at < len(pattern):
        item = _ALIKE.match(pattern, at)
        if item is None:
            return pattern[at : at + 20]
        at = item.end()
        if quantifier := _QUANTIFIER.match(pattern, at):
            at = quantifier.end()
    return None
