"""Files on the disk: atomic writes, decompression, the envelope of our binary files, folders with a manifest, paths."""

from tokenloom.storage.atomic import atomic_write, replace_files
from tokenloom.storage.compression import Compression, DamagedDataError, DecompressedFile, find_compression
from tokenloom.storage.envelope import Envelope, decode_envelope, encode_envelope, read_envelope, write_envelope
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
from tokenloom.storage.paths import has_entry, input_bytes, is_folder, open_input, read_input

__all__ = [
    "Compression",
    "DamagedDataError",
    "DecompressedFile",
    "Envelope",
    "FileRow",
    "Manifest",
    "atomic_write",
    "decode_envelope",
    "encode_envelope",
    "find_compression",
    "has_entry",
    "input_bytes",
    "is_folder",
    "measure_file",
    "open_input",
    "read_envelope",
    "read_folder",
    "read_input",
    "read_manifest",
    "replace_files",
    "verify_folder",
    "write_envelope",
    "write_folder",
    "write_manifest",
]
