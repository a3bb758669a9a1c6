"""Which documents of a corpus are read: a sample of them by seed, and so much text of each group.

A document is in the sample or not by a number that is made of the seed, the name of its source and its place there, and
of nothing else: neither splits, block sizes and threads nor other files change the choice, and the sample of a smaller
share lies within that of a larger one. The place is the byte that a document, or its line, begins at in the
decompressed file; in tables it is the row.

Source: Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators" (SplitMix), for the mixing.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tokenloom.errors import CorpusError

__all__ = ["Keep", "Selection", "splitmix64"]

Keep: TypeAlias = Callable[[int], bool]
"""Told the place of a document, whether it is wanted."""

_MASK: Final = (1 << 64) - 1
_GOLDEN: Final = 0x9E3779B97F4A7C15


def splitmix64(state: int) -> int:
    """The number that SplitMix64 gives in a state of 64 bits: each state gives another one, in no visible order.

    >>> hex(splitmix64(0)), hex(splitmix64(1))
    ('0xe220a8397b1dcdaf', '0x910a2dec89025cc1')
    """
    z = (state + _GOLDEN) & _MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
    return z ^ z >> 31


@dataclass(frozen=True, slots=True)
class Selection:
    """Which documents of a corpus are read; without arguments it is all of them.

    Args:
        sample: the share of documents, above 0 and up to 1; each is in the sample with this probability.
        seed: which sample, from 0 to 2**64 - 1.
        limits: for names of groups, the most bytes of text that are read of each, above 0. The documents of the group
            are taken in order as long as they fit; the first that would go over the limit ends the group. The sources
            of such a group are read together, as one split. The group without a name is `""`.
    Raises: CorpusError for a value out of its range.

    >>> Selection(sample=0.25, seed=1).to_json()
    {'sample': 0.25, 'seed': 1, 'limits': {}}
    """

    sample: float = 1.0
    seed: int = 0
    limits: Mapping[str, int] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not _is_number(self.sample) or not 0 < self.sample <= 1:
            raise CorpusError(f"sample {self.sample!r}: is no share of documents. Use a number above 0 and up to 1.")
        if type(self.seed) is not int or not 0 <= self.seed <= _MASK:
            raise CorpusError(f"seed {self.seed!r}: is no seed. Use a whole number from 0 to {_MASK}.")
        for group, limit in self.limits.items():
            if not isinstance(group, str) or type(limit) is not int or limit <= 0:
                raise CorpusError(
                    f"limits: {group!r}: {limit!r} is no limit of a group. Use names of groups and whole numbers of "
                    "bytes above 0."
                )
        object.__setattr__(self, "limits", dict(sorted(self.limits.items())))

    def chooser(self, source_name: str) -> Keep | None:
        """What tells the documents of a source that are in the sample by their places; None if all are."""
        if self.sample == 1:
            return None
        key, below = _key(self.seed, source_name), math.floor(self.sample * 2**64)

        def is_chosen(place: int) -> bool:
            return splitmix64(key ^ splitmix64(place)) < below

        return is_chosen

    def to_json(self) -> dict[str, Any]:
        """The selection as plain values."""
        return {"sample": self.sample, "seed": self.seed, "limits": dict(self.limits)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Selection":
        """The inverse of `to_json`."""
        return cls(sample=value["sample"], seed=value["seed"], limits=value["limits"])


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _key(seed: int, source_name: str) -> int:
    """64 bits of a seed and a name, taken in words of eight bytes, its length first."""
    name = source_name.encode("utf-8", "surrogateescape")
    key = splitmix64(seed ^ splitmix64(len(name)))
    for at in range(0, len(name), 8):
        key = splitmix64(key ^ int.from_bytes(name[at : at + 8], "little"))
    return key
