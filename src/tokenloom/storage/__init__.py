"""Files on the disk: atomic writes, the envelope of our binary files, folders with a manifest, opening paths."""

from tokenloom.storage.atomic import atomic_write, replace_files
from tokenloom.storage.envelope import Envelope, decode_envelope, encode_envelope, read_envelope, write_envelope
from tokenloom.storage.manifest import read_folder, verify_folder, write_folder, write_manifest
from tokenloom.storage.paths import input_bytes, is_folder, open_input

__all__ = [
    "Envelope",
    "atomic_write",
    "decode_envelope",
    "encode_envelope",
    "input_bytes",
    "is_folder",
    "open_input",
    "read_envelope",
    "read_folder",
    "replace_files",
    "verify_folder",
    "write_envelope",
    "write_folder",
    "write_manifest",
]
