"""`tokenloom measure`: the metrics of tokenizers on a corpus and on parallel text."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tokenloom.cli import measure_options as given
from tokenloom.cli import options as shared
from tokenloom.cli.output import print_json

if TYPE_CHECKING:
    from tokenloom.jobs.measure_corpus import MeasureRun

__all__ = ["EXAMPLE", "measure"]

EXAMPLE: Final = "tokenloom measure my-tokenizer cl100k_base --on data/ --words whitespace --report measured.html"

_Reference = Annotated[
    str | None,
    typer.Option(
        metavar="TOKENIZER",
        help="One of the tokenizers: normalized lengths are over its tokens.",
        rich_help_panel="Measuring",
    ),
]


def measure(
    tokenizers: Annotated[list[str], typer.Argument(metavar="TOKENIZER", help=f"Each: {shared.TOKENIZER_HELP}")],
    on: given.On = None,
    output_format: given.OutputFormat = "text",
    report: given.ReportFile = None,
    metric: given.Metrics = None,
    words: given.Words = None,
    parallel: given.Parallel = None,
    reference: _Reference = None,
    reference_language: given.ReferenceLanguage = None,
    seed: given.Seed = 0,
    resamples: given.Resamples = 1000,
    level: given.Level = 0.95,
    document_format: given.DocumentFileFormat = "auto",
    document_separator: shared.DocumentSeparator = None,
    text_field: shared.TextField = "text",
    compression: shared.Compression = "auto",
    storage_option: shared.StorageOption = None,
    on_error: shared.OnError = "stop",
    threads: shared.Threads = None,
    as_json: shared.AsJson = False,
    quiet: shared.Quiet = False,
    config: shared.Config = None,
) -> None:
    """Measure tokenizers on a text, or on parallel texts.

    Values are ratios of sums over all documents, with intervals over documents. Special tokens in text are plain text.
    """
    del config
    options = given.measure_options(
        metrics=metric,
        words=words,
        reference=reference,
        reference_language=reference_language,
        seed=seed,
        resamples=resamples,
        level=level,
    )
    documents = shared.document_options(
        document_format=document_format,
        document_separator=document_separator,
        text_field=text_field,
        compression=compression,
        storage_option=storage_option,
        on_error=on_error,
    )
    run = given.measured(tokenizers, on, parallel, documents, options, threads, is_quiet=quiet)
    _show(run, report, output_format, as_json=as_json)


def _show(run: "MeasureRun", report: Path | None, output_format: given.OutputFormatName, *, as_json: bool) -> None:
    from tokenloom.jobs.measure_facts import measure_facts
    from tokenloom.jobs.measure_tables import measure_list, measure_tables
    from tokenloom.jobs.reports.measure_page import measure_page

    if report is not None:
        given.write_page(measure_page(run), report)
    if as_json:
        print_json(measure_facts(run))
    else:
        given.print_notes(run)
        given.print_tables(measure_tables(run), measure_list(run), output_format)
