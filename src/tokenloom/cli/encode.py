"""`tokenloom encode`: from files to a folder of token shards."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from tokenloom.cli import options as shared
from tokenloom.cli.config import run_settings
from tokenloom.cli.output import print_facts, print_json, stage_facts, stage_rows, warn_of_skipped
from tokenloom.cli.progress import reported
from tokenloom.cli.run_file import write_run_file
from tokenloom.wording import counted, format_bytes, format_seconds

if TYPE_CHECKING:
    from tokenloom.corpus import DocumentOptions
    from tokenloom.jobs.encode import EncodeOptions, EncodeRun
    from tokenloom.tokenizer import Tokenizer

__all__ = ["EXAMPLE", "encode"]

EXAMPLE: Final = "tokenloom encode data/ --tokenizer my-tokenizer --out my-shards --end-of-document '<|endoftext|>'"

_PANEL: Final = "Shards"
_LEAST_SECONDS: Final = 1.0
"""Below it a rate says how long starting takes, and no estimate is made of it."""
_SHORT_SECONDS: Final = 5.0

_Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the shards: new, empty, or that of this run.")]
_EndOfDocument = Annotated[
    str | None,
    typer.Option(metavar="TOKEN", help="A special token to put behind each document.", rich_help_panel=_PANEL),
]
_BeginOfDocument = Annotated[
    str | None,
    typer.Option(metavar="TOKEN", help="A special token to put before each document.", rich_help_panel=_PANEL),
]
_ShardTokens = Annotated[int, typer.Option(min=1, metavar="N", help="Tokens of each shard.", rich_help_panel=_PANEL)]
_Dtype = Annotated[
    Literal["auto", "uint16", "uint32"],
    typer.Option(help="auto takes uint16 for a vocabulary of up to 65,536.", rich_help_panel=_PANEL),
]
_SpecialText = Annotated[
    Literal["plain", "parse"],
    typer.Option(help="Special tokens in the text: ordinary text, or one token each.", rich_help_panel=_PANEL),
]


def encode(
    ctx: typer.Context,
    corpus: shared.Corpus,
    tokenizer: shared.TokenizerFolder,
    out: _Out,
    end_of_document: _EndOfDocument = None,
    begin_of_document: _BeginOfDocument = None,
    shard_tokens: _ShardTokens = 100_000_000,
    dtype: _Dtype = "auto",
    special: _SpecialText = "plain",
    document_format: shared.DocumentFormat = "auto",
    document_separator: shared.DocumentSeparator = None,
    text_field: shared.TextField = "text",
    compression: shared.Compression = "auto",
    storage_option: shared.StorageOption = None,
    on_error: shared.OnError = "stop",
    report: shared.WithReport = True,
    threads: shared.Threads = None,
    as_json: shared.AsJson = False,
    quiet: shared.Quiet = False,
    dry_run: shared.DryRun = False,
    config: shared.Config = None,
) -> None:
    """Turn text into token shards, ready for training a model.

    A run that was stopped goes on where it was when the same command is given again. OUT/run.toml records the options.
    """
    del config
    from tokenloom.jobs.encode import EncodeOptions
    from tokenloom.tokenizer import Tokenizer

    documents = shared.document_options(
        document_format=document_format,
        document_separator=document_separator,
        text_field=text_field,
        compression=compression,
        storage_option=storage_option,
        on_error=on_error,
    )
    options = EncodeOptions(
        shard_tokens=shard_tokens,
        dtype=dtype,
        end_of_document=end_of_document,
        begin_of_document=begin_of_document,
        special_text=special,
    )
    loaded = Tokenizer.load(tokenizer)
    if dry_run:
        facts = _estimate(corpus, loaded, documents, options, out, threads)
    else:
        facts = _encode(corpus, loaded, documents, options, out, threads, has_report=report, is_quiet=quiet)
        write_run_file(out, "encode", run_settings(ctx))
    if as_json:
        print_json(facts)
    else:
        print_facts(_dry_rows(facts) if dry_run else _rows(facts))


def _encode(
    corpus: list[str],
    tokenizer: "Tokenizer",
    documents: "DocumentOptions",
    options: "EncodeOptions",
    out: Path,
    threads: int | None,
    *,
    has_report: bool,
    is_quiet: bool,
) -> dict[str, Any]:
    from tokenloom.jobs.encode import encode_corpus
    from tokenloom.jobs.reports import write_encode_report

    with reported(is_quiet=is_quiet) as progress:
        run = encode_corpus(
            corpus,
            tokenizer=tokenizer,
            out=out,
            documents=documents,
            options=options,
            n_threads=threads,
            progress=progress,
        )
    warn_of_skipped(run.skipped)
    return _facts(run, len(tokenizer), write_encode_report(run, n_threads=threads) if has_report else None)


def _facts(run: "EncodeRun", vocabulary_size: int, report: Path | None) -> dict[str, Any]:
    rate = run.bytes_per_second
    return {
        "folder": str(run.folder),
        "n_docs": run.shards.n_docs,
        "n_tokens": run.shards.n_tokens,
        "n_text_bytes": run.shards.header.n_text_bytes,
        "dtype": run.shards.dtype,
        "vocabulary_size": vocabulary_size,
        "n_shards": len(run.shards.header.shards),
        "n_special_tokens_in_text": dict(run.shards.header.n_special_tokens),
        "special_text": run.shards.header.special_text,
        "was_complete": run.was_complete,
        "n_resumed_tokens": run.n_resumed_tokens,
        "n_skipped": run.skipped.n_skipped,
        "stages": stage_facts(run.stages),
        "bytes_per_second": rate or None,
        "pile_hours": _pile_hours(rate, sum(stage.seconds for stage in run.stages)),
        "report": None if report is None else str(report),
    }


def _pile_hours(rate: float, seconds: float) -> float | None:
    """Hours for The Pile at a throughput that was measured for so long; None if that is too short to tell."""
    from tokenloom.jobs.estimate import PILE_BYTES

    return PILE_BYTES / rate / 3600 if rate and seconds >= _LEAST_SECONDS else None


def _rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    ratio = f", {facts['n_text_bytes'] / facts['n_tokens']:.2f} bytes per token" if facts["n_tokens"] else ""
    rows = [
        ("shards", f"{facts['folder']}: {counted(facts['n_shards'], 'shard')}{_history(facts)}"),
        ("documents", f"{facts['n_docs']:,}"),
        ("tokens", f"{facts['n_tokens']:,}{ratio}"),
        ("type of ids", _why_dtype(facts["dtype"], facts["vocabulary_size"])),
    ]
    met = facts["n_special_tokens_in_text"]
    if any(met.values()):
        words = "read as ordinary text" if facts["special_text"] == "plain" else "one token each"
        rows.append(("special tokens", f"{sum(met.values()):,} in the text, {words}"))
    rows += stage_rows(facts["stages"])
    if facts["pile_hours"]:
        rate = f"{format_bytes(facts['bytes_per_second'])}/s"
        rows.append(("The Pile", f"825 GB would take {_hours(facts['pile_hours'])} at {rate}{_caution(facts)}"))
    return rows + ([("report", facts["report"])] if facts["report"] else [])


def _caution(facts: dict[str, Any]) -> str:
    """A rate is not to be trusted that a few milliseconds of start-up decide."""
    seconds = facts["stages"][-1]["seconds"]
    return f", judged by no more than {format_seconds(seconds)}" if seconds < _SHORT_SECONDS else ""


def _history(facts: dict[str, Any]) -> str:
    if facts["was_complete"]:
        return ", complete already: nothing was left to do"
    return f", the first {facts['n_resumed_tokens']:,} tokens from an earlier run" if facts["n_resumed_tokens"] else ""


def _why_dtype(dtype: str, vocabulary_size: int) -> str:
    from tokenloom.tokenizer import MOST_UINT16_IDS

    if dtype == "uint16":
        return f"uint16, 2 bytes: all ids of a vocabulary of {vocabulary_size:,} are below {MOST_UINT16_IDS:,}"
    if vocabulary_size > MOST_UINT16_IDS:
        return f"uint32, 4 bytes: uint16 has room for {MOST_UINT16_IDS:,} ids, the vocabulary has {vocabulary_size:,}"
    return f"uint32, 4 bytes, as asked for: uint16 would hold a vocabulary of {vocabulary_size:,} too"


def _rounded(n: int) -> str:
    """A number of which three digits are known."""
    return f"{int(float(f'{n:.3g}')):,}"


def _hours(hours: float) -> str:
    return f"{hours:,.2f} hours" if hours < 10 else f"{hours:,.0f} hours"


def _estimate(
    corpus: list[str],
    tokenizer: "Tokenizer",
    documents: "DocumentOptions",
    options: "EncodeOptions",
    out: Path,
    threads: int | None,
) -> dict[str, Any]:
    from tokenloom.jobs.estimate import estimate_encoding

    result = estimate_encoding(corpus, tokenizer=tokenizer, documents=documents, options=options, n_threads=threads)
    return {
        "dry_run": True,
        "folder": str(out),
        "n_sources": result.n_files,
        "n_text_bytes": result.n_text_bytes,
        "n_sample_bytes": result.n_sampled_bytes,
        "n_docs": result.n_docs,
        "n_tokens": result.n_tokens,
        "dtype": result.dtype,
        "vocabulary_size": len(tokenizer),
        "disk_bytes": result.disk_bytes,
        "seconds": result.seconds,
        "pile_hours": _pile_hours(result.n_text_bytes / result.seconds if result.seconds else 0.0, result.seconds),
    }


def _dry_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("would read", f"{counted(facts['n_sources'], 'file')}, about {format_bytes(facts['n_text_bytes'])} of text"),
        ("would make", f"about {_rounded(facts['n_tokens'])} tokens in {counted(facts['n_docs'], 'document')}"),
        ("type of ids", _why_dtype(facts["dtype"], facts["vocabulary_size"])),
        ("would take", f"about {format_seconds(facts['seconds'])}; judged by {format_bytes(facts['n_sample_bytes'])}"),
        ("would write", f"about {format_bytes(facts['disk_bytes'])} into {facts['folder']}; nothing was written"),
    ]
