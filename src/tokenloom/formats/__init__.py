"""File formats: each translates between files of a folder and a `TokenizerSpec`.

`FORMATS` lists by name those that are written and read, `EXPORTS` those that are only written so far; being in a list
enrols a format in the contract tests.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tokenloom.formats import native
from tokenloom.formats.exports import EXPORTS
from tokenloom.formats.gpt2 import MERGES, VOCAB, read_gpt2, write_gpt2
from tokenloom.formats.hf_json import write_hf_json
from tokenloom.formats.tiktoken import write_tiktoken
from tokenloom.spec import TokenizerSpec

__all__ = [
    "EXPORTS",
    "FORMATS",
    "Format",
    "native",
    "read_gpt2",
    "write_gpt2",
    "write_hf_json",
    "write_tiktoken",
]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to keep a tokenizer in a folder.

    Args:
        summary: one line for people.
        save: writes a spec into a folder, under the usual file names.
        load: reads it back.
        keeps_special_tokens: whether the files say which tokens are special; if not, they come back as ordinary ones.
    """

    summary: str
    save: Callable[[TokenizerSpec, Path], None]
    load: Callable[[Path], TokenizerSpec]
    keeps_special_tokens: bool


FORMATS: Final[dict[str, Format]] = {
    "gpt2": Format(
        summary="GPT-2's vocab.json and merges.txt",
        save=lambda spec, folder: write_gpt2(spec, folder / VOCAB, folder / MERGES),
        load=lambda folder: read_gpt2(folder / VOCAB, folder / MERGES),
        keeps_special_tokens=False,
    ),
    "native": Format(
        summary="a tokenloom folder, complete and verified",
        save=native.save,
        load=native.load,
        keeps_special_tokens=True,
    ),
}
