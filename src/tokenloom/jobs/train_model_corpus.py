"""From a corpus, or from counts, to the folder of a tokenizer that is no BPE: WordPiece, unigram, characters or words.

Counting goes on where a run was stopped. What is made of the counts takes seconds where merging takes minutes, and
begins anew.
"""

import os
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Final

from tokenloom.corpus import DocumentOptions, Selection, SkippedRecords, Source, list_sources, refuse_output
from tokenloom.engine import claimed_work, remove_work
from tokenloom.errors import MemoryLimitError, TrainingError, TrainingWarning
from tokenloom.formats import native
from tokenloom.jobs.counting import CorpusCounts, CountPlan, count_sources
from tokenloom.jobs.cuts import other_cuts
from tokenloom.jobs.estimate_counting import SAMPLE_BYTES, count_sample, taken_bytes
from tokenloom.jobs.measure import Stage, measured
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.run_identity import file_values
from tokenloom.jobs.train_counts import COUNTS_FILE, counted_words, counts_file_of, refuse_input_in
from tokenloom.jobs.train_models import model_provenance
from tokenloom.storage import input_bytes
from tokenloom.tokenizer import SpecialText, Tokenizer
from tokenloom.trainers import (
    MOST_COUNTED,
    MOST_TOLD_COUNT,
    CountHeader,
    CountOptions,
    Progress,
    WordOptions,
    count_histogram,
    load_counts,
    read_count_header,
)
from tokenloom.trainers.models import (
    ModelOptions,
    ModelTraining,
    counted_normalizer,
    memory_bytes,
    model_name,
    train_model_on_counts,
)
from tokenloom.wording import counted, format_bytes

__all__ = ["ModelEstimate", "ModelPlan", "ModelRun", "ModelText", "estimate_model", "needed_memory", "train_model"]

_SCALED_STAGE: Final = 0.5
"""Distinct pretokens grow with about the square root of the text (Heaps' law)."""


@dataclass(frozen=True, slots=True)
class ModelText:
    """What a model is trained on: one of three.

    Args:
        corpus: files, folders and glob patterns, each also as `NAME=PATH` for a group.
        counts: a count file, or the folder that `tokenloom count-pretokens` wrote.
        word_counts: lines of a word, a tab and a count, see `read_word_counts`.
        documents: how files of a corpus are cut into documents.
        selection: which documents of it are taken.
        weights: for each group the share that it shall have; None counts all once.
        max_pretoken_bytes: longer pretokens are cut, see `CountOptions`; None cuts none.
    """

    corpus: Sequence[str | os.PathLike[str]] = ()
    counts: Path | None = None
    word_counts: Path | None = None
    documents: DocumentOptions = DocumentOptions()  # noqa: RUF009 - a frozen value
    selection: Selection = Selection()  # noqa: RUF009
    weights: Mapping[str, float] | None = None
    max_pretoken_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """What is made of the counts.

    Args:
        options: what the tokenizer shall be.
        min_count: pretokens that occur less often are left out.
    Raises: TrainingError for a count out of its range.
    """

    options: ModelOptions
    min_count: int = 1

    FREE: ClassVar = frozenset({"model", "options", "min_count"})
    """Names in `run` that may change: nothing of what they decide is kept between runs."""

    def __post_init__(self) -> None:
        if type(self.min_count) is not int or not 1 <= self.min_count <= MOST_COUNTED:
            raise TrainingError(
                f"min_count {self.min_count!r}: is no count. Use a whole number from 1 to {MOST_COUNTED:,}."
            )

    def counting(self, max_pretoken_bytes: int | None) -> CountOptions:
        """How text is cut and counted for it."""
        cuts = (self.options.pretokenizer, self.options.special_tokens, max_pretoken_bytes)
        return CountOptions(*cuts, normalizer=counted_normalizer(self.options))

    def run(self) -> dict[str, Any]:
        """What makes two runs the same, as JSON values, but how text is cut."""
        return {"model": model_name(self.options), "options": self.options.values(), "min_count": self.min_count}


@dataclass(frozen=True, slots=True)
class ModelRun:
    """What a training did.

    Args:
        folder: where the tokenizer was saved.
        tokenizer: the result.
        training: how it came to be.
        stages: `count`, which is reading too, and `train`.
        header: of the counts that were trained on.
        sources: the files; none if the counts were there before.
        counts: how these were counted; None if the counts were there before.
        n_dropped_pretokens: rare pretokens that were left out.
        resources: what the training might take of the machine.
        estimated_bytes: the memory that training was expected to take.
    """

    folder: Path
    tokenizer: Tokenizer
    training: ModelTraining
    stages: tuple[Stage, ...]
    header: CountHeader
    sources: tuple[Source, ...]
    counts: CorpusCounts | None
    n_dropped_pretokens: int
    resources: Resources
    estimated_bytes: int

    @property
    def skipped(self) -> SkippedRecords:
        """The broken records that were left out."""
        return self.counts.skipped if self.counts else SkippedRecords()


def train_model(
    text: ModelText,
    plan: ModelPlan,
    *,
    out: str | os.PathLike[str],
    resources: Resources = Resources(),  # noqa: B008 - a frozen value
    special_text: SpecialText = "refuse",
    progress: Progress | None = None,
) -> ModelRun:
    """Train a model and save the tokenizer; counting that was stopped goes on with the same call.

    Args:
        text: what it is trained on.
        plan: what the tokenizer shall be.
        out: the folder, new, empty, or with an older tokenizer, which is replaced.
        resources: what may be taken of the machine.
        special_text: what the returned tokenizer does with special tokens in a text.
        progress: called with the stage, how much is done and how much there is.
    Raises: CorpusError for a file that cannot be read, or a corpus without text; TrainingError if the vocabulary size
        leaves no room, or counts were made of text that was cut in another way; MemoryLimitError, before anything is
        learned, if the limit is too small; StorageError if the folder cannot be used.
    Warns: TrainingWarning if the text has fewer tokens than asked for.
    """
    folder, stages = Path(out), list[Stage]()
    if not text.corpus:
        return _train_on_file(text, plan, folder, resources, special_text, progress)
    counting = CountPlan(plan.counting(text.max_pretoken_bytes), text.documents, text.selection, text.weights)
    sources = list_sources(text.corpus, text.documents)
    refuse_output(sources, out)
    native.claim(folder)
    with claimed_work(folder, counting.run(sources) | plan.run(), free={*counting.FREE, *plan.FREE}) as work:
        with measured(stages, "count") as stage:
            counts = count_sources(sources, counting, work=work, resources=resources, progress=progress)
            stage.n_bytes = counts.n_text_bytes
        place = _Place(folder, resources, special_text, stages, tuple(sources), counts)
        return place.finish(counts.path, counts.header, plan, progress)


def _train_on_file(
    text: ModelText,
    plan: ModelPlan,
    folder: Path,
    resources: Resources,
    special_text: SpecialText,
    progress: Progress | None,
) -> ModelRun:
    """Train on counts that are there."""
    place = _Place(folder, resources, special_text, [], (), None)
    file = _input_file(text)
    refuse_output((), folder)
    native.claim(folder)
    refuse_input_in(folder, file)
    with claimed_work(folder, {"file": file_values(file)} | plan.run(), free=plan.FREE) as work:
        with measured(place.stages, "count") as stage:
            path, header = _file_counts(text, plan, work)
            stage.n_bytes = input_bytes(file)
        return place.finish(path, header, plan, progress)


def _input_file(text: ModelText) -> Path:
    if text.counts is not None:
        return counts_file_of(text.counts)
    if text.word_counts is not None:
        return Path(text.word_counts)
    raise TrainingError("text: there is none. Name a corpus, counts, or word counts.")


def _file_counts(text: ModelText, plan: ModelPlan, work: Path) -> tuple[Path, CountHeader]:
    """A count file with its header. Raises: TrainingError if its text was cut in another way than the plan says."""
    if text.counts is None:
        target = work / COUNTS_FILE
        counting = replace(plan.counting(None), has_positions=True)  # which a list has: its order
        return target, counted_words(_input_file(text), target, counting)
    file = counts_file_of(text.counts)
    header, options = read_count_header(file), plan.options
    others = other_cuts(
        header.options,
        pretokenizer=options.pretokenizer,
        special_tokens=options.special_tokens,
        normalizer=counted_normalizer(options),
    )
    if others:
        option, asked, found = others
        raise TrainingError(f"{option} {asked}: {str(file)!r} was counted with {found}. Count again with that.")
    return file, header


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a training leaves its results, and what is known of its text."""

    folder: Path
    resources: Resources
    special_text: SpecialText
    stages: list[Stage]
    sources: tuple[Source, ...]
    counts: CorpusCounts | None

    def finish(self, path: Path, header: CountHeader, plan: ModelPlan, progress: Progress | None) -> ModelRun:
        """Train on a count file, save the tokenizer, and remove what was kept for a run that is stopped."""
        need = _checked_need(path, plan, self.resources.memory_limit)
        with measured(self.stages, "train"):
            counts = load_counts(path, min_count=plan.min_count)
            if not len(counts):
                raise TrainingError(
                    f"min_count {plan.min_count:,}: no pretoken occurs so often. Use a smaller one, such as 1 for all."
                )
            training = train_model_on_counts(
                counts, plan.options, n_threads=self.resources.n_threads, progress=progress
            )
            n_dropped = header.n_pretokens - len(counts)
            kept = {"min_count": plan.min_count, "n_dropped_pretokens": n_dropped}
            provenance = model_provenance(training, n_bytes=counts.n_bytes) | kept
            provenance |= self.counts.provenance() if self.counts else {}
            tokenizer = Tokenizer.from_spec(training.spec, special_text=self.special_text, provenance=provenance)
        tokenizer.save(self.folder)
        remove_work(self.folder)
        return ModelRun(
            self.folder,
            tokenizer,
            training,
            tuple(self.stages),
            header,
            self.sources,
            self.counts,
            n_dropped,
            self.resources,
            need,
        )


def _checked_need(path: Path, plan: ModelPlan, memory_limit: int | None) -> int:
    """The memory that training takes. Raises: MemoryLimitError if it is above the limit."""
    rows = [row for row in count_histogram(path) if row[0] >= min(plan.min_count, MOST_TOLD_COUNT)]
    n_pretokens, n_bytes = sum(row[1] for row in rows), sum(row[2] for row in rows)
    need = memory_bytes(plan.options, n_pretokens=n_pretokens, n_pretoken_bytes=n_bytes)
    if memory_limit is not None and need > memory_limit:
        raise MemoryLimitError(
            f"memory limit {format_bytes(memory_limit)}: training on {counted(n_pretokens, 'distinct pretoken')} needs "
            f"about {format_bytes(need)}; nothing was learned. Raise --memory-limit, or leave out rare pretokens with "
            "--min-count."
        )
    return need


def needed_memory(text: ModelText, plan: ModelPlan, *, memory_limit: int | None = None) -> int:
    """About the memory that training on counts takes; writes nothing that stays.

    Raises: as `train_model`, before anything is learned.
    """
    with TemporaryDirectory() as work:
        path, _ = _file_counts(text, plan, Path(work))
        return _checked_need(path, plan, memory_limit)


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """What a training would read, and how long it would take, from a sample.

    Args:
        sources: the files.
        n_text_bytes: about how much text is taken of them.
        n_sample_bytes: text that the estimate was made from.
        count_seconds: reading and counting.
        train_seconds: the rest: the time for the sample, grown with the square root of the text.
    """

    sources: tuple[Source, ...]
    n_text_bytes: int
    n_sample_bytes: int
    count_seconds: float
    train_seconds: float


def estimate_model(
    text: ModelText, plan: ModelPlan, *, n_threads: int | None = None, sample_bytes: int = SAMPLE_BYTES
) -> ModelEstimate:
    """Train on a sample of a corpus and scale its times up; writes nothing.

    Raises: CorpusError for a file that cannot be read; TrainingError where a sample alone has too many characters.
    """
    sources = list_sources(text.corpus, text.documents)
    counting = plan.counting(text.max_pretoken_bytes)
    sample = count_sample(sources, text.documents, options=counting, n_threads=n_threads, n_bytes=sample_bytes)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)  # a sample may have fewer tokens than the corpus
        train_model_on_counts(sample.counts, _soft(plan.options), n_threads=n_threads)
    seconds = time.perf_counter() - start
    n_text_bytes = taken_bytes(sources, text.selection, sample)
    scale = n_text_bytes / sample.n_bytes if sample.n_bytes else 1.0
    count_seconds = sample.seconds * scale
    return ModelEstimate(tuple(sources), n_text_bytes, sample.n_bytes, count_seconds, seconds * scale**_SCALED_STAGE)


def _soft(options: ModelOptions) -> ModelOptions:
    """The same, where a text without enough tokens is no error."""
    return options if isinstance(options, WordOptions) else replace(options, vocabulary_limit="soft")
