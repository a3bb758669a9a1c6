"""`tokenloom count`: how many tokens a text has, by file and in all."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from tokenloom.cli import options as shared
from tokenloom.cli.output import one_line, print_json, print_table, warn_of_skipped
from tokenloom.cli.progress import reported

if TYPE_CHECKING:
    from tokenloom.jobs.count import CorpusCount, SourceCount

__all__ = ["EXAMPLE", "count"]

EXAMPLE: Final = "tokenloom count data/*.txt --tokenizer my-tokenizer"


def count(
    tokenizer: shared.TokenizerFolder,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATHS", help="Files, folders or quoted patterns. Default, or -: standard input."),
    ] = None,
    special: Annotated[
        Literal["plain", "parse", "refuse"],
        typer.Option(help="Special tokens in the text: ordinary text, one token each, or an error."),
    ] = "plain",
    document_format: shared.DocumentFormat = "auto",
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
    """Count tokens, bytes and documents, like wc.

    Bytes are those of the documents: decompressed, without separators, and of JSONL the text alone.
    """
    del config
    documents = shared.document_options(
        document_format=document_format,
        document_separator=document_separator,
        text_field=text_field,
        compression=compression,
        storage_option=storage_option,
        on_error=on_error,
    )
    result = _counted(paths, tokenizer, documents, special, threads, quiet)
    warn_of_skipped(result.skipped)
    if as_json:
        print_json(_json(result))
    else:
        _print(result)


def _counted(
    paths: list[str] | None,
    folder: Path,
    documents: Any,
    special: Literal["plain", "parse", "refuse"],
    threads: int | None,
    is_quiet: bool,
) -> "CorpusCount":
    from tokenloom.jobs.count import count_corpus, count_stream
    from tokenloom.tokenizer import Tokenizer

    tokenizer = Tokenizer.load(folder)
    if not paths or paths == ["-"]:
        return count_stream(
            sys.stdin.buffer, tokenizer=tokenizer, documents=documents, special_text=special, n_threads=threads
        )
    with reported(is_quiet=is_quiet) as progress:
        return count_corpus(
            paths,
            tokenizer=tokenizer,
            documents=documents,
            special_text=special,
            n_threads=threads,
            progress=progress,
        )


def _json(result: "CorpusCount") -> dict[str, Any]:
    return {
        **_row(result.total),
        "sources": [{"name": source.name, **_row(source)} for source in result.sources],
        "n_skipped": result.skipped.n_skipped,
        "skipped": result.skipped.examples,
    }


def _row(source: "SourceCount") -> dict[str, Any]:
    return {
        "n_tokens": source.n_tokens,
        "n_bytes": source.n_bytes,
        "n_docs": source.n_docs,
        "bytes_per_token": source.n_bytes / source.n_tokens if source.n_tokens else None,
    }


def _print(result: "CorpusCount") -> None:
    rows = [*result.sources, result.total] if len(result.sources) > 1 else list(result.sources)
    print_table(
        ("tokens", "bytes", "documents", ""),
        [(f"{row.n_tokens:,}", f"{row.n_bytes:,}", f"{row.n_docs:,}", one_line(row.name)) for row in rows],
    )
