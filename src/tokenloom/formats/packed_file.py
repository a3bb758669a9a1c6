"""Opening a packed file: it is mapped, and the core takes its tables where they are.

What the description says is read when it is asked for, and whatever the core finds unusual is left to `packed.py`,
which reads with care and says what is wrong. So a process that only encodes text imports next to nothing.
"""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tokenloom import _core
from tokenloom.errors import FormatError, SpecError, SpecialTokenError
from tokenloom.storage.magic import has_magic

if TYPE_CHECKING:
    from mmap import mmap

    from tokenloom.spec import TokenizerSpec

__all__ = ["KIND", "PART_OF_FOLDER", "Description", "is_packed", "mapped", "open_packed"]

KIND: Final = "packed_tokenizer"
PART_OF_FOLDER: Final = "tokenizer.tloom"
"""The file of `native.py`, which is read with its folder."""

PathLike = str | os.PathLike[str]
Description: TypeAlias = "tuple[TokenizerSpec, Mapping[str, Any]]"


def is_packed(path: PathLike) -> bool:
    """Whether a path is a file that begins as all binary files of ours do, and is not a part of a tokenizer folder."""
    return os.path.basename(path) != PART_OF_FOLDER and has_magic(path)


def open_packed(
    path: PathLike, *, special_text: str, surrogates: str, cache_bytes: int
) -> tuple[_core.Pipeline, Callable[[], Description]]:
    """The core of a tokenizer with these options, and what reads its description and its provenance.

    Raises: FormatError for a file that is damaged, newer or something else, here or when the description is read.
    Warns: FormatWarning if its tables have to be built anew; see `packed.py`.
    """
    memory = mapped(path)
    try:
        core = _core.open_packed(
            memory, kind=KIND, special_text=special_text, surrogates=surrogates, cache_bytes=cache_bytes
        )
    except (FormatError, SpecError, SpecialTokenError):
        core = None
    from_memory = (memory, os.fspath(path))
    if core is None:
        from tokenloom.formats.packed import built_packed

        core, description = built_packed(
            *from_memory, special_text=special_text, surrogates=surrogates, cache_bytes=cache_bytes
        )
        return core, lambda: description

    def described() -> Description:
        from tokenloom.formats.packed import described_packed

        return described_packed(*from_memory, core)

    return core, described


def mapped(path: PathLike) -> "mmap | bytes":
    """The content of a file that is not empty, mapped where that can be done."""
    import mmap

    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            # All pages at once: one by one each would cost an interruption, and nearly all are used soon.
            if hasattr(mmap, "MAP_POPULATE"):
                flags = mmap.MAP_PRIVATE | mmap.MAP_POPULATE
                return mmap.mmap(file.fileno(), size, flags=flags, prot=mmap.PROT_READ)
            return mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        except OSError:
            return file.readall()
