"""What happens when a text has not as many tokens as were asked for."""

from typing import Final, Literal, get_args

from tokenloom.errors import TrainingError, TrainingWarning
from tokenloom.spec.components import ID_LIMIT
from tokenloom.tokenizer import check_choice
from tokenloom.wording import counted, warn_caller

__all__ = ["VocabularyLimit", "check_limit", "check_room_for", "check_size", "fall_short"]

VocabularyLimit = Literal["soft", "hard"]
"""`"soft"` takes what there is and warns; `"hard"` is an error."""

_WAYS: Final[tuple[str, ...]] = get_args(VocabularyLimit)


def check_limit(limit: object) -> None:
    """Refuse an unknown limit. Raises: TrainingError."""
    check_choice("vocabulary_limit", limit, _WAYS, TrainingError)


def check_size(vocab_size: object, *, n_fixed: int, what: str) -> None:
    """Refuse a size that has no room for what is there without a text. Raises: TrainingError."""
    if type(vocab_size) is not int or not n_fixed <= vocab_size <= ID_LIMIT:
        raise TrainingError(
            f"vocab_size {vocab_size!r}: must be a whole number from {n_fixed:,} ({what}) to {ID_LIMIT:,}. Choose one "
            "in this range."
        )


def check_room_for(vocab_size: int, *, n_fixed: int, n_characters: int, n_tokens_each: int = 1) -> None:
    """Refuse a size that has no room for the characters. Raises: TrainingError with the smallest one that has."""
    least = n_fixed + n_characters * n_tokens_each
    if vocab_size < least:
        each = f" with {n_tokens_each} tokens each" if n_tokens_each > 1 else ""
        raise TrainingError(
            f"vocab_size {vocab_size:,}: {counted(n_characters, 'character')} of the text{each} and "
            f"{counted(n_fixed, 'other token')} leave no room. Ask for at least {least:,}, or for a lower character "
            "coverage."
        )


def fall_short(n_tokens: int, vocab_size: int, limit: VocabularyLimit, *, why: str) -> None:
    """Say that there are fewer tokens than asked for, if that is so.

    Raises: TrainingError under a hard limit, with the largest possible size.
    Warns: TrainingWarning under a soft one.
    """
    if n_tokens >= vocab_size:
        return
    if limit == "hard":
        raise TrainingError(
            f"vocab_size {vocab_size:,}: {why}, and the largest possible size is {n_tokens:,}. Ask for that or less, "
            "train on more text, or take vocabulary_limit 'soft'."
        )
    warn_caller(
        f"vocab_size {vocab_size:,}: {why}, so the vocabulary has {counted(n_tokens, 'token')}. Train on more text or "
        "ask for fewer.",
        TrainingWarning,
    )
