"""Where a tokenizer comes from and goes to: descriptions, and files of ours and of other libraries.

What is needed for that takes longer to import than a packed file to load, so each function imports its own.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tokenloom import _core
from tokenloom.errors import FormatError, SpecError, SpecialTokenError
from tokenloom.tokenizer.options import PathLike, RunOptions, check_path

if TYPE_CHECKING:
    from tokenloom.spec import PatternName, Pretokenizer, TokenizerSpec
    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["load", "load_pretrained", "new_spec", "read_files", "save", "save_files", "save_packed", "truncated"]


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
    path_or_name: PathLike, options: RunOptions
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


_PUBLISHED: Final = (
    ("tokenizer.json",),
    ("tekken.json",),
    ("tokenizer.model",),
    ("vocab.json", "merges.txt"),
    ("vocab.txt",),
)
"""The files of a repository that hold a tokenizer, the one that says most first."""


def load_pretrained(
    name: PathLike,
    options: RunOptions,
    *,
    revision: str | None,
    cache_dir: PathLike | None,
    token: str | bool | None,
    local_files_only: bool,
) -> tuple[_core.Pipeline, Callable[[], "tuple[TokenizerSpec, Mapping[str, Any]]"]]:
    """A core, and what gives its description and its provenance; see `Tokenizer.from_pretrained`.

    Tried are `tokenizer.json`, `tekken.json`, `tokenizer.model`, `vocab.json` with `merges.txt`, and `vocab.txt`, in
    this order. `revision` is a branch, a tag or a commit, None the main branch; `cache_dir` and `token` are those of
    `huggingface_hub`. The provenance tells the name and the commit.
    """
    from tokenloom.storage.hub import hub_commit, hub_files

    if os.path.exists(check_path(name)):
        return load(name, options)
    files = hub_files(
        os.fspath(name),
        _PUBLISHED,
        revision=revision,
        cache_dir=cache_dir,
        token=token,
        local_files_only=local_files_only,
    )
    core, described = load(files[0] if len(files) == 1 else files[0].parent, options)
    spec, provenance = described()
    hub = {"name": os.fspath(name), "commit": hub_commit(files[0])}
    return core, lambda: (spec, {**provenance, "hub": hub})


def _loaded_spec(path_or_name: PathLike) -> "tuple[TokenizerSpec, Mapping[str, Any]]":
    from tokenloom.formats import native

    if native.is_saved(path_or_name):
        return native.load_with_provenance(path_or_name)
    from tokenloom.formats.detect import load_any  # what reads other formats takes its time to import

    return load_any(path_or_name)


def read_files(
    vocab_path: PathLike,
    merges_path: PathLike,
    special_tokens: Sequence[str] | None,
    pattern: "PatternName | Pretokenizer | None",
) -> "TokenizerSpec":
    """The description in two files; see `Tokenizer.from_files`."""
    from tokenloom.formats import read_gpt2

    return read_gpt2(check_path(vocab_path), check_path(merges_path), special_tokens, pattern=pattern)


def save(self: "Tokenizer", folder: PathLike) -> None:
    """Write the tokenizer into a folder, which is made if needed; an older tokenizer there is replaced.

    Beside our files lie those of others: for `tokenizers` and `transformers` `tokenizer.json` and
    `tokenizer_config.json` (`AutoTokenizer.from_pretrained(folder)`), for `tiktoken` `tokenizer.tiktoken`.
    Raises: StorageError if the folder holds other files or cannot be written.
    Warns: FormatWarning for a file of theirs that would give other ids, and is not written for that reason.
    """
    from tokenloom.formats import native

    native.save(self.spec, check_path(folder), provenance=dict(self.provenance))


def save_packed(self: "Tokenizer", path: PathLike) -> None:
    """Write one file, which `load` maps in a fraction of the time of others; see `formats.write_packed`."""
    from tokenloom.formats import write_packed

    write_packed(self.spec, check_path(path), provenance=dict(self.provenance))


def save_files(self: "Tokenizer", vocab_path: PathLike, merges_path: PathLike) -> None:
    """Write GPT-2's `vocab.json` and `merges.txt`; what they cannot hold but special tokens is a FormatError."""
    from tokenloom.formats import write_gpt2

    write_gpt2(self.spec, check_path(vocab_path), check_path(merges_path))


def truncated(self: "Tokenizer", vocabulary_size: int) -> "Tokenizer":
    """A tokenizer with fewer merges: the one that the same training with this vocabulary size gives.

    All bytes and special tokens stay, reserved ones too; ids are renumbered without holes, in their order. Options and
    provenance stay, with a note `"truncated_from"`. Raises: SpecError if it is too few for that, or too many.

    >>> from tokenloom import train
    >>> smaller = train(["the cat in the hat"], 260, ["<|end|>"], pattern=None).truncated(258)
    >>> smaller.vocabulary[256], smaller.special_tokens
    (b'th', {'<|end|>': 257})
    """
    from tokenloom.spec import truncated_spec

    spec, provenance, options = self.spec, self.provenance, self._options
    note = {"fingerprint": spec.fingerprint, "n_ids": spec.n_ids}
    if "truncated_from" in provenance:
        note["truncated_from"] = provenance["truncated_from"]
    return type(self).from_spec(
        truncated_spec(spec, vocabulary_size),
        special_text=options.special_text,
        surrogates=options.surrogates,
        cache_bytes=options.cache_bytes,
        provenance={**provenance, "truncated_from": note},
    )
