"""What every formula here asks of its numbers, and how names that are not in a table are refused."""

import math
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from tokenloom.errors import CostError
from tokenloom.wording import quoted

__all__ = ["check_at_most", "check_positive", "check_share", "check_whole", "unknown_name"]

_LARGEST: Final = 10**30
"""Past this, products leave the range of floats; no model, text or budget comes near it."""
_LARGEST_WHOLE: Final = 10**12
"""The same for what a shape counts, since up to six of these are multiplied."""


def check_positive(value: float, what: str) -> None:
    """Refuse what is no finite number above 0.

    >>> check_positive(-1.0, "utilisation")
    Traceback (most recent call last):
    ...
    tokenloom.errors.CostError: utilisation: -1.0 is no number above 0. Pass one that is.
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or value > _LARGEST or not math.isfinite(value) or value <= 0:
        limit = " and at most 1e30" if is_number and value > _LARGEST else ""
        raise CostError(f"{what}: {quoted(value)} is no number above 0{limit}. Pass one that is.")


def check_whole(value: int, what: str, *, least: int = 1) -> None:
    """Refuse what is no whole number from `least` on."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _LARGEST_WHOLE:
        limit = f"from {least} on" if not isinstance(value, int) or value < least else f"up to {_LARGEST_WHOLE:,}"
        raise CostError(f"{what}: {quoted(value)} is no whole number {limit}. Pass one that is.")


def check_share(value: float, what: str) -> None:
    """Refuse what is no share above 0 and up to 1."""
    check_positive(value, what)
    if value > 1:
        raise CostError(f"{what}: {value!r} is more than the whole, 1. Pass a share such as 0.4.")


def check_at_most(value: int, most: int, what: str, whole: str) -> None:
    """Refuse a part that is larger than what it is part of."""
    if value > most:
        raise CostError(f"{what}: {value!r} is more than {whole}, {most!r}. Lower it, or raise the other.")


def unknown_name(name: object, known: Iterable[str], kind: str) -> CostError:
    """The error for a name that is not in a table: those of its family or the nearest, then all there are.

    >>> print(unknown_name("lama-3-8b", ["gpt2", "llama-3-8b"], "model"))
    model 'lama-3-8b': is not in the table. Did you mean 'llama-3-8b'? Known are: gpt2, llama-3-8b.
    """
    names = list(known)
    wanted = str(name)[:100].lower()
    family = [one for one in names if wanted and (one.startswith(wanted) or wanted.startswith(one))]
    near = family[:3] or get_close_matches(wanted, names, n=2)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return CostError(f"{kind} {quoted(name)}: is not in the table.{hint} Known are: {', '.join(names)}.")
