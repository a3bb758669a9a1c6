"""Tokens that a vocabulary shall have whatever the text says: the merges that make them.

`tokenloom.lessons.constraints.must_have_merges` is the definition. The merges come before all that training chooses, so
nothing that is learned takes a token apart.
"""

import reprlib
from collections.abc import Iterable, Mapping, Sequence, Set
from heapq import heapify, heappop, heappush
from itertools import accumulate
from typing import Final

from tokenloom.errors import TrainingError
from tokenloom.spec import Normalizer, Pretokenizer, build_spec
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers.counts import count_pretokens

__all__ = ["check_uncut", "must_have_contents", "must_have_merges"]

Pair = tuple[bytes, bytes]

_N_BYTES: Final = 256
_NONE: Final = -1
"""No part: behind the last one, and at places inside of others."""


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
    known: set[str] = set()
    for token in listed:
        n_bytes = _n_bytes(token)
        if n_bytes < 2:
            what = "has one byte, and every byte has a token" if n_bytes else "is empty"
            raise TrainingError(f"must-have token {token!r}: {what}. Leave it out.")
        if max_token_bytes is not None and n_bytes > max_token_bytes:
            raise TrainingError(
                f"must-have token {token!r}: it has {n_bytes:,} bytes, and max_token_bytes is {max_token_bytes:,}. "
                f"Leave it out, or allow {n_bytes:,} bytes."
            )
        if token in known:
            raise TrainingError(f"must-have token {token!r}: it is listed twice. Keep one of the two.")
        known.add(token)
    return listed


def check_uncut(
    tokens: Sequence[str],
    *,
    pretokenizer: Pretokenizer,
    special_tokens: Sequence[str],
    normalizer: Normalizer | None = None,
) -> None:
    """Refuse tokens that no text can bring out whole.

    Raises: TrainingError for one that is cut by a special token or by the pattern, naming the parts, or changed by the
        normalizer.
    """
    for token in tokens:
        for special in special_tokens:
            if special in token:
                raise TrainingError(
                    f"must-have token {token!r}: the special token {special!r} in it is cut out of every text. Leave "
                    "out one of the two."
                )
        if normalizer is not None:
            whole = count_pretokens([token], pretokenizer=Pretokenizer("none"), n_threads=1, normalizer=normalizer)
            if whole.items() != [(token.encode(), 1)]:
                became = [part.decode(errors="backslashreplace") for part, _ in whole.items()]
                raise TrainingError(
                    f"must-have token {token!r}: the normalizer makes {''.join(became)!r} of it, so no text has it. "
                    "Pass that, or leave it out."
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
    ranks: dict[tuple[int, int], int] = {}
    for token in tokens:
        content = token.encode()
        ends = frozenset(accumulate(len(character.encode()) for character in token)) if whole_characters else None
        parts = _Parts(content, ranks)
        while (pair := parts.next_pair(ends)) is not None:
            ranks[pair] = len(ranks)
            parts.join(pair, _N_BYTES + ranks[pair])
    made = [bytes([byte]) for byte in range(_N_BYTES)]
    for left, right in ranks:
        made.append(made[left] + made[right])
    return tuple((made[left], made[right]) for left, right in ranks)


class _Parts:
    """A token as merges make it: ids of parts by the place of their first byte, and where each pair stands.

    A merge that is added is the last, and makes bytes that nothing has yet: whatever has a token becomes that token, by
    the merges so far. So no earlier merge has work to do behind it, and each is made once, where its pair stands.
    """

    def __init__(self, content: bytes, ranks: Mapping[tuple[int, int], int]) -> None:
        n_bytes = len(content)
        self._ids = [*content, _NONE]
        self._next = [*range(1, n_bytes + 1), n_bytes]
        self._before = [_NONE, *range(n_bytes)]
        self._places: dict[tuple[int, int], list[int]] = {}
        self._replay(ranks)
        place = 0
        while (behind := self._next[place]) < n_bytes:
            self._places.setdefault((self._ids[place], self._ids[behind]), []).append(place)
            place = behind

    def next_pair(self, character_ends: frozenset[int] | None) -> tuple[int, int] | None:
        """The first pair; if there are ends of characters, the first that joins whole ones, or bytes of one."""
        place = 0
        while self._ids[middle := self._next[place]] != _NONE:
            if character_ends is None or middle not in character_ends or self._next[middle] in character_ends:
                return self._ids[place], self._ids[middle]
            place = middle
        return None

    def join(self, pair: tuple[int, int], made: int) -> None:
        """Make one part of each place where a pair stands, from the left."""
        for place in self._places.pop(pair):
            if self._pair_at(place) == pair:
                for beside in self._merge(place, made):
                    self._places.setdefault(self._pair_at(beside), []).append(beside)

    def _replay(self, ranks: Mapping[tuple[int, int], int]) -> None:
        """Make merges in their order, each from the left."""
        pairs = zip(self._ids, self._ids[1:], strict=False)
        waiting = [(ranks[pair], place) for place, pair in enumerate(pairs) if pair in ranks]
        heapify(waiting)
        while waiting:
            rank, place = heappop(waiting)
            if ranks.get(self._pair_at(place)) != rank:
                continue
            for beside in self._merge(place, _N_BYTES + rank):
                if (next_rank := ranks.get(self._pair_at(beside))) is not None:
                    heappush(waiting, (next_rank, beside))

    def _pair_at(self, place: int) -> tuple[int, int]:
        return self._ids[place], self._ids[self._next[place]]

    def _merge(self, place: int, made: int) -> list[int]:
        """Make one part of two. Returns the places of the pairs that it is in."""
        middle = self._next[place]
        end = self._next[middle]
        self._ids[place], self._ids[middle] = made, _NONE
        self._next[place], self._before[end] = end, place
        return [*([self._before[place]] if place else []), *([place] if self._ids[end] != _NONE else [])]


def _n_bytes(token: object) -> int:
    if not isinstance(token, str):
        raise TrainingError(f"must-have token {reprlib.repr(token)}: is no text. Pass it as str.")
    try:
        return len(token.encode())
    except UnicodeEncodeError as error:
        raise TrainingError(
            f"must-have token {token!r}: character {error.start} is a lone surrogate, which has no bytes. Remove it."
        ) from error
