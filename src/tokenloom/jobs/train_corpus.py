"""From a corpus to a tokenizer folder, with all that a report of the training needs."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenloom.corpus import DocumentOptions, Selection, SkippedRecords, Source, list_sources, refuse_output
from tokenloom.engine import claimed_work, remove_work
from tokenloom.formats import native
from tokenloom.jobs.counting import CorpusCounts, CountPlan, count_sources
from tokenloom.jobs.measure import Stage, measured
from tokenloom.jobs.record import checked_record_path
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.training import Dropped, Training, TrainingPlan, train_on_file
from tokenloom.tokenizer import SpecialText, Tokenizer
from tokenloom.trainers import BpeOptions, BpeTraining, CountHeader, Progress, VocabularyLimit

__all__ = ["TrainPlace", "TrainRun", "finish_training", "train_corpus"]


@dataclass(frozen=True, slots=True)
class TrainRun:
    """What a training did.

    Args:
        folder: where the tokenizer was saved.
        tokenizer: the result, reserved tokens included.
        training: the record of its merges, without reserved tokens.
        stages: `count`, which is reading too, and `merge`.
        header: of the counts that were trained on.
        sources: the files; none if the counts were there before.
        counts: how these were counted; None if the counts were there before.
        dropped: rare pretokens that were left out.
        resources: what the training might take of the machine.
        estimated_bytes: the memory that merging was expected to take.
        n_resumed_merges: merges that an earlier run, which was stopped, had made.
        record: where the record of every merge was written; None if none was asked for.
    """

    folder: Path
    tokenizer: Tokenizer
    training: BpeTraining
    stages: tuple[Stage, ...]
    header: CountHeader
    sources: tuple[Source, ...]
    counts: CorpusCounts | None
    dropped: Dropped
    resources: Resources
    estimated_bytes: int
    n_resumed_merges: int
    record: Path | None = None

    @property
    def n_docs(self) -> int:
        """Documents that were read."""
        return self.counts.n_docs if self.counts else 0

    @property
    def n_text_bytes(self) -> int:
        """Text that was read, each document once; for word counts, all that they stand for."""
        return self.header.n_corpus_bytes

    @property
    def n_trained_bytes(self) -> int:
        """Text that merges were made for: without special tokens and rare pretokens, multiplied for a mixture."""
        return self.training.n_bytes

    @property
    def n_pretokens(self) -> int:
        """Distinct pretokens."""
        return self.header.n_pretokens

    @property
    def growth(self) -> tuple[tuple[int, int], ...]:
        """Bytes counted, and distinct pretokens among them, now and then."""
        return self.counts.growth if self.counts else ()

    @property
    def skipped(self) -> SkippedRecords:
        """The broken records that were left out."""
        return self.counts.skipped if self.counts else SkippedRecords()


def train_corpus(
    corpus: Sequence[str | os.PathLike[str]] | Sequence[Source],
    *,
    options: BpeOptions,
    out: str | os.PathLike[str],
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    selection: Selection = Selection(),  # noqa: B008
    weights: Mapping[str, float] | None = None,
    max_pretoken_bytes: int | None = None,
    min_count: int = 1,
    n_reserved: int = 0,
    pad_multiple: int | None = None,
    special_text: SpecialText = "refuse",
    memory_limit: int | None = None,
    n_threads: int | None = None,
    n_processes: int = 1,
    record: str | os.PathLike[str] | None = None,
    vocabulary_limit: VocabularyLimit = "soft",
    progress: Progress | None = None,
) -> TrainRun:
    """Train on files and save the tokenizer.

    The same call goes on where a run was stopped. Memory limit, threads and processes do not change the result.

    Args:
        corpus: files, folders and glob patterns, each also as `NAME=PATH` for a group; or sources that are listed.
        options: what the tokenizer shall be; its vocabulary size counts reserved tokens too.
        out: the folder, new, empty, or with an older tokenizer, which is replaced.
        documents: how files are cut into documents.
        selection: which documents are taken.
        weights: for each group the share that it shall have; None counts all once.
        max_pretoken_bytes: longer pretokens are cut, see `CountOptions`; None cuts none.
        min_count: pretokens that occur less often, as counted for the weights, are left out.
        n_reserved: special tokens that are kept free for later use, behind the others.
        pad_multiple: add reserved tokens until the number of ids is a multiple of this; None adds none.
        special_text: what the returned tokenizer does with special tokens in a text.
        memory_limit: bytes that tables and buffers keep to, see `Resources`; None is no limit.
        n_threads: threads of each process; None for one a core.
        n_processes: processes that count at once.
        record: the file for a record of every merge, see `tokenloom.open_record`; None writes none.
        vocabulary_limit: what happens if the corpus has fewer merges, see `VocabularyLimit`.
        progress: called with the stage (`"count"`, `"merge"`), how much is done (bytes, merges) and how much there is.
    Raises: CorpusError for a file that cannot be read, a broken record, or a corpus without text; TrainingError if the
        vocabulary size leaves no room; MemoryLimitError if the limit is too small, before any merge; StorageError if
        the folder or the file of the record cannot be used, or another run is unfinished there.
    Warns: TrainingWarning if the corpus has fewer merges than asked for.
    """
    resources = Resources(memory_limit, n_threads, n_processes)
    plan = TrainingPlan(options, n_reserved, pad_multiple, min_count, vocabulary_limit)
    counting = CountPlan(plan.counting(max_pretoken_bytes), documents, selection, weights)
    sources = _listed(corpus, documents)
    refuse_output(sources, out)
    record_path = checked_record_path(record, out)
    return _train(sources, counting, plan, Path(out), resources, special_text, record_path, progress)


def _train(
    sources: Sequence[Source],
    counting: CountPlan,
    plan: TrainingPlan,
    folder: Path,
    resources: Resources,
    special_text: SpecialText,
    record: Path | None,
    progress: Progress | None,
) -> TrainRun:
    native.claim(folder)
    stages: list[Stage] = []
    run = counting.run(sources) | plan.run()
    with claimed_work(folder, run, free={*counting.FREE, *plan.FREE}) as work:
        with measured(stages, "count") as stage:
            counts = count_sources(sources, counting, work=work, resources=resources, progress=progress)
            stage.n_bytes = counts.n_text_bytes
        return finish_training(
            counts.path,
            counts.header,
            plan,
            TrainPlace(folder, work, resources, record),
            stages=stages,
            special_text=special_text,
            sources=sources,
            counts=counts,
            progress=progress,
        )


@dataclass(frozen=True, slots=True)
class TrainPlace:
    """Where a training works and leaves its results, and what it may take.

    Args:
        folder: where the tokenizer is saved, which the run has claimed.
        work: its work folder.
        resources: what may be taken of the machine.
        record: where the record of every merge is written; None writes none.
    """

    folder: Path
    work: Path
    resources: Resources
    record: Path | None = None


def finish_training(
    path: Path,
    header: CountHeader,
    plan: TrainingPlan,
    place: TrainPlace,
    *,
    stages: list[Stage],
    special_text: SpecialText = "refuse",
    sources: Sequence[Source] = (),
    counts: CorpusCounts | None = None,
    progress: Progress | None = None,
) -> TrainRun:
    """Train on a count file, save the tokenizer, and remove what was kept for a run that is stopped.

    Args:
        path: the count file.
        header: of it.
        plan: what is made of it.
        place: where that is done.
        stages: what took time so far; gets the stage `merge`.
        special_text: what the tokenizer does with special tokens in a text.
        sources: the files that were counted, if they were counted in this run.
        counts: what was read of them.
        progress: as for `train_on_file`.
    Raises: as `train_on_file`; StorageError if the folder cannot be written.
    """
    training = train_on_file(
        path,
        header,
        plan,
        work=place.work,
        stages=stages,
        memory_limit=place.resources.memory_limit,
        special_text=special_text,
        provenance=counts.provenance() if counts else None,
        is_recorded=place.record is not None,
        progress=progress,
    )
    _save(training, place)
    return TrainRun(
        folder=place.folder,
        tokenizer=training.tokenizer,
        training=training.record,
        stages=tuple(stages),
        header=header,
        sources=tuple(sources),
        counts=counts,
        dropped=training.dropped,
        resources=place.resources,
        estimated_bytes=training.estimated_bytes,
        n_resumed_merges=training.n_resumed_merges,
        record=place.record,
    )


def _save(training: Training, place: TrainPlace) -> None:
    """Write the results; as long as one is missing, the same run goes on from its work."""
    if training.recorded and place.record:
        training.recorded.save(place.record)
    training.tokenizer.save(place.folder)
    remove_work(place.folder)


def _listed(
    corpus: Sequence[str | os.PathLike[str]] | Sequence[Source], documents: DocumentOptions
) -> Sequence[Source]:
    listed = [source for source in corpus if isinstance(source, Source)]
    paths = [path for path in corpus if not isinstance(path, Source)]
    return listed if listed and not paths else list_sources(paths, documents)
