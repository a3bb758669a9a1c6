"""`tokenloom compare`: two tokenizers on the same text, with paired differences."""

from typing import Annotated, Final

import typer

from tokenloom.cli import measure_options as given
from tokenloom.cli import options as shared
from tokenloom.cli.output import print_json, warn_of_skipped
from tokenloom.cli.progress import reported

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
    """Compare two tokenizers on a text, with the sureness of each difference.

    Both see the same documents, so the interval of a difference is that of pairs: it is surer than either value.
    """
    del config
    from tokenloom.jobs.compare import compare as compared
    from tokenloom.jobs.measure_corpus import load_subjects, measure_corpus
    from tokenloom.jobs.measure_facts import compare_facts
    from tokenloom.jobs.measure_tables import compare_list, compare_tables
    from tokenloom.jobs.reports.measure_page import compare_page

    subjects, origins = load_subjects([first, second])
    options = given.measure_options(
        metrics=metric,
        words=words,
        reference=next(iter(subjects)),
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
    with reported(is_quiet=quiet) as progress:
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
    comparison = compared(run)
    if report is not None:
        given.write_page(compare_page(run, comparison), report)
    if as_json:
        print_json(compare_facts(run, comparison))
    else:
        given.print_notes(run)
        given.print_tables(compare_tables(comparison), compare_list(comparison), output_format)
