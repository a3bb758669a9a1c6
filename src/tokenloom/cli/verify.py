"""`tokenloom verify`: whether folders are whole, byte for byte."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tokenloom.cli.options import AsJson, Config, Quiet
from tokenloom.cli.output import print_facts, print_json
from tokenloom.cli.progress import reported
from tokenloom.errors import TokenloomError
from tokenloom.wording import counted, format_bytes

if TYPE_CHECKING:
    from tokenloom.jobs.verify import Verified

__all__ = ["EXAMPLE", "verify"]

EXAMPLE: Final = "tokenloom verify my-tokenizer my-shards"


def verify(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Tokenizer folders and shard folders.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Check that a tokenizer or shard folder is whole.

    Reads every byte. All folders are checked; if one is not whole, the exit code is 1. A tokenizer of another library,
    which has no checksums, is passed over.
    """
    del config
    rows = [_verified(folder, is_quiet=quiet) for folder in folders]
    if as_json:
        print_json(rows)
    else:
        print_facts((row["folder"], _words(row)) for row in rows if row["is_whole"] is not False)
    for row in rows:
        if row["is_whole"] is False:
            typer.echo(f"error: {row['reason']}", err=True)
    if any(row["is_whole"] is False for row in rows):
        raise typer.Exit(1)


def _verified(folder: Path, *, is_quiet: bool) -> dict[str, Any]:
    from tokenloom.jobs.verify import verify as run_verify

    try:
        with reported(is_quiet=is_quiet) as progress:
            result = run_verify(folder, progress=progress)
    except TokenloomError as error:
        return {"folder": str(folder), "is_whole": False, "reason": str(error)}
    return _facts(result)


def _facts(result: "Verified") -> dict[str, Any]:
    return {
        "folder": str(result.folder),
        "is_whole": True if result.has_checksums else None,
        "kind": result.kind,
        "n_files": result.n_files,
        "n_bytes": result.n_bytes,
        "fingerprint": result.fingerprint,
    }


def _words(row: dict[str, Any]) -> str:
    if row["is_whole"] is None:
        return f"passed over: can be read, but has no checksums to compare; fingerprint {row['fingerprint'][:12]}"
    read = f"{counted(row['n_files'], 'file')}, {format_bytes(row['n_bytes'])}"
    what = {"shards": "; every id has a token, documents follow each other"}.get(row["kind"], "")
    return f"whole ({row['kind']}): {read} equal to their checksums{what}; fingerprint {row['fingerprint'][:12]}"
