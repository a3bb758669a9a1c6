"""Other ways to cut a word into tokens of a vocabulary than by the order of merges.

A vocabulary alone does not say how a word is cut. BPE replays its merges. WordPiece takes the longest token that the
rest of the word begins with, again and again. And one may look for the cut with the fewest tokens of all. On most words
the three agree; where they do not, a model that was trained on one way meets tokens in places that it has never seen
when it is fed by another.

`smemarray`, with merges that make `array` before `mar`, is s|me|m|array by the order of merges. The longest token
behind `s` and `me` is `mar`, which spoils `array`: s|me|mar|ra|y.

Source: Li, LLM Systems (CMU 11-868), lecture 8; Schmidt and others 2024, "Tokenization Is More Than Compression"
(PathPiece, the fewest tokens); Uzan and others 2024, "Greed is All You Need".
"""

from collections.abc import Collection
from typing import AnyStr


def cut_greedily(word: AnyStr, tokens: Collection[AnyStr]) -> list[AnyStr]:
    """The longest token that the rest begins with, again and again; a byte (or, of a str, a character) that begins none
    stands by itself.

    >>> cut_greedily(b"smemarray", {b"s", b"m", b"e", b"a", b"r", b"y", b"me", b"ra", b"mar", b"array"})
    [b's', b'me', b'mar', b'ra', b'y']
    """
    parts = []
    while word:
        fitting = [token for token in tokens if word.startswith(token)]
        parts.append(max(fitting, key=len, default=word[:1]))
        word = word[len(parts[-1]) :]
    return parts


def cut_fewest(word: AnyStr, tokens: Collection[AnyStr]) -> list[AnyStr]:
    """The fewest tokens; of equals the cut whose first token is longest, then its second, and so on.

    A byte, or character, that is in no token stands by itself where it must, as rarely as can be, and not before a
    token if that makes no difference.

    >>> cut_fewest(b"smemarray", {b"s", b"m", b"e", b"a", b"r", b"y", b"me", b"ra", b"mar", b"array"})
    [b's', b'me', b'm', b'array']
    >>> cut_fewest(b"abc", {b"a", b"ab", b"bc", b"c"})
    [b'ab', b'c']
    """
    costs = {len(word): (0, 0)}  # of what is left at each place: unknown ones, then tokens
    chosen: dict[int, AnyStr] = {}
    for start in range(len(word) - 1, -1, -1):
        options = [token for token in sorted(tokens, key=len, reverse=True) if word.startswith(token, start)]
        if word[start : start + 1] not in tokens:
            options.append(word[start : start + 1])
        for part in options:
            n_unknown, n_tokens = costs[start + len(part)]
            cost = (n_unknown, n_tokens + 1) if part in tokens else (n_unknown + 1, n_tokens)
            if start not in costs or cost < costs[start]:
                costs[start], chosen[start] = cost, part
    parts, at = [], 0
    while at < len(word):
        parts.append(chosen[at])
        at += len(chosen[at])
    return parts
