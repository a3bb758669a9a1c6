"""Mixtures: how often each group of a corpus is counted, so that the groups have the shares that were asked for.

Counts are multiplied by whole numbers, so that they stay exact and a mixture is made without reading anything twice.
Whole numbers reach most shares only nearly; how nearly is part of the answer.
"""

import math
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from tokenloom.errors import CorpusError

__all__ = ["GROUP_NAME", "Mixture", "check_weights", "multipliers", "parse_weights"]

GROUP_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
"""What a group may be called, so that its name needs no quotes anywhere."""

_MOST: Final = 999
"""Of a multiplier: a group that would have to be counted more often is too small to stand for its share."""
_GOOD_ERROR: Final = 0.01
_LEAST_RATIO: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Mixture:
    """How often each group is counted, and what that makes of the corpus.

    Args:
        multipliers: for each group, how often it is counted, from 1.
        weights: for each group, the share of the bytes that was asked for; together 1.
        shares: the share that it reaches.
        errors: by how much that is off, as a part of what was asked for: 0.01 is one percent too much.
        largest_error: the largest of these, without its sign.
    """

    multipliers: dict[str, int]
    weights: dict[str, float]
    shares: dict[str, float]
    errors: dict[str, float]
    largest_error: float


def multipliers(n_bytes_by_group: Mapping[str, int], weights: Mapping[str, float]) -> Mixture:
    """The whole numbers that bring groups to their weights: those with the smallest largest number that keep every
    share within one percent of its weight; if none up to 999 do, those that come nearest.

    Args:
        n_bytes_by_group: the text of each group.
        weights: how much of the mixture each group shall be, above 0; they need not add up to 1.
    Raises: CorpusError for a weight of a group that is not there, a group without a weight or without text, or a weight
        that is none.

    >>> multipliers({"en": 1000, "zh": 1000}, {"en": 0.75, "zh": 0.25}).multipliers
    {'en': 3, 'zh': 1}
    >>> mixture = multipliers({"en": 500, "zh": 310}, {"en": 7, "zh": 3})
    >>> mixture.multipliers, round(mixture.largest_error, 4)
    ({'en': 10, 'zh': 7}, 0.0088)
    """
    check_weights(n_bytes_by_group, weights)
    for group, n_bytes in n_bytes_by_group.items():
        if n_bytes <= 0:
            raise CorpusError(f"mixture: group {group!r} has no text, so no weight can be reached. Leave it out.")
    largest_weight = max(weights.values())  # so that no sum overflows
    ratios = {group: weights[group] / largest_weight for group in n_bytes_by_group}
    total = math.fsum(ratios.values())
    wanted = {group: ratio / total for group, ratio in ratios.items()}
    rates = {group: wanted[group] / n_bytes for group, n_bytes in n_bytes_by_group.items()}
    fastest = max(rates.values())
    best = _mixture(n_bytes_by_group, wanted, dict.fromkeys(rates, 1))
    for largest in range(1, _MOST + 1):
        if best.largest_error <= _GOOD_ERROR:
            break
        numbers = {group: max(1, round(largest * (rate / fastest))) for group, rate in rates.items()}
        mixture = _mixture(n_bytes_by_group, wanted, numbers)
        if mixture.largest_error < best.largest_error:
            best = mixture
    return best


def check_weights(groups: Iterable[str], weights: Mapping[str, float]) -> None:
    """What can be said of weights before any text was read.

    Raises: CorpusError as `multipliers`, but for the length of a group.

    >>> check_weights(["en", "zh", "en"], {"en": 0.75, "zh": 0.25})
    """
    _refuse_other_groups(groups, weights)
    for group, weight in weights.items():
        _refuse_no_weight(group, weight)
    _refuse_far_apart(weights)


def parse_weights(text: str) -> dict[str, float]:
    """Weights as they are written on a command line. Raises: CorpusError saying which part is wrong.

    >>> parse_weights("en=0.7,zh=0.3")
    {'en': 0.7, 'zh': 0.3}
    """
    weights: dict[str, float] = {}
    for part in text.split(","):
        group, is_pair, number = (word.strip() for word in part.partition("="))
        if not is_pair or not GROUP_NAME.fullmatch(group):
            raise CorpusError(f"mixture {text!r}: {part!r} is no weight of a group. Write it as en=0.7,zh=0.3.")
        if group in weights:
            raise CorpusError(f"mixture {text!r}: group {group!r} has two weights. Keep one of them.")
        try:
            weights[group] = float(number)
        except ValueError as error:
            raise CorpusError(f"mixture {text!r}: {number!r} is no number. Write it as en=0.7,zh=0.3.") from error
        _refuse_no_weight(group, weights[group])
    return weights


def _mixture(n_bytes: Mapping[str, int], wanted: Mapping[str, float], numbers: dict[str, int]) -> Mixture:
    total = sum(n_bytes[group] * number for group, number in numbers.items())
    shares = {group: n_bytes[group] * number / total for group, number in numbers.items()}
    errors = {group: share / wanted[group] - 1 for group, share in shares.items()}
    return Mixture(numbers, dict(wanted), shares, errors, max(map(abs, errors.values())))


def _refuse_other_groups(groups: Iterable[str], weights: Mapping[str, float]) -> None:
    groups = sorted(set(groups))
    known = ", ".join(map(repr, groups)) or "none"
    for group in weights:
        if group not in groups:
            raise CorpusError(
                f"mixture: the corpus has no group {group!r}; its groups are {known}. Name one of them, or pass files "
                "as NAME=PATH."
            )
    for group in groups:
        if group not in weights:
            what = f"group {group!r} has no weight" if group else "files without a group have no weight"
            raise CorpusError(f"mixture: {what}. Give each group of the corpus one; its groups are {known}.")
    if not weights:
        raise CorpusError("mixture: there are no weights. Name the groups of the corpus, as in en=0.7,zh=0.3.")


def _refuse_far_apart(weights: Mapping[str, float]) -> None:
    """Beyond a ratio that no multipliers come near, shares would round to none."""
    least, most = min(weights, key=weights.__getitem__), max(weights, key=weights.__getitem__)
    if weights[least] / weights[most] < _LEAST_RATIO:
        raise CorpusError(
            f"mixture: weight {weights[least]!r} of group {least!r} is next to nothing beside {weights[most]!r} of "
            f"{most!r}. Leave the files of {least!r} out."
        )


def _refuse_no_weight(group: str, weight: object) -> None:
    is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
    if not is_number or not 0 < weight <= sys.float_info.max:  # type: ignore[operator]
        raise CorpusError(
            f"mixture: weight {weight!r} of group {group!r} is no share. Use a number above 0, or leave the files of "
            "the group out."
        )
