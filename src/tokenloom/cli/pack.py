"""`tokenloom pack`: a tokenizer as one file that loads fastest."""

from pathlib import Path
from typing import Annotated, Final

import typer

from tokenloom.cli.options import TOKENIZER_HELP, AsJson, Config
from tokenloom.cli.output import print_facts, print_json
from tokenloom.wording import counted, format_bytes

__all__ = ["EXAMPLE", "pack"]

EXAMPLE: Final = "tokenloom pack my-tokenizer --out my-tokenizer.packed"


def pack(
    tokenizer: Annotated[Path, typer.Argument(metavar="TOKENIZER", help=TOKENIZER_HELP)],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write; only another packed one is replaced.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Write a tokenizer as one file that loads fastest.

    The file is mapped and not read, and holds the whole tokenizer: every verb takes it in the place of the folder. Its
    tables are for this version of tokenloom; another one takes it too, with a warning, and builds its own.
    """
    del config
    from tokenloom.jobs.pack import pack as run_pack

    done = run_pack(tokenizer, out=out)
    if as_json:
        facts = {"n_bytes": done.n_bytes, "vocabulary_size": done.vocabulary_size, "fingerprint": done.fingerprint}
        print_json({"file": str(done.path), **facts})
        return
    what = f"{format_bytes(done.n_bytes)}, {counted(done.vocabulary_size, 'id')}; fingerprint {done.fingerprint[:12]}"
    print_facts([(str(done.path), what)])
