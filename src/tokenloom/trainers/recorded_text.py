"""How a text is cut at every step of a recorded training.

The merges that a text takes part in come in the order of the training, and each is made wherever it fits: see
`tokenloom.lessons.byte_pair.encode_by_lowest_rank` for why that is what the tokenizer of any step does. So the
segmentation of a step is that of the end with all later merges undone.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tokenloom.errors import TrainingError
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers.training_record import TrainingRecord

__all__ = ["Segmentation", "segmentation_at", "segmentations"]


class Segmentation(NamedTuple):
    """How a text is cut.

    Args:
        step: the step that cut it so; 0 is before the first merge.
        tokens: joined they are the text, up to what the tokenizer changes in it.
    """

    step: int
    tokens: tuple[bytes, ...]


def segmentations(record: TrainingRecord, text: str | bytes) -> Iterator[Segmentation]:
    """The segmentation of a text at step 0, and each that is another than the one before.

    Special tokens in the text are ordinary text.

    Raises: EncodeError for a text with a lone surrogate; TrainingError if the training let a tokenizer grow that does
        not go by merges alone: `segmentation_at` knows what its steps are.

    >>> from tokenloom.trainers import BpeOptions, pretoken_counts, record_training, train_on_counts
    >>> counts = pretoken_counts({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> training = train_on_counts(counts, BpeOptions(260, tie_break="first-seen"), runner_up=True)
    >>> for step, tokens in segmentations(record_training(training, counts), "lowest"):
    ...     print(step, b"|".join(tokens).decode())
    0 l|o|w|e|s|t
    1 l|o|w|es|t
    2 l|o|w|est
    3 lo|w|est
    4 low|est
    """
    if not _goes_by_merges(record):
        raise TrainingError(
            "record: its training let a tokenizer grow that does not go by merges alone, so the steps that cut a text "
            "anew are not known. Ask for the segmentation at one step."
        )
    ids = _encoded(record, text, record.n_merges)
    return (
        Segmentation(step, tuple(map(record.token, _undone(record, ids, step)))) for step in sorted(_steps(record, ids))
    )


def segmentation_at(record: TrainingRecord, text: str | bytes, *, step: int) -> Segmentation:
    """The segmentation of a text at a step, with the step that cut it so, if the tokenizer goes by merges alone.

    Special tokens in the text are ordinary text.

    Raises: TrainingError if the training has no such step; EncodeError for a text with a lone surrogate.
    """
    record.check_step(step)
    ids = _encoded(record, text, step)
    since = max(_steps(record, ids)) if _goes_by_merges(record) else step
    return Segmentation(since, tuple(map(record.token, ids)))


def _goes_by_merges(record: TrainingRecord) -> bool:
    model = record.start.bpe
    return model.semantics == "merges" and not model.ignore_merges


def _encoded(record: TrainingRecord, text: str | bytes, step: int) -> list[int]:
    return Tokenizer.from_spec(record.spec_at(step), special_text="plain", cache_bytes=0).encode(text)


def _steps(record: TrainingRecord, ids: Sequence[int]) -> set[int]:
    """The steps whose merges have made these tokens and their parts, and step 0."""
    first_id, left, right = record.header.first_id, record.columns["left"], record.columns["right"]
    steps, waiting = {0}, list(set(ids))
    while waiting:
        row = waiting.pop() - first_id
        if row >= 0 and row + 1 not in steps:
            steps.add(row + 1)
            waiting += (left[row], right[row])
    return steps


def _undone(record: TrainingRecord, ids: Sequence[int], step: int) -> Iterator[int]:
    """The tokens with all merges behind a step undone."""
    first_id, left, right = record.header.first_id, record.columns["left"], record.columns["right"]
    waiting = list(reversed(ids))
    while waiting:
        token_id = waiting.pop()
        if token_id < first_id + step:
            yield token_id
        else:
            waiting += (right[token_id - first_id], left[token_id - first_id])
