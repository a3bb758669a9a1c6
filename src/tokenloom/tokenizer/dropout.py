"""Encoding with BPE-dropout: each merge that could be made is left out by chance, so a word is cut in many ways.

At each step a die is thrown for every place where a pair stands that can be merged, and the best of those that are not
left out is merged, the leftmost of equals; a pretoken is done when all are left out. It begins as its bytes, or as its
characters if the model has such, also where it is a token as a whole. The dice follow from the seed, the bytes of the
text and the number of the pretoken in it, and from nothing else: threads, other texts and caches change no id.

Source: Provilkov, Emelianenko and Voita 2020, "BPE-Dropout: Simple and Effective Subword Regularization", algorithm 1;
`lessons/dropout.py` defines the same on one page, and says where other libraries differ.
"""

from numbers import Real
from operator import index
from typing import Final

from tokenloom import _core
from tokenloom.errors import EncodeError
from tokenloom.tokenizer.options import Around, Special, Text
from tokenloom.wording import quoted

__all__ = ["checked_chance", "checked_seed", "ids_by_chance"]

_MOST_SEED: Final = 2**64 - 1


def ids_by_chance(
    core: _core.Pipeline,
    text: Text,
    special: tuple[Special, Special],
    around: Around | None,
    dropout: float,
    seed: int | None,
) -> list[int]:
    """The ids of a text; see `Tokenizer.encode`. Where nothing is left out they are those of plain encoding."""
    chance = checked_chance(dropout, seed)
    if chance is None:
        return core.encode(text, *special, around)
    ids = _core.encode_with_dropout(core, text, special, chance)
    return [*around[0], *ids, *around[1]] if around else ids


def checked_chance(dropout: float, seed: int | None) -> tuple[float, int] | None:
    """The probability with which merges are left out, and the seed; None if nothing is left out.

    >>> checked_chance(0.1, 7), checked_chance(0.0, None)
    ((0.1, 7), None)
    """
    if not isinstance(dropout, Real) or isinstance(dropout, bool) or not 0 <= dropout <= 1:
        raise EncodeError(
            f"dropout {quoted(dropout)}: is no probability. Use a number from 0, which leaves out nothing, to 1, which "
            "leaves out all merges."
        )
    number = None if seed is None else checked_seed(seed)
    chance = float(dropout)
    if chance == 0:
        return None
    if number is None:
        raise EncodeError(
            f"dropout {dropout!r}: has no seed, and what is left out by chance must be known again. Pass seed=0, and "
            "another number for each pass over the texts."
        )
    return chance, number


def checked_seed(seed: object) -> int:
    """A seed as int; integers of numpy are integers too, True is none.

    >>> checked_seed(7)
    7
    """
    try:
        number = -1 if isinstance(seed, bool) else index(seed)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if not 0 <= number <= _MOST_SEED:
        raise EncodeError(f"seed {quoted(seed)}: is no seed. Use a whole number from 0 to {_MOST_SEED}.")
    return number
