"""Added tokens: texts that are found as a whole before the model sees anything.

The names of the flags are those of other libraries' files, since they have no other meaning than there.
"""

import reprlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Final

from tokenloom.errors import SpecError, SpecialTokenError
from tokenloom.spec.components import ID_LIMIT
from tokenloom.spec.texts import lone_surrogate
from tokenloom.wording import quoted

__all__ = ["FLAGS", "AddedToken", "special_contents"]

_MOST_BYTES: Final = 1024
"""The limit of the core, which says why."""


@dataclass(frozen=True, slots=True, repr=False)
class AddedToken:
    """A token that stands for its whole content.

    Args:
        content: its text.
        id: its id.
        special: it is never produced from text by accident: what happens to its content in a text is the caller's
            policy (`special_text`). One that is not special is found in every text,
            but for what stands in a special token that is ordinary text, as in `tokenizers`.
        single_word: it is not found where a word character stands right before or behind it.
        lstrip: it takes the blanks before it with it.
        rstrip: it takes the blanks behind it with it.
        normalized: it is looked for in the normalized text, and is itself normalized for that.

    >>> AddedToken("<|endoftext|>", 50256)
    AddedToken(content='<|endoftext|>', id=50256)
    >>> AddedToken("<mask>", 4, lstrip=True).flags()
    {'lstrip': True}
    """

    content: str
    id: int
    special: bool = True
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.content, str):
            raise SpecialTokenError(f"special token {quoted(self.content)}: it is no string. Pass its text as str.")
        if not self.content:
            raise SpecialTokenError(
                f"{self.kind} with id {quoted(self.id)}: it is empty, so it would match everywhere. "
                "Give it a text of at least one character."
            )
        surrogate = lone_surrogate(self.content)
        if surrogate is not None:
            raise SpecialTokenError(
                f"{self.kind} {quoted(self.content)}: character {surrogate} is a lone surrogate, which "
                "has no UTF-8 bytes. Remove it."
            )
        if (n_bytes := len(self.content.encode())) > _MOST_BYTES:
            raise SpecialTokenError(
                f"{self.kind} {quoted(self.content)}: it has {n_bytes:,} bytes, and {_MOST_BYTES:,} are the most. "
                "Give it a shorter text."
            )
        if type(self.id) is not int or not 0 <= self.id < ID_LIMIT:
            raise SpecError(
                f"{self.kind} {quoted(self.content)}: {quoted(self.id)} is not an id. "
                f"Use a whole number from 0 to {ID_LIMIT - 1:,}."
            )
        for flag, value in ((flag, getattr(self, flag)) for flag in FLAGS):
            if type(value) is not bool:
                raise SpecError(
                    f"{self.kind} {quoted(self.content)}: its flag {flag} is {quoted(value)}. Use True or False."
                )

    @property
    def kind(self) -> str:
        """What messages call it: `"special token"`, or `"added token"` if it is not special."""
        return "special token" if self.special else "added token"

    def flags(self) -> dict[str, bool]:
        """The flags that are not what they are by default."""
        return {name: getattr(self, name) for name in FLAGS if getattr(self, name) is not (name == "special")}

    def __repr__(self) -> str:
        shown: dict[str, Any] = {"content": self.content, "id": self.id} | self.flags()
        return f"AddedToken({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


FLAGS: Final = tuple(field.name for field in fields(AddedToken))[2:]
"""The names of the flags; all but `special` are False by default."""


def special_contents(contents: Iterable[str] | None) -> tuple[str, ...]:
    """The texts of special tokens, checked before they have ids; None stands for no special tokens.

    Raises: SpecialTokenError for one that is empty, no text, or listed twice, and for a str in place of a list.

    >>> special_contents(["<s>", "</s>"])
    ('<s>', '</s>')
    """
    if contents is None:
        return ()
    if isinstance(contents, str):
        raise SpecialTokenError(
            f"special_tokens: {quoted(contents)} is one string, not a list. Pass [{quoted(contents)}]."
        )
    if not isinstance(contents, Iterable):
        raise SpecialTokenError(f"special_tokens: {reprlib.repr(contents)} is no list. Pass a list of str.")
    listed = tuple(contents)
    seen: set[str] = set()
    for content in listed:
        AddedToken(content, 0)
        if content in seen:
            raise SpecialTokenError(f"special token {quoted(content)}: it is listed twice. Keep one of the two.")
        seen.add(content)
    return listed
