"""Where a tokenizer comes from and goes to: descriptions, and files of ours and of other libraries.

What is needed for that takes longer to import than a packed file to load, so each function imports its own.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tokenloom import _core
from tokenloom.errors import FormatError, SpecError, SpecialTokenError
from tokenloom.tokenizer.options import RunOptions, check_path

if TYPE_CHECKING:
    from tokenloom.spec import PatternName, Pretokenizer, TokenizerSpec

__all__ = ["load", "new_spec", "read_files", "save", "save_files", "save_packed", "truncated"]

_PathLike: TypeAlias = str | os.PathLike[str]


def new_spec(
    vocab: Mapping[int, bytes],
    merges: Iterable[tuple[bytes, bytes]],
    special_tokens: Sequence[str] | None,
    pattern: "PatternName | Pretokenizer | None",
) -> "TokenizerSpec":
    """The description of a new tokenizer; see `Tokenizer`."""
    from tokenloom.spec import build_spec, pretokenizer_of

    return build_spec(vocab, merges, special_tokens, pretokenizer=pretokenizer_of(pattern))


def load(
    path_or_name: _PathLike, options: RunOptions
) -> tuple[_core.Pipeline, Callable[[], "tuple[TokenizerSpec, Mapping[str, Any]]"]]:
    """A core, and what gives its description and its provenance; see `Tokenizer.load`."""
    from tokenloom.formats import packed_file

    path_or_name = check_path(path_or_name)
    if packed_file.is_packed(path_or_name):
        texts = {"special_text": options.special_text, "surrogates": options.surrogates}
        return packed_file.open_packed(path_or_name, **texts, cache_bytes=options.cache_bytes)
    spec, provenance = _loaded_spec(path_or_name)
    try:
        return options.pipeline(spec), lambda: (spec, provenance)
    except (SpecError, SpecialTokenError) as error:
        raise FormatError(f"{str(path_or_name)!r}: {error}") from error


def _loaded_spec(path_or_name: _PathLike) -> "tuple[TokenizerSpec, Mapping[str, Any]]":
    from tokenloom.formats import native

    if native.is_saved(path_or_name):
        return native.load_with_provenance(path_or_name)
    from tokenloom.formats.detect import load_any  # what reads other formats takes its time to import

    return load_any(path_or_name)


def read_files(
    vocab_path: _PathLike,
    merges_path: _PathLike,
    special_tokens: Sequence[str] | None,
    pattern: "PatternName | Pretokenizer | None",
) -> "TokenizerSpec":
    """The description in two files; see `Tokenizer.from_files`."""
    from tokenloom.formats import read_gpt2

    return read_gpt2(check_path(vocab_path), check_path(merges_path), special_tokens, pattern=pattern)


def save(spec: "TokenizerSpec", folder: _PathLike, provenance: Mapping[str, Any]) -> None:
    """Write our own folder; see `Tokenizer.save`."""
    from tokenloom.formats import native

    native.save(spec, check_path(folder), provenance=dict(provenance))


def save_packed(spec: "TokenizerSpec", path: _PathLike, provenance: Mapping[str, Any]) -> None:
    """Write a packed file; see `Tokenizer.save_packed`."""
    from tokenloom.formats import write_packed

    write_packed(spec, check_path(path), provenance=dict(provenance))


def save_files(spec: "TokenizerSpec", vocab_path: _PathLike, merges_path: _PathLike) -> None:
    """Write GPT-2's two files; see `Tokenizer.save_files`."""
    from tokenloom.formats import write_gpt2

    write_gpt2(spec, check_path(vocab_path), check_path(merges_path))


def truncated(
    spec: "TokenizerSpec", provenance: Mapping[str, Any], vocabulary_size: int
) -> "tuple[TokenizerSpec, dict[str, Any]]":
    """A description with fewer merges, and its provenance; see `Tokenizer.truncated`."""
    from tokenloom.spec import truncated_spec

    note = {"fingerprint": spec.fingerprint, "n_ids": spec.n_ids}
    if "truncated_from" in provenance:
        note["truncated_from"] = provenance["truncated_from"]
    return truncated_spec(spec, vocabulary_size), {**provenance, "truncated_from": note}
