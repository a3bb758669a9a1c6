"""`tokenloom train`: from files to a tokenizer folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from tokenloom.cli import options as shared
from tokenloom.cli.config import run_settings
from tokenloom.cli.output import print_facts, print_json, stage_facts, stage_rows, warn_of_skipped
from tokenloom.cli.progress import reported
from tokenloom.cli.run_file import write_run_file
from tokenloom.spec import PatternName
from tokenloom.wording import counted, format_bytes, format_seconds

if TYPE_CHECKING:
    from tokenloom.corpus import DocumentOptions
    from tokenloom.jobs.train_corpus import TrainRun
    from tokenloom.trainers import BpeOptions

__all__ = ["EXAMPLE", "train"]

EXAMPLE: Final = "tokenloom train data/ --vocab-size 32768 --special-token '<|endoftext|>' --out my-tokenizer"

_PANEL: Final = "Tokenizer"

_VocabularySize = Annotated[
    int, typer.Option("--vocab-size", metavar="N", help="Tokens in all: 256 bytes, merges and special tokens.")
]
_Out = Annotated[
    Path,
    typer.Option(metavar="DIR", help="Folder for the tokenizer: new or empty. A tokenizer that is there is replaced."),
]
_SpecialTokens = Annotated[
    list[str] | None,
    typer.Option(
        "--special-token",
        metavar="TOKEN",
        help="A special token, such as '<|endoftext|>'. Repeat it for more.",
        rich_help_panel=_PANEL,
    ),
]
_Reserved = Annotated[
    int, typer.Option(min=0, metavar="N", help="Special tokens kept free for later use.", rich_help_panel=_PANEL)
]
_PadMultiple = Annotated[
    int | None,
    typer.Option(
        "--pad-vocabulary-to-multiple-of",
        min=1,
        metavar="N",
        help="Fill up with reserved tokens, such as to a multiple of 64.",
        rich_help_panel=_PANEL,
    ),
]
_Pattern = Annotated[
    Literal[PatternName, "none"],
    typer.Option(help="How text is cut before merging; merges never cross a cut.", rich_help_panel=_PANEL),
]
_TieBreak = Annotated[
    Literal["lexicographic", "lowest-id", "first-seen"],
    typer.Option(help="Which of several equally frequent pairs is merged.", rich_help_panel=_PANEL),
]
_Alphabet = Annotated[
    Literal["bytes", "gpt2"], typer.Option(help="The order of the 256 bytes among the ids.", rich_help_panel=_PANEL)
]


def train(
    ctx: typer.Context,
    corpus: shared.Corpus,
    vocab_size: _VocabularySize,
    out: _Out,
    special_token: _SpecialTokens = None,
    reserve_special: _Reserved = 0,
    pad_multiple: _PadMultiple = None,
    pattern: _Pattern = "gpt2",
    tie_break: _TieBreak = "lexicographic",
    alphabet: _Alphabet = "bytes",
    document_format: shared.DocumentFormat = "auto",
    document_separator: shared.DocumentSeparator = None,
    text_field: shared.TextField = "text",
    compression: shared.Compression = "auto",
    on_error: shared.OnError = "stop",
    report: shared.WithReport = True,
    threads: shared.Threads = None,
    as_json: shared.AsJson = False,
    quiet: shared.Quiet = False,
    dry_run: shared.DryRun = False,
    config: shared.Config = None,
) -> None:
    """Learn a tokenizer from text.

    OUT/run.toml records the options: tokenloom train --config OUT/run.toml does it again.
    """
    del config
    from tokenloom.trainers import BpeOptions

    documents = shared.document_options(
        document_format=document_format,
        document_separator=document_separator,
        text_field=text_field,
        compression=compression,
        on_error=on_error,
    )
    cut = None if pattern == "none" else pattern
    options = BpeOptions(vocab_size, special_token or (), cut, tie_break, alphabet)
    if dry_run:
        facts = _estimate(corpus, options, documents, out, threads)
    else:
        resize = {"n_reserved": reserve_special, "pad_multiple": pad_multiple}
        facts = _train(corpus, options, documents, out, threads, resize=resize, has_report=report, is_quiet=quiet)
        write_run_file(out, "train", run_settings(ctx))
    if as_json:
        print_json(facts)
    else:
        print_facts(_dry_rows(facts) if dry_run else _rows(facts))


def _train(
    corpus: list[str],
    options: "BpeOptions",
    documents: "DocumentOptions",
    out: Path,
    threads: int | None,
    *,
    resize: dict[str, Any],
    has_report: bool,
    is_quiet: bool,
) -> dict[str, Any]:
    from tokenloom.jobs.reports import write_train_report
    from tokenloom.jobs.train_corpus import train_corpus

    with reported(is_quiet=is_quiet) as progress:
        run = train_corpus(
            corpus, options=options, documents=documents, out=out, n_threads=threads, progress=progress, **resize
        )
    warn_of_skipped(run.skipped)
    return _facts(run, write_train_report(run, documents) if has_report else None)


def _facts(run: "TrainRun", report: Path | None) -> dict[str, Any]:
    tokenizer, n_bytes = run.tokenizer, run.training.n_bytes
    return {
        "folder": str(run.folder),
        "fingerprint": tokenizer.spec.fingerprint,
        "vocabulary_size": len(tokenizer),
        "n_merges": len(run.training.steps),
        "special_tokens": tokenizer.special_tokens,
        "n_pretokens": run.n_pretokens,
        "n_sources": len(run.sources),
        "n_text_bytes": n_bytes,
        "n_skipped": run.skipped.n_skipped,
        "stages": stage_facts(run.stages),
        "report": None if report is None else str(report),
    }


def _rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    text = f"{format_bytes(facts['n_text_bytes'])} in {counted(facts['n_sources'], 'file')}"
    return [
        ("tokenizer", facts["folder"]),
        (
            "vocabulary size",
            f"{facts['vocabulary_size']:,}: {counted(facts['n_merges'], 'merge')}, 256 bytes, "
            f"{counted(len(facts['special_tokens']), 'special token')}",
        ),
        ("text", f"{text}, {counted(facts['n_pretokens'], 'distinct pretoken')}"),
        *stage_rows(facts["stages"]),
        *([("report", facts["report"])] if facts["report"] else []),
    ]


def _estimate(
    corpus: list[str], options: "BpeOptions", documents: "DocumentOptions", out: Path, threads: int | None
) -> dict[str, Any]:
    from tokenloom.jobs.estimate_training import estimate_training

    estimate = estimate_training(corpus, options=options, documents=documents, n_threads=threads)
    return {
        "dry_run": True,
        "folder": str(out),
        "n_sources": len(estimate.sources),
        "n_file_bytes": estimate.n_file_bytes,
        "n_text_bytes": estimate.n_text_bytes,
        "n_sample_bytes": estimate.n_sample_bytes,
        "count_seconds": estimate.count_seconds,
        "merge_seconds": estimate.merge_seconds,
        "seconds": estimate.seconds,
        "sources": [{"name": source.name, "n_file_bytes": source.n_file_bytes} for source in estimate.sources],
    }


def _dry_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (
            "would read",
            f"{counted(facts['n_sources'], 'file')}, {format_bytes(facts['n_file_bytes'])} on the disk, "
            f"about {format_bytes(facts['n_text_bytes'])} of text",
        ),
        (
            "would take",
            f"about {format_seconds(facts['seconds'])}: {format_seconds(facts['count_seconds'])} counting, "
            f"{format_seconds(facts['merge_seconds'])} merging; judged by {format_bytes(facts['n_sample_bytes'])}",
        ),
        ("would write", f"{facts['folder']}; nothing was written"),
    ]
