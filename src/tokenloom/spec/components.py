"""The small parts of a tokenizer description: special tokens, pretokenizer, model.

Each is a frozen value that checks itself, so a part that exists is a part that makes sense.
"""

import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from tokenloom.errors import SpecError, SpecialTokenError

__all__ = [
    "ID_LIMIT",
    "BpeModel",
    "Pretokenizer",
    "PretokenizerType",
    "Semantics",
    "SpecialToken",
    "lone_surrogate",
    "special_contents",
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


@dataclass(frozen=True, slots=True)
class SpecialToken:
    """A token that stands for its whole content and is never produced from text by accident.

    >>> SpecialToken("<|endoftext|>", 50256)
    SpecialToken(content='<|endoftext|>', id=50256)
    """

    content: str
    id: int

    def __post_init__(self) -> None:
        if not isinstance(self.content, str):
            raise SpecialTokenError(f"special token {self.content!r}: it is no string. Pass its text as str.")
        if not self.content:
            raise SpecialTokenError(
                f"special token with id {self.id!r}: it is empty, so it would match everywhere. "
                "Give it a text of at least one character."
            )
        surrogate = lone_surrogate(self.content)
        if surrogate is not None:
            raise SpecialTokenError(
                f"special token {self.content!r}: character {surrogate} is a lone surrogate, which "
                "has no UTF-8 bytes. Remove it."
            )
        if type(self.id) is not int or not 0 <= self.id < ID_LIMIT:
            raise SpecError(
                f"special token {self.content!r}: {self.id!r} is not an id. "
                f"Use a whole number from 0 to {ID_LIMIT - 1:,}."
            )


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


@dataclass(frozen=True, slots=True)
class BpeModel:
    """Byte pair encoding, and which pair of neighbours it joins first.

    Args:
        semantics: `"merges"` joins the pair that comes first in the merge list; `"ranks"` joins the pair whose joined
            bytes are the token with the lowest id, as tiktoken does. They differ on a few texts per million.

    >>> BpeModel("merges")
    BpeModel(semantics='merges')
    """

    semantics: Semantics

    def __post_init__(self) -> None:
        if self.semantics not in get_args(Semantics):
            raise SpecError(f"BPE model: unknown semantics {self.semantics!r}. Use 'merges' or 'ranks'.")


def special_contents(contents: Iterable[str] | None) -> tuple[str, ...]:
    """The texts of special tokens, checked before they have ids; None stands for no special tokens.

    Raises: SpecialTokenError for one that is empty, no text, or listed twice, and for a str in place of a list.

    >>> special_contents(["<s>", "</s>"])
    ('<s>', '</s>')
    """
    if contents is None:
        return ()
    if isinstance(contents, str):
        raise SpecialTokenError(f"special_tokens: {contents!r} is one string, not a list. Pass [{contents!r}].")
    if not isinstance(contents, Iterable):
        raise SpecialTokenError(f"special_tokens: {reprlib.repr(contents)} is no list. Pass a list of str.")
    listed = tuple(contents)
    seen: set[str] = set()
    for content in listed:
        SpecialToken(content, 0)
        if content in seen:
            raise SpecialTokenError(f"special token {content!r}: it is listed twice. Keep one of the two.")
        seen.add(content)
    return listed


def lone_surrogate(text: str) -> int | None:
    """Position of the first character of `text` that UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None
