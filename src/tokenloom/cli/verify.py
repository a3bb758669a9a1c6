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
    from tokenloom.jobs.verify_counts import VerifiedMerges

__all__ = ["EXAMPLE", "verify"]

EXAMPLE: Final = "tokenloom verify my-tokenizer my-shards"

_Counts = Annotated[
    Path | None,
    typer.Option(
        metavar="COUNTS",
        help="Make the merges of the tokenizer again on what count-pretokens wrote, or on word counts, and compare.",
    ),
]
_Record = Annotated[
    Path | None, typer.Option(metavar="FILE.tlr", help="With --counts: compare this record of the training too.")
]


def verify(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Tokenizer folders and shard folders.")],
    counts: _Counts = None,
    record: _Record = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Check that a tokenizer or shard folder is whole.

    Reads every byte. All folders are checked; if one is not whole, the exit code is 1. A tokenizer of another library,
    which has no checksums, is passed over. With --counts: every merge must occur there and be the choice of the rule
    that the tokenizer was trained by.
    """
    del config
    if record is not None and counts is None:
        raise typer.BadParameter("--record is compared with counts. Add --counts, or leave it out.")
    if counts is not None and len(folders) != 1:
        raise typer.BadParameter(f"--counts are those of one tokenizer, and {len(folders)} are named. Name one.")
    rows = [_verified(folder, counts, record, is_quiet=quiet) for folder in folders]
    if as_json:
        print_json(rows)
    else:
        print_facts((row["folder"], _words(row)) for row in rows if row["is_whole"] is not False)
    for row in rows:
        if row["is_whole"] is False:
            typer.echo(f"error: {row['reason']}", err=True)
    if any(row["is_whole"] is False for row in rows):
        raise typer.Exit(1)


def _verified(folder: Path, counts: Path | None, record: Path | None, *, is_quiet: bool) -> dict[str, Any]:
    from tokenloom.jobs.verify import verify as run_verify

    try:
        with reported(is_quiet=is_quiet) as progress:
            facts = _facts(run_verify(folder, progress=progress))
            if counts is not None:
                from tokenloom.jobs.verify_counts import verify_merges

                facts["merges"] = _merge_facts(verify_merges(folder, counts, record=record, progress=progress))
    except TokenloomError as error:
        return {"folder": str(folder), "is_whole": False, "reason": str(error)}
    return facts


def _merge_facts(result: "VerifiedMerges") -> dict[str, Any]:
    return {
        "counts": str(result.counts),
        "n_merges": result.n_merges,
        "tie_break": result.tie_break,
        "record": None if result.record is None else str(result.record),
    }


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
    return "\n".join([_whole_words(row), *(_merge_words(row["merges"]) if "merges" in row else ())])


def _merge_words(facts: dict[str, Any]) -> list[str]:
    which = "each occurs" if facts["tie_break"] is None else f"each is the choice of the rule {facts['tie_break']!r}"
    words = [f"{counted(facts['n_merges'], 'merge')}, made again on {facts['counts']}: {which}"]
    if facts["record"]:
        words.append(f"counts, runners-up and tokens left are those of {facts['record']}")
    return words


def _whole_words(row: dict[str, Any]) -> str:
    if row["is_whole"] is None:
        return f"passed over: can be read, but has no checksums to compare; fingerprint {row['fingerprint'][:12]}"
    read = f"{counted(row['n_files'], 'file')}, {format_bytes(row['n_bytes'])}"
    what = {"shards": "; every id has a token, documents follow each other"}.get(row["kind"], "")
    return f"whole ({row['kind']}): {read} equal to their checksums{what}; fingerprint {row['fingerprint'][:12]}"
