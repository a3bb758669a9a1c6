"""The options that several verbs share, each in one place: name, type, help and the group it stands in.

A verb takes them as parameters, `threads: Threads = None`; keys of `--config FILE.toml` are the same names.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from tokenloom.cli.config import apply_config

if TYPE_CHECKING:
    from tokenloom.corpus import DocumentOptions

__all__ = [
    "TOKENIZER_HELP",
    "AsJson",
    "Compression",
    "Config",
    "Corpus",
    "DocumentFormat",
    "DocumentSeparator",
    "DryRun",
    "OnError",
    "Quiet",
    "TextField",
    "Threads",
    "TokenizerFolder",
    "WithReport",
    "document_options",
    "exact_bytes",
]

_DOCUMENTS: Final = "Documents"
_RUN: Final = "This run"

Corpus = Annotated[
    list[str],
    typer.Argument(metavar="CORPUS", help="Files, folders, or quoted patterns such as 'data/**/*.jsonl.zst'."),
]
TOKENIZER_HELP: Final = (
    "A tokenizer folder, a packed file, tokenizer.json, tekken.json, a rank file of tiktoken, or the name of a "
    "published encoding."
)
TokenizerFolder = Annotated[Path, typer.Option("--tokenizer", metavar="TOKENIZER", help=TOKENIZER_HELP)]

DocumentFormat = Annotated[
    Literal["auto", "text", "jsonl"],
    typer.Option("--format", help="auto goes by the name: .jsonl and .ndjson, else text.", rich_help_panel=_DOCUMENTS),
]
DocumentSeparator = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Splits text files into documents, exactly as written here. Without it, a file is one document.",
        rich_help_panel=_DOCUMENTS,
    ),
]
TextField = Annotated[
    str, typer.Option(metavar="NAME", help="The JSONL field that holds the text.", rich_help_panel=_DOCUMENTS)
]
Compression = Annotated[
    Literal["auto", "none", "gzip", "zstd", "xz", "bzip2"],
    typer.Option(help="auto goes by the name: .gz .zst .xz .bz2.", rich_help_panel=_DOCUMENTS),
]
OnError = Annotated[
    Literal["stop", "skip"],
    typer.Option(help="A broken record ends the run, or is left out and counted.", rich_help_panel=_DOCUMENTS),
]

Threads = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Threads to use. Default: one a core.", rich_help_panel=_RUN),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON document in place of tables.", rich_help_panel=_RUN)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel=_RUN)]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Say what would be done, with time and disk, and do nothing.", rich_help_panel=_RUN),
]
WithReport = Annotated[bool, typer.Option("--report/--no-report", help="Write OUT/report.html.", rich_help_panel=_RUN)]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.toml",
        help="Take options from a file, such as the run.toml of an earlier run. The command line wins.",
        callback=apply_config,
        is_eager=True,
        rich_help_panel=_RUN,
    ),
]


def document_options(
    *,
    document_format: Literal["auto", "text", "jsonl"],
    document_separator: str | None,
    text_field: str,
    compression: Literal["auto", "none", "gzip", "zstd", "xz", "bzip2"],
    on_error: Literal["stop", "skip"],
) -> "DocumentOptions":
    """What the options of the group "Documents" say together. Raises: CorpusError if they contradict each other."""
    from tokenloom.corpus import DocumentOptions

    return DocumentOptions(
        format=document_format,
        document_separator=None if document_separator is None else exact_bytes(document_separator),
        text_field=text_field,
        compression=compression,
        on_error=on_error,
    )


def exact_bytes(argument: str) -> bytes:
    r"""The bytes of an argument as the user gave it; what is no UTF-8 there reaches Python as surrogates.

    >>> exact_bytes("é\udcff")
    b'\xc3\xa9\xff'
    """
    return argument.encode("utf-8", "surrogateescape")
