"""`tokenloom demo`: the main job on real text, with what came out and how fast."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenloom.cli.progress import reported
from tokenloom.cli.units import format_bytes
from tokenloom.jobs.demo import DEMO_VOCABULARY_SIZE, Demo
from tokenloom.jobs.demo import demo as run_demo
from tokenloom.wording import counted

__all__ = ["demo"]

_N_LONGEST = 10
_N_MERGES = 30
_NARROW = 72
"""Columns of a terminal below which the table of merges leaves something out."""


def demo(
    path: Annotated[
        Path | None, typer.Argument(help="A text file, or a folder of files. Default: Python's standard library.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for what is left behind: OUT/tokenizer.")] = Path("tokenloom-demo"),
    vocab_size: Annotated[
        int, typer.Option(help="Tokens in all: 256 bytes, merges and one special token.")
    ] = DEMO_VOCABULARY_SIZE,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads to use. Default: one a core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Train on real text, encode all of it, decode it back byte for byte, and say how fast."""
    with reported(Console(stderr=True)) as progress:
        result = run_demo(path, out=out / "tokenizer", vocab_size=vocab_size, n_threads=threads, progress=progress)
    if as_json:
        typer.echo(json.dumps(_summary(result), indent=2))
    else:
        _print(result, Console(highlight=False))


def _summary(result: Demo) -> dict[str, Any]:
    return {
        "source": result.source,
        "n_files": result.n_files,
        "n_bytes": result.n_bytes,
        "n_tokens": result.n_tokens,
        "n_pretokens": result.n_pretokens,
        "vocabulary_size": len(result.tokenizer),
        "bytes_per_token": result.n_bytes / result.n_tokens if result.n_tokens else None,
        "longest_tokens": [_token(token) for token in _longest_tokens(result)],
        "stages": [
            {
                "name": stage.name,
                "seconds": stage.seconds,
                "bytes_per_second": stage.bytes_per_second or None,
                "peak_bytes": stage.peak_bytes,
            }
            for stage in result.stages
        ],
        "first_merges": [
            {
                "left": _token(step.left),
                "right": _token(step.right),
                "n_pairs": step.n_pairs,
                "n_tokens": step.n_tokens,
            }
            for step in result.training.steps[:_N_MERGES]
        ],
        "folder": str(result.folder),
    }


def _token(token: bytes) -> dict[str, str]:
    """Token bytes for JSON: as text, with U+FFFD for parts of characters, and exactly."""
    return {"text": token.decode(errors="replace"), "hex": token.hex()}


def _longest_tokens(result: Demo) -> list[bytes]:
    merged = [step.left + step.right for step in result.training.steps]
    return sorted(merged, key=lambda token: (-len(token), token))[:_N_LONGEST]


def _print(result: Demo, console: Console) -> None:
    ratio = f"{result.n_bytes / result.n_tokens:.2f}" if result.n_tokens else "undefined"
    lines = [
        f"{result.source}: {counted(result.n_files, 'file')}, {format_bytes(result.n_bytes)}",
        f"vocabulary       {len(result.tokenizer):,} tokens, from {counted(result.n_pretokens, 'distinct pretoken')}",
        f"bytes per token  {ratio} ({counted(result.n_tokens, 'token')})",
        "longest tokens",
        *(f"  {len(token):>4} bytes  {_shown(token)}" for token in _longest_tokens(result)),
        "",
    ]
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    console.print(_merge_table(result, is_narrow=console.width < _NARROW))
    console.print()
    console.print(_stage_table(result))
    console.print()
    console.print("All files came back byte for byte.")
    folder = str(result.folder)
    console.print(Text(f"Tokenizer saved; read it with tokenloom.Tokenizer.load({folder!r})."), soft_wrap=True)


def _merge_table(result: Demo, *, is_narrow: bool) -> Table:
    """The first merges; where there is little room, without the two parts of each token."""
    steps = result.training.steps[:_N_MERGES]
    table = Table(title=f"First {counted(len(steps), 'merge')}", title_justify="left", box=None, pad_edge=False)
    columns = {
        "merge": [str(rank) for rank in range(len(steps))],
        "left": [_shown(step.left) for step in steps],
        "right": [_shown(step.right) for step in steps],
        "token": [_shown(step.left + step.right) for step in steps],
        "count": [f"{step.n_pairs:,}" for step in steps],
        "tokens left": [f"{step.n_tokens:,}" for step in steps],
    }
    chosen = {name: cells for name, cells in columns.items() if not (is_narrow and name in ("left", "right"))}
    for name in chosen:
        table.add_column(name, justify="left" if name in ("left", "right", "token") else "right", no_wrap=True)
    for row in zip(*chosen.values(), strict=True):
        table.add_row(*map(Text, row))
    return table


def _stage_table(result: Demo) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("stage", "seconds", "throughput", "peak memory"):
        table.add_column(name, justify="left" if name == "stage" else "right", no_wrap=True)
    for stage in result.stages:
        rate = f"{format_bytes(stage.bytes_per_second)}/s" if stage.n_bytes else ""
        peak = format_bytes(stage.peak_bytes) if stage.peak_bytes is not None else "unknown"
        table.add_row(stage.name, f"{stage.seconds:.2f}", rate, peak)
    return table


def _shown(token: bytes) -> str:
    """Token bytes as a person reads them: text in quotes, or bytes where they are no whole characters."""
    try:
        return repr(token.decode())
    except UnicodeDecodeError:
        return repr(token)
