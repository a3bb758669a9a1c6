"""Byte-pair encoding: from counts of pretokens to merges.

The loop is in the compiled core; `tokenloom.lessons.byte_pair` is its readable definition. Here its result becomes a
tokenizer's description, with a record of what was merged and why.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tokenloom import _core
from tokenloom.errors import TrainingWarning
from tokenloom.spec import TokenizerSpec
from tokenloom.trainers.bpe_options import BpeOptions
from tokenloom.trainers.counts import Progress
from tokenloom.trainers.merge_journal import MergeJournal
from tokenloom.trainers.start_alphabets import Start
from tokenloom.wording import counted, warn_caller

__all__ = ["BpeTraining", "MergeStep", "train_on_counts"]

_FIRST_CHUNK: Final = 64
_LARGEST_CHUNK: Final = 1024
_CHUNK_SECONDS: Final = 2.0
"""Merges between two lines of a journal: as many as are made in a few seconds, which are all that a kill can cost."""


class MergeStep(NamedTuple):
    """One merge.

    Args:
        left: the first part.
        right: the second part.
        n_pairs: how often they stood side by side, overlaps included.
        n_tokens: the tokens of the corpus after the merge.
        n_tied: how many other pairs stood side by side as often, so that the tie rule chose; 0 for a merge of a
            must-have token, which nothing chose.
        runner_up: the pair that would have been merged if this one had not been there; None if no other was left,
            for a merge of a must-have token, and if the training was not asked to tell.
        n_runner_up_pairs: how often that one stood side by side; 0 for none.
    """

    left: bytes
    right: bytes
    n_pairs: int
    n_tokens: int
    n_tied: int
    runner_up: tuple[bytes, bytes] | None = None
    n_runner_up_pairs: int = 0


@dataclass(frozen=True, slots=True)
class BpeTraining:
    """The result of a training.

    Args:
        options: what was asked for.
        spec: the tokenizer.
        steps: the merges in order; counts include overlaps, as in training.
        n_bytes: the bytes of the corpus without special tokens; where bytes begin, its tokens before any merge.
        start: what its pretokens began as.
    """

    options: BpeOptions
    spec: TokenizerSpec
    steps: tuple[MergeStep, ...]
    n_bytes: int
    start: Start

    @property
    def n_wanted(self) -> int:
        """The merges that would have filled the vocabulary."""
        return self.options.vocab_size - self.spec.n_ids + len(self.steps)


def train_on_counts(
    counts: _core.PretokenCounts,
    options: BpeOptions,
    *,
    journal: MergeJournal | None = None,
    progress: Progress | None = None,
    runner_up: bool = False,
    may_fall_short: bool = False,
) -> BpeTraining:
    """Learn merges from counts of pretokens that were cut by the pattern of the options.

    Args:
        counts: how often each pretoken occurs.
        options: what the tokenizer shall be.
        journal: of a training with the same counts and options, which goes on where it was; None keeps none.
        progress: called now and then with the merges made so far.
        runner_up: tell of each merge which pair came second; the merges are the same.
        may_fall_short: the caller looks at the number of merges, and no warning is needed.
    Raises: TrainingError if the counts are too large for 64 bits.
    Warns: TrainingWarning if the corpus has fewer merges than asked for, or fewer that the options allow.

    >>> from tokenloom.trainers import pretoken_counts
    >>> counts = pretoken_counts({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> [step[:3] for step in train_on_counts(counts, BpeOptions(258, tie_break="first-seen")).steps]
    [(b'e', b's', 9), (b'es', b't', 9)]
    """
    start = options.start(counts)
    steps = _merge(counts, start, options, journal, progress, runner_up)
    if start.n_tokens + len(steps) < options.vocab_size and not may_fall_short:
        _warn_of_few(len(steps), start.n_tokens + len(steps), options)
    spec = options.spec_of(start, [(step.left, step.right) for step in steps])
    return BpeTraining(options, spec, steps, counts.n_bytes, start)


def _warn_of_few(n_merges: int, n_tokens: int, options: BpeOptions) -> None:
    that = f" within {' and '.join(options.limits)}" if options.limits else ""
    warn_caller(
        f"vocab_size {options.vocab_size!r}: the corpus has only {counted(n_merges, 'merge')}{that}, so the vocabulary "
        f"has {counted(n_tokens, 'token')}. Train on more text or ask for fewer.",
        TrainingWarning,
    )


def _merge(
    counts: _core.PretokenCounts,
    start: Start,
    options: BpeOptions,
    journal: MergeJournal | None,
    progress: Progress | None,
    runner_up: bool,
) -> tuple[MergeStep, ...]:
    """Make merges until there are enough or no pair is left."""
    trainer = _core.Trainer(
        counts,
        start.core,
        options.tie_break,
        options.min_pair_count,
        options.max_token_bytes,
        options.whole_characters,
    )
    given, n_merges = options.given_merges, options.vocab_size - start.n_tokens
    tokens = list(start.tokens)
    steps: list[MergeStep] = []
    told_given = trainer.give(_ids(given, tokens)) if given else []
    for chunk in (told_given, *_chunks(trainer, len(given), n_merges, journal, progress, runner_up)):
        for told in chunk:
            step = _step(told, tokens)
            steps.append(step)
            tokens.append(step.left + step.right)
    if progress and steps:
        progress("merge", len(steps), n_merges)
    return tuple(steps)


def _ids(merges: Sequence[tuple[bytes, bytes]], tokens: Sequence[bytes]) -> list[tuple[int, int]]:
    """The first merges as ids, behind those of single bytes."""
    ids = {token: token_id for token_id, token in enumerate((*tokens, *(left + right for left, right in merges)))}
    return [(ids[left], ids[right]) for left, right in merges]


def _step(told: Sequence[int], tokens: Sequence[bytes]) -> MergeStep:
    """A merge as the core tells it: with a runner-up, or without."""
    left, right, count, n_tokens, n_tied, *second = told
    second_left, second_right, second_count = second or (0, 0, 0)
    runner_up = (tokens[second_left], tokens[second_right]) if second_count else None
    return MergeStep(tokens[left], tokens[right], count, n_tokens, n_tied, runner_up, second_count)


def _chunks(
    trainer: _core.Trainer,
    n_given: int,
    n_merges: int,
    journal: MergeJournal | None,
    progress: Progress | None,
    runner_up: bool,
) -> Iterator[Sequence[Sequence[int]]]:
    """Merges behind the given ones, as the core tells them: those of the journal, then new ones, which go there too."""
    n_chosen = n_merges - n_given
    if journal is None:
        yield trainer.advance(n_chosen, _reporter(progress, n_merges, n_given), runner_up)
        return
    yield trainer.apply(journal.merges[:n_chosen], _reporter(progress, n_merges, n_given), runner_up)
    size = _FIRST_CHUNK
    while (n_done := len(journal.merges)) < n_chosen:
        start = time.monotonic()
        reporter = _reporter(progress, n_merges, n_given + n_done)
        chunk = trainer.advance(min(size, n_chosen - n_done), reporter, runner_up)
        if not chunk:
            return
        journal.append([(step[0], step[1]) for step in chunk])
        yield chunk
        size = min(_LARGEST_CHUNK, size * 2) if time.monotonic() - start < _CHUNK_SECONDS else max(1, size // 2)


def _reporter(progress: Progress | None, n_merges: int, n_before: int) -> Callable[[int], object] | None:
    return (lambda n_done: progress("merge", n_before + n_done, n_merges)) if progress else None
