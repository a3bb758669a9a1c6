"""Comparing two tokenizers: each metric of both, and the paired difference with its interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tokenloom.errors import MetricError
from tokenloom.jobs.measure_corpus import MeasureRun
from tokenloom.metrics import METRICS, ParallelCosts, Resamples, Value, difference_of

__all__ = ["ComparedValue", "ComparedVocabulary", "Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A metric, or the premium of a language, of two tokenizers.

    Args:
        name: of the metric or the language.
        first, second: its values.
        difference: the second less the first, with the interval of the paired difference.
    """

    name: str
    first: Value
    second: Value
    difference: Value


@dataclass(frozen=True, slots=True)
class ComparedVocabulary:
    """How many tokens both have, and how many only one, by what they stand for in a text; special ones left out."""

    n_shared: int
    n_only_first: int
    n_only_second: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two tokenizers on the same text.

    Args:
        names: of the first and the second.
        corpora: the metrics by the name of the corpus.
        languages: the premiums by language; none without parallel text.
        vocabulary: what they have in common.
    """

    names: tuple[str, str]
    corpora: Mapping[str, Sequence[ComparedValue]]
    languages: Sequence[ComparedValue]
    vocabulary: ComparedVocabulary


def compare(run: MeasureRun) -> Comparison:
    """Compare the two tokenizers of a run.

    Raises: MetricError if there are not two.
    """
    if len(run.subjects) != 2:
        raise MetricError(
            f"tokenizers: {len(run.subjects)} were measured, and two are compared. Name a first and a second."
        )
    first, second = run.subjects
    corpora = {
        corpus.name: [
            ComparedValue(
                name,
                corpus.values[first][name],
                corpus.values[second][name],
                difference_of(METRICS[name], corpus.measurements[first], corpus.measurements[second], corpus.resamples),
            )
            for name in corpus.values[first]
        ]
        for corpus in run.corpora
    }
    languages: list[ComparedValue] = []
    if run.parallel:
        one, other = run.parallel[first], run.parallel[second]
        languages = _languages(one, other, run.options.resamples(one.n_sentences))
    return Comparison((first, second), corpora, languages, _vocabularies(run, first, second))


def _languages(one: ParallelCosts, other: ParallelCosts, resamples: Resamples) -> list[ComparedValue]:
    rows = []
    for name, row in one.languages.items():
        value = other.languages[name].premium
        pair = Value(row.premium, row.interval), Value(value, other.languages[name].interval)
        difference = None if row.premium is None or value is None else value - row.premium
        interval = resamples.difference(
            (one.by_sentence[name], one.by_sentence[one.reference]),
            (other.by_sentence[name], other.by_sentence[one.reference]),
        )
        rows.append(ComparedValue(name, *pair, Value(difference, interval)))
    return sorted(rows, key=lambda row: -abs(row.difference.value or 0))


def _vocabularies(run: MeasureRun, first: str, second: str) -> ComparedVocabulary:
    one, other = (_learned(run, name) for name in (first, second))
    return ComparedVocabulary(len(one & other), len(one - other), len(other - one))


def _learned(run: MeasureRun, name: str) -> set[bytes]:
    vocabulary = run.subjects[name].vocabulary
    return {vocabulary.surfaces[place] for place in np.flatnonzero(~vocabulary.is_special).tolist()}
