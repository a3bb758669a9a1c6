"""Where the rank file of a published encoding lies on this machine.

Nothing is downloaded: a file is looked for in the working folder and where tiktoken keeps its copies, and the error
says how to get it.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tokenloom.errors import CorpusError
from tokenloom.formats.encodings import ENCODINGS

__all__ = ["find_rank_file"]

_CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")


def find_rank_file(name: str) -> Path:
    """The rank file of an encoding: `NAME.tiktoken` in the working folder, or tiktoken's copy.

    Raises: CorpusError, with the places that were looked at, if there is none.
    """
    places = list(_places(name))
    found = next((place for place in places if os.path.isfile(place)), None)
    if found is None:
        encoding = ENCODINGS[name]
        shown = ", ".join(repr(str(place)) for place in places)
        raise CorpusError(
            f"{name!r}: its rank file is not on this machine; there is none of {shown}. Download {encoding.url} where "
            f"there is a network, and put it there as {encoding.file!r}, or load that file by its path."
        )
    return found


def _places(name: str) -> Iterator[Path]:
    encoding = ENCODINGS[name]
    yield from dict.fromkeys((Path(f"{name}.tiktoken"), Path(encoding.file)))
    copy = hashlib.sha1(encoding.url.encode(), usedforsecurity=False).hexdigest()
    for variable in _CACHE_VARIABLES:
        if folder := os.environ.get(variable):
            yield Path(folder, copy)
    yield Path(tempfile.gettempdir(), "data-gym-cache", copy)
