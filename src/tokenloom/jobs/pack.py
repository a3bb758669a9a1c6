"""A tokenizer of any kind as one packed file, which loads in a fraction of the time."""

import os
from dataclasses import dataclass
from pathlib import Path

from tokenloom.errors import StorageError
from tokenloom.formats import packed, write_packed
from tokenloom.tokenizer import Tokenizer

__all__ = ["Packed", "pack"]


@dataclass(frozen=True, slots=True)
class Packed:
    """What was written.

    Args:
        path: the file.
        n_bytes: its length.
        vocabulary_size: one more than the highest id.
        fingerprint: of the tokenizer, as it was before.
    """

    path: Path
    n_bytes: int
    vocabulary_size: int
    fingerprint: str


def pack(tokenizer: str | os.PathLike[str], *, out: str | os.PathLike[str]) -> Packed:
    """Read a tokenizer and write it packed. The file holds all of it: the source is not needed any more.

    Args:
        tokenizer: what `Tokenizer.load` takes.
        out: the file; one that is there is replaced if it is a packed one, and nothing else is.
    Raises: what `Tokenizer.load` raises; StorageError if something else is there, or the file cannot be written.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> Tokenizer({i: bytes([i]) for i in range(256)}, []).save(folder + "/bytes")
    >>> pack(folder + "/bytes", out=folder + "/bytes.packed").vocabulary_size
    256
    """
    place = Path(out)
    if place.is_dir():
        raise StorageError(f"{str(place)!r}: is a folder. Name a file, such as {str(place / packed.PACKED)!r}.")
    if os.path.lexists(place) and not packed.is_packed(place):
        raise StorageError(f"{str(place)!r}: is there and no packed tokenizer, so it is kept. Choose another name.")
    loaded = Tokenizer.load(tokenizer)
    write_packed(loaded.spec, place, provenance=loaded.provenance)
    return Packed(place, place.stat().st_size, len(loaded), loaded.spec.fingerprint)
