"""What can be wrong with a vocabulary and its merges, found before a spec is built.

A `Fault` names the token id or the merge rank, so that whoever read the values from a file can name the file and the
line instead. Checks look at whole collections first and walk them only to name the first offender.
"""

import reprlib
from collections.abc import Collection, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from operator import concat
from typing import Final

from tokenloom.errors import SpecError
from tokenloom.spec.components import ID_LIMIT
from tokenloom.wording import counted, quoted

__all__ = [
    "Fault",
    "FaultError",
    "find_collection_fault",
    "find_merge_fault",
    "find_missing_bytes",
    "find_special_part",
    "find_vocabulary_fault",
]


_PAIR: Final = "Write each merge as a pair of two tokens"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: what, where (a token id, a merge rank, or the whole of either), and what to do.

    >>> print(Fault("is used twice", "Drop one of the two", merge_rank=3))
    merge 3: is used twice. Drop one of the two.
    """

    what: str
    remedy: str
    token_id: object = None
    merge_rank: int | None = None
    whole: str = "vocabulary"

    def __str__(self) -> str:
        return f"{self._place()}: {self.what}. {self.remedy}."

    def _place(self) -> str:
        if self.merge_rank is not None:
            return f"merge {self.merge_rank}"
        return self.whole if self.token_id is None else f"vocabulary, id {quoted(self.token_id)}"


class FaultError(SpecError):
    """A SpecError that still knows its fault, for a reader that can name a file and a line instead."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def find_collection_fault(vocabulary: object, merges: object) -> Fault | None:
    """A vocabulary that is no mapping, or merges that are not in an order."""
    if not isinstance(vocabulary, Mapping):
        what = f"{reprlib.repr(vocabulary)} is of type {type(vocabulary).__name__}, no mapping of ids to token bytes"
        return Fault(what, "Pass a dict, which for a list of tokens is dict(enumerate(tokens))")
    if isinstance(merges, (str, bytes, Mapping, Set)) or not isinstance(merges, Iterable):
        what = f"{reprlib.repr(merges)} is of type {type(merges).__name__}, no list of pairs"
        return Fault(what, "Pass pairs of token bytes in the order in which they are merged", whole="merges")
    return None


def find_vocabulary_fault(vocabulary: Mapping[int, bytes]) -> Fault | None:
    """The first entry that cannot be: an id out of range, or a token that is empty or there twice."""
    tokens = vocabulary.values()
    if not _all_ids(vocabulary):
        bad = next(i for i in vocabulary if not _all_ids([i]))
        return Fault("it is not an id", f"Use whole numbers from 0 to {ID_LIMIT - 1:,}", token_id=bad)
    if set(map(type, tokens)) - {bytes}:
        token_id = next(i for i, token in vocabulary.items() if type(token) is not bytes)
        return Fault(
            f"its token {quoted(vocabulary[token_id])} is not bytes", "Pass tokens as bytes", token_id=token_id
        )
    distinct = set(tokens)
    if b"" in distinct:
        token_id = next(i for i, token in vocabulary.items() if not token)
        return Fault("its token is empty", "Remove the entry: a hole needs none", token_id=token_id)
    if len(distinct) < len(vocabulary):
        return _double_token(vocabulary)
    return None


def find_missing_bytes(tokens: Container[bytes]) -> Fault | None:
    """The single bytes that have no token: text that holds one could not be encoded."""
    missing = [token for byte in range(256) if (token := bytes([byte])) not in tokens]
    if not missing:
        return None
    what = f"{len(missing)} of the 256 single bytes have no token, the first is {missing[0]!r}"
    return Fault(what, "Add a token for each byte, or text that holds it cannot be encoded")


def find_merge_fault(merges: Sequence[tuple[bytes, bytes]], tokens: Container[bytes]) -> Fault | None:
    """The first merge that is no pair of bytes, is there twice, or whose part or result has no token."""
    if set(map(type, merges)) <= {tuple, list} and set(map(len, merges)) <= {2} and _all_bytes(merges):
        results = map(concat, *zip(*merges, strict=True)) if merges else ()
        if len(set(map(tuple, merges))) == len(merges) and all(
            map(tokens.__contains__, chain(chain.from_iterable(merges), results))
        ):
            return None
    return _first_merge_fault(merges, tokens)


def find_special_part(merges: Sequence[tuple[bytes, bytes]], special: Collection[bytes]) -> Fault | None:
    """The first merge with a part that only a special token spells, so that the merge could never happen."""
    contents = frozenset(special)
    if contents.isdisjoint(chain.from_iterable(merges)):
        return None
    rank = next(rank for rank, pair in enumerate(merges) if not contents.isdisjoint(pair))
    token = next(token for token in merges[rank] if token in contents)
    what = f"its part {quoted(token)} is a special token, which no merge makes"
    return Fault(what, "Drop the merge, or do not name the token as special", merge_rank=rank)


def _all_ids(values: Collection[object]) -> bool:
    """Whether all are plain ints in range; bool and float are not."""
    ids = [value for value in values if type(value) is int]
    return len(ids) == len(values) and min(ids, default=0) >= 0 and max(ids, default=0) < ID_LIMIT


def _all_bytes(merges: Iterable[Iterable[object]]) -> bool:
    return set(map(type, chain.from_iterable(merges))) <= {bytes}


def _first_merge_fault(merges: Sequence[tuple[bytes, bytes]], tokens: Container[bytes]) -> Fault | None:
    first_rank: dict[tuple[bytes, bytes], int] = {}
    for rank, pair in enumerate(merges):
        if not isinstance(pair, (tuple, list)):
            return Fault(f"{reprlib.repr(pair)} is no pair", _PAIR, merge_rank=rank)
        if len(pair) != 2:
            return Fault(f"{reprlib.repr(pair)} has {counted(len(pair), 'part')}", _PAIR, merge_rank=rank)
        left, right = pair
        for token in pair:
            if not isinstance(token, bytes):
                return Fault(f"its part {quoted(token)} is not bytes", "Pass both parts as bytes", merge_rank=rank)
        for role, token in (("left part", left), ("right part", right), ("result", left + right)):
            if token not in tokens:
                what = f"the {role} {quoted(token)} of {quoted(left)} + {quoted(right)} is not in the vocabulary"
                return Fault(what, "Add the token or drop the merge", merge_rank=rank)
        if first_rank.setdefault((left, right), rank) != rank:
            what = f"{quoted(left)} + {quoted(right)} is already merge {first_rank[left, right]}"
            return Fault(what, "Keep one of the two", merge_rank=rank)
    return None


def _double_token(vocabulary: Mapping[int, bytes]) -> Fault:
    owner: dict[bytes, int] = {}
    for token_id, token in vocabulary.items():
        if owner.setdefault(token, token_id) != token_id:
            what = f"its token {quoted(token)} already has id {owner[token]}"
            return Fault(what, "Keep one of the two ids", token_id=token_id)
    raise AssertionError("unreachable: called only when a token is there twice")
