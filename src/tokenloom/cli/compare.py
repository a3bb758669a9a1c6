"""`tokenloom compare`: two tokenizers on the same text, with paired differences."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tokenloom.cli import measure_options as given
from tokenloom.cli import options as shared
from tokenloom.cli.output import print_json

if TYPE_CHECKING:
    from tokenloom.jobs.measure_corpus import MeasureRun

__all__ = ["EXAMPLE", "compare"]

EXAMPLE: Final = "tokenloom compare gpt2 my-tokenizer --on data/ --document-separator '<|endoftext|>'"


def compare(
    first: Annotated[str, typer.Argument(metavar="FIRST", help=shared.TOKENIZER_HELP)],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Differences are its values less those of FIRST.")],
    on: given.On = None,
    output_format: given.OutputFormat = "text",
    report: given.ReportFile = None,
    metric: given.Metrics = None,
    words: given.Words = None,
    parallel: given.Parallel = None,
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
    """Compare two tokenizers on the same text.

    Both see the same documents, so the interval of a difference is that of pairs: it is surer than either value.
    """
    del config
    options = given.measure_options(
        metrics=metric,
        words=words,
        reference=first,
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
    run = given.measured([first, second], on, parallel, documents, options, threads, is_quiet=quiet)
    _show(run, report, output_format, as_json=as_json)


def _show(run: "MeasureRun", report: Path | None, output_format: given.OutputFormatName, *, as_json: bool) -> None:
    from tokenloom.jobs.compare import compare as compared
    from tokenloom.jobs.measure_facts import compare_facts
    from tokenloom.jobs.measure_tables import compare_list, compare_tables
    from tokenloom.jobs.reports.measure_page import compare_page

    comparison = compared(run)
    if report is not None:
        given.write_page(compare_page(run, comparison), report)
    if as_json:
        print_json(compare_facts(run, comparison))
    else:
        given.print_notes(run)
        given.print_tables(compare_tables(comparison), compare_list(comparison), output_format)
