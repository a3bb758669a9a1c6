"""Which format a path holds, and the tokenizer in it: one door for all that can be read.

A folder is looked through for the usual file names; a file is known by how it begins, whatever its name is. What is no
path may be the name of a published encoding.
"""

import os
from pathlib import Path
from typing import Any, Final

from tokenloom.errors import CorpusError, FormatError, StorageError
from tokenloom.formats import native
from tokenloom.formats.encodings import ENCODINGS
from tokenloom.formats.gpt2 import MERGES, VOCAB, read_gpt2
from tokenloom.formats.hf_json import HF_JSON, parse_hf_json
from tokenloom.formats.published import find_rank_file
from tokenloom.formats.tekken import TEKKEN, parse_tekken
from tokenloom.formats.tiktoken import parse_published, parse_tiktoken
from tokenloom.spec import TokenizerSpec
from tokenloom.storage import open_input
from tokenloom.storage.manifest import MANIFEST

__all__ = ["load_any"]

PathLike = str | os.PathLike[str]

_HEAD_BYTES: Final = 1 << 16
_OF_LATER: Final = {"tokenizer.model": "a SentencePiece model", "vocab.txt": "a WordPiece vocabulary"}
"""Files of formats that are not read yet."""


def load_any(path_or_name: PathLike) -> tuple[TokenizerSpec, dict[str, Any]]:
    """A tokenizer and its provenance.

    Args:
        path_or_name: a folder of ours; a folder with `tokenizer.json`, `tekken.json`, or `vocab.json` and `merges.txt`;
            one of the first two files, or a rank file of tiktoken; or the name of a published encoding, such as
            "cl100k_base", whose rank file is looked for on this machine (`published.py`).
    Raises: StorageError for a folder that holds none of them; CorpusError for a file that is missing; FormatError
        naming the file and the place.
    """
    path = Path(path_or_name)
    if path.is_dir():
        return _load_folder(path)
    if not os.path.lexists(path) and path.parent == Path():
        if path.name in ENCODINGS:
            return _load_published(path.name)
        names = ", ".join(map(repr, ENCODINGS))
        raise CorpusError(
            f"{str(path_or_name)!r}: there is no such file or folder here, and no published encoding of that name. "
            f"Check the path, or use one of {names}."
        )
    return _load_file(path)


def _load_folder(folder: Path) -> tuple[TokenizerSpec, dict[str, Any]]:
    if native.is_saved(folder):
        return native.load_with_provenance(folder)
    for name in (HF_JSON, TEKKEN):
        if (folder / name).is_file():
            return _load_file(folder / name)
    if (folder / VOCAB).is_file() and (folder / MERGES).is_file():
        return read_gpt2(folder / VOCAB, folder / MERGES), {"format": "gpt2", "file": VOCAB}
    for name, what in _OF_LATER.items():
        if (folder / name).is_file():
            raise FormatError(f"{str(folder / name)!r}: it is {what}, which is not read here. Convert it to {HF_JSON}.")
    raise StorageError(
        f"{str(folder)!r}: it has no {MANIFEST}, {HF_JSON}, {TEKKEN}, or {VOCAB} with {MERGES}. "
        "Name a folder with a tokenizer, or its file."
    )


def _load_published(name: str) -> tuple[TokenizerSpec, dict[str, Any]]:
    path = find_rank_file(name)
    with open_input(path) as file:
        spec = parse_tiktoken(file.read(), place=str(path), name=name)
    return spec, {"format": "tiktoken", "encoding": name}


def _load_file(path: Path) -> tuple[TokenizerSpec, dict[str, Any]]:
    with open_input(path) as file:
        data = file.read()
    place, head = str(path), data[:_HEAD_BYTES].lstrip()
    if path.name == native.TOKENIZER:
        raise StorageError(f"{place!r}: it is one file of a tokenizer folder. Name the folder.")
    if head.startswith(b"{") and b'"token_bytes"' in head:
        return parse_tekken(data, place=place), {"format": "tekken", "file": path.name}
    if head.startswith(b"{") or path.suffix == ".json":
        if path.name == VOCAB and (path.parent / MERGES).is_file():
            raise FormatError(f"{place}: it is one of two files, with {MERGES}. Name their folder.")
        spec, settings = parse_hf_json(data, place=place)
        return spec, {"format": "hf_json", "file": path.name} | settings
    spec, name = parse_published(data, place=place)
    return spec, {"format": "tiktoken", "file": path.name, "encoding": name}
