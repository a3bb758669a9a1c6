"""How long a training will take, from a sample: what `tokenloom train --dry-run` says."""

import math
import os
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tokenloom.corpus import DocumentOptions, Selection, Source, list_sources
from tokenloom.errors import TrainingWarning
from tokenloom.jobs.samples import sample_texts
from tokenloom.trainers import BpeOptions, count_pretokens, train_on_counts

__all__ = ["TrainingEstimate", "estimate_training"]

_DEFAULTS: Final = DocumentOptions()
_ALL: Final = Selection()
_SAMPLE_BYTES: Final = 8 << 20


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
    n_threads: int | None = None,
    sample_bytes: int = _SAMPLE_BYTES,
) -> TrainingEstimate:
    """Train on a sample and scale its times up; writes nothing.

    Args:
        paths: as for `train_corpus`.
        options: what the tokenizer shall be.
        documents: how files are cut into documents.
        selection: which documents are taken.
        n_threads: threads to use; None for one a core.
        sample_bytes: about how much text is read.
    Raises: CorpusError for a file that cannot be read, or a broken record in the sample.
    """
    sources = list_sources(paths, documents)
    n_read_bytes = n_sample_bytes = 0
    start = time.perf_counter()
    sample: list[bytes] = []
    for texts, n_bytes in sample_texts(sources, documents, n_bytes=sample_bytes):
        sample += texts
        n_sample_bytes += sum(map(len, texts))
        n_read_bytes += n_bytes
    counts = count_pretokens(
        sample,
        pretokenizer=options.pretokenizer,
        special_tokens=options.special_tokens,
        n_threads=n_threads,
    )
    counted = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)  # a sample may have fewer merges than the corpus
        train_on_counts(counts, options)
    merged = time.perf_counter()
    n_text_bytes = _taken_bytes(sources, selection, n_sample_bytes / n_read_bytes if n_read_bytes else 0.0)
    scale = n_text_bytes / n_sample_bytes if n_sample_bytes else 1.0
    return TrainingEstimate(
        sources=tuple(sources),
        n_file_bytes=sum(source.n_file_bytes for source in sources),
        n_text_bytes=n_text_bytes,
        n_sample_bytes=n_sample_bytes,
        count_seconds=(counted - start) * scale,
        merge_seconds=(merged - counted) * math.sqrt(scale),
    )


def _taken_bytes(sources: Sequence[Source], selection: Selection, text_per_byte: float) -> int:
    """The text that a selection takes, where each byte of a file holds so much."""
    sizes: Counter[str] = Counter()
    for source in sources:
        sizes[source.group] += round(source.n_file_bytes * text_per_byte * selection.sample)
    return sum(min(n_bytes, selection.limits.get(group, n_bytes)) for group, n_bytes in sizes.items())
