"""Texts in a tokenizer description: what each must be, so that UTF-8 holds it."""

from tokenloom.errors import SpecError
from tokenloom.wording import quoted

__all__ = ["check_text", "lone_surrogate"]


def lone_surrogate(text: str) -> int | None:
    r"""Position of the first character of `text` that UTF-8 cannot hold.

    >>> lone_surrogate("a\ud800"), lone_surrogate("\U0001f600")
    (1, None)
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


def check_text(text: object, *, part: str, may_be_empty: bool = False) -> None:
    """Refuse what is no text for a part of the description; errors begin with its name.

    >>> check_text("", part="normalizer, prepend")
    Traceback (most recent call last):
    tokenloom.errors.SpecError: normalizer, prepend: '' is no text. Pass a str of at least one character.
    """
    if not isinstance(text, str) or not (text or may_be_empty):
        raise SpecError(f"{part}: {quoted(text)} is no text. Pass a str of at least one character.")
    if lone_surrogate(text) is not None:
        raise SpecError(f"{part}: {quoted(text)} has a lone surrogate. Remove it.")
