"""`tokenloom demo`: the main job on real text, with what came out and how fast."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tokenloom.cli.options import AsJson, Config, Quiet, Threads
from tokenloom.cli.output import print_facts, print_json, print_table, printable, stage_facts
from tokenloom.cli.progress import reported
from tokenloom.jobs.demo import DEMO_VOCABULARY_SIZE, Demo
from tokenloom.jobs.demo import demo as run_demo
from tokenloom.wording import counted, format_bytes

__all__ = ["EXAMPLE", "demo"]

EXAMPLE: Final = "tokenloom demo ~/texts --out my-demo"

_N_LONGEST: Final = 10
_N_MERGES: Final = 30


def demo(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="PATH", help="A file, or a folder of files. Default: Python's standard library."),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for what is left behind: tokenizer, shards, report.html.")
    ] = Path("tokenloom-demo"),
    vocab_size: Annotated[
        int, typer.Option(metavar="N", help="Tokens in all: 256 bytes, merges and one special token.")
    ] = DEMO_VOCABULARY_SIZE,
    threads: Threads = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Train on real text, encode and decode it, with speeds.

    All of it must come back byte for byte. What an earlier demonstration left in DIR is replaced.
    """
    del config
    with reported(is_quiet=quiet) as progress:
        result = run_demo(path, out=out, vocab_size=vocab_size, n_threads=threads, progress=progress)
    if as_json:
        print_json(_facts(result))
    else:
        _print(_facts(result))


def _facts(result: Demo) -> dict[str, Any]:
    shards, training = result.encoding.shards, result.training
    n_bytes, n_tokens = shards.header.n_text_bytes, shards.n_tokens
    merged = sorted(
        (step.left + step.right for step in training.training.steps), key=lambda token: (-len(token), token)
    )
    return {
        "source": result.source,
        "n_files": len(result.sources),
        "n_docs": shards.n_docs,
        "n_bytes": n_bytes,
        "n_tokens": n_tokens,
        "n_pretokens": training.n_pretokens,
        "vocabulary_size": len(training.tokenizer),
        "bytes_per_token": n_bytes / n_tokens if n_tokens else None,
        "longest_tokens": [_token(token) for token in merged[:_N_LONGEST]],
        "stages": stage_facts(result.stages),
        "first_merges": [
            {
                "left": _token(step.left),
                "right": _token(step.right),
                "n_pairs": step.n_pairs,
                "n_tokens": step.n_tokens,
            }
            for step in training.training.steps[:_N_MERGES]
        ],
        "folder": str(training.folder),
        "shards": str(result.encoding.folder),
        "report": str(result.report),
    }


def _token(token: bytes) -> dict[str, str]:
    """Token bytes for JSON: as text, with U+FFFD for parts of characters, and exactly."""
    return {"text": token.decode(errors="replace"), "hex": token.hex()}


def _print(facts: dict[str, Any]) -> None:
    ratio = facts["bytes_per_token"]
    longest = [bytes.fromhex(token["hex"]) for token in facts["longest_tokens"]]
    pretokens = counted(facts["n_pretokens"], "distinct pretoken")
    rows = [
        ("text", f"{facts['source']}: {counted(facts['n_files'], 'file')}, {format_bytes(facts['n_bytes'])}"),
        ("vocabulary", f"{facts['vocabulary_size']:,} tokens, from {pretokens}"),
        ("bytes per token", f"{'undefined' if ratio is None else f'{ratio:.2f}'} ({facts['n_tokens']:,} tokens)"),
        ("longest tokens", "\n".join(f"{len(token):>4} bytes  {printable(token)}" for token in longest)),
    ]
    print_facts(rows)
    typer.echo(f"\nFirst {counted(len(facts['first_merges']), 'merge')}")
    print_table(
        ("merge", "count", "tokens left", "token"), [_merge_row(*row) for row in enumerate(facts["first_merges"])]
    )
    typer.echo()
    print_table(("seconds", "throughput", "peak memory", "stage"), [_stage_row(stage) for stage in facts["stages"]])
    typer.echo("\nAll files came back byte for byte. Look at what is there:")
    for command in (f"inspect {facts['folder']}", f"show 'Hello, world' --tokenizer {facts['folder']}"):
        typer.echo(f"  tokenloom {command}")
    typer.echo(f"  {facts['report']}")


def _merge_row(rank: int, merge: dict[str, Any]) -> tuple[str, str, str, str]:
    left, right = (printable(bytes.fromhex(merge[side]["hex"])) for side in ("left", "right"))
    return str(rank), f"{merge['n_pairs']:,}", f"{merge['n_tokens']:,}", f"{left} + {right}"


def _stage_row(stage: dict[str, Any]) -> tuple[str, str, str, str]:
    rate, peak = stage["bytes_per_second"], stage["peak_bytes"]
    return (
        f"{stage['seconds']:.2f}",
        f"{format_bytes(rate)}/s" if rate else "",
        format_bytes(peak) if peak is not None else "unknown",
        stage["name"],
    )
