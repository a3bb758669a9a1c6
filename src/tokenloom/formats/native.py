"""Our own format: a folder that holds a tokenizer completely.

    tokenizer.tloom   envelope of kind "tokenizer": header {"spec": the canonical JSON of the spec}, and the sections
                      token_bytes, token_offsets and merges
    provenance.json   how it came to be, a JSON object that is free for the caller
    manifest.json     lengths and checksums of the two, written last

Everything that decides ids is in the first file; two folders with the same tokenizer have the same first file.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tokenloom.errors import FormatError, SpecError, SpecialTokenError, StorageError
from tokenloom.spec import TokenizerSpec
from tokenloom.storage import decode_envelope, encode_envelope, read_folder, write_folder
from tokenloom.storage.atomic import is_temporary
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.storage.manifest import MANIFEST, manifest_kind

__all__ = ["load", "load_provenance", "save"]

KIND: Final = "tokenizer"
TOKENIZER: Final = "tokenizer.tloom"
PROVENANCE: Final = "provenance.json"
_VERSION: Final = (1, 0)
_SECTIONS: Final = ("token_bytes", "token_offsets", "merges")

PathLike = str | os.PathLike[str]


def save(spec: TokenizerSpec, folder: PathLike, *, provenance: Mapping[str, Any] | None = None) -> None:
    """Save a tokenizer as a folder, or replace the tokenizer in an existing one.

    Args:
        spec: the tokenizer.
        folder: is created if needed; a folder that holds anything but a tokenizer is refused.
        provenance: free values that JSON can hold; saved beside the tokenizer, no part of its fingerprint.
    Raises: StorageError if the folder is refused or cannot be written; it then is what it was, or incomplete.

    >>> import tempfile
    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [])
    >>> folder = tempfile.mkdtemp()
    >>> save(spec, folder, provenance={"corpus": "none"})
    >>> load(folder) == spec, load_provenance(folder)
    (True, {'corpus': 'none'})
    """
    target = Path(folder)
    header = {"spec": parse_canonical(spec.config_json().encode("ascii"))}
    sections = [(name, getattr(spec, name)) for name in _SECTIONS]
    files = {
        TOKENIZER: encode_envelope(kind=KIND, version=_VERSION, header=header, sections=sections),
        PROVENANCE: _provenance_json(target, dict(provenance or {})),
    }
    _claim(target)
    write_folder(target, files, kind=KIND)


def load(folder: PathLike) -> TokenizerSpec:
    """Load a tokenizer from its folder, after verifying every byte of it.

    Raises: StorageError if the folder is missing, incomplete or changed; FormatError if it is from a newer tokenloom.
    """
    source = str(Path(folder) / TOKENIZER)
    envelope = decode_envelope(_file(folder, TOKENIZER), source=source, kind=KIND, major=_VERSION[0])
    try:
        config_json = canonical_json(envelope.header["spec"]).decode("ascii")
        arrays = {name: envelope.sections[name] for name in _SECTIONS}
        return TokenizerSpec.from_config(config_json, **arrays)
    except KeyError as error:
        raise FormatError(f"{source!r}: it has no part {error}. Save the tokenizer again.") from error
    except (SpecError, SpecialTokenError) as error:
        raise FormatError(f"{source!r}: {error}") from error


def load_provenance(folder: PathLike) -> dict[str, Any]:
    """The values that were saved beside a tokenizer."""
    source = str(Path(folder) / PROVENANCE)
    try:
        provenance = parse_canonical(_file(folder, PROVENANCE))
    except ValueError as error:
        raise FormatError(f"{source!r}: it is no JSON ({error}). Save the tokenizer again.") from error
    return dict(provenance)


def _file(folder: PathLike, name: str) -> bytes:
    files = read_folder(Path(folder), kind=KIND)
    if name not in files:
        raise StorageError(f"{str(Path(folder))!r}: its manifest lists no {name}. Save the tokenizer again.")
    return files[name]


def _provenance_json(folder: Path, provenance: dict[str, Any]) -> bytes:
    try:
        return canonical_json(provenance)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(
            f"{str(folder / PROVENANCE)!r}: the provenance has a value that JSON cannot hold ({error}). "
            "Use strings, finite numbers, lists and dicts."
        ) from error


def _claim(folder: Path) -> None:
    """Make the folder ours: create it, or check that it holds a tokenizer at most; clears what a kill left behind."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise StorageError(
            f"{str(folder)!r}: no folder can be made there ({error.strerror}). Choose another place."
        ) from error
    others = [name for name in names if name not in {TOKENIZER, PROVENANCE, MANIFEST} and not is_temporary(name)]
    if others:
        raise StorageError(
            f"{str(folder)!r}: it holds other files, the first is {others[0]!r}. Choose a new or empty folder."
        )
    if manifest_kind(folder) not in {None, KIND}:
        raise StorageError(f"{str(folder)!r}: it holds a {manifest_kind(folder)!r}. Choose a new or empty folder.")
    for name in filter(is_temporary, names):
        (folder / name).unlink(missing_ok=True)
