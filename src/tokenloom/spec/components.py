"""The small parts of a tokenizer description: pretokenizer and model.

Each is a frozen value that checks itself, so a part that exists is a part that makes sense.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from tokenloom.errors import SpecError

__all__ = [
    "ID_LIMIT",
    "UNICODE_VERSION",
    "BpeModel",
    "Pretokenizer",
    "PretokenizerType",
    "Semantics",
    "lone_surrogate",
]

PretokenizerType = Literal["gpt2", "none"]
Semantics = Literal["merges", "ranks"]

_PATTERNS: Final[Mapping[PretokenizerType, str]] = {
    "gpt2": r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""",
    "none": r"[\s\S]+",
}
"""Source of "gpt2": `encoder.py` of openai/gpt-2."""

ID_LIMIT: Final = 2**24
"""Ids are below this: 16.7 million, far above real vocabularies, and it leaves the core 8 bits beside an id."""

UNICODE_VERSION: Final = "16.0"
"""The tables of the pretokenizers and normalizers: part of the description, since newer ones give other ids."""


@dataclass(frozen=True, slots=True)
class Pretokenizer:
    """How text is cut into pretokens before the model: merges never cross such a cut.

    Args:
        type: `"gpt2"` is GPT-2's pattern, `"none"` leaves text whole.

    >>> Pretokenizer("gpt2")
    Pretokenizer(type='gpt2')
    """

    type: PretokenizerType

    def __post_init__(self) -> None:
        if self.type not in get_args(PretokenizerType):
            raise SpecError(f"pretokenizer: unknown type {self.type!r}. Use 'gpt2' or 'none'.")

    @property
    def pattern(self) -> str:
        r"""A regular expression that matches one pretoken after the other, for other libraries.

        They need `\p{...}`, look-ahead and the classes of Unicode 16 for the same cuts.

        >>> Pretokenizer("none").pattern
        '[\\s\\S]+'
        """
        return _PATTERNS[self.type]


@dataclass(frozen=True, slots=True, repr=False)
class BpeModel:
    """Byte pair encoding, and which pair of neighbours it joins first.

    Args:
        semantics: `"merges"` joins the pair that comes first in the merge list; `"ranks"` joins the pair whose joined
            bytes are the token with the lowest id, as tiktoken does. They differ on a few texts per million.
        ignore_merges: a pretoken that is a token as a whole is that token, whatever merges would make of it. With
            `"ranks"` that is always so and is not said.

    >>> BpeModel("merges"), BpeModel("merges", ignore_merges=True)
    (BpeModel(semantics='merges'), BpeModel(semantics='merges', ignore_merges=True))
    """

    semantics: Semantics
    ignore_merges: bool = False

    def __post_init__(self) -> None:
        if self.semantics not in get_args(Semantics):
            raise SpecError(f"BPE model: unknown semantics {self.semantics!r}. Use 'merges' or 'ranks'.")
        if type(self.ignore_merges) is not bool:
            raise SpecError(f"BPE model: ignore_merges is {self.ignore_merges!r}. Use True or False.")
        if self.ignore_merges and self.semantics == "ranks":
            raise SpecError("BPE model: semantics 'ranks' always ignore merges for a whole token. Leave it out.")

    def __repr__(self) -> str:
        return f"BpeModel(semantics={self.semantics!r}{', ignore_merges=True' if self.ignore_merges else ''})"


def lone_surrogate(text: str) -> int | None:
    """Position of the first character of `text` that UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None
