"""Measuring tokenizers on a corpus of files, and on parallel text: what `tokenloom measure` and `compare` do.

The corpus is read once for all tokenizers.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tokenloom.corpus import DocumentOptions, SkippedRecords, Source, list_sources
from tokenloom.errors import MetricError
from tokenloom.jobs.measure_blocks import CorpusFeed
from tokenloom.jobs.measure_parallel import measure_parallel
from tokenloom.metrics import (
    METRICS,
    SPLITTERS,
    Measurement,
    Meters,
    Metric,
    ParallelCosts,
    Resamples,
    Subject,
    Value,
    find_metric,
    joined,
    value_of,
    word_splitter,
)
from tokenloom.metrics.metric import Needs
from tokenloom.tokenizer import Tokenizer
from tokenloom.wording import quoted

if TYPE_CHECKING:
    from tokenloom.trainers import Progress

__all__ = ["ALL", "CorpusMeasure", "MeasureOptions", "MeasureRun", "load_subjects", "measure_corpus"]

ALL: Final = "all"
"""The name of all groups of a corpus together, or of a corpus without groups."""

_WITHOUT_GROUP: Final = "without a group"
_GENERAL_NAMES: Final = ("tokenizer.json", "tokenizer.model", "tekken.json", "vocab.json", "vocab.txt")
_ENDINGS: Final = (".tiktoken", ".json", ".model", ".packed", ".txt")


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """What is measured, and how sure it must be.

    Args:
        metrics: names of `tokenloom.metrics.METRICS`; empty for all.
        words: the name of a word splitter of `tokenloom.metrics.SPLITTERS`; None measures no words.
        reference: the name of the tokenizer that normalized lengths are over; None for none.
        reference_language: the language that premiums are over; None for the one that begins with `eng`.
        seed, n_resamples, level: of the intervals; see `Resamples`.
    Raises: MetricError for a name that is not known.
    """

    metrics: tuple[str, ...] = ()
    words: str | None = None
    reference: str | None = None
    reference_language: str | None = None
    seed: int = 0
    n_resamples: int = 1000
    level: float = 0.95

    def __post_init__(self) -> None:
        for name in self.metrics:
            find_metric(name, METRICS)
        if self.words is not None:
            word_splitter(self.words)
        self.resamples(1)

    def chosen(self, *needs: Needs) -> list[Metric]:
        """The metrics, in the order of the table: of a text, of parallel text and of a language there, or of some."""
        wanted = {find_metric(name, METRICS).name for name in self.metrics}
        known = [metric for metric in METRICS.values() if not needs or metric.needs in needs]
        return [metric for metric in known if not wanted or metric.name in wanted]

    def resamples(self, n_docs: int) -> Resamples:
        """The draws for so many documents."""
        return Resamples(n_docs, seed=self.seed, n_resamples=self.n_resamples, level=self.level)


@dataclass(frozen=True, slots=True)
class CorpusMeasure:
    """The tokenizers on one corpus, or one group of it.

    Args:
        name: of the group; `"all"` for all together.
        sources: names of the files.
        measurements: by the name of the tokenizer.
        values: the metrics by the name of the tokenizer, then of the metric.
        resamples: the draws of its documents.
    """

    name: str
    sources: Sequence[str]
    measurements: Mapping[str, Measurement]
    values: Mapping[str, Mapping[str, Value]]
    resamples: Resamples

    @property
    def first(self) -> Measurement:
        """That of the first tokenizer: what is of the text is the same in all."""
        return next(iter(self.measurements.values()))


@dataclass(frozen=True, slots=True)
class MeasureRun:
    """What was measured.

    Args:
        subjects: the tokenizers by name.
        paths: where each comes from, as it was named.
        options: what was asked for.
        corpora: each group, and all together if there are several; none if only parallel text was measured.
        parallel: what parallel text costs, by the name of the tokenizer.
        skipped: the broken records that were left out.
    """

    subjects: Mapping[str, Subject]
    paths: Mapping[str, str]
    options: MeasureOptions
    corpora: Sequence[CorpusMeasure] = ()
    parallel: Mapping[str, ParallelCosts] = field(default_factory=dict)
    skipped: SkippedRecords = field(default_factory=SkippedRecords)


def load_subjects(paths: Sequence[str | os.PathLike[str]]) -> tuple[dict[str, Subject], dict[str, str]]:
    """Load tokenizers, named by their files or folders, or by their whole paths where two would be called the same.

    Returns: the tokenizers, and where each comes from.
    Raises: MetricError for none, or one that is named twice; what `Tokenizer.load` raises.
    """
    names = [os.fspath(path) for path in paths]
    if not names:
        raise MetricError("tokenizers []: there are none to measure. Name one or more, then --on CORPUS.")
    for name in names:
        if names.count(name) > 1:
            raise MetricError(f"tokenizer {quoted(name)}: is named twice. Name each once.")
    short = [_short_name(name) for name in names]
    shown = [long if short.count(one) > 1 else one for long, one in zip(names, short, strict=True)]
    loaded = {name: Subject(Tokenizer.load(path), name) for name, path in zip(shown, names, strict=True)}
    return loaded, dict(zip(shown, names, strict=True))


def measure_corpus(
    tokenizers: Mapping[str, Subject],
    paths: Sequence[str | os.PathLike[str]] = (),
    *,
    parallel: str | os.PathLike[str] | None = None,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    options: MeasureOptions = MeasureOptions(),
    origins: Mapping[str, str] | None = None,
    n_threads: int | None = None,
    progress: "Progress | None" = None,
) -> MeasureRun:
    """Measure tokenizers on the documents of files; special tokens in the text are plain text.

    Args:
        tokenizers: by name.
        paths: files, folders and glob patterns, `NAME=PATH` for groups, which are measured each and together.
        parallel: a folder of parallel text, a file a language, a sentence a line; None for none.
        documents: how files are cut into documents, which intervals are over.
        options: what is measured.
        origins: where the tokenizers come from, for the manifest.
        n_threads: threads that encode; None for one a core. The result does not depend on it.
        progress: called with the stage `"measure"`, the bytes of the files read, and how many there are.
    Raises: MetricError without tokenizers or text, or if a metric that was named is undefined everywhere; CorpusError
        for a file that cannot be read.
    """
    if not tokenizers or not (paths or parallel):
        raise MetricError("corpus: there is none to measure on. Name one with --on CORPUS, or --parallel FOLDER.")
    _refuse_missing(options, has_text=bool(paths), has_parallel=parallel is not None)
    if options.reference is not None and options.reference not in tokenizers:
        known = ", ".join(map(repr, tokenizers))
        raise MetricError(f"reference tokenizer {quoted(options.reference)}: is not measured. Name one of {known}.")
    sources = list_sources(paths, documents) if paths else []
    feed = CorpusFeed(documents, sum(source.n_file_bytes for source in sources), progress)
    corpora: list[CorpusMeasure] = []
    if sources:
        corpora = _measured(tokenizers, sources, feed, options, n_threads)
        _refuse_undefined(corpora, options)
    costs: Mapping[str, ParallelCosts] = {}
    if parallel is not None:
        costs = measure_parallel(
            {name: subject.tokenizer for name, subject in tokenizers.items()},
            parallel,
            reference=options.reference_language,
            resamples=options.resamples,
            n_threads=n_threads,
        )
    return MeasureRun(tokenizers, dict(origins or {}), options, corpora, costs, feed.skipped)


def _measured(
    tokenizers: Mapping[str, Subject],
    sources: Sequence[Source],
    feed: CorpusFeed,
    options: MeasureOptions,
    n_threads: int | None,
) -> list[CorpusMeasure]:
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.group, []).append(source)
    splitter = None if options.words is None else SPLITTERS[options.words]
    parts: dict[str, list[Measurement]] = {}
    for group, members in groups.items():
        meters = Meters(list(tokenizers.values()), splitter=splitter, n_threads=n_threads)
        feed.feed(meters, members)
        name = group or (ALL if len(groups) == 1 else _WITHOUT_GROUP)
        parts[name] = meters.measurements()
    found = [
        _corpus(name, members, tokenizers, part, options)
        for (name, part), members in zip(parts.items(), groups.values(), strict=True)
    ]
    if len(groups) > 1:
        together = [joined(part) for part in zip(*parts.values(), strict=True)]
        found.append(_corpus(ALL, sources, tokenizers, together, options))
    return found


def _corpus(
    name: str,
    sources: Sequence[Source],
    tokenizers: Mapping[str, Subject],
    measurements: Sequence[Measurement],
    options: MeasureOptions,
) -> CorpusMeasure:
    by_name = dict(zip(tokenizers, measurements, strict=True))
    if options.reference is not None:
        reference = by_name[options.reference]
        by_name = {name: one.beside(reference) for name, one in by_name.items()}
    resamples = options.resamples(measurements[0].text.n_docs)
    values = {
        name: {metric.name: value_of(metric, one, resamples) for metric in options.chosen("text")}
        for name, one in by_name.items()
    }
    return CorpusMeasure(name, [source.name for source in sources], by_name, values, resamples)


def _refuse_missing(options: MeasureOptions, *, has_text: bool, has_parallel: bool) -> None:
    """Refuse a metric that was named and needs what there is not."""
    for metric in options.chosen() if options.metrics else ():
        if metric.needs == "text" and not has_text:
            raise MetricError(f"metric {metric.name!r}: needs a text, and there is none. Name one with --on CORPUS.")
        if metric.needs != "text" and not has_parallel:
            raise MetricError(
                f"metric {metric.name!r}: needs parallel text, since other texts do not say the same. "
                "Name a folder with --parallel FOLDER."
            )


def _refuse_undefined(corpora: Sequence[CorpusMeasure], options: MeasureOptions) -> None:
    """Refuse a metric that was asked for by name, or a splitter, that has no value anywhere."""
    wanted = [metric.name for metric in options.chosen("text")] if options.metrics else []
    if options.words is not None and not options.metrics:
        wanted = ["fertility"]
    for name in wanted:
        values = [values[name] for corpus in corpora for values in corpus.values.values()]
        if all(value.value is None for value in values):
            raise MetricError(values[0].reason)


def _short_name(path: str) -> str:
    """What a tokenizer is called: its folder for a file of a general name, else its file without the ending.

    >>> [_short_name(path) for path in ("v/gpt2.tiktoken", "v/qwen3/tokenizer.json", "mine/", "cl100k_base")]
    ['gpt2', 'qwen3', 'mine', 'cl100k_base']
    """
    place = Path(path)
    if (
        place.name in ("tokenizer.json", "tokenizer.model", "tekken.json", "vocab.json", "vocab.txt")
        and place.parent.name
    ):
        return place.parent.name
    return place.stem if place.suffix in (".tiktoken", ".json", ".model", ".packed", ".txt") else place.name
