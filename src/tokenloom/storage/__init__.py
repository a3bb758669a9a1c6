"""Files on the disk: atomic writes, decompression, the envelope of our binary files, folders with a manifest, paths.

Names are loaded when first used: what only encodes text needs few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tokenloom.storage.atomic import atomic_write, replace_files
    from tokenloom.storage.compression import Compression, DamagedDataError, DecompressedFile, find_compression
    from tokenloom.storage.envelope import Envelope, decode_envelope, encode_envelope, read_envelope, write_envelope
    from tokenloom.storage.envelope_stream import (
        SectionReader,
        SectionWriter,
        open_section,
        read_header,
        write_sections,
    )
    from tokenloom.storage.manifest import (
        FileRow,
        Manifest,
        measure_file,
        read_folder,
        read_manifest,
        verify_folder,
        write_folder,
        write_manifest,
    )
    from tokenloom.storage.paths import has_entry, input_bytes, input_version, is_folder, open_input, read_input

__all__ = [
    "Compression",
    "DamagedDataError",
    "DecompressedFile",
    "Envelope",
    "FileRow",
    "Manifest",
    "SectionReader",
    "SectionWriter",
    "atomic_write",
    "decode_envelope",
    "encode_envelope",
    "find_compression",
    "has_entry",
    "input_bytes",
    "input_version",
    "is_folder",
    "measure_file",
    "open_input",
    "open_section",
    "read_envelope",
    "read_folder",
    "read_header",
    "read_input",
    "read_manifest",
    "replace_files",
    "verify_folder",
    "write_envelope",
    "write_folder",
    "write_manifest",
    "write_sections",
]

_HOMES: Final = {
    "atomic": ("atomic_write", "replace_files"),
    "compression": ("Compression", "DamagedDataError", "DecompressedFile", "find_compression"),
    "envelope": ("Envelope", "decode_envelope", "encode_envelope", "read_envelope", "write_envelope"),
    "envelope_stream": ("SectionReader", "SectionWriter", "open_section", "read_header", "write_sections"),
    "manifest": (
        *("FileRow", "Manifest", "measure_file", "read_folder", "read_manifest"),
        *("verify_folder", "write_folder", "write_manifest"),
    ),
    "paths": ("has_entry", "input_bytes", "input_version", "is_folder", "open_input", "read_input"),
}
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'tokenloom.storage' has no attribute {name!r}")
    value = getattr(import_module(f"tokenloom.storage.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
