"""How a text is cut at every step of a recorded training.

The merges that a text takes part in come in the order of the training, and each is made wherever it fits, from left to
right: see `tokenloom.lessons.byte_pair.encode_by_lowest_rank` for why that is what the tokenizer of any step does. So
one encoding with all merges passes through the segmentations of all steps, and between two of its merges nothing
changes.
"""

import heapq
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple

from tokenloom.errors import TrainingError
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers.recorder import TrainingRecord

__all__ = ["Segmentation", "segmentation_at", "segmentations"]

_NONE: Final = -1


class Segmentation(NamedTuple):
    """How a text is cut.

    Args:
        step: the step that cut it so; 0 is before the first merge.
        tokens: joined they are the text, as it was changed before merging.
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
    >>> record = record_training(training, tokenizer_fingerprint="", counts_sha256="", provenance={})
    >>> for step, tokens in segmentations(record, "lowest"):
    ...     print(step, b"|".join(tokens).decode())
    0 l|o|w|e|s|t
    1 l|o|w|es|t
    2 l|o|w|est
    3 lo|w|est
    4 low|est
    """
    if not _is_by_merges(record):
        raise TrainingError(
            "record: its training let a tokenizer grow that does not go by merges alone, so the steps that cut a text "
            "anew are not known. Ask for the segmentation at one step."
        )
    return (Segmentation(step, tokens.read()) for step, tokens in _replayed(record, text, last=record.n_merges))


def segmentation_at(record: TrainingRecord, text: str | bytes, *, step: int) -> Segmentation:
    """The segmentation of a text at a step, with the step that made it, if merges alone did, as in most trainings.

    Special tokens in the text are ordinary text.

    Raises: TrainingError if the training has no such step; EncodeError for a text with a lone surrogate.
    """
    record.check_step(step)
    if not _is_by_merges(record):
        tokenizer = Tokenizer.from_spec(record.spec_at(step), special_text="plain")
        return Segmentation(step, tuple(map(tokenizer.token_bytes, tokenizer.encode(text))))
    for made_at, tokens in _replayed(record, text, last=step):  # noqa: B007 - the last one is wanted
        pass
    return Segmentation(made_at, tokens.read())


def _is_by_merges(record: TrainingRecord) -> bool:
    """Whether encoding with all merges passes through all steps."""
    model = record.start.model
    return model.semantics == "merges" and not model.ignore_merges


def _replayed(record: TrainingRecord, text: str | bytes, *, last: int) -> Iterator[tuple[int, "_Tokens"]]:
    """The steps up to one at which the text changes, with its tokens then."""
    tokens = _Tokens(record, text)
    yield 0, tokens
    made_at = 0
    while tokens.waiting:
        rank, place = heapq.heappop(tokens.waiting)
        if rank >= last:
            break
        if tokens.rank(place) != rank:
            continue  # a neighbour was joined before
        if made_at not in (0, rank + 1):
            yield made_at, tokens
        tokens.join(place, rank)
        made_at = rank + 1
    if made_at:
        yield made_at, tokens


class _Tokens:
    """The tokens of a text in a chain, and the merges that wait for their turn."""

    def __init__(self, record: TrainingRecord, text: str | bytes) -> None:
        tokenizer = Tokenizer.from_spec(record.start, special_text="plain")
        self.ids = tokenizer.encode(text)
        self._record = record
        self._ranks = {
            pair: rank for rank, pair in enumerate(zip(record.columns["left"], record.columns["right"], strict=True))
        }
        ends = {0, *accumulate(map(len, tokenizer.pretokens(text)))}
        starts = accumulate((len(record.token(token_id)) for token_id in self.ids), initial=0)
        n_tokens = len(self.ids)
        self._after = [place + 1 for place in range(n_tokens)]
        self._before = [place - 1 for place in range(n_tokens)]
        for place, start in zip(range(n_tokens), starts, strict=False):
            if start in ends:  # merges never cross a cut
                self._before[place] = _NONE
                if place:
                    self._after[place - 1] = _NONE
        if n_tokens:
            self._after[-1] = _NONE
        self.waiting: list[tuple[int, int]] = []
        for place in range(n_tokens):
            self._wait(place)

    def rank(self, place: int) -> int | None:
        """The merge that joins what stands at a place with what is behind it; None if there is none."""
        if self.ids[place] == _NONE or self._after[place] == _NONE:
            return None
        return self._ranks.get((self.ids[place], self.ids[self._after[place]]))

    def join(self, place: int, rank: int) -> None:
        """Make a merge at a place."""
        gone = self._after[place]
        self.ids[place], self.ids[gone] = self._record.header.first_id + rank, _NONE
        self._after[place] = self._after[gone]
        if self._after[place] != _NONE:
            self._before[self._after[place]] = place
        self._wait(place)
        self._wait(self._before[place])

    def read(self) -> tuple[bytes, ...]:
        """The bytes of the tokens."""
        return tuple(self._record.token(token_id) for token_id in self.ids if token_id != _NONE)

    def _wait(self, place: int) -> None:
        rank = None if place == _NONE else self.rank(place)
        if rank is not None:
            heapq.heappush(self.waiting, (rank, place))
