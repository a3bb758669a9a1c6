"""Why a text is cut where it is: which alternative of the pattern took each pretoken."""

from dataclasses import dataclass
from typing import Final

from tokenloom.spec import Pretokenizer
from tokenloom.spec.alternatives import alternatives_of, words_of
from tokenloom.tokenizer.options import Special
from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["ExplainedPretoken", "explain_pattern"]

_NO_UTF8: Final = "bytes that are no UTF-8"


@dataclass(frozen=True, slots=True)
class ExplainedPretoken:
    """A pretoken and what made it.

    Args:
        data: its bytes.
        number: the alternative of the pattern, or the step of a sequence, counted from 1; None for an added token, for
            text that no alternative matches, and for what no step cut.
        text: the alternative, or the step as its JSON names it; None without a number.
        words: what that is for.
    """

    data: bytes
    number: int | None
    text: str | None
    words: str


def explain_pattern(
    tokenizer: Tokenizer, text: str | bytes, *, allowed_special: Special = None, disallowed_special: Special = None
) -> list[ExplainedPretoken]:
    r"""The pretokens of a text, and of each the alternative of the pattern that took it.

    The first alternative that matches where a pretoken begins has taken it. For a sequence of pretokenizers it is the
    step that cut the pretoken last.

    Args:
        tokenizer: the tokenizer.
        text: the text.
        allowed_special: see `Tokenizer.encode`.
        disallowed_special: see `Tokenizer.encode`.
    Raises: as `Tokenizer.encode`.

    >>> tokenizer = Tokenizer({i: bytes([i]) for i in range(256)}, [], pattern="gpt2")
    >>> [(row.data, row.number, row.words) for row in explain_pattern(tokenizer, "it's")]
    [(b'it', 2, 'letters, with at most one space before them'), (b"'s", 1, 'a contraction')]
    """
    pretokenizer, special = tokenizer.spec.pretokenizer, (allowed_special, disallowed_special)
    if pretokenizer.type == "sequence":
        made = tokenizer._core.explain(text, [], *special)
        steps = [(step.name, step.in_words) for step in pretokenizer.steps]
        return [_explained(row, steps, "cut by no step") for row in made]
    alternatives = alternatives_of(pretokenizer.pattern)
    made = tokenizer._core.explain(text, list(alternatives), *special)
    known = [(alternative, words_of(alternative) or _custom(pretokenizer)) for alternative in alternatives]
    return [_explained(row, known, "between two matches") for row in made]


def _custom(pretokenizer: Pretokenizer) -> str:
    return f"an alternative of the {pretokenizer.type} pattern"


def _explained(row: tuple[bytes, int | None, bool], known: list[tuple[str, str]], otherwise: str) -> ExplainedPretoken:
    data, number, is_added_token = row
    text, words = (None, "an added token" if is_added_token else otherwise) if number is None else known[number]
    try:
        data.decode()
    except UnicodeDecodeError:
        words = f"{words}; {_NO_UTF8}" if data.decode(errors="ignore") else _NO_UTF8
    return ExplainedPretoken(data, None if number is None else number + 1, text, words)
