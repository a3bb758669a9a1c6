r"""Which pretokenizer a regular expression is.

Files hold patterns as text. The text of a published pattern, in each of the spellings that are in use, becomes the
named pretokenizer that cuts alike; any other becomes a custom one.

Files of `tokenizers` are written for the Oniguruma library, which reads some constructs otherwise than the engine
here: `^` and `$` match at line ends, `\p{N}{1,3}+` is a repeated group and not a possessive one, `\w` and `\b` have
other classes, `\<` is no border of a word, `(?i)` folds `ss` and `ß`. Of their texts only those are taken whose every
construct means the same.
"""

import re
import reprlib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final, get_args

from tokenloom.errors import FormatError, SpecError
from tokenloom.spec import PatternName, Pretokenizer
from tokenloom.wording import quoted

__all__ = ["ambiguity", "hf_pattern", "pretokenizer_of", "regex_pretokenizer"]

_CL100K: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s"
)
_WORD: Final = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
r"""What `\w` stands for in our engine, and in Unicode's technical standard 18."""
_HF_TEXTS: Final[Mapping[str, Pretokenizer]] = {
    _CL100K.replace("DIGITS", text): Pretokenizer("cl100k", digits)
    for digits, text in ((1, r"\p{N}"), (2, r"\p{N}{1,2}"), (3, r"\p{N}{1,3}"))
} | {f"[{_WORD}]+|[^{_WORD}]": Pretokenizer("custom", regex=r"\w+|\W")}
"""What says in both engines what tiktoken's text for cl100k, and `\\w+|\\W`, say in ours."""
_OTHER_TEXTS: Final[Mapping[str, Pretokenizer]] = {
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": Pretokenizer("gpt2"),
    **_HF_TEXTS,
}

_ALIKE: Final = re.compile(
    r"""
      \(\?i:(?:'s\|'t\|'re\|'ve\|'m\|'ll\|'d|\[sdmt\]\|ll\|ve\|re)\)  # folded alike, U+017F too
    | \(\?(?:[:=!>]|<[=!])                      # groups and looks around
    | \((?!\?) | [)|.]
    | \\[rntfsSdDAz] | \\[pP]\{\^?[A-Za-z_]+\}   # classes of Unicode, and the ends of the text
    | \\[^A-Za-z0-9\s<>]                        # an escaped sign; \< and \> are borders of words in our engine
    | \[\^?(?:                                  # a class of these, without sets of sets
          \\[rntfsSdD] | \\[pP]\{[A-Za-z_]+\} | \\[^A-Za-z0-9\s] | (?!&&|--|~~)[^\\\[\]]
      )+\]
    | [^\\\[\]^$(){}*+?|.]                      # a character that stands for itself
    """,
    re.VERBOSE,
)
_QUANTIFIER: Final = re.compile(r"[*+?][+?]?|\{[0-9]+(?:,[0-9]*)?\}(?![+?])")


def pretokenizer_of(pattern: str | Pretokenizer, *, place: str) -> Pretokenizer:
    """The pretokenizer that has this name or this regular expression, or is given; errors name `place`.

    A text without any sign of an expression is meant as a name.

    >>> pretokenizer_of("gpt2", place="x").type
    'gpt2'
    >>> pretokenizer_of("cl100k-base", place="x")
    Traceback (most recent call last):
    tokenloom.errors.FormatError: x: 'cl100k-base' is no name of a pattern. Use 'cl100k', or a regular expression.
    """
    if isinstance(pattern, Pretokenizer):
        return pattern
    if not isinstance(pattern, str):
        what = f"pattern {reprlib.repr(pattern)} is of type {type(pattern).__name__}"
        raise FormatError(f"{place}: {what}. Pass a name, a regular expression as str, or a Pretokenizer.")
    if not re.fullmatch("[A-Za-z0-9_-]+", pattern):
        return regex_pretokenizer(pattern, place=place)
    names = (*get_args(PatternName), "none")
    if pattern in names:
        return Pretokenizer(pattern)  # type: ignore[arg-type]  # it is one of the names
    meant = get_close_matches(pattern.lower().replace("-", "_"), names, n=1) or [", ".join(map(repr, names))]
    shown = repr(meant[0]) if meant[0] in names else f"one of {meant[0]}"
    raise FormatError(f"{place}: {quoted(pattern)} is no name of a pattern. Use {shown}, or a regular expression.")


def regex_pretokenizer(regex: str, *, place: str) -> Pretokenizer:
    """The pretokenizer of a regular expression; errors name `place`."""
    try:
        return _OTHER_TEXTS.get(regex) or Pretokenizer.from_pattern(regex)
    except SpecError as error:
        raise FormatError(f"{place}: {error}") from error


def hf_pattern(pretokenizer: Pretokenizer) -> str:
    r"""The text with which `tokenizers` cuts in the same places; check its `ambiguity`.

    >>> print(hf_pattern(Pretokenizer("cl100k"))[-30:])
    *|\s+\z|\s*[\r\n]|\s+(?!\S)|\s
    """
    return next((text for text, known in _HF_TEXTS.items() if known == pretokenizer), pretokenizer.pattern)


def ambiguity(pattern: str) -> str | None:
    r"""The first part of a pattern that Oniguruma may read otherwise; None if there is none.

    >>> print(ambiguity(r" ?\p{L}+|\s+(?!\S)"), ambiguity(r"\w+|\s+$"), ambiguity(r"\s+$"))
    None \w+|\s+$ $
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
