"""The packed form of a tokenizer: one file that is mapped and not read, with all that loading otherwise builds.

It is an envelope of kind "packed_tokenizer". The header has

    spec         the canonical JSON of the spec
    provenance   see `native.py`
    layout       the form of the tables, see below
    byte_order   "little"
    checksums    of each section, 16 hex digits; see `packed::checksum` in the core

and the sections hold numbers as little-endian uint32 (seeds and pairs uint64):

    merges       as in the spec
    arena        all token bytes in the order of ids, those of added tokens among them
    offsets      where each begins in the arena, and the end
    added_only   ids that the model never makes, ascending; without their tokens, arena and offsets are the spec's
    ...          tables of the core

What the first four say never changes within a major version; tables are for the core that wrote them. A core that
searches tables in another way has another `layout`, and builds its own from the four.

Loading compares every section with its checksum, which finds damage and costs a tenth of a SHA-256; `tokenloom verify`
compares the SHA-256 of all too, and makes the tables again. A file that is made to do harm can give ids that nobody
wants, but leads to no place outside the tables. It must not be changed in place while a tokenizer lives that was loaded
from it: the system would end the process when a part that was cut off is used. Writing replaces the file, and leaves
the old one to those who have it.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tokenloom import _core
from tokenloom.errors import FormatError, FormatWarning, SpecError, SpecialTokenError
from tokenloom.formats.packed_file import KIND, PART_OF_FOLDER, is_packed
from tokenloom.spec import TokenizerSpec
from tokenloom.spec.packing import UINT32_BYTES, pack_arena, unpack_arena, unpack_uint32
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.storage.envelope import Envelope, decode_beginning, decode_envelope, encode_envelope
from tokenloom.storage.paths import read_input
from tokenloom.wording import quoted, warn_caller

if TYPE_CHECKING:
    from mmap import mmap

__all__ = [
    "KIND",
    "PACKED",
    "built_packed",
    "described_packed",
    "encode_packed",
    "is_packed",
    "read_packed",
    "verify_packed",
    "write_packed",
]

PACKED: Final = "packed.tloom"
"""A name for such a file, where somebody has to choose one."""
_VERSION: Final = (1, 0)
_BYTE_ORDER: Final = "little"
_AGAIN: Final = "Pack the tokenizer again"
_SCORES: Final = "scores"
_STABLE: Final = ("arena", "offsets", "added_only", "merges")

PathLike = str | os.PathLike[str]


def write_packed(spec: TokenizerSpec, path: PathLike, *, provenance: Mapping[str, Any] | None = None) -> None:
    """Write a tokenizer as one file that loads in a fraction of the time of others; it is replaced if it exists.

    Args:
        spec: the tokenizer.
        path: the file; `Tokenizer.load` knows it by its content, whatever its name is.
        provenance: free values that JSON can hold; no part of the fingerprint.
    Raises: FormatError for a provenance that JSON cannot hold, or a name that stands for a part of a tokenizer folder;
        StorageError if the file cannot be written.

    >>> import tempfile
    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [])
    >>> path = tempfile.mkdtemp() + "/bytes.tloom"
    >>> write_packed(spec, path)
    >>> read_packed(path)[0] == spec
    True
    """
    from tokenloom.storage import replace_files

    if not isinstance(spec, TokenizerSpec):
        what = f"is of type {type(spec).__name__}, not TokenizerSpec"
        raise TypeError(f"spec {quoted(spec)}: {what}. Pass the spec of a tokenizer, tokenizer.spec.")
    if Path(path).name == PART_OF_FOLDER:
        raise FormatError(
            f"{str(path)!r}: is the name of a part of a tokenizer folder, and would be read as such. "
            f"Choose another name, such as {PACKED!r}."
        )
    replace_files({Path(path): encode_packed(spec, provenance or {}, place=str(path))})


def encode_packed(spec: TokenizerSpec, provenance: Mapping[str, Any], *, place: str) -> bytes:
    """The content of a packed file; errors name `place`."""
    core = _core.Pipeline(spec.config_json(), spec.arrays, special_text="plain", surrogates="refuse", cache_bytes=0)
    scores = [(_SCORES, spec.scores)] if spec.scores else []
    sections = [("merges", spec.merges), *scores, *_core.pack(core)]
    header = {
        "spec": parse_canonical(spec.config_json().encode("ascii")),
        "provenance": dict(provenance),
        "layout": _core.packed_layout(),
        "byte_order": _BYTE_ORDER,
        "checksums": {name: f"{_core.section_checksum(data):016x}" for name, data in sections},
    }
    try:
        return encode_envelope(kind=KIND, version=_VERSION, header=header, sections=sections)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(
            f"{place!r}: the provenance has a value that JSON cannot hold ({error}). "
            "Use strings, finite numbers, lists and dicts."
        ) from error


def read_packed(path: PathLike) -> tuple[TokenizerSpec, dict[str, Any]]:
    """A tokenizer and its provenance, after comparing the SHA-256 of every part; the tables are not used.

    Raises: CorpusError for a missing file; FormatError for one that is damaged, newer or something else.
    """
    place = str(Path(path))
    return _description(_decoded(read_input(path), place), place)


def verify_packed(path: PathLike) -> TokenizerSpec:
    """As `read_packed`; then, where this core made the tables, they are made again and compared byte for byte."""
    place = str(Path(path))
    envelope = _decoded(read_input(path), place)
    spec, provenance = _description(envelope, place)
    if _has_our_tables(envelope.header):
        again = _decoded(encode_packed(spec, provenance, place=place), place)
        for name, data in again.sections.items():
            if envelope.sections.get(name) != data:
                raise FormatError(f"{place!r}: section {name!r} is not what this tokenizer has there. {_AGAIN}.")
    return spec


def described_packed(
    memory: "mmap | bytes", place: str, core: _core.Pipeline
) -> tuple[TokenizerSpec, Mapping[str, Any]]:
    """What a file that `open_packed` has mapped says of its tokenizer; its core has the tokens."""
    header, places = decode_beginning(memory, source=place, kind=KIND)
    _check_header(header, places, place)
    merges, scores = (
        memory[start : start + length] for start, length in (places["merges"], places.get(_SCORES, (0, 0)))
    )
    return _spec(header, (*_core.model_arrays(core), merges, scores), place), header["provenance"]


def built_packed(
    memory: "mmap | bytes", place: str, *, special_text: str, surrogates: str, cache_bytes: int
) -> tuple[_core.Pipeline, tuple[TokenizerSpec, Mapping[str, Any]]]:
    """A tokenizer from a file in which the core found something unusual, and its description.

    Where the file is whole, its tables are those of another version of tokenloom, or of a machine with another order of
    bytes, and they are built anew.

    Raises: FormatError that says what is wrong with it.
    Warns: FormatWarning if tables were built.
    """
    envelope = _decoded(memory[:], place)
    spec, provenance = _description(envelope, place)
    options = {"special_text": special_text, "surrogates": surrogates}
    try:
        if _has_our_tables(envelope.header):
            core = _core.open_packed(memory, kind=KIND, **options, cache_bytes=cache_bytes)
            if core is not None:
                return core, (spec, provenance)
        core = _core.Pipeline(spec.config_json(), spec.arrays, **options, cache_bytes=cache_bytes)
    except (FormatError, SpecError, SpecialTokenError) as error:
        raise FormatError(f"{place!r}: {error}") from error
    what = "its tables are those of another version of tokenloom or of another machine, and were built anew"
    warn_caller(f"{place!r}: {what}. {_AGAIN} with this one.", FormatWarning)
    return core, (spec, provenance)


def _decoded(data: bytes, place: str) -> Envelope:
    envelope = decode_envelope(data, source=place, kind=KIND, major=_VERSION[0])
    _check_header(envelope.header, envelope.sections, place)
    return envelope


def _has_our_tables(header: Mapping[str, Any]) -> bool:
    return bool(header["layout"] == _core.packed_layout() and header["byte_order"] == _BYTE_ORDER)


def _check_header(header: Mapping[str, Any], sections: Mapping[str, object], place: str) -> None:
    """Look at the types of what stands in a header, and for the sections that any version writes."""
    sums = header.get("checksums")
    faults = (
        ("spec", isinstance(header.get("spec"), dict)),
        ("provenance", isinstance(header.get("provenance"), dict)),
        ("layout", type(header.get("layout")) is int),
        ("byte_order", isinstance(header.get("byte_order"), str)),
        ("checksums", isinstance(sums, dict) and all(_is_sum(sums.get(name)) for name in sections)),
    )
    for name, is_right in faults:
        if not is_right:
            raise FormatError(f"{place!r}: its header has no {name!r} of the kind that belongs there. {_AGAIN}.")
    for name in _STABLE:
        if name not in sections:
            raise FormatError(f"{place!r}: it has no section {name!r}. {_AGAIN}.")


def _is_sum(value: object) -> bool:
    return isinstance(value, str) and len(value) == 16 and not set(value) - set("0123456789abcdef")


def _description(envelope: Envelope, place: str) -> tuple[TokenizerSpec, dict[str, Any]]:
    """Spec and provenance from the parts that any version writes."""
    arena, offsets, added_only, merges = (envelope.sections[name] for name in _STABLE)
    if len(offsets) % UINT32_BYTES or len(added_only) % UINT32_BYTES:
        raise FormatError(f"{place!r}: its offsets are no whole numbers. {_AGAIN}.")
    tokens = unpack_arena(arena, offsets)
    for token_id in unpack_uint32(added_only):
        if token_id >= len(tokens):
            raise FormatError(f"{place!r}: added_only names id {token_id}, which has no token. {_AGAIN}.")
        tokens[token_id] = b""
    arrays = (*pack_arena(tokens), merges, envelope.sections.get(_SCORES, b""))
    return _spec(envelope.header, arrays, place), envelope.header["provenance"]


def _spec(header: Mapping[str, Any], arrays: tuple[bytes, bytes, bytes, bytes], place: str) -> TokenizerSpec:
    config_json = canonical_json(header["spec"]).decode("ascii")
    token_bytes, token_offsets, merges, scores = arrays
    try:
        return TokenizerSpec.from_config(
            config_json, token_bytes=token_bytes, token_offsets=token_offsets, merges=merges, scores=scores
        )
    except (SpecError, SpecialTokenError) as error:
        raise FormatError(f"{place!r}: {error}") from error
