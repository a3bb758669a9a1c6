r"""The alternatives of a pattern: what stands between its outermost bars, and in words what it is for.

Of several alternatives the first one takes a pretoken that matches there, so the list says why a text is cut as it is.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tokenloom.spec.patterns import NAMED_PATTERNS, digits_pattern

__all__ = ["alternatives_of", "words_of"]

_FLAGS: Final = re.compile(r"\(\?([a-zA-Z-]+)\)")
_COMMENT: Final = re.compile(r"\(\?#[^)]*\)")
_REFERENCE: Final = re.compile(r"\\[1-9kg]|\(\?(?:\(|P[=>])")
"""To a group, which may stand in another alternative."""


def alternatives_of(pattern: str) -> tuple[str, ...]:
    r"""The outermost alternatives of a regular expression, each of which means the same by itself.

    Flags such as `(?i)` reach over later alternatives and are repeated there. An expression that is written with blanks
    and comments, `(?x)`, or that refers to its groups, is left whole.

    >>> alternatives_of(r"(?:a|b)c|[|]|\|")
    ('(?:a|b)c', '[|]', '\\|')
    >>> alternatives_of("(?i)a|b")
    ('(?i)a', '(?i)b')
    """
    parts, flags, start, at, depth = [], "", 0, 0, 0
    while at < len(pattern):
        if _REFERENCE.match(pattern, at):
            return (pattern,)
        if found := _FLAGS.match(pattern, at) or _COMMENT.match(pattern, at):
            if found.re is _FLAGS and "x" in found[1].partition("-")[0]:
                return (pattern,)
            if found.re is _FLAGS and depth == 0:
                before, flags, start = pattern[start:at], flags + found[0], found.end()
                if before:
                    return (pattern,)  # flags in the middle of an alternative
            at = found.end()
            continue
        character = pattern[at]
        if character == "|" and depth == 0:
            parts.append(flags + pattern[start:at])
            start = at + 1
        depth += {"(": 1, ")": -1}.get(character, 0)
        at = _class_end(pattern, at) if character == "[" else at + 1 + (character == "\\")
    return (*parts, flags + pattern[start:])


def _class_end(pattern: str, at: int) -> int:
    """The place behind a class of characters, in which others may stand, and bars and brackets that mean themselves."""
    depth = 0
    while at < len(pattern):
        character = pattern[at]
        depth += {"[": 1, "]": -1}.get(character, 0)
        at += 1 + (character == "\\")
        if character == "[":
            at += pattern[at : at + 1] == "^"
            at += pattern[at : at + 1] == "]"
        if depth == 0:
            break
    return at


def words_of(alternative: str) -> str | None:
    r"""What an alternative of a named pattern is for; None for one that is in none of them.

    >>> words_of(r" ?\p{L}+"), words_of("xyz")
    ('letters, with at most one space before them', None)
    """
    return _WORDS.get(alternative)


_LETTERS_IN_UPPER: Final = "letters and marks that end in small ones"
_LETTERS_IN_LOWER: Final = "letters and marks that begin with capital ones"
_ONE_BEFORE: Final = ", with at most one other character before them"
_UP_TO_LINE_END: Final = "blanks up to a line end"
_BUT_THE_LAST: Final = "blanks but the last, which goes with what follows"
_BLANKS: Final = "blanks"

_BY_TYPE: Final[Mapping[str, tuple[str, ...]]] = {
    "none": ("the whole text",),
    "gpt2": (
        "a contraction",
        "letters, with at most one space before them",
        "numbers, with at most one space before them",
        "other characters, with at most one space before them",
        _BUT_THE_LAST,
        _BLANKS,
    ),
    "starcoder": (
        "a single number",
        "a contraction",
        "letters, with at most one space before them",
        "other characters, with at most one space before them",
        _BUT_THE_LAST,
        _BLANKS,
    ),
    "cl100k": (
        "a contraction",
        f"letters{_ONE_BEFORE}",
        "numbers in groups",
        "other characters, with at most one space before and line ends behind them",
        "blanks at the end of the text",
        _UP_TO_LINE_END,
        _BUT_THE_LAST,
        "a blank",
    ),
    "llama3": (
        "a contraction",
        f"letters{_ONE_BEFORE}",
        "numbers in groups",
        "other characters, with at most one space before and line ends behind them",
        _UP_TO_LINE_END,
        _BUT_THE_LAST,
        _BLANKS,
    ),
    "o200k": (
        f"{_LETTERS_IN_UPPER}{_ONE_BEFORE}, and a contraction behind them",
        f"{_LETTERS_IN_LOWER}{_ONE_BEFORE}, and a contraction behind them",
        "numbers in groups",
        "other characters, with at most one space before and line ends or slashes behind them",
        _UP_TO_LINE_END,
        _BUT_THE_LAST,
        _BLANKS,
    ),
    "tekken": (
        f"{_LETTERS_IN_UPPER}{_ONE_BEFORE}",
        f"{_LETTERS_IN_LOWER}{_ONE_BEFORE}",
        "a single number",
        "other characters, with at most one space before and line ends or slashes behind them",
        _UP_TO_LINE_END,
        _BUT_THE_LAST,
        _BLANKS,
    ),
    "deepseek_v3": (
        "numbers in groups",
        "Chinese or Japanese",
        "signs among Chinese and Japanese",
        "other characters among Chinese and Japanese",
        "letters of ASCII, with a sign before them",
        f"letters and marks{_ONE_BEFORE}",
        "signs, with at most one space before and line ends behind them",
        _UP_TO_LINE_END,
        _BUT_THE_LAST,
        _BLANKS,
        "characters that are no letters, numbers, signs or blanks",
    ),
    "whitespace": ("letters, numbers and underscores", "other characters", _BLANKS),
    "metaspace": ("a space and what follows it up to the next", "what stands before the first space"),
    "bert": ("a sign", "characters that are no signs and no blanks", _BLANKS),
}


def _words() -> dict[str, str]:
    """Words by alternative. Types that share an alternative have the same words for it, or more of them."""
    patterns = dict(NAMED_PATTERNS)
    words: dict[str, str] = {}
    for name, texts in _BY_TYPE.items():
        for digits in (1, 2, 3) if name in ("cl100k", "llama3") else (0,):
            pattern = digits_pattern(name, digits) if digits else patterns[name]
            words |= dict(zip(alternatives_of(pattern), texts, strict=True))
    threes = alternatives_of(NAMED_PATTERNS["digits3_right"])[2]
    return words | {threes: "numbers in groups of three from the right", r"\p{N}": "a single number"}


_WORDS: Final[Mapping[str, str]] = MappingProxyType(_words())
