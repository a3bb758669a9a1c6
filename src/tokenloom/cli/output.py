"""What verbs print: one JSON document, or facts and tables line by line; all of it on standard output."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import typer

from tokenloom.wording import counted, format_bytes, format_seconds

if TYPE_CHECKING:
    from tokenloom.corpus import SkippedRecords
    from tokenloom.jobs.measure import Stage

__all__ = [
    "one_line",
    "print_facts",
    "print_json",
    "print_table",
    "printable",
    "stage_facts",
    "stage_rows",
    "warn_of_skipped",
]

_MOST_EXAMPLES: Final = 5


def print_json(value: Any) -> None:
    """One JSON document, in ASCII: so it is whole in every locale and holds no character that moves a cursor."""
    typer.echo(json.dumps(value, indent=2))


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Names and what they have, in two columns; a value of several lines keeps its column."""
    rows = list(facts)
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        first, *others = value.split("\n")
        typer.echo(one_line(f"{name:<{width}}  {first}").rstrip())
        for line in others:
            typer.echo(one_line(f"{'':<{width}}  {line}").rstrip())


def print_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns of numbers, and what they belong to in the last one; nothing is cut, however narrow the terminal."""
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)][:-1]
    for *cells, last in (names, *rows):
        typer.echo("  ".join([*(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)), last]).rstrip())


def stage_facts(stages: Iterable["Stage"]) -> list[dict[str, Any]]:
    """Time and memory of the stages of a job, for JSON."""
    return [
        {
            "name": stage.name,
            "seconds": stage.seconds,
            "bytes_per_second": stage.bytes_per_second or None,
            "peak_bytes": stage.peak_bytes,
        }
        for stage in stages
    ]


def stage_rows(stages: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    """The same for people, one fact a stage."""
    rows = []
    for stage in stages:
        rate, peak = stage["bytes_per_second"], stage["peak_bytes"]
        parts = [
            format_seconds(stage["seconds"]),
            f"{format_bytes(rate)}/s" if rate else "",
            f"at most {format_bytes(peak)} of memory" if peak is not None else "",
        ]
        rows.append((stage["name"], ", ".join(filter(None, parts))))
    return rows


def warn_of_skipped(skipped: "SkippedRecords") -> None:
    """Say on standard error what `--on-error skip` left out."""
    if not skipped.n_skipped:
        return
    typer.echo(f"warning: {counted(skipped.n_skipped, 'broken record')} left out:", err=True)
    for example in skipped.examples[:_MOST_EXAMPLES]:
        typer.echo(f"  {one_line(example)}", err=True)
    if skipped.n_skipped > _MOST_EXAMPLES:
        typer.echo(f"  ... and {skipped.n_skipped - _MOST_EXAMPLES:,} more", err=True)


def one_line(text: str) -> str:
    r"""A text from outside, such as a file name, without what would break a line or command a terminal.

    >>> one_line("a\x1b[31m\n é.txt")
    'a\\x1b[31m\\n é.txt'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def printable(token: bytes) -> str:
    r"""Token bytes as a person reads them: text in quotes, or bytes where they are no whole characters.

    >>> printable(b" the"), printable(b"\xe4\xbd")
    ("' the'", "b'\\xe4\\xbd'")
    """
    try:
        return repr(token.decode())
    except UnicodeDecodeError:
        return repr(token)
