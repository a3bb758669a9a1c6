"""Which format a path holds, and the tokenizer in it: one door for all that can be read.

A folder is looked through for the usual file names; a file is known by how it begins, whatever its name is. What is no
path may be the name of a published encoding.
"""

import os
from pathlib import Path
from typing import Any, Final

from tokenloom.errors import CorpusError, FormatError, StorageError
from tokenloom.formats import native, packed
from tokenloom.formats.contents import Kind, find_kind
from tokenloom.formats.encodings import ENCODINGS
from tokenloom.formats.gpt2 import MERGES, VOCAB, read_published_gpt2
from tokenloom.formats.hf_json import HF_JSON, parse_hf_json
from tokenloom.formats.published import find_rank_file
from tokenloom.formats.sentencepiece import SENTENCEPIECE, parse_sentencepiece
from tokenloom.formats.subword_nmt import parse_subword_nmt
from tokenloom.formats.tekken import TEKKEN, parse_tekken
from tokenloom.formats.tiktoken import parse_published, parse_tiktoken
from tokenloom.formats.vocab_txt import VOCAB_TXT, read_vocab_txt
from tokenloom.spec import TokenizerSpec
from tokenloom.storage import has_entry, read_input
from tokenloom.storage.manifest import MANIFEST
from tokenloom.wording import quoted

__all__ = ["load_any"]

PathLike = str | os.PathLike[str]

_RANKS: Final = ".tiktoken"
_KINDS: Final[dict[str, Kind]] = {
    HF_JSON: "hf_json",
    TEKKEN: "tekken",
    _RANKS: "tiktoken",
    SENTENCEPIECE: "sentencepiece",
    ".model": "sentencepiece",
}
"""What names and endings lead one to expect."""


def load_any(path_or_name: PathLike) -> tuple[TokenizerSpec, dict[str, Any]]:
    """A tokenizer and its provenance.

    Args:
        path_or_name: a folder or a packed file of ours; a folder with `tokenizer.json`, `tekken.json`,
            `tokenizer.model`, GPT-2's own `vocab.json` and `merges.txt`, or BERT's `vocab.txt`; one of the first two
            files, a model file of SentencePiece, a rank file of tiktoken, a code file of subword-nmt, or a `vocab.txt`
            whose folder says whether letters become small; or the name of a published encoding, such as "cl100k_base",
            whose rank file is looked for on this machine (`published.py`).
    Raises: StorageError for a folder that holds none of them; CorpusError for a file that is missing; FormatError
        naming the file and the place.
    """
    path = Path(path_or_name)
    if os.path.isdir(path):
        return _load_folder(path)
    if not os.path.lexists(path) and path.parent == Path():
        if path.name in ENCODINGS:
            return _load_published(path.name)
        names = ", ".join(map(repr, ENCODINGS))
        raise CorpusError(
            f"{quoted(str(path_or_name))}: there is no such file or folder here, and no published encoding of that "
            f"name. Check the path, or use one of {names}."
        )
    return _load_file(path)


def _load_folder(folder: Path) -> tuple[TokenizerSpec, dict[str, Any]]:
    if native.is_saved(folder):
        return native.load_with_provenance(folder)
    for name in (HF_JSON, TEKKEN, SENTENCEPIECE):
        if has_entry(folder, name):
            return _load_file(folder / name)
    if has_entry(folder, VOCAB) and has_entry(folder, MERGES):
        return read_published_gpt2(folder / VOCAB, folder / MERGES), {"format": "gpt2", "file": VOCAB}
    if has_entry(folder, VOCAB_TXT):
        return _load_file(folder / VOCAB_TXT)
    if rank_files := _rank_files(folder):
        raise StorageError(f"{str(folder)!r}: it holds the rank file {rank_files[0]!r}. Name that file.")
    raise StorageError(
        f"{str(folder)!r}: it has no {native.TOKENIZER} with {MANIFEST}, {HF_JSON}, {TEKKEN}, {SENTENCEPIECE}, or "
        f"{VOCAB} with {MERGES}. Name a folder with a tokenizer, or its file."
    )


def _rank_files(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(_RANKS))
    except OSError:  # it may be entered and not listed
        return []


def _load_published(name: str) -> tuple[TokenizerSpec, dict[str, Any]]:
    path = find_rank_file(name)
    return parse_tiktoken(read_input(path), place=str(path), name=name), {"format": "tiktoken", "encoding": name}


def _load_file(path: Path) -> tuple[TokenizerSpec, dict[str, Any]]:
    if packed.is_packed(path):
        return packed.read_packed(path)
    data, place = read_input(path), str(path)
    if path.name == native.TOKENIZER:
        raise StorageError(f"{place!r}: it is one file of a tokenizer folder. Name the folder.")
    if path.name in (VOCAB, MERGES) and has_entry(path.parent, VOCAB) and has_entry(path.parent, MERGES):
        raise FormatError(
            f"{place}: it is one of two files, {VOCAB} and {MERGES}. Name their folder if they are GPT-2's own, or use "
            "Tokenizer.from_files(vocab_path, merges_path, pattern=...)."
        )
    if path.name == VOCAB_TXT:
        return read_vocab_txt(path), {"format": "vocab_txt", "file": path.name}
    kind = find_kind(data, place=place, expected=_KINDS.get(path.name) or _KINDS.get(path.suffix))
    if kind == "subword_nmt":
        codes, version = parse_subword_nmt(data, place=place)
        return codes, {"format": "subword_nmt", "file": path.name, "version": version}
    if kind == "sentencepiece":
        return parse_sentencepiece(data, place=place), {"format": "sentencepiece", "file": path.name}
    if kind == "tekken":
        return parse_tekken(data, place=place), {"format": "tekken", "file": path.name}
    if kind == "hf_json":
        spec, settings = parse_hf_json(data, place=place)
        return spec, {"format": "hf_json", "file": path.name} | settings
    spec, name = parse_published(data, place=place)
    return spec, {"format": "tiktoken", "file": path.name, "encoding": name}
