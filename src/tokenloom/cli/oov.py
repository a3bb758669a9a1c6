"""`tokenloom oov`: how much of held-out text closed vocabularies do not know."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from tokenloom.cli import options as shared
from tokenloom.cli.normalizing import NormalizerOption
from tokenloom.cli.output import print_json, print_table
from tokenloom.cli.progress import reported
from tokenloom.wording import counted

if TYPE_CHECKING:
    from tokenloom.jobs.oov import OovTable
    from tokenloom.metrics import UnknownShares

__all__ = ["EXAMPLE", "oov"]

EXAMPLE: Final = "tokenloom oov train/ --held-out test.txt --sizes 1000,10000,100000"

_HeldOut = Annotated[
    list[str],
    typer.Option("--held-out", metavar="PATH", help="The other text: a file, a folder or a pattern. Repeat it."),
]
_Sizes = Annotated[
    str | None,
    typer.Option(metavar="N,N,...", help="Tokens of the vocabularies. Default: 100, 300, 1,000 and so on, up to all."),
]
_Unit = Annotated[
    Literal["words", "characters", "both"],
    typer.Option(help="What a token is: runs of word characters, or one."),
]
_Report = Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write tables and curves as one page.")]


def oov(
    corpus: shared.Corpus,
    held_out: _HeldOut,
    sizes: _Sizes = None,
    unit: _Unit = "both",
    normalizer: NormalizerOption = None,
    report: _Report = None,
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
    """Say how much of a text is unknown words, by vocabulary.

    Of vocabularies of the commonest words, or characters, of a corpus, by size: unknown tokens, unknown
    distinct ones, and characters in them, of text that was held out.
    """
    del config
    from tokenloom.jobs.oov import oov_tables
    from tokenloom.spec import normalizer_of

    documents = shared.document_options(
        document_format=document_format,
        document_separator=document_separator,
        text_field=text_field,
        compression=compression,
        storage_option=storage_option,
        on_error=on_error,
    )
    asked = _sizes_of(sizes)
    with reported(is_quiet=quiet) as progress:
        tables = oov_tables(
            corpus,
            held_out,
            units=("words", "characters") if unit == "both" else (unit,),
            sizes=asked,
            normalizer=normalizer_of(normalizer),
            documents=documents,
            n_threads=threads,
            progress=progress,
        )
    if report is not None:
        _write(tables, report)
    _print(tables, as_json=as_json)


def _sizes_of(sizes: str | None) -> list[int] | None:
    if sizes is None:
        return None
    parts = sizes.split(",")
    if not all(part.isascii() and part.strip().isdigit() for part in parts):
        raise typer.BadParameter(f"--sizes {sizes!r} are no numbers. Write some with commas, such as 100,1000.")
    return [int(part) for part in parts]


def _write(tables: "tuple[OovTable, ...]", path: Path) -> None:
    from tokenloom.jobs.reports.oov_page import oov_page
    from tokenloom.storage import atomic_write

    with atomic_write(path) as file:
        file.write(oov_page(tables).html().encode())


def _print(tables: "tuple[OovTable, ...]", *, as_json: bool) -> None:
    if as_json:
        print_json([_facts(table) for table in tables])
        return
    for number, table in enumerate(tables):
        typer.echo(
            f"{chr(10) if number else ''}{table.unit}: {table.n_known:,} distinct, {table.n_once:,} of them once"
        )
        names = ("vocabulary size", "unknown tokens", "unknown types", "unknown characters", "")
        print_table(names, [_row(row) for row in table.rows])
    _say_unreached(tables)


def _row(row: "UnknownShares") -> tuple[str, ...]:
    shares = (row.token_share, row.type_share, row.char_share)
    shown = ("-" if share is None else f"{share:.2%}" for share in shares)
    return (f"{row.n_tokens:,}", *shown, "all" if row.vocab_size is None else "")


def _say_unreached(tables: "tuple[OovTable, ...]") -> None:
    """Say on standard error which sizes were larger than the text has tokens for."""
    for table in tables:
        n_over = sum(row.vocab_size is not None and row.vocab_size > row.n_tokens for row in table.rows)
        if n_over:
            typer.echo(f"{table.unit}: {counted(n_over, 'size')} above all that the text has.", err=True)


def _facts(table: "OovTable") -> dict[str, Any]:
    return {
        "unit": table.unit,
        "n_known": table.n_known,
        "n_once": table.n_once,
        "rows": [
            {
                "vocab_size": row.vocab_size,
                "n_tokens": row.n_tokens,
                "n_unknown": row.n_unknown,
                "n_all": row.n_all,
                "n_unknown_types": row.n_unknown_types,
                "n_types": row.n_types,
                "n_unknown_chars": row.n_unknown_chars,
                "n_chars": row.n_chars,
                "token_share": row.token_share,
                "type_share": row.type_share,
                "char_share": row.char_share,
            }
            for row in table.rows
        ],
    }
