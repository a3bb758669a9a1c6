"""How a tokenizer is run: the options that decide no id of ordinary text, checked once for every way to make one."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from tokenloom.errors import SpecError, TokenloomError

__all__ = ["DEFAULT_CACHE_BYTES", "RunOptions", "SpecialText", "Surrogates", "check_threads"]

SpecialText = Literal["refuse", "parse", "plain"]
Surrogates = Literal["refuse", "replace"]

DEFAULT_CACHE_BYTES: Final = 4 << 20
"""Four MiB remember 130,000 words: the working vocabulary of a large corpus, and small enough for the last cache."""

_MOST_CACHE_BYTES: Final = 2**32
_MOST_THREADS: Final = 2**16
"""More than any machine has; a larger number is a mistake."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `Tokenizer` takes beside its description.

    Args:
        special_text: what a special token in a text means when a call does not say.
        surrogates: what a lone surrogate in a text means.
        cache_bytes: memory for words already seen, for each thread; 0 remembers none.
    Raises: SpecError for a value that is not among those known.
    """

    special_text: SpecialText = "refuse"
    surrogates: Surrogates = "refuse"
    cache_bytes: int = DEFAULT_CACHE_BYTES

    def __post_init__(self) -> None:
        _check_choice("special_text", self.special_text, get_args(SpecialText))
        _check_choice("surrogates", self.surrogates, get_args(Surrogates))
        if type(self.cache_bytes) is not int or not 0 <= self.cache_bytes <= _MOST_CACHE_BYTES:
            raise SpecError(
                f"cache_bytes {self.cache_bytes!r}: is no whole number from 0 to {_MOST_CACHE_BYTES}. "
                f"Leave it out for {DEFAULT_CACHE_BYTES}, or pass 0 to remember nothing."
            )


def check_threads(n_threads: int | None, error: type[TokenloomError]) -> None:
    """Refuse a number of threads that no machine can use; None stands for one a core.

    >>> check_threads(2, SpecError)
    """
    if n_threads is not None and (type(n_threads) is not int or not 1 <= n_threads <= _MOST_THREADS):
        raise error(
            f"n_threads {n_threads!r}: is no whole number from 1 to {_MOST_THREADS}. Leave it out for one a core."
        )


def _check_choice(option: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise SpecError(f"{option} {value!r}: is unknown. Use one of {', '.join(map(repr, known))}.")
