"""Texts in a tokenizer description: what each must be, so that UTF-8 holds it."""

from collections.abc import Iterable

from tokenloom.errors import SpecError
from tokenloom.wording import quoted

__all__ = ["check_text", "checked_texts", "lone_surrogate"]


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


def checked_texts(texts: object, *, part: str) -> tuple[str, ...]:
    """Some texts as a tuple; refuses what is no text, and one that is there twice.

    >>> checked_texts(["a", "b"], part="model, user_defined")
    ('a', 'b')
    """
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise SpecError(f"{part}: {quoted(texts)} is no sequence of texts. Pass a tuple of str.")
    known: dict[str, None] = {}
    for text in texts:
        check_text(text, part=part)
        if text in known:
            raise SpecError(f"{part}: {quoted(text)} is there twice. Keep one of the two.")
        known[text] = None
    return tuple(known)
