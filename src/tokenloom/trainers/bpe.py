"""Byte-pair encoding: from counts of pretokens to merges.

The loop is in the compiled core; `tokenloom.lessons.byte_pair` is its readable definition. Here its result becomes a
tokenizer's description, with a record of what was merged and why.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from tokenloom import _core
from tokenloom.errors import SpecialTokenError, TrainingError, TrainingWarning
from tokenloom.spec import Alphabet, Pretokenizer, TokenizerSpec, build_spec, byte_order
from tokenloom.spec.components import ID_LIMIT
from tokenloom.trainers.counts import Progress

__all__ = ["BpeTraining", "MergeStep", "TieBreak", "train_on_counts"]

TieBreak = Literal["lexicographic", "lowest-id", "first-seen"]

_N_BYTES: Final = 256
_MERGES_A_REPORT: Final = 256


class MergeStep(NamedTuple):
    """One merge: the two parts, how often they stood side by side, and the tokens of the corpus after it."""

    left: bytes
    right: bytes
    count: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class BpeTraining:
    """The result of a training.

    Args:
        spec: the tokenizer.
        steps: the merges in order; counts include overlaps, as in training.
        n_bytes: the bytes of the corpus without special tokens, which is also its number of tokens before any merge.
    """

    spec: TokenizerSpec
    steps: tuple[MergeStep, ...]
    n_bytes: int


def train_on_counts(
    counts: _core.PretokenCounts,
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    *,
    pretokenizer: Pretokenizer,
    tie_break: TieBreak = "lexicographic",
    alphabet: Alphabet = "bytes",
    progress: Progress | None = None,
) -> BpeTraining:
    """Learn merges from counts.

    Args:
        counts: how often each pretoken occurs.
        vocab_size: tokens in all: 256 bytes, merges and special tokens.
        special_tokens: get the ids after the merges, in this order.
        pretokenizer: what the pretokens were cut by; becomes part of the tokenizer.
        tie_break: which of several pairs with the highest count is merged: `"lexicographic"` the greater pair of byte
            strings, `"lowest-id"` the smaller pair of ids, `"first-seen"` the one that occurs first.
        alphabet: the order of the 256 bytes among the ids: `"bytes"`, or `"gpt2"` as GPT-2 and `tokenizers` have it.
        progress: called now and then with the merges made so far.
    Raises: TrainingError if vocab_size or tie_break cannot be; SpecialTokenError for an empty or double special token.
    Warns: TrainingWarning if the corpus has fewer merges than asked for.

    >>> from tokenloom.trainers import pretoken_counts
    >>> counts = pretoken_counts({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> options = {"pretokenizer": Pretokenizer("gpt2"), "tie_break": "first-seen"}
    >>> [step[:3] for step in train_on_counts(counts, 258, **options).steps]
    [(b'e', b's', 9), (b'es', b't', 9)]
    """
    n_merges = _merges_wanted(vocab_size, special_tokens)
    order = byte_order(alphabet)
    steps = _merge(counts, order, tie_break, n_merges, progress)
    if len(steps) < n_merges:
        warnings.warn(
            f"vocab_size {vocab_size!r}: the corpus has only {len(steps)} merges, so the vocabulary has "
            f"{vocab_size - n_merges + len(steps)} tokens. Train on more text or ask for fewer.",
            TrainingWarning,
            stacklevel=2,
        )
    spec = _describe(order, steps, special_tokens, pretokenizer)
    return BpeTraining(spec, tuple(steps), counts.n_bytes)


def _merges_wanted(vocab_size: int, special_tokens: Sequence[str]) -> int:
    """How many merges fill the vocabulary. A special token of one byte shares that byte's id."""
    if isinstance(special_tokens, str):
        raise SpecialTokenError(
            f"special_tokens: {special_tokens!r} is one string, not a list. Pass [{special_tokens!r}]."
        )
    n_fixed = _N_BYTES + sum(len(token.encode(errors="replace")) != 1 for token in special_tokens)
    if type(vocab_size) is not int or not n_fixed <= vocab_size <= ID_LIMIT:
        raise TrainingError(
            f"vocab_size {vocab_size!r}: must be a whole number from {n_fixed} (256 bytes and {n_fixed - _N_BYTES} "
            f"special tokens) to {ID_LIMIT}. Choose one in this range."
        )
    return vocab_size - n_fixed


def _merge(
    counts: _core.PretokenCounts, order: bytes, tie_break: TieBreak, n_merges: int, progress: Progress | None
) -> tuple[MergeStep, ...]:
    """Make merges until there are enough or no pair is left."""
    trainer = _core.Trainer(counts, order, tie_break)
    tokens = [bytes([byte]) for byte in order]
    steps: list[MergeStep] = []
    while batch := trainer.advance(min(n_merges - len(steps), _MERGES_A_REPORT)):
        for left, right, count, n_tokens in batch:
            steps.append(MergeStep(tokens[left], tokens[right], count, n_tokens))
            tokens.append(tokens[left] + tokens[right])
        if progress:
            progress("merge", len(steps), n_merges)
    return tuple(steps)


def _describe(
    order: bytes, steps: Sequence[MergeStep], special_tokens: Sequence[str], pretokenizer: Pretokenizer
) -> TokenizerSpec:
    merges = [(step.left, step.right) for step in steps]
    tokens = [bytes([byte]) for byte in order] + [left + right for left, right in merges]
    return build_spec(dict(enumerate(tokens)), merges, special_tokens, pretokenizer=pretokenizer)
