"""`tokenloom merge-counts`: counts that were made apart, added."""

import re
from pathlib import Path
from typing import Annotated, Final

import typer

from tokenloom.cli import options as shared
from tokenloom.cli.config import run_settings
from tokenloom.cli.count_pretokens import count_facts, count_rows
from tokenloom.cli.output import print_facts, print_json
from tokenloom.cli.progress import reported
from tokenloom.cli.run_file import write_run_file

__all__ = ["EXAMPLE", "merge_counts"]

EXAMPLE: Final = "tokenloom merge-counts counts-en counts-zh --multiplier counts-zh=3 --out counts"

_NUMBER: Final = re.compile("0*[1-9][0-9]{0,19}")
"""No more digits than the largest number has."""

_Counts = Annotated[
    list[str],
    typer.Argument(metavar="COUNTS", help="Folders that count-pretokens wrote, or count files, in their order."),
]
_Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the sum: new, empty, or that of this merge.")]
_Multipliers = Annotated[
    list[str] | None,
    typer.Option("--multiplier", metavar="COUNTS=N", help="How often the text of one counts. Repeat it for more."),
]


def merge_counts(
    ctx: typer.Context,
    counts: _Counts,
    out: _Out,
    multiplier: _Multipliers = None,
    as_json: shared.AsJson = False,
    quiet: shared.Quiet = False,
    config: shared.Config = None,
) -> None:
    """Add counts of pretokens that were made apart.

    The result is that of counting all the text in one run, in the order of the arguments.
    """
    del config
    from tokenloom.jobs.count_pretokens import merge_counts as run_merge

    with reported(is_quiet=quiet) as progress:
        run = run_merge(counts, out=out, multipliers=_multipliers(multiplier or []), progress=progress)
    write_run_file(out, "merge-counts", run_settings(ctx))
    if as_json:
        print_json(count_facts(run))
    else:
        print_facts(count_rows(count_facts(run)))


def _multipliers(options: list[str]) -> dict[str, int]:
    from tokenloom.trainers import MOST_COUNTED

    found = {}
    for option in options:
        name, _, times = option.rpartition("=")
        if not name or not _NUMBER.fullmatch(times):
            raise typer.BadParameter(
                f"--multiplier {option!r}: does not fit. Write COUNTS=N with N from 1 to {MOST_COUNTED:,}."
            )
        if name in found:
            raise typer.BadParameter(f"--multiplier {option!r}: these counts have one already. Give each one.")
        found[name] = int(times)
    return found
