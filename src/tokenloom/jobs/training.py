"""From counts to a tokenizer folder: the half of training that is the same wherever the counts come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import tokenloom
from tokenloom import _core
from tokenloom.errors import MemoryLimitError, TrainingError
from tokenloom.jobs.measure import Stage, measured
from tokenloom.jobs.train import training_provenance
from tokenloom.spec import enlarged_spec
from tokenloom.tokenizer import SpecialText, Tokenizer
from tokenloom.trainers import (
    MOST_COUNTED,
    MOST_TOLD_COUNT,
    BpeOptions,
    BpeTraining,
    CountHeader,
    CountOptions,
    MergeJournal,
    Progress,
    TrainingRecord,
    VocabularyLimit,
    count_histogram,
    load_counts,
    record_training,
    train_on_counts,
)
from tokenloom.trainers.vocabulary_limit import check_limit, fall_short
from tokenloom.wording import counted, format_bytes

__all__ = ["Dropped", "Training", "TrainingPlan", "estimated_memory", "ready_counts", "train_on_file"]

JOURNAL = "merges.journal"
_INIT_BYTES: Final = 600
"""For each id of a tokenizer that grows: its tables, and the bytes that no merge may make."""
_Histogram = Sequence[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What a training makes of counts.

    Args:
        options: what the tokenizer shall be; its vocabulary size counts reserved tokens too.
        n_reserved: special tokens that are kept free for later use, behind the others.
        pad_multiple: add reserved tokens until the number of ids is a multiple of this; None adds none.
        min_count: pretokens that occur less often are left out, which saves memory and is reported.
        vocabulary_limit: what happens if the counts have fewer merges, see `VocabularyLimit`.
    Raises: TrainingError for a value out of its range.
    """

    options: BpeOptions
    n_reserved: int = 0
    pad_multiple: int | None = None
    min_count: int = 1
    vocabulary_limit: VocabularyLimit = "soft"

    FREE: ClassVar = frozenset(
        {
            *("vocab_size", "tie_break", "alphabet", "n_reserved", "pad_multiple", "min_count"),
            *("min_pair_count", "max_token_bytes", "whole_characters", "must_have", "init", "characters"),
        }
    )
    """Names in `run` that may change while no merge is made, see `claimed_work`."""

    def __post_init__(self) -> None:
        options = self.options
        check_limit(self.vocabulary_limit)
        if type(self.n_reserved) is not int or self.n_reserved < 0:
            raise TrainingError(f"n_reserved {self.n_reserved!r}: is no number of tokens. Use a whole number from 0.")
        n_given = len(options.given_merges)
        if options.n_merges < n_given + self.n_reserved:
            others = "what merging begins with and special tokens"
            if options.init is None and options.characters is None:
                others = "bytes, must-have tokens and special tokens" if n_given else "bytes and special tokens"
            raise TrainingError(
                f"vocab_size {options.vocab_size:,}: has no room for {counted(self.n_reserved, 'reserved token')} "
                f"beside {others}. Ask for at least "
                f"{options.vocab_size - options.n_merges + n_given + self.n_reserved:,}."
            )
        if type(self.min_count) is not int or not 1 <= self.min_count <= MOST_COUNTED:
            raise TrainingError(
                f"min_count {self.min_count!r}: is no count. Use a whole number from 1 to {MOST_COUNTED:,}."
            )

    @property
    def trained(self) -> BpeOptions:
        """What is trained: reserved tokens take their share of the vocabulary."""
        return replace(self.options, vocab_size=self.options.vocab_size - self.n_reserved)

    def check_room(self, counts: _core.PretokenCounts) -> None:
        """Refuse counts whose characters leave no room for reserved tokens. Raises: as `BpeOptions.start`."""
        self.options.start(counts, n_reserved=self.n_reserved)

    def counting(self, max_pretoken_bytes: int | None) -> CountOptions:
        """How text is cut and counted for it."""
        has_positions = self.options.tie_break == "first-seen"
        cuts = (self.options.pretokenizer, self.options.special_tokens)
        return CountOptions(*cuts, max_pretoken_bytes, has_positions, self.options.normalizer)

    def run(self) -> dict[str, Any]:
        """What makes two runs the same, as JSON values, but how text is cut."""
        return {
            "vocab_size": self.options.vocab_size,
            "tie_break": self.options.tie_break,
            "alphabet": self.options.alphabet,
            **{name: value for name, value in self.options.values().items() if name in ("init", "characters")},
            "n_reserved": self.n_reserved,
            "pad_multiple": self.pad_multiple,
            "min_count": self.min_count,
            "min_pair_count": self.options.min_pair_count,
            "max_token_bytes": self.options.max_token_bytes,
            "whole_characters": self.options.whole_characters,
            "must_have": list(self.options.must_have),
            "tokenloom": tokenloom.__version__,
        }


@dataclass(frozen=True, slots=True)
class Dropped:
    """What `min_count` left out: distinct pretokens, and the bytes of all their occurrences."""

    n_pretokens: int = 0
    n_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Training:
    """What was made of counts.

    Args:
        tokenizer: the result, reserved tokens included.
        record: of its merges, without reserved tokens.
        dropped: what `min_count` left out.
        estimated_bytes: the memory that merging was expected to take.
        n_resumed_merges: merges that an earlier run had made.
        recorded: every merge with what decided it; None if that was not asked for.
    """

    tokenizer: Tokenizer
    record: BpeTraining
    dropped: Dropped
    estimated_bytes: int
    n_resumed_merges: int
    recorded: TrainingRecord | None = None


def train_on_file(
    path: Path,
    header: CountHeader,
    plan: TrainingPlan,
    *,
    work: Path,
    stages: list[Stage],
    memory_limit: int | None = None,
    special_text: SpecialText = "refuse",
    provenance: Mapping[str, Any] | None = None,
    is_recorded: bool = False,
    progress: Progress | None = None,
) -> Training:
    """Train on a count file; the merges made so far are kept in the work folder.

    Args:
        path: the count file.
        header: of it.
        plan: what is made of it.
        work: where the journal of merges lies.
        stages: gets the stage `merge`.
        memory_limit: bytes that merging may take; None is no limit.
        special_text: what the tokenizer does with special tokens in a text.
        provenance: what is to be kept with the tokenizer beside the training's own.
        is_recorded: whether the result shall have a record of every merge.
        progress: called with `"merge"`, merges made and merges wanted.
    Raises: MemoryLimitError, before any merge, if merging needs more than the limit; TrainingError, which does not name
        the counts, if the tie rule needs first positions that they do not have, if nothing of them is left, or if they
        are too large for 64 bits.
    """
    with measured(stages, "merge"):
        need, counts = ready_counts(path, header, plan, memory_limit=memory_limit)
        dropped = Dropped(header.n_pretokens - len(counts), header.n_bytes - counts.n_bytes)
        journal = MergeJournal(work / JOURNAL)
        n_resumed = len(journal.merges)
        is_hard = plan.vocabulary_limit == "hard"
        record = train_on_counts(
            counts, plan.trained, journal=journal, runner_up=is_recorded, may_fall_short=is_hard, progress=progress
        )
        if is_hard:
            why = f"the corpus has only {counted(len(record.steps), 'merge')}"
            fall_short(record.spec.n_ids + plan.n_reserved, plan.options.vocab_size, "hard", why=why)
        kept = {
            "max_pretoken_bytes": header.options.max_pretoken_bytes,
            "n_cut_pretokens": header.n_cut_pretokens,
            "n_dropped_pretokens": dropped.n_pretokens,
            "n_dropped_bytes": dropped.n_bytes,
        }
        provenance = {**kept, **(provenance or {})}
        tokenizer = _finished_tokenizer(record, plan, special_text=special_text, provenance=provenance)
        recorded = _recorded(record, counts, tokenizer) if is_recorded else None
    return Training(tokenizer, record, dropped, need, n_resumed, recorded)


def ready_counts(
    path: Path, header: CountHeader, plan: TrainingPlan, *, memory_limit: int | None = None
) -> tuple[int, _core.PretokenCounts]:
    """The memory that merging needs, and the counts, of which rare pretokens are left out.

    Raises: as `train_on_file` before any merge.
    """
    if plan.options.tie_break == "first-seen" and not header.options.has_positions:
        raise TrainingError(
            "tie_break 'first-seen': the counts have no first positions. Count again with count-pretokens --positions, "
            "or choose another tie rule."
        )
    need = _checked_need(count_histogram(path), plan, memory_limit)
    counts = load_counts(path, min_count=plan.min_count)
    if not len(counts):
        raise TrainingError(
            f"min_count {plan.min_count:,}: no pretoken occurs so often. Use a smaller one, such as 1 for all."
        )
    plan.check_room(counts)
    return need, counts


def _recorded(training: BpeTraining, counts: _core.PretokenCounts, tokenizer: Tokenizer) -> TrainingRecord:
    fingerprint = tokenizer.spec.fingerprint
    return record_training(training, counts, tokenizer_fingerprint=fingerprint, provenance=tokenizer.provenance)


def _finished_tokenizer(
    record: BpeTraining, plan: TrainingPlan, *, special_text: SpecialText, provenance: Mapping[str, Any]
) -> Tokenizer:
    """The tokenizer of a training, with its reserved tokens."""
    spec = enlarged_spec(record.spec, n_reserved=plan.n_reserved, pad_multiple=plan.pad_multiple)
    more = {"n_reserved": plan.n_reserved, "pad_multiple": plan.pad_multiple, "min_count": plan.min_count}
    return Tokenizer.from_spec(
        spec, special_text=special_text, provenance=training_provenance(record) | more | dict(provenance)
    )


def estimated_memory(path: Path, plan: TrainingPlan) -> int:
    """The memory that merging the counts of a file needs; nothing of it is held."""
    return _need(count_histogram(path), plan, plan.min_count)


def _checked_need(rows: _Histogram, plan: TrainingPlan, memory_limit: int | None) -> int:
    """The memory that merging needs. Raises: MemoryLimitError, with what would fit, if it is above the limit."""
    need = _need(rows, plan, plan.min_count)
    if memory_limit is None or need <= memory_limit:
        return need
    fitting = [count for count in _candidates(rows, plan.min_count) if _need(rows, plan, count) <= memory_limit]
    remedy = (
        f"Raise --memory-limit, or leave out rare pretokens with --min-count {min(fitting):,}, the smallest that fits"
        if fitting
        else "Raise --memory-limit, or train on a sample"
    )
    n_pretokens = sum(n for n, _ in _kept(rows, plan.min_count))
    raise MemoryLimitError(
        f"memory limit {format_bytes(memory_limit)}: merging {counted(n_pretokens, 'distinct pretoken')} needs about "
        f"{format_bytes(need)}; nothing was merged. {remedy}."
    )


def _candidates(rows: _Histogram, min_count: int) -> list[int]:
    """Values of `min_count` that each leave out more; the last row stands for all large counts and stays."""
    return [count + 1 for count, _, _ in rows[:-1] if count >= min_count]


def _need(rows: _Histogram, plan: TrainingPlan, min_count: int) -> int:
    kept = _kept(rows, min_count)
    return _core.Trainer.memory_bytes(
        sum(n for n, _ in kept),
        sum(n_bytes for _, n_bytes in kept) + plan.options.n_marks * sum(n for n, _ in kept),
        plan.trained.n_merges,
        plan.options.tie_break,
    ) + _INIT_BYTES * (plan.options.n_init_ids or 0)


def _kept(rows: _Histogram, min_count: int) -> list[tuple[int, int]]:
    """Distinct pretokens and their bytes, at least of all that stay: the last row does not tell large counts apart."""
    return [(n, n_bytes) for count, n, n_bytes in rows if count >= min(min_count, MOST_TOLD_COUNT)]
