"""The options that several verbs share, each in one place: name, type, help and the group it stands in.

A verb takes them as parameters, `threads: Threads = None`; keys of `--config FILE.toml` are the same names.
"""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from tokenloom.cli.config import apply_config

if TYPE_CHECKING:
    from tokenloom.corpus import DocumentOptions, Selection
    from tokenloom.jobs.resources import Resources

__all__ = [
    "COUNTING_PANEL",
    "TOKENIZER_HELP",
    "AsJson",
    "Compression",
    "Config",
    "Corpus",
    "DocumentFormat",
    "DocumentSeparator",
    "DryRun",
    "Limit",
    "MaxPretokenBytes",
    "MemoryLimit",
    "Mix",
    "OnError",
    "Processes",
    "Quiet",
    "Sample",
    "Seed",
    "StorageOption",
    "TextField",
    "Threads",
    "TokenizerFolder",
    "WithReport",
    "byte_count",
    "document_options",
    "exact_bytes",
    "resources_of",
    "selection_of",
    "weights_of",
]

_DOCUMENTS: Final = "Documents"
_SELECTION: Final = "Selection"
COUNTING_PANEL: Final = "Counting"
_RUN: Final = "This run"

Corpus = Annotated[
    list[str],
    typer.Argument(metavar="CORPUS", help="Files, folders, URLs, or quoted patterns such as 'data/**/*.jsonl.zst'."),
]
TOKENIZER_HELP: Final = (
    "A tokenizer folder, a packed file, tokenizer.json, tekken.json, a rank file of tiktoken, a code file of "
    "subword-nmt, or the name of a published encoding."
)
TokenizerFolder = Annotated[Path, typer.Option("--tokenizer", metavar="TOKENIZER", help=TOKENIZER_HELP)]

_Format = Literal["auto", "text", "jsonl", "parquet", "arrow"]
DocumentFormat = Annotated[
    _Format,
    typer.Option(
        "--format",
        help="auto goes by the name: .jsonl, .ndjson, .parquet, .arrow, .feather, else text.",
        rich_help_panel=_DOCUMENTS,
    ),
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
    str, typer.Option(metavar="NAME", help="The field, or the column, that holds the text.", rich_help_panel=_DOCUMENTS)
]
Compression = Annotated[
    Literal["auto", "none", "gzip", "zstd", "xz", "bzip2"],
    typer.Option(help="auto goes by the name: .gz .zst .xz .bz2.", rich_help_panel=_DOCUMENTS),
]
StorageOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="For URLs: what their store takes, such as anon=true. Not recorded. Repeat it for more.",
        rich_help_panel=_DOCUMENTS,
    ),
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


MemoryLimit = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory that tables and buffers of all processes keep to, such as 2GB or 1.5GiB. Default: no limit.",
        rich_help_panel=_RUN,
    ),
]
Processes = Annotated[int, typer.Option(min=1, metavar="N", help="Processes that count at once.", rich_help_panel=_RUN)]
MaxPretokenBytes = Annotated[
    int | None,
    typer.Option(
        min=4,
        max=65_536,
        metavar="N",
        help="Cut longer pretokens, between characters, for text without blanks: 1024, say. Default: none is cut.",
        rich_help_panel=COUNTING_PANEL,
    ),
]
Mix = Annotated[
    str | None,
    typer.Option(
        metavar="NAME=SHARE,...",
        help="Shares of the groups NAME=PATH, such as en=0.7,zh=0.3: each is counted so often.",
        rich_help_panel=_SELECTION,
    ),
]
Sample = Annotated[
    float, typer.Option(metavar="SHARE", help="Share of the documents to take, at random.", rich_help_panel=_SELECTION)
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Which sample.", rich_help_panel=_SELECTION)]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=SIZE",
        help="The most text of a group, such as web=10GB. Repeat it for more.",
        rich_help_panel=_SELECTION,
    ),
]


def selection_of(*, sample: float, seed: int, limit: list[str] | None) -> "Selection":
    """What the options of the group "Selection" say together. Raises: CorpusError for a value out of its range."""
    from tokenloom.corpus import Selection

    limits: dict[str, int] = {}
    for part in limit or ():
        group, _, size = part.rpartition("=")
        if group in limits:
            raise typer.BadParameter(f"--limit {part!r}: this group has a limit already. Give each one limit.")
        limits[group] = byte_count(size, option="--limit")
    return Selection(sample, seed, limits)


def weights_of(mix: str | None) -> dict[str, float] | None:
    """The weights of `--mix`. Raises: CorpusError saying which part is wrong."""
    from tokenloom.corpus import parse_weights

    return None if mix is None else parse_weights(mix)


def resources_of(*, memory_limit: str | None, threads: int | None, processes: int) -> "Resources":
    """What a job may take of the machine."""
    from tokenloom.jobs.resources import Resources

    limit = None if memory_limit is None else byte_count(memory_limit, option="--memory-limit")
    return Resources(limit, threads, processes)


_UNITS: Final = {"": 1, "B": 1} | {
    f"{letter}{suffix}": base**power
    for power, letter in enumerate("KMGT", 1)
    for suffix, base in (("B", 1000), ("iB", 1024))
}
_SIZE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)", re.ASCII)


def byte_count(text: str, *, option: str) -> int:
    """A number of bytes as people write it. Raises: BadParameter, which ends the command line with exit code 2.

    >>> byte_count("2GB", option="--memory-limit"), byte_count("1.5 GiB", option="--memory-limit")
    (2000000000, 1610612736)
    """
    match = _SIZE.fullmatch(text.strip())
    units = {unit.lower(): size for unit, size in _UNITS.items()}
    if not match or match[2].lower() not in units:
        raise typer.BadParameter(f"{option} {text!r}: is no number of bytes. Write one such as 512MB, 2GB or 1.5GiB.")
    return int(Fraction(match[1]) * units[match[2].lower()])


def document_options(
    *,
    document_format: _Format,
    document_separator: str | None,
    text_field: str,
    compression: Literal["auto", "none", "gzip", "zstd", "xz", "bzip2"],
    storage_option: list[str] | None,
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
        storage_options=dict(map(_storage_option, storage_option or ())),
    )


def _storage_option(option: str) -> tuple[str, Any]:
    """A name and its value: true, false, a number or another JSON value, else a text."""
    name, is_pair, value = option.partition("=")
    if not name or not is_pair:
        raise typer.BadParameter("--storage-option: one of them is no NAME=VALUE. Write one such as anon=true.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def exact_bytes(argument: str) -> bytes:
    r"""The bytes of an argument as the user gave it; what is no UTF-8 there reaches Python as surrogates.

    >>> exact_bytes("é\udcff")
    b'\xc3\xa9\xff'
    """
    return argument.encode("utf-8", "surrogateescape")
