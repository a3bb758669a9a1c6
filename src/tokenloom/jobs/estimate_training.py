"""How long a training will take, from a sample: what `tokenloom train --dry-run` says."""

import math
import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tokenloom.corpus import DocumentOptions, Selection, Source, list_sources
from tokenloom.errors import TrainingWarning
from tokenloom.jobs.estimate_counting import SAMPLE_BYTES, count_sample, taken_bytes
from tokenloom.jobs.training import TrainingPlan
from tokenloom.trainers import BpeOptions, train_on_counts

__all__ = ["TrainingEstimate", "estimate_training"]

_DEFAULTS: Final = DocumentOptions()
_ALL: Final = Selection()


@dataclass(frozen=True, slots=True)
class TrainingEstimate:
    """What a training would read, and how long it would take.

    Args:
        sources: the files.
        n_file_bytes: their length on the disk.
        n_text_bytes: text that is taken of them, from how much the sample had for each byte read.
        n_sample_bytes: text that the estimate was made from; equal to `n_text_bytes` if that was all of it.
        count_seconds: reading and counting, at the rate of the sample.
        merge_seconds: merging: the time for the sample, grown with the square root of the text, since new words become
            rarer in about that way (Heaps' law).
    """

    sources: tuple[Source, ...]
    n_file_bytes: int
    n_text_bytes: int
    n_sample_bytes: int
    count_seconds: float
    merge_seconds: float

    @property
    def seconds(self) -> float:
        """The whole training."""
        return self.count_seconds + self.merge_seconds


def estimate_training(
    paths: Sequence[str | os.PathLike[str]],
    *,
    options: BpeOptions,
    documents: DocumentOptions = _DEFAULTS,
    selection: Selection = _ALL,
    max_pretoken_bytes: int | None = None,
    n_threads: int | None = None,
    sample_bytes: int = SAMPLE_BYTES,
) -> TrainingEstimate:
    """Train on a sample and scale its times up; writes nothing.

    Args:
        paths: as for `train_corpus`.
        options: what the tokenizer shall be.
        documents: how files are cut into documents.
        selection: which documents are taken.
        max_pretoken_bytes: longer pretokens are cut, as for `train_corpus`.
        n_threads: threads to use; None for one a core.
        sample_bytes: about how much text is read.
    Raises: CorpusError for a file that cannot be read, or a broken record in the sample.
    """
    sources = list_sources(paths, documents)
    counting = TrainingPlan(options).counting(max_pretoken_bytes)
    sample = count_sample(sources, documents, options=counting, n_threads=n_threads, n_bytes=sample_bytes)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)  # a sample may have fewer merges than the corpus
        train_on_counts(sample.counts, replace(options, min_pair_count=1))  # a sample has fewer of each pair
    merge_seconds = time.perf_counter() - start
    n_text_bytes = taken_bytes(sources, selection, sample)
    scale = n_text_bytes / sample.n_bytes if sample.n_bytes else 1.0
    return TrainingEstimate(
        sources=tuple(sources),
        n_file_bytes=sum(source.n_file_bytes for source in sources),
        n_text_bytes=n_text_bytes,
        n_sample_bytes=sample.n_bytes,
        count_seconds=sample.seconds * scale,
        merge_seconds=merge_seconds * math.sqrt(scale),
    )
