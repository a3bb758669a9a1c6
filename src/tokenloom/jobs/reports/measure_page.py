"""The pages on a measurement and on a comparison."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

import tokenloom
from tokenloom.jobs.compare import Comparison
from tokenloom.jobs.measure_corpus import CorpusMeasure, MeasureRun
from tokenloom.jobs.measure_facts import manifest_of
from tokenloom.jobs.measure_tables import compare_tables, length_table, metric_table, parallel_table, undefined_metrics
from tokenloom.metrics import METRICS, ParallelCosts, rank_frequencies
from tokenloom.report import (
    Axis,
    Bars,
    Block,
    Column,
    Fact,
    Facts,
    Lines,
    Note,
    Page,
    Quantity,
    Section,
    Series,
    Table,
    Text,
    format_number,
)
from tokenloom.wording import counted, format_bytes

__all__ = ["compare_page", "measure_page"]

_N_POINTS: Final = 60
_MOST_CURVES: Final = 4
"""More cannot be told apart by their dashes."""
_EVIDENCE: Final = (
    "Metrics describe a tokenizer on a text. None of them says alone which tokenizer makes the better model. "
    "Compression went with quality where only training text was taken away (Goldman et al. 2024), and not across "
    "algorithms (Schmidt et al. 2024); Rényi efficiency can be raised while quality falls (Cognetta et al. 2024)."
)


def measure_page(run: MeasureRun) -> Page:
    """A report on a measurement."""
    sections = [section for corpus in run.corpora for section in _corpus_sections(corpus)]
    sections += _parallel_sections(run.parallel)
    sections += [_meaning(run), _manifest(run)]
    names = ", ".join(run.subjects)
    return Page("Tokenizers measured", names, sections, _footer())


def compare_page(run: MeasureRun, comparison: Comparison) -> Page:
    """A report on a comparison of two tokenizers."""
    first, second = comparison.names
    shared = comparison.vocabulary
    facts = Facts(
        [
            Fact("Tokens of both", f"{shared.n_shared:,}", "by their bytes, special tokens left out"),
            Fact(f"Only in {first}", f"{shared.n_only_first:,}"),
            Fact(f"Only in {second}", f"{shared.n_only_second:,}"),
        ]
    )
    sure = Text("A difference is sure, at the level of the interval, where low and high have the same sign.")
    tables: list[Block] = [
        _in_words(table) if table.columns[0].title == "Metric" else table for table in compare_tables(comparison)
    ]
    sections = [Section("Difference", [facts, sure, *tables])]
    sections += [section for corpus in run.corpora for section in _corpus_sections(corpus)]
    sections += _parallel_sections(run.parallel)
    sections += [_meaning(run), _manifest(run)]
    return Page("Two tokenizers compared", f"{second} beside {first}", sections, _footer())


def _in_words(table: Table) -> Table:
    """The table with names of metrics as words, which a narrow column can break."""
    rows = [(str(row[0]).replace("_", " "), *row[1:]) for row in table.rows]
    return replace(table, rows=rows)


def _corpus_sections(corpus: CorpusMeasure) -> list[Section]:
    text = corpus.first.text
    facts = [
        Fact("Text", format_bytes(int(text.n_bytes.sum())), counted(text.n_docs, "document")),
        Fact("Characters", f"{int(text.n_chars.sum()):,}"),
    ]
    if text.n_words is not None:
        facts.append(Fact("Words", f"{int(text.n_words.sum()):,}", f"by {text.splitter}"))
    bars = [(name, _quantity(corpus, name)) for name in corpus.measurements]
    blocks: list[Block] = [
        Facts(facts),
        Bars("Bytes per token", bars, "Tokenizer", "Bytes per token"),
        _in_words(metric_table(corpus)),
        *_notes(corpus),
        length_table(corpus),
        *_rank_curves(corpus),
    ]
    return [Section(f"Corpus {corpus.name}", blocks)]


def _quantity(corpus: CorpusMeasure, name: str) -> Quantity:
    measured = corpus.measurements[name]
    ratio = int(measured.text.n_bytes.sum()) / max(1, int(measured.tokens.n_tokens.sum()))
    return Quantity(ratio, format_number(ratio))


def _notes(corpus: CorpusMeasure) -> list[Block]:
    notes: list[Block] = []
    if corpus.first.text.n_docs < 2:
        notes.append(Note("The corpus is one document, so there are no intervals: they are over documents."))
    notes += [Note(f"{metric} is undefined. {reason}") for metric, reason in undefined_metrics(corpus).items()]
    for name, measured in corpus.measurements.items():
        first = measured.tokens.round_trip.first
        if first is not None:
            place = f"document {first.document:,}, byte {first.byte:,}"
            notes.append(Note(f"{name}, {place}: {first.text!r} comes back as {first.decoded!r}."))
    return notes


def _rank_curves(corpus: CorpusMeasure) -> list[Block]:
    """Frequency by rank, both logarithmic, at ranks that are spread evenly there."""
    series = []
    for name, measured in list(corpus.measurements.items())[:_MOST_CURVES]:
        ranks, values = rank_frequencies(measured.counts)
        if len(ranks) > 1:
            places = np.unique(np.geomspace(1, len(ranks), _N_POINTS).round().astype(int)) - 1
            points = [(float(ranks[place]), float(values[place])) for place in places.tolist()]
            series.append(Series(name, points))
    if not series:
        return []
    left_out = len(corpus.measurements) - len(series)
    more = f"; {counted(left_out, 'tokenizer')} more left out" if left_out > 0 else ""
    x, y = Axis("rank of the token", is_log=True), Axis("occurrences", is_log=True)
    return [Lines(f"Occurrences of tokens by rank{more}", series, x, y)]


def _parallel_sections(parallel: Mapping[str, ParallelCosts]) -> list[Section]:
    if not parallel:
        return []
    bars: list[Block] = [
        Bars(
            f"Premium over {costs.reference}, {name}",
            [
                (language, Quantity(row.premium or 0, format_number(row.premium or 0)))
                for language, row in sorted(costs.languages.items(), key=lambda item: -(item[1].premium or 0))
            ],
            "Language",
            "Tokens for one of the reference",
        )
        for name, costs in parallel.items()
    ]
    facts = Facts(
        [
            Fact(f"Dearest for {name}", costs.worst, f"{format_number(costs.worst_premium)} times {costs.reference}")
            for name, costs in parallel.items()
        ]
        + [Fact(f"Gini of {name}", f"{costs.gini:.3f}", "0 is equal") for name, costs in parallel.items()]
    )
    return [Section("Parallel text", [facts, parallel_table(parallel), *bars])]


def _meaning(run: MeasureRun) -> Section:
    rows = [(metric.name, METRICS[metric.name].summary) for metric in run.options.chosen()]
    table = _in_words(Table("Metrics", [Column("Metric"), Column("Is")], rows))
    return Section("What the metrics say", [Note(_EVIDENCE), table])


def _manifest(run: MeasureRun) -> Section:
    manifest = manifest_of(run)
    tokenizers = [(one["name"], one["model"], one["n_tokens"], one["fingerprint"]) for one in manifest["tokenizers"]]
    corpora = [(one["name"], one["n_docs"], one["n_bytes"], one["fingerprint"]) for one in manifest["corpora"]]
    versions = [(name, version) for name, version in manifest["versions"].items()]
    number = [Column("Tokens", is_number=True), Column("Fingerprint")]
    sizes = [Column("Documents", is_number=True), Column("Bytes", is_number=True), Column("Fingerprint")]
    special = "Special tokens in the text were read as plain text. "
    return Section(
        "Manifest",
        [
            Text(f"{special}Vocabulary: {manifest['vocabulary']}. Intervals: {manifest['interval']}."),
            Table("Tokenizers", [Column("Name"), Column("Model"), *number], tokenizers),
            Table("Corpora", [Column("Name"), *sizes], corpora),
            Table("Versions", [Column("Package"), Column("Version")], versions),
        ],
    )


def _footer() -> str:
    return f"Made by tokenloom {tokenloom.__version__}, {time.strftime('%Y-%m-%d %H:%M')}."
