"""Whether a folder of ours is whole: every byte against its checksum, and what checksums cannot say."""

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tokenloom.errors import StorageError
from tokenloom.formats import native, packed
from tokenloom.formats.detect import load_any
from tokenloom.formats.encodings import ENCODINGS
from tokenloom.jobs.train_counts import COUNTS_FILE
from tokenloom.shards import layout, open_shards
from tokenloom.storage import input_bytes, read_manifest, verify_folder
from tokenloom.storage.manifest import manifest_kind
from tokenloom.trainers import COUNTS_KIND, Progress, count_histogram

__all__ = ["Verified", "verify"]


@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked and found whole.

    Args:
        folder: the folder.
        kind: `"tokenizer"`, `"shards"` or `"pretoken-counts"`.
        n_files: files that the manifest lists.
        n_bytes: their bytes, all read and compared.
        fingerprint: of the tokenizer; of counts, the checksum of their file.
        has_checksums: False for a tokenizer of another library: it can be read, and there is nothing to compare.
    """

    folder: Path
    kind: str
    n_files: int
    n_bytes: int
    fingerprint: str
    has_checksums: bool = True


def verify(folder: str | os.PathLike[str], *, progress: Progress | None = None) -> Verified:
    """Read all of a folder of a tokenizer, shards or counts and compare it with its manifest, or a packed file.

    Of shards, every id must also have a token, and documents must follow each other.

    Args:
        folder: what `Tokenizer.save`, `write_packed` or `tokenloom encode` has written; a tokenizer of another library
            is read alone.
        progress: called with the stage `"verify"`, the bytes read and how many there are.
    Raises: StorageError or FormatError naming the first file and what is wrong with it.
    """
    place = Path(folder)
    if packed.is_packed(place):
        return Verified(place, native.KIND, 1, input_bytes(place), packed.verify_packed(place).fingerprint)
    if foreign := _foreign(place):
        return foreign
    kind = manifest_kind(place) or native.KIND
    if kind not in {native.KIND, layout.KIND, COUNTS_KIND}:
        raise StorageError(
            f"{str(place)!r}: it holds a {kind!r}, which this tokenloom does not know. Upgrade tokenloom."
        )
    files = read_manifest(place, kind=kind).files
    n_bytes = sum(row.n_bytes for row in files.values())
    report = partial(_report, progress, n_bytes) if progress else None
    if kind == layout.KIND:
        fingerprint = open_shards(place, progress=report).header.tokenizer_fingerprint
    elif kind == COUNTS_KIND:
        verify_folder(place, kind=kind, progress=report)
        count_histogram(place / COUNTS_FILE)
        fingerprint = files[COUNTS_FILE].sha256
    else:
        verify_folder(place, kind=kind, progress=report)
        fingerprint = native.load(place).fingerprint
    return Verified(place, kind, len(files), n_bytes, fingerprint)


def _foreign(place: Path) -> Verified | None:
    """A tokenizer of another library; None for what is ours, or no tokenizer."""
    if native.is_saved(place) or not (os.path.lexists(place) or str(place) in ENCODINGS):
        return None
    try:
        spec, _ = load_any(place)
    except StorageError:  # a folder without any
        return None
    return Verified(place, native.KIND, 0, 0, spec.fingerprint, has_checksums=False)


def _report(progress: Progress, n_bytes: int, done: int) -> None:
    progress("verify", done, n_bytes)
