"""A recorded training at any of its steps: what was merged and why, and what the tokenizer was then."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from tokenloom.trainers import MergeStep, TrainingRecord

__all__ = ["LoggedMerge", "ReplayedStep", "TokenKind", "count_kinds", "log_of", "replay_step", "token_kind"]

TokenKind = Literal["part of a character", "one character", "several characters"]
_N_LONGEST: Final = 5


def token_kind(token: bytes) -> TokenKind:
    """What a token holds; bytes that are no whole characters are part of one, or of two that stand side by side.

    >>> token_kind("你".encode()[:2]), token_kind("你".encode()), token_kind(b" the")
    ('part of a character', 'one character', 'several characters')
    """
    try:
        n_chars = len(token.decode())
    except UnicodeDecodeError:
        return "part of a character"
    return "one character" if n_chars == 1 else "several characters"


def count_kinds(tokens: Iterable[bytes]) -> dict[TokenKind, int]:
    """How many tokens are of each kind.

    >>> count_kinds([b"a", b"the", b" "])
    {'part of a character': 0, 'one character': 2, 'several characters': 1}
    """
    counts = Counter(map(token_kind, tokens))
    return {kind: counts[kind] for kind in get_args(TokenKind)}


@dataclass(frozen=True, slots=True)
class LoggedMerge:
    """One line of the log of a training.

    Args:
        step: the number of the merge, from 1.
        id: of the token that it makes.
        merge: the pair and what decided for it.
        is_given: a must-have token gave it, so nothing decided for it.
    """

    step: int
    id: int
    merge: MergeStep
    is_given: bool = False

    @property
    def token(self) -> bytes:
        """What the merge makes."""
        return self.merge.left + self.merge.right

    @property
    def kind(self) -> TokenKind:
        """What that holds."""
        return token_kind(self.token)


def log_of(record: TrainingRecord, *, start: int = 1, first: int | None = None) -> Iterator[LoggedMerge]:
    """The merges of a training from a step on.

    Args:
        record: the training.
        start: the first step.
        first: how many merges; None for all.
    Raises: TrainingError if the training has no step `start`.
    """
    if record.n_merges or start != 1:
        record.check_step(start, first=1)
    last = record.n_merges if first is None else min(record.n_merges, start + first - 1)
    return (logged_merge(record, step) for step in range(start, last + 1))


def logged_merge(record: TrainingRecord, step: int) -> LoggedMerge:
    """One merge of a training. Raises: TrainingError if there is no such step."""
    return LoggedMerge(step, record.header.first_id + step - 1, record.merge(step), step <= record.n_given)


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """A training at one step.

    Args:
        step: the merges that were made.
        logged: the last of them; None at step 0.
        n_tokens: the tokens of the corpus.
        bytes_per_token: the compression of the corpus; None for an empty one.
        vocabulary_size: tokens of the vocabulary, special and reserved tokens among them.
        n_of_kind: what the tokens are that merges have made.
        longest: the longest tokens that merges have made, the longest one first, of equally long ones the older.
    """

    step: int
    logged: LoggedMerge | None
    n_tokens: int
    bytes_per_token: float | None
    vocabulary_size: int
    n_of_kind: dict[TokenKind, int]
    longest: tuple[bytes, ...]


def replay_step(record: TrainingRecord, step: int) -> ReplayedStep:
    """The state of a training at a step. Raises: TrainingError if it has no such step."""
    n_tokens, made = record.n_tokens_at(step), record.tokens(step)
    return ReplayedStep(
        step=step,
        logged=logged_merge(record, step) if step else None,
        n_tokens=n_tokens,
        bytes_per_token=record.header.n_bytes / n_tokens if n_tokens else None,
        vocabulary_size=len(record.spec_at(step).vocabulary()),
        n_of_kind=count_kinds(made),
        longest=tuple(sorted(made, key=len, reverse=True)[:_N_LONGEST]),
    )
