"""A measurement as tables, for terminals, files and pages."""

from collections.abc import Iterator, Mapping
from typing import Final

from tokenloom.jobs.compare import Comparison
from tokenloom.jobs.measure_corpus import CorpusMeasure, MeasureRun
from tokenloom.metrics import METRICS, ParallelCosts, Value, sequence_lengths
from tokenloom.report import Cell, Column, Quantity, Table, format_number

__all__ = [
    "compare_list",
    "compare_tables",
    "length_table",
    "measure_list",
    "measure_tables",
    "metric_table",
    "parallel_table",
    "undefined_metrics",
]

_ALL: Final = "1.00"
_SUMMARIES: Final = ("gini", "cost_ratio", "cost_variation")
_PARALLEL: Final = "parallel text"


def measure_tables(run: MeasureRun) -> Iterator[Table]:
    """One table a corpus with a metric a row, the three-way comparison, and one of parallel text."""
    for corpus in run.corpora:
        if run.options.chosen("text"):
            yield metric_table(corpus)
        if not run.options.metrics:
            yield length_table(corpus)
    if run.parallel:
        yield parallel_table(run.parallel)


def measure_list(run: MeasureRun) -> Table:
    """All values in one table, a value a row: for programs."""
    rows: list[tuple[Cell, ...]] = []
    for corpus in run.corpora:
        for name, values in corpus.values.items():
            rows += [(corpus.name, None, name, key, METRICS[key].unit, *_three(value)) for key, value in values.items()]
    for name, costs in run.parallel.items():
        rows += [
            (_PARALLEL, language, name, key, "", *_three(value))
            for language, row in costs.languages.items()
            for key, value in (("premium", _premium(costs, language)), ("byte_premium", Value(row.byte_premium)))
        ]
        rows += [(_PARALLEL, None, name, key, "", *_three(Value(getattr(costs, key)))) for key in _SUMMARIES]
    heads = ("corpus", "language", "tokenizer", "metric", "unit", "value", "low", "high")
    return Table("Values", [Column(head) for head in heads], rows)


def compare_list(comparison: Comparison) -> Table:
    """All differences in one table, a metric or a language a row: for programs."""
    rows: list[tuple[Cell, ...]] = [
        (corpus, None, row.name, METRICS[row.name].unit, row.first.value, row.second.value, *_three(row.difference))
        for corpus, compared in comparison.corpora.items()
        for row in compared
    ]
    rows += [
        (_PARALLEL, row.name, "premium", "", row.first.value, row.second.value, *_three(row.difference))
        for row in comparison.languages
    ]
    heads = ("corpus", "language", "metric", "unit", *comparison.names, "difference", "low", "high")
    return Table("Differences", [Column(head) for head in heads], rows)


def metric_table(corpus: CorpusMeasure) -> Table:
    """Metrics as rows and tokenizers as columns; a metric that no tokenizer has a value of is left out."""
    names = list(corpus.values)
    gone = undefined_metrics(corpus)
    metrics = [metric for metric in corpus.values[names[0]] if metric not in gone]
    rows = [
        (metric, METRICS[metric].unit or None, *(_cell(corpus.values[name][metric]) for name in names))
        for metric in metrics
    ]
    columns = [Column("Metric"), Column("Unit"), *(Column(name, is_number=True) for name in names)]
    level = f"{100 * corpus.resamples.level:.0f} %"
    caption = f"Metrics on {corpus.name!r}; in brackets intervals of {level} over its documents"
    return Table(caption, columns, rows)


def undefined_metrics(corpus: CorpusMeasure) -> Mapping[str, str]:
    """The metrics that no tokenizer has a value of, and why."""
    first = next(iter(corpus.values.values()))
    return {
        metric: value.reason
        for metric, value in first.items()
        if all(values[metric].value is None for values in corpus.values.values())
    }


def length_table(corpus: CorpusMeasure) -> Table:
    """The three-way comparison: what 1,000 characters are as bytes, words and tokens."""
    text = corpus.first.text
    rows: list[tuple[str, Cell]] = []
    for name, measured in corpus.measurements.items():
        lengths = sequence_lengths(
            n_chars=text.n_chars, n_bytes=text.n_bytes, n_words=text.n_words, n_tokens=measured.tokens.n_tokens
        )
        if not rows:
            rows += [(key, value) for key, value in lengths.items() if key != "tokens" and value is not None]
        rows.append((f"tokens of {name}", lengths["tokens"]))
    columns = [Column("Items"), Column("for 1,000 characters", is_number=True, has_bars=True)]
    return Table(f"Three ways to cut {corpus.name!r}: characters, words and tokens", columns, rows)


def parallel_table(parallel: Mapping[str, ParallelCosts]) -> Table:
    """Premiums of languages as rows, the dearest on average first, and what sums them up at the end."""
    names = list(parallel)
    first = parallel[names[0]]

    def order(language: str) -> float:
        return -sum(costs.languages[language].premium or 0 for costs in parallel.values())

    rows: list[tuple[Cell, ...]] = [
        (
            language,
            first.languages[language].byte_premium,
            *(_cell(_premium(costs, language)) for costs in parallel.values()),
        )
        for language in sorted(first.languages, key=order)
    ]
    rows += [(key, None, *(getattr(costs, key) for costs in parallel.values())) for key in _SUMMARIES]
    columns = [Column("Language"), Column("bytes", is_number=True), *(Column(name, is_number=True) for name in names)]
    caption = f"Premium over {first.reference!r} on {first.n_sentences:,} parallel sentences: bytes, then tokens"
    return Table(caption, columns, rows)


def compare_tables(comparison: Comparison) -> Iterator[Table]:
    """One table a corpus: the metric of each tokenizer, and how they differ; then one of parallel text."""
    first, second = comparison.names
    heads = (first, second, "difference", "low", "high", "in %")
    numbers = [Column(head, is_number=True) for head in heads]
    for name, rows in comparison.corpora.items():
        cells = [
            (row.name, METRICS[row.name].unit or None, *_differences(row.first, row.second, row.difference))
            for row in rows
            if row.difference.value is not None
        ]
        caption = f"{second!r} less {first!r} on {name!r}, with the interval of the paired difference"
        yield Table(caption, [Column("Metric"), Column("Unit"), *numbers], cells)
    if comparison.languages:
        cells_of = [(row.name, *_differences(row.first, row.second, row.difference)) for row in comparison.languages]
        yield Table(f"Premiums, {second!r} less {first!r}", [Column("Language"), *numbers], cells_of)


def _differences(first: Value, second: Value, difference: Value) -> tuple[Cell, ...]:
    interval = difference.interval
    percent = 100 * difference.value / first.value if first.value and difference.value is not None else None
    return (
        first.value,
        second.value,
        _signed(difference.value),
        _signed(interval.low if interval else None),
        _signed(interval.high if interval else None),
        _signed(percent),
    )


def _three(value: Value) -> tuple[Cell, Cell, Cell]:
    interval = value.interval
    return (value.value, None, None) if interval is None else (value.value, interval.low, interval.high)


def _signed(value: float | None) -> Cell:
    if value is None:
        return None
    return Quantity(value, f"{'+' if value > 0 else ''}{format_number(value)}")


def _cell(value: Value) -> Cell:
    """A value with its interval; a count without a point."""
    if value.value is None:
        return None
    shown = format_number(int(value.value) if value.value.is_integer() and abs(value.value) > 1 else value.value)
    if shown == _ALL and value.value != 1:
        shown = f"{value.value:.5f}"  # a share of which little is missing
    if value.interval is None:
        return Quantity(value.value, shown)
    low, high = format_number(value.interval.low), format_number(value.interval.high)
    return Quantity(value.value, f"{shown} [{low}, {high}]")


def _premium(costs: ParallelCosts, language: str) -> Value:
    row = costs.languages[language]
    return Value(row.premium, row.interval)
