"""Our own format: a folder that holds a tokenizer completely.

    tokenizer.tloom   envelope of kind "tokenizer": header {"spec": the canonical JSON of the spec}, and the sections
                      token_bytes, token_offsets and merges
    provenance.json   how it came to be, a JSON object that is free for the caller
    ...               the files of `EXPORTS`, for other libraries; one that cannot hold the tokenizer is left out
    manifest.json     lengths and checksums of all, written last

Everything that decides ids is in the first file; two folders with the same tokenizer have the same first file. Loading
reads and verifies the first two files alone, so that whoever edits an export, such as `tokenizer_config.json`, can
still load; `verify_folder` checks all.
"""

import os
import reprlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tokenloom.errors import FormatError, FormatWarning, SpecError, SpecialTokenError, StorageError
from tokenloom.formats.gpt2 import MERGES, VOCAB
from tokenloom.spec import TokenizerSpec
from tokenloom.storage import decode_envelope, encode_envelope, read_folder, write_folder
from tokenloom.storage.atomic import folder_errors, is_temporary, set_aside
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.storage.manifest import BESIDE, MANIFEST, WORK_FOLDER, manifest_kind
from tokenloom.wording import warn_caller

__all__ = ["claim", "decode_spec", "encode_spec", "is_saved", "load", "load_with_provenance", "save"]

KIND: Final = "tokenizer"
TOKENIZER: Final = "tokenizer.tloom"
PROVENANCE: Final = "provenance.json"
_VERSION: Final = (1, 0)
_SCORES: Final = "scores"
_SECTIONS: Final = ("token_bytes", "token_offsets", "merges", _SCORES)
"""The last one is written where there are scores."""

PathLike = str | os.PathLike[str]


def save(spec: TokenizerSpec, folder: PathLike, *, provenance: Mapping[str, Any] | None = None) -> None:
    """Save a tokenizer as a folder, or replace the tokenizer in an existing one.

    Args:
        spec: the tokenizer.
        folder: is created if needed; a folder that holds anything but a tokenizer is refused.
        provenance: free values that JSON can hold; saved beside the tokenizer, no part of its fingerprint. What
            `load_any` notes of a `tokenizer.json`, its truncation and padding, is written into the new one.
    Raises: StorageError if the folder is refused or cannot be written; it then is what it was.
    Warns: FormatWarning, after all is written, for each export that is left out because it cannot hold the tokenizer;
        one from an earlier save is removed.

    >>> import tempfile
    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [])
    >>> folder = tempfile.mkdtemp()
    >>> save(spec, folder, provenance={"corpus": "none"})
    >>> load_with_provenance(folder) == (spec, {"corpus": "none"})
    True
    """
    target = Path(folder)
    files = {TOKENIZER: encode_spec(spec), PROVENANCE: _provenance_json(target, dict(provenance or {}))}
    refusals = []
    for names, contents in _exports(spec, provenance or {}):
        if isinstance(contents, FormatError):
            refusals.append(f"{str(target)!r}: saved without {' and '.join(names)}. {contents}")
        else:
            files |= zip(names, contents, strict=True)
    claim(target)
    with set_aside(target / name for name in sorted(_exported_names().difference(files))):
        write_folder(target, files, kind=KIND)
    for refusal in refusals:
        warn_caller(refusal, FormatWarning)


def encode_spec(spec: TokenizerSpec) -> bytes:
    """The content of `tokenizer.tloom`: a tokenizer in one file, with checksums.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [], ["<|end|>"])
    >>> decode_spec(encode_spec(spec), source="memory") == spec
    True
    """
    header = {"spec": parse_canonical(spec.config_json().encode("ascii"))}
    sections = [(name, data) for name in _SECTIONS if (data := getattr(spec, name)) or name != _SCORES]
    return encode_envelope(kind=KIND, version=_VERSION, header=header, sections=sections)


def decode_spec(data: bytes, *, source: str) -> TokenizerSpec:
    """The inverse of `encode_spec`.

    Args:
        data: the whole content.
        source: where it comes from, named in errors.
    Raises: FormatError if it is damaged, from a newer tokenloom, or something else.
    """
    envelope = decode_envelope(data, source=source, kind=KIND, major=_VERSION[0])
    try:
        config_json = canonical_json(envelope.header["spec"]).decode("ascii")
        sections = {_SCORES: b"", **envelope.sections}
        arrays = {name: sections[name] for name in _SECTIONS}
        return TokenizerSpec.from_config(config_json, **arrays)
    except KeyError as error:
        raise FormatError(f"{source!r}: it has no part {error}. Save the tokenizer again.") from error
    except (SpecError, SpecialTokenError) as error:
        raise FormatError(f"{source!r}: {error}") from error


def load(folder: PathLike) -> TokenizerSpec:
    """Load a tokenizer from its folder; see `load_with_provenance`."""
    return load_with_provenance(folder)[0]


def is_saved(path: PathLike) -> bool:
    """Whether a folder holds what `save` writes, or a part of it; a `manifest.json` alone may be anybody's."""
    return os.path.exists(os.path.join(path, TOKENIZER)) or manifest_kind(Path(path)) is not None


def load_with_provenance(folder: PathLike) -> tuple[TokenizerSpec, dict[str, Any]]:
    """Load a tokenizer and the values saved beside it, after verifying every byte of the two files.

    The folder is read once, so both are of the same save even if a writer is at work.

    Raises: StorageError if the folder is missing, incomplete or changed; FormatError if it is from a newer tokenloom,
        or verifies and yet holds something else than `save` writes.
    """
    target = Path(folder)
    if not (target / MANIFEST).exists() and (target / VOCAB).is_file() and (target / MERGES).is_file():
        raise StorageError(
            f"{str(target)!r}: it has no {MANIFEST}, but GPT-2's {VOCAB} and {MERGES}. "
            "Read these with Tokenizer.from_files(vocab_path, merges_path)."
        )
    files = read_folder(target, kind=KIND, names=(TOKENIZER, PROVENANCE))
    for name in (TOKENIZER, PROVENANCE):
        if name not in files:
            raise StorageError(f"{str(target)!r}: its manifest lists no {name!r}. Save the tokenizer again.")
    spec = decode_spec(files[TOKENIZER], source=str(target / TOKENIZER))
    return spec, _parsed_provenance(files[PROVENANCE], source=str(target / PROVENANCE))


def _parsed_provenance(data: bytes, *, source: str) -> dict[str, Any]:
    try:
        provenance = parse_canonical(data)
    except ValueError as error:
        raise FormatError(f"{source!r}: it is no canonical JSON ({error}). Save the tokenizer again.") from error
    if not isinstance(provenance, dict):
        raise FormatError(
            f"{source!r}: it holds {reprlib.repr(provenance)}, not an object of names and values. "
            "Save the tokenizer again."
        )
    return provenance


def _provenance_json(folder: Path, provenance: dict[str, Any]) -> bytes:
    try:
        return canonical_json(provenance)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(
            f"{str(folder / PROVENANCE)!r}: the provenance has a value that JSON cannot hold ({error}). "
            "Use strings, finite numbers, lists and dicts."
        ) from error


def claim(folder: Path) -> None:
    """Make a folder ready for `save`: create it, or check that it holds a tokenizer at most and can be written.

    Clears what a kill left behind. Long work that ends with `save` calls this first, so that it is not done in vain.
    Raises: StorageError if the folder cannot be used.
    """
    with folder_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        names = sorted(entry.name for entry in folder.iterdir())
    ours = {TOKENIZER, PROVENANCE, WORK_FOLDER, *BESIDE}
    if is_saved(folder):  # else a tokenizer.json or a manifest.json is somebody else's
        ours |= {MANIFEST, *_exported_names()}
    others = [name for name in names if name not in ours and not is_temporary(name)]
    if others:
        raise StorageError(
            f"{str(folder)!r}: it holds other files, the first is {others[0]!r}. Choose a new or empty folder."
        )
    if manifest_kind(folder) not in {None, KIND}:
        raise StorageError(f"{str(folder)!r}: it holds a {manifest_kind(folder)!r}. Choose a new or empty folder.")
    for name in filter(is_temporary, names):
        (folder / name).unlink(missing_ok=True)


def _exported_names() -> frozenset[str]:
    from tokenloom.formats.exports import EXPORTS

    return frozenset(name for export in EXPORTS.values() for name in export.names)


def _exports(
    spec: TokenizerSpec, provenance: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], tuple[bytes, ...] | FormatError]]:
    """Names and contents of the exports, or why they cannot be written."""
    from tokenloom.formats.exports import EXPORTS  # reading our own form needs none of it

    for export in EXPORTS.values():
        try:
            yield export.names, export.render(spec, provenance)
        except FormatError as error:
            yield export.names, error
