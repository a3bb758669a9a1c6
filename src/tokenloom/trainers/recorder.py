"""Making the record of a training: the numbers of its steps, with ids for tokens, and what it was trained on."""

import hashlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from tokenloom import _core
from tokenloom.trainers.bpe import BpeTraining, MergeStep
from tokenloom.trainers.training_record import COLUMNS, RecordHeader, TrainingRecord

__all__ = ["counts_checksum", "record_training"]


def record_training(
    training: BpeTraining,
    counts: _core.PretokenCounts,
    *,
    tokenizer_fingerprint: str | None = None,
    provenance: Mapping[str, Any] = MappingProxyType({}),
) -> TrainingRecord:
    """The record of a training.

    Args:
        training: what `train_on_counts` gave with `runner_up=True`.
        counts: what it was trained on.
        tokenizer_fingerprint: of the tokenizer that was made of it, if that has reserved tokens; None for its own.
        provenance: of the tokenizer: values that JSON can hold.
    """
    options = training.options
    begin = training.start
    start = options.spec_of(begin, ())
    all_ids = {token: token_id for token_id, token in enumerate(start.model_tokens()) if token}
    ids = {token: all_ids[token] for token in begin.tokens}
    first_id = 1 + max(ids.values()) if options.n_init_ids is None else options.n_init_ids
    begins_as_bytes = options.init is None and options.characters is None
    header = RecordHeader(
        tokenizer_fingerprint or training.spec.fingerprint,
        counts_checksum(counts, has_positions=options.tie_break == "first-seen"),
        dict(provenance),
        training.n_bytes,
        counts.n_bytes if begins_as_bytes else _core.Trainer(counts, begin.core, options.tie_break).n_tokens(),
        first_id,
    )
    return TrainingRecord(header, start, _columns_of(training.steps, ids, first_id))


def _columns_of(steps: Iterable[MergeStep], ids: dict[bytes, int], first_id: int) -> dict[str, list[int]]:
    """The numbers of steps, with ids for tokens."""
    columns: dict[str, list[int]] = {name: [] for name in COLUMNS}
    none = next(iter(ids), b"")
    for token_id, step in enumerate(steps, first_id):
        parts = (step.left, step.right, *(step.runner_up or (none, none)))
        left, right, second_left, second_right = map(ids.__getitem__, parts)
        numbers = (left, right, *step[2:5], second_left, second_right, step.n_runner_up_pairs)
        for column, number in zip(columns.values(), numbers, strict=True):
            column.append(number)
        ids[step.left + step.right] = token_id
    return columns


def counts_checksum(counts: _core.PretokenCounts, *, has_positions: bool) -> str:
    """Hex SHA-256 of distinct pretokens and their counts, sorted; of their first positions too if a tie rule uses them.

    >>> from tokenloom.trainers import pretoken_counts
    >>> one, other = pretoken_counts({"a": 1, "b": 2}), pretoken_counts({"b": 2, "a": 1})
    >>> counts_checksum(one, has_positions=False) == counts_checksum(other, has_positions=False)
    True
    """
    digest = hashlib.sha256()
    counts.write_run(digest.update, has_positions=has_positions)
    return digest.hexdigest()
