"""Byte-pair encoding: from counts of pretokens to merges.

The loop is in the compiled core; `tokenloom.lessons.byte_pair` is its readable definition. Here its result becomes a
tokenizer's description, with a record of what was merged and why.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, NamedTuple, get_args

from tokenloom import _core
from tokenloom.errors import TrainingError, TrainingWarning
from tokenloom.spec import (
    Alphabet,
    Pretokenizer,
    TokenizerSpec,
    pretokenizer_of,
    special_contents,
)
from tokenloom.spec.components import ID_LIMIT, PatternName
from tokenloom.spec.packing import UINT32_BYTES
from tokenloom.tokenizer import check_choice
from tokenloom.trainers.character_alphabet import CharacterAlphabet, check_room
from tokenloom.trainers.counts import Progress
from tokenloom.trainers.merge_journal import MergeJournal
from tokenloom.trainers.start_alphabets import ByteStart, OldStart, Start, check_init, init_size
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
        n_tied: how many other pairs stood side by side as often, so that the tie rule chose.
        runner_up: the pair that would have been merged if this one had not been there; None if no other was left, or if
            the training was not asked to tell.
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
        init: a tokenizer that grows: pretokens begin as its tokens in place of bytes, and its ids stay, see `OldStart`.
            Ids without a token count for `vocab_size`. `continued` gives options that fit it.
        characters: which characters pretokens begin as, in place of bytes. How many there are is not known before the
            text is counted: a vocabulary that is too small for them is refused then.
    Raises: TrainingError for a value that no training can have; SpecialTokenError for an empty or double special token.

    >>> BpeOptions(300, ["<|end|>"]).n_merges
    43
    """

    vocab_size: int
    special_tokens: Sequence[str] = ()
    pattern: Pattern | None = "gpt2"
    tie_break: TieBreak = "lexicographic"
    alphabet: Alphabet = "bytes"
    init: TokenizerSpec | None = None
    characters: CharacterAlphabet | None = None

    @classmethod
    def continued(
        cls,
        init: TokenizerSpec,
        vocab_size: int,
        *,
        special_tokens: Sequence[str] | None = None,
        pattern: Pattern | Literal["init"] | None = "init",
        tie_break: TieBreak = "lexicographic",
    ) -> "BpeOptions":
        """Options that let a tokenizer grow; what is not said is as there.

        Raises: TrainingError if it is that large already, cannot grow, or has another pattern or other special tokens.

        >>> from tokenloom.spec import build_spec
        >>> init = build_spec({i: bytes([i]) for i in range(256)}, [], ["<|end|>"])
        >>> BpeOptions.continued(init, 300).n_merges
        43
        """
        pretokenizer = init.pretokenizer if pattern == "init" else pretokenizer_of(pattern)
        special_tokens = [token.content for token in init.added_tokens] if special_tokens is None else special_tokens
        return cls(vocab_size, special_tokens, pretokenizer, tie_break, init=init)

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", special_contents(self.special_tokens))
        if not isinstance(self.pattern, Pretokenizer):
            check_choice("pattern", self.pattern, (*get_args(PatternName), None), TrainingError)
        check_choice("tie_break", self.tie_break, get_args(TieBreak), TrainingError)
        check_choice("alphabet", self.alphabet, get_args(Alphabet), TrainingError)
        self._check_init()
        n_fixed = self._n_fixed
        if type(self.vocab_size) is not int or not n_fixed <= self.vocab_size <= ID_LIMIT:
            fixed = f"256 bytes and {counted(n_fixed - _N_BYTES, 'special token')}"
            raise TrainingError(
                f"vocab_size {self.vocab_size!r}: must be a whole number from {n_fixed:,} "
                f"({fixed if self.characters is None else 'what is there without characters'}) to {ID_LIMIT:,}. Choose "
                "one in this range."
            )

    def _check_init(self) -> None:
        """Refuse a tokenizer that cannot grow, or has all the tokens that are asked for."""
        if self.init is not None and self.characters is not None:
            raise TrainingError("characters: init has its tokens already. Leave one of the two out.")
        if self.characters is not None and self.alphabet != "bytes":
            raise TrainingError(f"alphabet {self.alphabet!r}: plays no part where characters begin. Leave it out.")
        if self.init is None:
            return
        check_init(self.init, pretokenizer=self.pretokenizer, special_tokens=self.special_tokens)
        if self.alphabet != "bytes":
            raise TrainingError(f"alphabet {self.alphabet!r}: the bytes keep the ids of init. Leave it out.")
        if type(self.vocab_size) is int and self.vocab_size <= self._n_fixed:
            raise TrainingError(
                f"vocab_size {self.vocab_size!r}: the tokenizer of init has {counted(self._n_fixed, 'id')} already. "
                "Ask for more."
            )

    def values(self) -> dict[str, Any]:
        """The options as JSON values; of a tokenizer that grows, its fingerprint."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["special_tokens"] = list(self.special_tokens)
        if isinstance(self.pattern, Pretokenizer):
            values["pattern"] = asdict(self.pattern)
        init, characters = values.pop("init"), values.pop("characters")
        if characters is not None:
            values["characters"] = characters.values()
        return values if init is None else values | {"init": init.fingerprint}

    def start(self, counts: _core.PretokenCounts) -> Start:
        """What pretokens begin as.

        Raises: TrainingError if the vocabulary is too small for the characters that are asked for, or the text has one
            that cannot be told from the unknown token or the mark of the end of a word.
        """
        if self.characters is not None:
            start = self.characters.start(counts, special_tokens=self.special_tokens, pretokenizer=self.pretokenizer)
            check_room(self.vocab_size, start)
            return start
        if self.init is not None:
            return OldStart(self.init)
        return ByteStart(self.alphabet, self.special_tokens, self.pretokenizer)

    @property
    def n_init_ids(self) -> int | None:
        """The ids of the tokenizer that grows; None if none does."""
        return None if self.init is None else init_size(self.init)

    @property
    def n_marks(self) -> int:
        """Symbols of each pretoken that stand for none of its bytes."""
        return int(self.characters is not None and self.characters.model.end_of_word_symbol)

    @property
    def n_merges(self) -> int:
        """The merges that fill the vocabulary; with characters, the most that it may have room for."""
        return self.vocab_size - self._n_fixed

    @property
    def pretokenizer(self) -> Pretokenizer:
        """The pretokenizer of the pattern."""
        return pretokenizer_of(self.pattern)

    @property
    def _n_fixed(self) -> int:
        """Tokens that are no new merges. A special token of one byte shares that byte's id."""
        if self.init is not None:
            return init_size(self.init)
        if self.characters is not None:
            return len({*self.characters.fixed_tokens, *self.special_tokens})
        return _N_BYTES + sum(len(token.encode()) != 1 for token in self.special_tokens)


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

    @property
    def n_wanted(self) -> int:
        """The merges that would have filled the vocabulary."""
        n_ids = len(self.spec.token_offsets) // UINT32_BYTES - 1
        return self.options.vocab_size - n_ids + len(self.steps)


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
    Warns: TrainingWarning if the corpus has fewer merges than asked for.

    >>> from tokenloom.trainers import pretoken_counts
    >>> counts = pretoken_counts({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> [step[:3] for step in train_on_counts(counts, BpeOptions(258, tie_break="first-seen")).steps]
    [(b'e', b's', 9), (b'es', b't', 9)]
    """
    start = options.start(counts)
    steps = _merge(counts, start, options, journal, progress, runner_up)
    n_tokens = start.n_tokens + len(steps)
    if n_tokens < options.vocab_size:
        warn_caller(
            f"vocab_size {options.vocab_size!r}: the corpus has only {counted(len(steps), 'merge')}, so the vocabulary "
            f"has {counted(n_tokens, 'token')}. Train on more text or ask for fewer.",
            TrainingWarning,
        )
    spec = start.spec([(step.left, step.right) for step in steps])
    return BpeTraining(options, spec, steps, counts.n_bytes)


def _merge(
    counts: _core.PretokenCounts,
    start: Start,
    options: BpeOptions,
    journal: MergeJournal | None,
    progress: Progress | None,
    runner_up: bool,
) -> tuple[MergeStep, ...]:
    """Make merges until there are enough or no pair is left."""
    trainer, n_merges = _core.Trainer(counts, start.core, options.tie_break), options.vocab_size - start.n_tokens
    tokens = list(start.tokens)
    steps: list[MergeStep] = []
    for chunk in _chunks(trainer, n_merges, journal, progress, runner_up):
        for told in chunk:
            step = _step(told, tokens)
            steps.append(step)
            tokens.append(step.left + step.right)
    if progress and steps:
        progress("merge", len(steps), n_merges)
    return tuple(steps)


def _step(told: Sequence[int], tokens: Sequence[bytes]) -> MergeStep:
    """A merge as the core tells it: with a runner-up, or without."""
    left, right, count, n_tokens, n_tied, *second = told
    second_left, second_right, second_count = second or (0, 0, 0)
    runner_up = (tokens[second_left], tokens[second_right]) if second_count else None
    return MergeStep(tokens[left], tokens[right], count, n_tokens, n_tied, runner_up, second_count)


def _chunks(
    trainer: _core.Trainer, n_merges: int, journal: MergeJournal | None, progress: Progress | None, runner_up: bool
) -> Iterator[Sequence[Sequence[int]]]:
    """The merges as the core tells them: those of the journal, then new ones, which are written down there."""
    if journal is None:
        yield trainer.advance(n_merges, _reporter(progress, n_merges, 0), runner_up)
        return
    yield trainer.apply(journal.merges[:n_merges], _reporter(progress, n_merges, 0), runner_up)
    size = _FIRST_CHUNK
    while (n_done := len(journal.merges)) < n_merges:
        start = time.monotonic()
        chunk = trainer.advance(min(size, n_merges - n_done), _reporter(progress, n_merges, n_done), runner_up)
        if not chunk:
            return
        journal.append([(step[0], step[1]) for step in chunk])
        yield chunk
        size = min(_LARGEST_CHUNK, size * 2) if time.monotonic() - start < _CHUNK_SECONDS else max(1, size // 2)


def _reporter(progress: Progress | None, n_merges: int, n_before: int) -> Callable[[int], object] | None:
    return (lambda n_done: progress("merge", n_before + n_done, n_merges)) if progress else None
