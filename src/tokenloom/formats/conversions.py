"""Files that a tokenizer is converted to: how each is written, read back, and what is left out where that is allowed.

A file that cannot hold a tokenizer is refused by its writer, which says why. Where differences are allowed, the parts
that it has no room for are left out, if without them there is still a tokenizer of that kind.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from tokenloom.errors import FormatError, TokenloomError
from tokenloom.formats import gpt2, subword_nmt, tiktoken
from tokenloom.formats.exports import settings_of
from tokenloom.formats.gpt2 import MERGES, VOCAB, read_gpt2, write_gpt2
from tokenloom.formats.hf_json import HF_JSON, read_hf_json, write_hf_json
from tokenloom.formats.lost_parts import PARTS, Part
from tokenloom.formats.sentencepiece import SENTENCEPIECE, read_sentencepiece, write_sentencepiece
from tokenloom.formats.subword_nmt import read_subword_nmt, write_subword_nmt
from tokenloom.formats.tiktoken import RANKS, read_tiktoken, write_tiktoken
from tokenloom.spec import AddedToken, BpeModel, Pretokenizer, TokenizerSpec

__all__ = ["TARGETS", "Target", "TargetName", "nearest_spec"]

TargetName = Literal["tokenizer.json", "tiktoken", "sentencepiece", "gpt2", "subword-nmt"]


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of file to convert to.

    Args:
        summary: one line for people.
        names: the usual names of its files; several stand in a folder.
        write: writes a tokenizer to its files, in the order of `names`; also takes its provenance.
        read: reads them again. What the files do not say is taken from the tokenizer that was written.
        keeps_ids: whether the files say which id a token has.
        lacks: what it has no room for.
    """

    summary: str
    names: tuple[str, ...]
    write: Callable[[TokenizerSpec, Sequence[Path], Mapping[str, Any]], None]
    read: Callable[[Sequence[Path], TokenizerSpec], TokenizerSpec]
    keeps_ids: bool
    lacks: tuple[Part, ...]


def _specials(spec: TokenizerSpec) -> dict[str, int]:
    return {added.content: added.id for added in spec.special_tokens}


def _read_codes(paths: Sequence[Path], spec: TokenizerSpec) -> TokenizerSpec:
    """With the characters that no merge has."""
    characters = {token.decode().removesuffix("</w>") for token in spec.vocabulary().values()}
    letters = "".join(sorted(character for character in characters if len(character) == 1))
    return read_subword_nmt(paths[0], unk_token=spec.bpe.unk_token, characters=letters)


TARGETS: Final[dict[TargetName, Target]] = {
    "tokenizer.json": Target(
        summary="the file of tokenizers and transformers",
        names=(HF_JSON,),
        write=lambda spec, paths, known: write_hf_json(spec, paths[0], settings=settings_of(spec, known)),
        read=lambda paths, _: read_hf_json(paths[0]),
        keeps_ids=True,
        lacks=(),
    ),
    "tiktoken": Target(
        summary="a rank file; pattern and special tokens are passed beside it",
        names=(RANKS,),
        write=lambda spec, paths, _: write_tiktoken(spec, paths[0]),
        read=lambda paths, spec: read_tiktoken(paths[0], pattern=spec.pretokenizer, special_tokens=_specials(spec)),
        keeps_ids=True,
        lacks=tiktoken.LACKS,
    ),
    "sentencepiece": Target(
        summary="a model file of SentencePiece",
        names=(SENTENCEPIECE,),
        write=lambda spec, paths, _: write_sentencepiece(spec, paths[0]),
        read=lambda paths, _: read_sentencepiece(paths[0]),
        keeps_ids=True,
        lacks=(),
    ),
    "gpt2": Target(
        summary="vocab.json and merges.txt; special tokens are named beside them",
        names=(VOCAB, MERGES),
        write=lambda spec, paths, _: write_gpt2(spec, *paths),
        read=lambda paths, spec: read_gpt2(paths[0], paths[1], list(_specials(spec))),
        keeps_ids=True,
        lacks=gpt2.LACKS,
    ),
    "subword-nmt": Target(
        summary="a code file, which has merges of characters and no ids",
        names=("codes.txt",),
        write=lambda spec, paths, _: write_subword_nmt(spec, paths[0]),
        read=_read_codes,
        keeps_ids=False,
        lacks=subword_nmt.LACKS,
    ),
}
"""By the name that `tokenloom convert --to` takes."""


def _without_flags(spec: TokenizerSpec) -> TokenizerSpec:
    return replace(spec, added_tokens=tuple(AddedToken(added.content, added.id) for added in spec.added_tokens))


def _with_gpt2_pattern(spec: TokenizerSpec) -> TokenizerSpec:
    return replace(spec, pretokenizer=Pretokenizer("gpt2"))


_WITHOUT: Final[Mapping[Part, Callable[[TokenizerSpec], TokenizerSpec]]] = {
    "normalizer": lambda spec: replace(spec, normalizer=None),
    "flags": _without_flags,
    "postprocessor": lambda spec: replace(spec, postprocessor=None),
    "ignore_merges": lambda spec: replace(spec, model=replace(spec.bpe, ignore_merges=False)),
    "other pretokenizers": _with_gpt2_pattern,
    "sequence": _with_gpt2_pattern,
    "custom pattern": _with_gpt2_pattern,
}
"""What makes a tokenizer without a part. Characters do not become bytes, nor ranks merges."""

_INSTEAD: Final[Mapping[Part, str]] = {
    "other pretokenizers": "GPT-2's pattern in the place of ",
    "sequence": "GPT-2's pattern in the place of ",
    "custom pattern": "GPT-2's pattern in the place of ",
}


def nearest_spec(spec: TokenizerSpec, target: Target) -> tuple[TokenizerSpec, list[str]]:
    """A tokenizer without the parts that a kind of file has no room for, and in words what differs.

    A rank file also says by ids what merges say by their order. Where that is another tokenizer, it is this one.
    Raises: FormatError if such a file would be no tokenizer any more.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [], pretokenizer=Pretokenizer("o200k"))
    >>> near, words = nearest_spec(spec, TARGETS["gpt2"])
    >>> near.pretokenizer.type, words
    ('gpt2', ["GPT-2's pattern in the place of pretokenizer 'o200k'"])
    """
    near, words = spec, list[str]()
    for part in target.lacks:
        found = PARTS[part](near)
        if found is None:
            continue
        if part not in _WITHOUT:
            kind = " with ".join(target.names)
            raise FormatError(f"{kind}: no such file is near a tokenizer with {found}. Convert to another format.")
        near = _WITHOUT[part](near)
        words.append(_INSTEAD.get(part, "without ") + found)
    if target is TARGETS["tiktoken"] and isinstance(near.model, BpeModel) and near.model.semantics == "merges":
        try:
            tiktoken.render_tiktoken(near)
        except FormatError as error:
            near = replace(near, model=BpeModel("ranks"), merges=b"")
            words.append(f"ranks in the place of merges ({_reason(error)})")
    return near, words


def _reason(error: TokenloomError) -> str:
    """What a writer says, without the name of the file and the remedy."""
    return str(error).partition(f"{os.fspath(RANKS)}: ")[2].removesuffix(". Use another format.")
