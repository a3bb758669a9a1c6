"""What a peer is: a library, how its vocabulary is loaded, and how it encodes one text and many documents."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from peers.files import BYTE_LEVEL, Documents, Vocabulary

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import NDArray

    Flat = tuple[NDArray[uint32], NDArray[uint32]]
    """The ids of all documents one after another, and the number of ids of each."""

__all__ = ["Loaded", "Peer", "by_lengths", "by_offsets", "from_lists", "nothing"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tokenizer that is ready.

    Args:
        one: the ids of a text, as the library gives them.
        many: the ids of documents with so many threads, as the library gives them: this is what is measured.
        flat: makes numbers to compare of what `many` gave; called after all measuring.
        ids: makes a sequence of ids of what `one` gave.
    """

    one: Callable[[str], Any]
    many: Callable[[Documents, int], Any]
    flat: "Callable[[Any], Flat]"
    ids: Callable[[Any], Collection[int]]


def nothing() -> str:
    """What a peer lacks that is complete."""
    return ""


@dataclass(frozen=True, slots=True)
class Peer:
    """A library asked in one way.

    Args:
        package: the distribution, whose version belongs to the result.
        module: what is imported.
        load: reads the vocabulary.
        encodings: those that the library has.
        lack: why the installed version cannot be asked in this way, or nothing.
    """

    package: str
    module: str
    load: Callable[[Vocabulary], Loaded]
    encodings: Collection[str] = BYTE_LEVEL
    lack: Callable[[], str] = nothing


def from_lists(result: Any) -> "Flat":
    """Of one list for each document."""
    import numpy as np

    lists = [getattr(ids, "ids", ids) for ids in result]
    lengths = np.fromiter(map(len, lists), dtype=np.uint32, count=len(lists))
    return np.concatenate([np.zeros(0, np.uint32), *(np.asarray(ids, dtype=np.uint32) for ids in lists)]), lengths


def by_offsets(result: Any) -> "Flat":
    """Of an array of ids and one of where each document begins, with the end of the last."""
    import numpy as np

    ids, starts = result
    return np.asarray(ids).astype(np.uint32), np.diff(np.asarray(starts).astype(np.int64)).astype(np.uint32)


def by_lengths(result: Any) -> "Flat":
    """Of an array of ids and one of the number of ids of each document."""
    import numpy as np

    ids, lengths = result
    return np.asarray(ids).astype(np.uint32), np.asarray(lengths).astype(np.uint32)
