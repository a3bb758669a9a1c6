"""How long counting will take, from a sample, and what it would go on from: `tokenloom count-pretokens --dry-run`."""

import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tokenloom import _core
from tokenloom.corpus import DocumentOptions, Selection, Source, Split, list_sources, plan_splits, refuse_output
from tokenloom.corpus.json_lines import LineMemory
from tokenloom.engine import find_record, finished_work
from tokenloom.jobs.count_pretokens import is_counted
from tokenloom.jobs.count_split import line_memory_of
from tokenloom.jobs.counting import CountPlan, count_tasks, refuse_empty
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.samples import sample_texts
from tokenloom.jobs.train_counts import COUNTS_FILE
from tokenloom.storage.atomic import check_output_folder
from tokenloom.trainers import CountOptions, read_count_header
from tokenloom.trainers.counts import feed

__all__ = ["SAMPLE_BYTES", "CountedSample", "CountingEstimate", "count_sample", "estimate_counting", "taken_bytes"]

SAMPLE_BYTES: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class CountedSample:
    """The counts of a sample, and what they took.

    Args:
        counts: of its pretokens.
        n_bytes: its text.
        n_read_bytes: what that was of the files on the disk.
        seconds: of reading and counting it.
    """

    counts: _core.PretokenCounts
    n_bytes: int
    n_read_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class CountingEstimate:
    """What a counting would do.

    Args:
        folder: where the counts would lie.
        sources: the files.
        splits: the shares of work that they are cut into.
        resumed_splits: names of those that an earlier run has counted; of complete counts, all.
        was_complete: an earlier run has done all of it.
        n_text_bytes: text that is taken of the files, from how much the sample had for each byte read; of complete
            counts, the text that was counted.
        n_sample_bytes: text that the estimate was made from; equal to `n_text_bytes` if that was all of it, and 0 of
            complete counts.
        seconds: of reading and counting what is left in one process, at the rate of the sample. What more processes
            gain depends on the cores that the threads of one leave free.
    """

    folder: Path
    sources: tuple[Source, ...]
    splits: tuple[Split, ...]
    resumed_splits: frozenset[str]
    was_complete: bool
    n_text_bytes: int
    n_sample_bytes: int
    seconds: float

    @property
    def n_file_bytes(self) -> int:
        """The length of the files on the disk."""
        return sum(source.n_file_bytes for source in self.sources)


def estimate_counting(
    paths: Sequence[str | os.PathLike[str]],
    plan: CountPlan,
    *,
    out: str | os.PathLike[str],
    resources: Resources = Resources(),  # noqa: B008 - a frozen value
    sample_bytes: int = SAMPLE_BYTES,
) -> CountingEstimate:
    """Say what `count_corpus` with the same arguments would do; writes nothing.

    Args:
        paths: as for `count_corpus`, like the next three.
        plan: how they would be counted.
        out: the folder.
        resources: what would be taken of the machine.
        sample_bytes: about how much text is read.
    Raises: as `count_corpus` would before it counts; CorpusError for a broken record in the sample, or no text if that
        is all of it; MemoryLimitError for a line in it that the limit has no room for.
    """
    sources = list_sources(paths, plan.documents)
    refuse_output(sources, out)
    folder, run = Path(out), plan.run(sources)
    check_output_folder(folder)
    if os.path.lexists(folder) and is_counted(folder, run):
        return _complete(folder, sources, plan)
    splits, tasks = count_tasks(sources, plan, resources)
    work = finished_work(folder, run, free=plan.FREE)
    resumed = {split.name for split, task in zip(splits, tasks, strict=True) if work and find_record(task, work)}
    sample = count_sample(
        sources,
        plan.documents,
        options=plan.options,
        n_threads=resources.n_threads,
        n_bytes=sample_bytes,
        line_memory=next(filter(None, map(line_memory_of, tasks)), None),
    )
    if sample.n_read_bytes >= sum(source.n_file_bytes for source in sources):
        refuse_empty(sources, sample.n_bytes, n_skipped=0)
    n_text_bytes = taken_bytes(sources, plan.selection, sample)
    n_left = sum(split.n_file_bytes for split in splits if split.name not in resumed)
    share = n_left / max(1, sum(split.n_file_bytes for split in splits))
    return CountingEstimate(
        folder=folder,
        sources=tuple(sources),
        splits=tuple(splits),
        resumed_splits=frozenset(resumed),
        was_complete=False,
        n_text_bytes=n_text_bytes,
        n_sample_bytes=sample.n_bytes,
        seconds=sample.seconds * share * n_text_bytes / max(1, sample.n_bytes),
    )


def _complete(folder: Path, sources: Sequence[Source], plan: CountPlan) -> CountingEstimate:
    """What there is to say of counts that are complete; nothing of the text is read."""
    splits = plan_splits(sources, plan.documents, selection=plan.selection)
    return CountingEstimate(
        folder=folder,
        sources=tuple(sources),
        splits=tuple(splits),
        resumed_splits=frozenset(split.name for split in splits),
        was_complete=True,
        n_text_bytes=read_count_header(folder / COUNTS_FILE).n_corpus_bytes,
        n_sample_bytes=0,
        seconds=0.0,
    )


def count_sample(
    sources: Sequence[Source],
    documents: DocumentOptions,
    *,
    options: CountOptions,
    n_threads: int | None,
    n_bytes: int,
    line_memory: LineMemory | None = None,
) -> CountedSample:
    """Count about `n_bytes` of text from files that are spread over the corpus.

    Raises: CorpusError for a file that cannot be read, or a broken record in the sample; MemoryLimitError for a line
        that is longer than `line_memory` has room for.
    """
    start = time.perf_counter()
    counter = options.counter(n_threads=n_threads)
    n_sample_bytes = n_read_bytes = 0
    for texts, n_file_bytes in sample_texts(sources, documents, n_bytes=n_bytes, line_memory=line_memory):
        feed(counter, texts)
        n_sample_bytes += sum(map(len, texts))
        n_read_bytes += n_file_bytes
    counts = counter.finish()
    return CountedSample(counts, n_sample_bytes, n_read_bytes, time.perf_counter() - start)


def taken_bytes(sources: Sequence[Source], selection: Selection, sample: CountedSample) -> int:
    """The text that a selection takes, where each byte of a file holds as much as one of the sample."""
    text_per_byte = sample.n_bytes / max(1, sample.n_read_bytes)
    sizes: Counter[str] = Counter()
    for source in sources:
        sizes[source.group] += round(source.n_file_bytes * text_per_byte * selection.sample)
    return sum(min(n_bytes, selection.limits.get(group, n_bytes)) for group, n_bytes in sizes.items())
