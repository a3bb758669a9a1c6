"""From a corpus to one count file: splits, a task for each, and a merge that never holds them.

All that is finished lies in a work folder under completion records, so the same call goes on where a run was killed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import tokenloom
from tokenloom.corpus import (
    DocumentOptions,
    Mixture,
    Selection,
    SkippedRecords,
    Source,
    Split,
    check_weights,
    multipliers,
    plan_splits,
)
from tokenloom.engine import Outcome, Record, Report, Task, run_tasks
from tokenloom.errors import CorpusError, StorageError
from tokenloom.jobs.count_split import SourceCount, SplitCount, split_task
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.run_identity import document_values, source_values
from tokenloom.storage import FileRow
from tokenloom.trainers import CountHeader, CountOptions, Progress, merge_count_files, read_count_header
from tokenloom.wording import counted

__all__ = ["CorpusCounts", "CountPlan", "count_sources", "count_tasks"]

_MERGED = "pretokens.counts"


@dataclass(frozen=True, slots=True)
class CountPlan:
    """Everything that decides the counts of a corpus, but the corpus.

    Args:
        options: how text is cut.
        documents: how files are cut into documents.
        selection: which documents are taken.
        weights: for each group of the corpus the share that it shall have, by counting it so often; None counts all
            once.
    """

    options: CountOptions
    documents: DocumentOptions = field(default_factory=DocumentOptions)
    selection: Selection = field(default_factory=Selection)
    weights: Mapping[str, float] | None = None

    FREE: ClassVar = frozenset({"mix"})
    """Names in `run` that may change while nothing but splits is done, see `claimed_work`."""

    def run(self, sources: Sequence[Source]) -> dict[str, Any]:
        """What makes two runs the same, as JSON values."""
        return {
            **self.options.values(),
            **document_values(self.documents),
            **self.selection.to_json(),
            "mix": None if self.weights is None else dict(self.weights),
            "tokenloom": tokenloom.__version__,
            "sources": [source_values(source, self.documents) | {"group": source.group} for source in sources],
        }


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """A corpus that was counted.

    Args:
        path: the count file, in the work folder.
        row: its length and checksum, so that it need not be read once more.
        header: what it says.
        sources: what was read of each source, in their order.
        mixture: how often each group counts; None if all count once.
        skipped: the broken records that were left out.
        growth: distinct pretokens against bytes: of the beginning of the corpus, then all of it.
        n_splits: into so many parts it was cut.
        n_resumed_splits: so many of them an earlier run had counted.
    """

    path: Path
    row: FileRow
    header: CountHeader
    sources: tuple[SourceCount, ...]
    mixture: Mixture | None
    skipped: SkippedRecords
    growth: tuple[tuple[int, int], ...]
    n_splits: int
    n_resumed_splits: int

    @property
    def n_docs(self) -> int:
        """Documents that were counted."""
        return sum(source.n_docs for source in self.sources)

    @property
    def n_text_bytes(self) -> int:
        """Their text, each document once."""
        return sum(source.n_bytes for source in self.sources)

    @property
    def n_bytes_by_group(self) -> dict[str, int]:
        """Text of each group."""
        sizes: Counter[str] = Counter()
        for source in self.sources:
            sizes[source.group] += source.n_bytes
        return dict(sizes)

    def provenance(self) -> dict[str, Any]:
        """What is kept of it beside a tokenizer: the same for the same corpus, however it was split."""
        mixture = self.mixture
        return {
            "n_sources": len(self.sources),
            "n_documents": self.n_docs,
            "n_skipped": self.skipped.n_skipped,
            "multipliers": None if mixture is None else dict(sorted(mixture.multipliers.items())),
        }


def count_sources(
    sources: Sequence[Source],
    plan: CountPlan,
    *,
    work: Path,
    resources: Resources = Resources(),  # noqa: B008 - a frozen value
    progress: Progress | None = None,
) -> CorpusCounts:
    """Count a corpus into a file of the work folder.

    Args:
        sources: the files, from `list_sources`.
        plan: how they are counted.
        work: gets what is finished; what an equal run has finished there is not done again.
        resources: what may be taken of the machine.
        progress: called with the stage `"count"`, the text counted, and how much there is, as far as can be told; then
            with `"merge counts"` and bytes of count files, if there is more than one.
    Raises: CorpusError for a file that cannot be read, a broken record, a corpus without text, or a mixture with other
        groups than the corpus has; TrainingError for counts that outgrow 64 bits; MemoryLimitError for a limit that is
        too small for so many processes, or a pretoken that outgrows it; StorageError for a full disk.
    """
    splits, tasks = count_tasks(sources, plan, resources)
    tally = _Tally(tasks, splits, progress)
    records = run_tasks(tasks, folder=work, n_processes=resources.n_processes, progress=tally.note)
    counts = [SplitCount.of(split, record, work) for split, record in zip(splits, records, strict=True)]
    skipped = _skipped(counts, plan.documents, work)
    rows = _source_counts(counts)
    refuse_empty(sources, sum(row.n_bytes for row in rows), n_skipped=skipped.n_skipped)
    mixture = _mixture(rows, plan.weights)
    times = [mixture.multipliers[count.group] if mixture else 1 for count in counts]
    path, row = _merged(counts, records, times, work, progress)
    header = read_count_header(path)
    growth = [point for point in counts[0].growth if point[0] < header.n_corpus_bytes]
    return CorpusCounts(
        path=path,
        row=row,
        header=header,
        sources=rows,
        mixture=mixture,
        skipped=skipped,
        growth=(*growth, (header.n_corpus_bytes, header.n_pretokens)),
        n_splits=len(splits),
        n_resumed_splits=len(splits) - tally.n_begun,
    )


def refuse_empty(sources: Sequence[Source], n_text_bytes: int, *, n_skipped: int) -> None:
    """Refuse a corpus without text, of which so many broken records were left out. Raises: CorpusError."""
    if not n_text_bytes:
        names = f"{sources[0].name!r}: {counted(len(sources), 'file')} without text"
        broken = f", {counted(n_skipped, 'broken record')} left out" if n_skipped else ""
        raise CorpusError(f"{names}{broken}. Name files that hold some.")


def count_tasks(sources: Sequence[Source], plan: CountPlan, resources: Resources) -> tuple[list[Split], list[Task]]:
    """The splits of a corpus, and for each the task that counts it. Raises: as `count_sources`, as far as it looks."""
    if plan.weights is not None:  # before hours of counting, not after
        check_weights((source.group for source in sources), plan.weights)
    splits = plan_splits(sources, plan.documents, selection=plan.selection)
    reads_tables = any(source.format in ("parquet", "arrow") for source in sources)
    memory_limit = resources.process_memory(len(splits), reads_tables=reads_tables)
    limit_for = partial(resources.limit_for, n_tasks=len(splits), reads_tables=reads_tables)
    tasks = [
        split_task(
            split,
            options=plan.options,
            documents=plan.documents,
            selection=plan.selection,
            memory_limit=memory_limit,
            limit_for=limit_for,
            n_threads=resources.n_threads,
        )
        for split in splits
    ]
    return splits, tasks


class _Tally:
    """How far the splits are, all together."""

    def __init__(self, tasks: Sequence[Task], splits: Sequence[Split], progress: Progress | None) -> None:
        self._rest = {task.name: split.n_file_bytes for task, split in zip(tasks, splits, strict=True)}
        self._done: dict[str, tuple[int, int]] = {}
        self._progress = progress

    @property
    def n_begun(self) -> int:
        """Splits that were counted in this run."""
        return len(self._done)

    def note(self, name: str, n_text_bytes: int, n_read_bytes: int) -> None:
        """Take the report of a task: its text so far, and how much of its files that was."""
        self._done[name] = (n_text_bytes, n_read_bytes)
        if self._progress:
            n_text = sum(text for text, _ in self._done.values())
            n_read = sum(read for _, read in self._done.values())
            n_all = sum(self._rest.values())
            self._progress("count", n_text, max(n_text, round(n_text * (n_all / max(1, n_read)))))


def _skipped(counts: Sequence[SplitCount], documents: DocumentOptions, work: Path) -> SkippedRecords:
    """All broken records; refused if an earlier run left out what this one would stop at."""
    skipped = SkippedRecords()
    for count in counts:
        skipped.extend(count.skipped)
    if skipped.n_skipped and documents.on_error == "stop":
        raise StorageError(
            f"{str(work.parent)!r}: was begun without {counted(skipped.n_skipped, 'broken record')}, and this run "
            "would stop at the first. Use --on-error skip, or choose a new folder."
        )
    return skipped


def _source_counts(counts: Sequence[SplitCount]) -> tuple[SourceCount, ...]:
    """What was read of each source, its splits added up."""
    rows: dict[str, SourceCount] = {}
    for row in (row for count in counts for row in count.sources):
        before = rows.get(row.name, SourceCount(row.name, row.group, 0, 0))
        rows[row.name] = SourceCount(row.name, row.group, before.n_docs + row.n_docs, before.n_bytes + row.n_bytes)
    return tuple(rows.values())


def _mixture(rows: Sequence[SourceCount], weights: Mapping[str, float] | None) -> Mixture | None:
    if weights is None:
        return None
    sizes: Counter[str] = Counter()
    for row in rows:
        sizes[row.group] += row.n_bytes
    return multipliers(sizes, weights)


def _merged(
    counts: Sequence[SplitCount], records: Sequence[Record], times: Sequence[int], work: Path, progress: Progress | None
) -> tuple[Path, FileRow]:
    """The count file of all splits with its row; that of the only one as it is."""
    if len(counts) == 1 and times[0] == 1:
        return counts[0].path, records[0].files[counts[0].path.name]
    parts = [
        {"name": count.path.name, "sha256": record.files[count.path.name].sha256, "multiplier": multiplier}
        for count, record, multiplier in zip(counts, records, times, strict=True)
    ]
    n_bytes = sum(count.path.stat().st_size for count in counts)

    def report(_name: str, n_read: int) -> None:
        if progress:
            progress("merge counts", min(n_read, n_bytes), n_bytes)

    (merged,) = run_tasks([Task("merge", _merge, {"parts": parts})], folder=work, progress=report)
    return work / _MERGED, merged.files[_MERGED]


def _merge(task: Task, folder: Path, report: Report) -> Outcome:
    parts = task.description["parts"]
    times = [part["multiplier"] for part in parts]
    merge_count_files([folder / part["name"] for part in parts], folder / _MERGED, multipliers=times, progress=report)
    return Outcome({_MERGED: None})
