"""`tokenloom decode`: from token shards, or from ids, back to text."""

import re
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from tokenloom.cli.options import Config, Quiet
from tokenloom.cli.progress import reported
from tokenloom.errors import DecodeError
from tokenloom.wording import counted

__all__ = ["EXAMPLE", "decode"]

EXAMPLE: Final = "tokenloom decode my-shards --out restored"

_ID: Final = re.compile(r"[^\s,\[\]]+")


def decode(
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="A shard folder.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Restore the files of the corpus here. Default: all text to standard output."),
    ] = None,
    tokenizer: Annotated[
        Path | None, typer.Option(metavar="TOKENIZER", help="In place of shards: a tokenizer for --ids.")
    ] = None,
    ids: Annotated[str | None, typer.Option(metavar="IDS", help='Ids to decode, such as "5 17 2".')] = None,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Turn token shards, or ids, back into text.

    Text files come back byte for byte, without their compression; of JSONL, the text of each line.
    """
    del config
    if folder is not None and ids is None and tokenizer is None:
        _decode_shards(folder, out, is_quiet=quiet)
    elif folder is None and out is None and ids is not None and tokenizer is not None:
        _decode_ids(tokenizer, ids)
    else:
        raise typer.BadParameter('Give either a shard folder, or --tokenizer DIR with --ids "1 2 3".')


def _decode_ids(folder: Path, ids: str) -> None:
    from tokenloom.tokenizer import Tokenizer

    data = Tokenizer.load(folder).decode_bytes([_id(found[0]) for found in _ID.finditer(ids)])
    sys.stdout.buffer.write(data)
    if sys.stdout.isatty() and not data.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def _id(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise DecodeError(f"ids: {text!r} is no whole number. Write ids with blanks or commas between them.") from error


def _decode_shards(folder: Path, out: Path | None, *, is_quiet: bool) -> None:
    from tokenloom.jobs.decode import decode_shards, restore_sources
    from tokenloom.shards import open as open_shards

    opened = open_shards(folder)
    is_shown = out is None and sys.stdout.isatty()  # bars would stand in the middle of the text
    with reported(is_quiet=is_quiet or is_shown) as progress:
        if out is None:
            decode_shards(opened, out=sys.stdout.buffer, progress=progress)
            sys.stdout.buffer.flush()
            return
        files = restore_sources(opened, out=out, progress=progress)
    typer.echo(f"{counted(len(files), 'file')} in {str(out)!r}.")
