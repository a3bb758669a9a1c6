"""`tokenloom convert`: a tokenizer as the file of another library."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from tokenloom.cli.options import TOKENIZER_HELP, AsJson, Config
from tokenloom.cli.output import print_facts, print_json, printable
from tokenloom.wording import counted, format_bytes

if TYPE_CHECKING:
    from tokenloom.jobs.convert import Conversion, Difference

__all__ = ["EXAMPLE", "convert"]

EXAMPLE: Final = "tokenloom convert my-tokenizer --to tokenizer.json --out tokenizer.json"


def convert(
    tokenizer: Annotated[Path, typer.Argument(metavar="TOKENIZER", help=TOKENIZER_HELP)],
    to: Annotated[
        Literal["tokenizer.json", "tiktoken", "sentencepiece", "gpt2", "subword-nmt"],
        typer.Option(help="The kind of file; gpt2 is vocab.json and merges.txt."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="The new file, or for gpt2 a folder.")],
    allow_differences: Annotated[
        bool, typer.Option("--allow-differences", help="Leave out what the file cannot hold; needs --text.")
    ] = False,
    text: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Compare on this text, line by line; repeat it for more."),
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Write a tokenizer as the file of another library.

    The file is read again and gives the same ids, or it is refused with the reason. With --allow-differences it is
    written as near as can be, and the documents of --text that have other ids are counted.
    """
    del config
    from tokenloom.jobs.convert import convert as run_convert

    done = run_convert(tokenizer, to=to, out=out, allow_differences=allow_differences, texts=text or [])
    if as_json:
        print_json(_json(done))
    else:
        print_facts(_rows(done))


def _json(done: "Conversion") -> dict[str, Any]:
    return {
        "files": [str(path) for path in done.paths],
        "n_bytes": done.n_bytes,
        "is_exact": not done.differences,
        "differences": list(done.differences),
        "n_generated": done.n_generated,
        "n_docs": done.n_docs,
        "n_different": done.n_different,
        "different_share": done.n_different / done.n_docs if done.n_docs else None,
        "first_difference": _difference_json(done.first) if done.first else None,
    }


def _difference_json(first: "Difference") -> dict[str, Any]:
    shown = {"document": first.document, "text": first.text.decode(errors="backslashreplace")}
    return shown | {"ids_before": list(first.before), "ids_after": list(first.after)}


def _rows(done: "Conversion") -> list[tuple[str, str]]:
    rows = [("written", "\n".join(map(str, done.paths)) + f" ({format_bytes(done.n_bytes)})")]
    if done.differences:
        rows.append(("differs", "\n".join(done.differences)))
    else:
        rows.append(("exact", f"read again; same ids on {counted(done.n_generated, 'generated text')}"))
    if done.n_docs:
        share = f"{done.n_different / done.n_docs:.2%}"
        rows.append(("measured", f"{done.n_different:,} of {counted(done.n_docs, 'document')} differ ({share})"))
    if done.first:
        lines = [f"document {done.first.document:,}, {printable(done.first.text)}"]
        lines += [f"ids before {list(done.first.before)}", f"ids after  {list(done.first.after)}"]
        rows.append(("first", "\n".join(lines)))
    return rows
