"""Tokens that a vocabulary shall have whatever the text says: the merges that make them.

`tokenloom.lessons.constraints.must_have_merges` is the definition. The merges come before all that training chooses, so
nothing that is learned takes a token apart.
"""

import reprlib
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import accumulate, pairwise

from tokenloom.errors import TrainingError
from tokenloom.spec import Pretokenizer, build_spec
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers.counts import count_pretokens

__all__ = ["check_uncut", "must_have_contents", "must_have_merges"]

Pair = tuple[bytes, bytes]


def must_have_contents(tokens: Iterable[str] | None, *, max_token_bytes: int | None) -> tuple[str, ...]:
    """The texts of must-have tokens, checked but for what cuts them; None stands for none.

    Raises: TrainingError for one that is no text, has less than two bytes or more than there may be, or is listed
        twice, and for what is no list: a str, a mapping, or a set, whose order may change.
    """
    if tokens is None:
        return ()
    if isinstance(tokens, (str, Mapping, Set)) or not isinstance(tokens, Iterable):
        raise TrainingError(f"must_have {reprlib.repr(tokens)}: is no list of texts. Pass a list, such as ['token'].")
    listed = tuple(tokens)
    for place, token in enumerate(listed):
        n_bytes = _n_bytes(token)
        if n_bytes < 2:
            what = "has one byte, and every byte has a token" if n_bytes else "is empty"
            raise TrainingError(f"must-have token {token!r}: {what}. Leave it out.")
        if max_token_bytes is not None and n_bytes > max_token_bytes:
            raise TrainingError(
                f"must-have token {token!r}: it has {n_bytes:,} bytes, and max_token_bytes is {max_token_bytes:,}. "
                f"Leave it out, or allow {n_bytes:,} bytes."
            )
        if token in listed[:place]:
            raise TrainingError(f"must-have token {token!r}: it is listed twice. Keep one of the two.")
    return listed


def check_uncut(tokens: Sequence[str], *, pretokenizer: Pretokenizer, special_tokens: Sequence[str]) -> None:
    """Refuse tokens that no text can bring out whole.

    Raises: TrainingError for one that is cut by a special token or by the pattern, naming the parts.
    """
    for token in tokens:
        for special in special_tokens:
            if special in token:
                raise TrainingError(
                    f"must-have token {token!r}: the special token {special!r} in it is cut out of every text. Leave "
                    "out one of the two."
                )
        counts = count_pretokens([token], pretokenizer=pretokenizer, n_threads=1)
        if counts.items() != [(token.encode(), 1)]:
            cutting = Tokenizer.from_spec(
                build_spec({i: bytes([i]) for i in range(256)}, [], pretokenizer=pretokenizer)
            )
            parts = [part.decode(errors="backslashreplace") for part in cutting.pretokens(token)]
            raise TrainingError(
                f"must-have token {token!r}: the pattern cuts it, into {reprlib.repr(parts)}, and merges never cross a "
                "cut. Leave it out, or choose another pattern."
            )


def must_have_merges(tokens: Iterable[str], *, whole_characters: bool = False) -> tuple[Pair, ...]:
    """The merges that make tokens one after the other, each from the left out of what the merges so far make of it.

    Args:
        tokens: texts.
        whole_characters: build each character before it is joined with another.

    >>> must_have_merges(["low", "lower"])
    ((b'l', b'o'), (b'lo', b'w'), (b'low', b'e'), (b'lowe', b'r'))
    """
    ranks: dict[Pair, int] = {}
    for token in tokens:
        ends = frozenset(accumulate(len(character.encode()) for character in token)) if whole_characters else None
        while len(parts := _parts(token.encode(), ranks)) > 1:
            ranks[_next_pair(parts, ends)] = len(ranks)
    return tuple(ranks)


def _parts(token: bytes, ranks: Mapping[Pair, int]) -> list[bytes]:
    """A token as merges make it, which are given in order."""
    parts = [token[place : place + 1] for place in range(len(token))]
    while True:
        known = [(ranks[pair], place) for place, pair in enumerate(pairwise(parts)) if pair in ranks]
        if not known:
            return parts
        _, place = min(known)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


def _next_pair(parts: Sequence[bytes], character_ends: frozenset[int] | None) -> Pair:
    """The first pair; if there are ends of characters, the first that joins whole ones, or bytes of one."""
    pairs = zip(pairwise(parts), pairwise(accumulate(map(len, parts))), strict=True)
    return next(
        pair
        for pair, (middle, end) in pairs
        if character_ends is None or middle not in character_ends or end in character_ends
    )


def _n_bytes(token: object) -> int:
    if not isinstance(token, str):
        raise TrainingError(f"must-have token {reprlib.repr(token)}: is no text. Pass it as str.")
    try:
        return len(token.encode())
    except UnicodeEncodeError as error:
        raise TrainingError(
            f"must-have token {token!r}: character {error.start} is a lone surrogate, which has no bytes. Remove it."
        ) from error
