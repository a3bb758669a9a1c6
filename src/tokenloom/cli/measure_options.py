"""What `tokenloom measure` and `tokenloom compare` have in common: their options, and how they print."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from tokenloom.cli.output import one_line, print_table, warn_of_skipped
from tokenloom.cli.progress import reported
from tokenloom.wording import counted, format_bytes

if TYPE_CHECKING:
    from tokenloom.corpus import DocumentOptions
    from tokenloom.jobs.measure_corpus import MeasureOptions, MeasureRun
    from tokenloom.report import Page, Table

__all__ = [
    "DocumentFileFormat",
    "Level",
    "Metrics",
    "On",
    "OutputFormat",
    "OutputFormatName",
    "Parallel",
    "ReferenceLanguage",
    "ReportFile",
    "Resamples",
    "Seed",
    "Words",
    "measure_options",
    "measured",
    "print_notes",
    "print_tables",
    "write_page",
]

_MEASURE: Final = "Measuring"
OutputFormatName = Literal["text", "csv", "markdown", "latex"]

On = Annotated[
    list[str] | None,
    typer.Option(
        "--on",
        metavar="CORPUS...",
        help="Files, folders, URLs or quoted patterns, up to the next option; NAME=PATH for groups.",
    ),
]
Parallel = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Parallel text: a file a language, a sentence a line.", rich_help_panel=_MEASURE
    ),
]
ReferenceLanguage = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The file that premiums are over. Default: the one that begins with eng.",
        rich_help_panel=_MEASURE,
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", metavar="NAME", help="A metric to show. Repeat it for more. Default: all.", rich_help_panel=_MEASURE
    ),
]
Words = Annotated[
    str | None,
    typer.Option(
        metavar="SPLITTER",
        help="What a word is: whitespace, punctuation or cjk-characters. Without it no words are measured.",
        rich_help_panel=_MEASURE,
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Of the intervals.", rich_help_panel=_MEASURE)]
Resamples = Annotated[
    int, typer.Option(min=1, metavar="N", help="Draws that intervals are made of.", rich_help_panel=_MEASURE)
]
Level = Annotated[float, typer.Option(metavar="SHARE", help="Of the intervals.", rich_help_panel=_MEASURE)]
DocumentFileFormat = Annotated[
    Literal["auto", "text", "jsonl", "parquet", "arrow"],
    typer.Option(
        "--document-format",
        help="auto goes by the name: .jsonl, .ndjson, .parquet, .arrow, .feather, else text.",
        rich_help_panel="Documents",
    ),
]
OutputFormat = Annotated[OutputFormatName, typer.Option("--format", help="How tables are printed.")]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.html", help="Write one page with tables and charts.")
]


def measure_options(
    *,
    metrics: list[str] | None,
    words: str | None,
    reference: str | None = None,
    reference_language: str | None,
    seed: int,
    resamples: int,
    level: float,
) -> "MeasureOptions":
    """What the options of the group "Measuring" say together. Raises: MetricError for a name that is not known."""
    from tokenloom.jobs.measure_corpus import MeasureOptions

    return MeasureOptions(
        metrics=tuple(metrics or ()),
        words=words,
        reference=reference,
        reference_language=reference_language,
        seed=seed,
        n_resamples=resamples,
        level=level,
    )


def measured(
    tokenizers: list[str],
    on: list[str] | None,
    parallel: Path | None,
    documents: "DocumentOptions",
    options: "MeasureOptions",
    threads: int | None,
    *,
    is_quiet: bool,
) -> "MeasureRun":
    """Load tokenizers and measure them, with progress and words on what was left out."""
    from tokenloom.jobs.measure_corpus import load_subjects, measure_corpus

    subjects, origins = load_subjects(tokenizers)
    names = {path: name for name, path in origins.items()}
    if options.reference is not None:
        options = replace(options, reference=names.get(options.reference, options.reference))
    with reported(is_quiet=is_quiet) as progress:
        run = measure_corpus(
            subjects,
            on or (),
            parallel=parallel,
            documents=documents,
            options=options,
            origins=origins,
            n_threads=threads,
            progress=progress,
        )
    warn_of_skipped(run.skipped)
    return run


def print_tables(tables: "Iterable[Table]", listed: "Table", output_format: OutputFormatName) -> None:
    """Tables on standard output, an empty line between them; as CSV one list of all values, which programs can read."""
    from tokenloom.report import PLAIN_TABLES

    if output_format == "csv":
        tables = [listed]

    for number, table in enumerate(tables):
        if number:
            typer.echo()
        if output_format == "text":
            _print_text(table)
        else:
            typer.echo(PLAIN_TABLES[output_format](table), nl=False)


def print_notes(run: "MeasureRun") -> None:
    """What a reader must know of the values, on standard error."""
    from tokenloom.jobs.measure_tables import undefined_metrics

    for corpus in run.corpora:
        text = corpus.first.text
        size = format_bytes(int(text.n_bytes.sum()))
        typer.echo(f"{one_line(corpus.name)}: {counted(text.n_docs, 'document')}, {size}", err=True)
        if text.n_docs < 2:
            typer.echo("  one document, so no intervals; cut it with --document-separator", err=True)
        for metric, reason in undefined_metrics(corpus).items():
            typer.echo(f"  {metric} undefined: {one_line(reason)}", err=True)
        for name, measured in corpus.measurements.items():
            first = measured.tokens.round_trip.first
            if first is not None:
                where = f"document {first.document:,}, byte {first.byte:,}"
                words = f"  {one_line(name)} does not give back {where}: {first.text!r} comes back as {first.decoded!r}"
                typer.echo(words, err=True)


def write_page(page: "Page", path: Path) -> None:
    """One HTML file, which replaces an older one at once. Raises: StorageError if it cannot be written."""
    from tokenloom.storage import atomic_write

    with atomic_write(path) as file:
        file.write(page.html().encode())


def _print_text(table: "Table") -> None:
    from tokenloom.report.plain_tables import shown_cell

    typer.echo(one_line(table.caption))
    rows = [[one_line(shown_cell(cell)) for cell in row] for row in table.rows]
    # names stand last, as in all tables of this command line: numbers then begin at the left edge
    heads = [column.title for column in table.columns]
    print_table([*heads[1:], heads[0]], [[*row[1:], row[0]] for row in rows])
