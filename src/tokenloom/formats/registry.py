"""The formats that are written and read, by name: being in the list enrols a format in the contract tests."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from tokenloom.formats import gpt2, native, tiktoken
from tokenloom.formats.gpt2 import MERGES, VOCAB, read_gpt2, write_gpt2
from tokenloom.formats.hf_json import HF_JSON, read_hf_json, write_hf_json
from tokenloom.formats.lost_parts import Part
from tokenloom.formats.packed import PACKED, read_packed, write_packed
from tokenloom.formats.tiktoken import RANKS, read_tiktoken, write_tiktoken
from tokenloom.spec import TokenizerSpec

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to keep a tokenizer in a folder.

    Args:
        summary: one line for people.
        save: writes a spec into a folder, under the usual file names.
        load: reads it back. What the files do not say is taken from GPT-2.
        keeps_special_tokens: whether the files say which tokens are special; if not, they come back as ordinary ones
            or not at all.
        lacks: parts of a tokenizer that it has no room for; one that has them is refused (see `lost_parts`).
        semantics: what a tokenizer that is read has; one with other semantics is written if both give the same ids.
    """

    summary: str
    save: Callable[[TokenizerSpec, Path], None]
    load: Callable[[Path], TokenizerSpec]
    keeps_special_tokens: bool
    lacks: tuple[Part, ...]
    semantics: Literal["merges", "ranks", "any"]


FORMATS: Final[dict[str, Format]] = {
    "gpt2": Format(
        summary="GPT-2's vocab.json and merges.txt",
        save=lambda spec, folder: write_gpt2(spec, folder / VOCAB, folder / MERGES),
        load=lambda folder: read_gpt2(folder / VOCAB, folder / MERGES),
        keeps_special_tokens=False,
        lacks=gpt2.LACKS,
        semantics="merges",
    ),
    "hf_json": Format(
        summary="tokenizer.json of tokenizers and transformers",
        save=lambda spec, folder: write_hf_json(spec, folder / HF_JSON),
        load=lambda folder: read_hf_json(folder / HF_JSON),
        keeps_special_tokens=True,
        lacks=(),
        semantics="merges",
    ),
    "native": Format(
        summary="a tokenloom folder, complete and verified",
        save=native.save,
        load=native.load,
        keeps_special_tokens=True,
        lacks=(),
        semantics="any",
    ),
    "packed": Format(
        summary="one file of ours that is mapped and not read",
        save=lambda spec, folder: write_packed(spec, folder / PACKED),
        load=lambda folder: read_packed(folder / PACKED)[0],
        keeps_special_tokens=True,
        lacks=(),
        semantics="any",
    ),
    "tiktoken": Format(
        summary="the rank file of tiktoken",
        save=lambda spec, folder: write_tiktoken(spec, folder / RANKS),
        load=lambda folder: read_tiktoken(folder / RANKS, pattern="gpt2"),
        keeps_special_tokens=False,
        lacks=tiktoken.LACKS,
        semantics="ranks",
    ),
}
