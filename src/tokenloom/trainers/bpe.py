"""Byte-pair encoding: from counts of pretokens to merges.

The loop is in the compiled core; `tokenloom.lessons.byte_pair` is its readable definition. Here its result becomes a
tokenizer's description, with a record of what was merged and why.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

from tokenloom import _core
from tokenloom.errors import TrainingError, TrainingWarning
from tokenloom.spec import (
    Alphabet,
    Pretokenizer,
    TokenizerSpec,
    build_spec,
    byte_order,
    pretokenizer_of,
    special_contents,
)
from tokenloom.spec.components import ID_LIMIT, PatternName
from tokenloom.tokenizer import check_choice
from tokenloom.trainers.count_options import MOST_COUNTED
from tokenloom.trainers.counts import Progress
from tokenloom.trainers.merge_journal import MergeJournal
from tokenloom.trainers.must_have import check_uncut, must_have_contents, must_have_merges
from tokenloom.wording import counted, warn_caller

__all__ = ["BpeOptions", "BpeTraining", "MergeStep", "Pattern", "TieBreak", "train_on_counts"]

Pattern = PatternName | Pretokenizer
TieBreak = Literal["lexicographic", "lowest-id", "first-seen"]

_N_BYTES: Final = 256
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
class BpeOptions:
    """What a training is asked for; checked before any text is read.

    Args:
        vocab_size: tokens in all: 256 bytes, merges and special tokens.
        special_tokens: cut the text, are no part of the statistics, and get the ids after the merges, in this order.
        pattern: cuts text, and merges never cross a cut: the name of a pattern, such as `"gpt2"` or `"o200k"`, or a
            `Pretokenizer`, which may have any regular expression; None does not cut.
        tie_break: which of several pairs with the highest count is merged: `"lexicographic"` the greater pair of byte
            strings, `"lowest-id"` the smaller pair of ids, `"first-seen"` the one that occurs first in the corpus.
        alphabet: the order of the 256 bytes among the ids: `"bytes"`, or `"gpt2"` as GPT-2 and `tokenizers` have it.
        min_pair_count: training stops when no pair occurs so often.
        max_token_bytes: no merge makes a longer token; None is no limit.
        whole_characters: a merge makes whole characters, or a part of one, never a character with a part of another.
            Bytes that no character has at their place count as characters of their own.
        must_have: texts that shall be one token each, whatever the corpus says. Their merges come first, each text from
            the left, and count as part of the vocabulary.
    Raises: TrainingError for a value that no training can have, or a must-have token that no text can bring out whole;
        SpecialTokenError for an empty or double special token.

    >>> BpeOptions(300, ["<|end|>"]).n_merges
    43
    """

    vocab_size: int
    special_tokens: Sequence[str] = ()
    pattern: Pattern | None = "gpt2"
    tie_break: TieBreak = "lexicographic"
    alphabet: Alphabet = "bytes"
    min_pair_count: int = 1
    max_token_bytes: int | None = None
    whole_characters: bool = False
    must_have: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", special_contents(self.special_tokens))
        if not isinstance(self.pattern, Pretokenizer):
            check_choice("pattern", self.pattern, (*get_args(PatternName), None), TrainingError)
        check_choice("tie_break", self.tie_break, get_args(TieBreak), TrainingError)
        check_choice("alphabet", self.alphabet, get_args(Alphabet), TrainingError)
        n_fixed = self._n_fixed
        if type(self.vocab_size) is not int or not n_fixed <= self.vocab_size <= ID_LIMIT:
            raise TrainingError(
                f"vocab_size {self.vocab_size!r}: must be a whole number from {n_fixed:,} (256 bytes and "
                f"{counted(n_fixed - _N_BYTES, 'special token')}) to {ID_LIMIT:,}. Choose one in this range."
            )
        self._check_limits()
        self._check_must_have()

    @property
    def n_merges(self) -> int:
        """The merges that fill the vocabulary."""
        return self.vocab_size - self._n_fixed

    @property
    def limits(self) -> tuple[str, ...]:
        """The names of the options that are set and keep merges from being made."""
        limits = {
            "min_pair_count": self.min_pair_count > 1,
            "max_token_bytes": self.max_token_bytes is not None,
            "whole_characters": self.whole_characters,
        }
        return tuple(name for name, is_set in limits.items() if is_set)

    @property
    def given_merges(self) -> tuple[tuple[bytes, bytes], ...]:
        """The merges that make the must-have tokens, which come first."""
        return must_have_merges(self.must_have, whole_characters=self.whole_characters)

    @property
    def pretokenizer(self) -> Pretokenizer:
        """The pretokenizer of the pattern."""
        return pretokenizer_of(self.pattern)

    @property
    def _n_fixed(self) -> int:
        """Tokens that are no merges. A special token of one byte shares that byte's id."""
        return _N_BYTES + sum(len(token.encode()) != 1 for token in self.special_tokens)

    def _check_limits(self) -> None:
        least_count, most_bytes = self.min_pair_count, self.max_token_bytes
        if type(least_count) is not int or not 1 <= least_count <= MOST_COUNTED:
            raise TrainingError(
                f"min_pair_count {least_count!r}: is no count. Use a whole number from 1 to {MOST_COUNTED:,}."
            )
        if most_bytes is not None and (type(most_bytes) is not int or not 2 <= most_bytes <= ID_LIMIT):
            raise TrainingError(
                f"max_token_bytes {most_bytes!r}: must be a whole number from 2, the bytes of the first merge, to "
                f"{ID_LIMIT:,}. Use one, or None for no limit."
            )
        if type(self.whole_characters) is not bool:
            raise TrainingError(
                f"whole_characters {self.whole_characters!r}: is neither True nor False. Use one of them."
            )

    def _check_must_have(self) -> None:
        contents = must_have_contents(self.must_have, max_token_bytes=self.max_token_bytes)
        object.__setattr__(self, "must_have", contents)
        check_uncut(contents, pretokenizer=self.pretokenizer, special_tokens=self.special_tokens)
        n_given = len(self.given_merges)
        if n_given > self.n_merges:
            raise TrainingError(
                f"vocab_size {self.vocab_size:,}: has no room for {counted(n_given, 'merge')} of must-have tokens "
                f"beside bytes and special tokens. Ask for at least {self._n_fixed + n_given:,}."
            )


@dataclass(frozen=True, slots=True)
class BpeTraining:
    """The result of a training.

    Args:
        options: what was asked for.
        spec: the tokenizer.
        steps: the merges in order; counts include overlaps, as in training.
        n_bytes: the bytes of the corpus without special tokens, which is also its number of tokens before any merge.
    """

    options: BpeOptions
    spec: TokenizerSpec
    steps: tuple[MergeStep, ...]
    n_bytes: int


def train_on_counts(
    counts: _core.PretokenCounts,
    options: BpeOptions,
    *,
    journal: MergeJournal | None = None,
    progress: Progress | None = None,
    runner_up: bool = False,
) -> BpeTraining:
    """Learn merges from counts of pretokens that were cut by the pattern of the options.

    Args:
        counts: how often each pretoken occurs.
        options: what the tokenizer shall be.
        journal: of a training with the same counts and options, which goes on where it was; None keeps none.
        progress: called now and then with the merges made so far.
        runner_up: tell of each merge which pair came second; the merges are the same.
    Raises: TrainingError if the counts are too large for 64 bits.
    Warns: TrainingWarning if the corpus has fewer merges than asked for, or fewer that the options allow.

    >>> from tokenloom.trainers import pretoken_counts
    >>> counts = pretoken_counts({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> [step[:3] for step in train_on_counts(counts, BpeOptions(258, tie_break="first-seen")).steps]
    [(b'e', b's', 9), (b'es', b't', 9)]
    """
    order = byte_order(options.alphabet)
    steps = _merge(counts, order, options, journal, progress, runner_up)
    if len(steps) < options.n_merges:
        _warn_of_few(len(steps), options)
    tokens = [bytes([byte]) for byte in order] + [step.left + step.right for step in steps]
    merges = [(step.left, step.right) for step in steps]
    spec = build_spec(dict(enumerate(tokens)), merges, options.special_tokens, pretokenizer=options.pretokenizer)
    return BpeTraining(options, spec, steps, counts.n_bytes)


def _warn_of_few(n_merges: int, options: BpeOptions) -> None:
    n_tokens = options.vocab_size - options.n_merges + n_merges
    that = f" within {' and '.join(options.limits)}" if options.limits else ""
    warn_caller(
        f"vocab_size {options.vocab_size!r}: the corpus has only {counted(n_merges, 'merge')}{that}, so the vocabulary "
        f"has {counted(n_tokens, 'token')}. Train on more text or ask for fewer.",
        TrainingWarning,
    )


def _merge(
    counts: _core.PretokenCounts,
    order: bytes,
    options: BpeOptions,
    journal: MergeJournal | None,
    progress: Progress | None,
    runner_up: bool,
) -> tuple[MergeStep, ...]:
    """Make merges until there are enough or no pair is left."""
    trainer = _core.Trainer(
        counts,
        order,
        options.tie_break,
        options.min_pair_count,
        options.max_token_bytes,
        options.whole_characters,
    )
    given = options.given_merges
    tokens = [bytes([byte]) for byte in order]
    steps: list[MergeStep] = []
    told_given = trainer.give(_ids(given, tokens)) if given else []
    for chunk in (told_given, *_chunks(trainer, len(given), options.n_merges, journal, progress, runner_up)):
        for told in chunk:
            step = _step(told, tokens)
            steps.append(step)
            tokens.append(step.left + step.right)
    if progress and steps:
        progress("merge", len(steps), options.n_merges)
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
