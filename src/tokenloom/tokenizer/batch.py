"""The one shape for many token sequences: all ids in one array, and where each document begins.

Encoding returns it, shards store it, metrics read it. A list of lists would cost ten times the memory.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Final, SupportsIndex, overload

from tokenloom import _core
from tokenloom.errors import EncodeError
from tokenloom.tokenizer.dropout import checked_chance
from tokenloom.tokenizer.options import Around, Special, Text, check_progress, check_texts, check_threads
from tokenloom.wording import counted

if TYPE_CHECKING:
    from numpy import int64, uint32
    from numpy.typing import NDArray

__all__ = ["TokenBatch", "batch_of"]

_ARROW_EXPORTS: Final = ("__arrow_c_array__", "__arrow_c_stream__")
"""What an object has that gives Arrow's arrays; the core reads them where they are."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenBatch:
    """Token ids of several documents.

    Args:
        ids: all ids, one document after the other, uint32 of shape (n_tokens,).
        starts: where each document begins in `ids`, and the end, int64 of shape (n_docs + 1,).
    Raises: EncodeError if dtype, shape or order are others.

    >>> import numpy as np
    >>> batch = TokenBatch(np.array([5, 6, 7], dtype=np.uint32), np.array([0, 2, 2, 3], dtype=np.int64))
    >>> len(batch), [document.tolist() for document in batch]
    (3, [[5, 6], [], [7]])
    """

    ids: "NDArray[uint32]"
    starts: "NDArray[int64]"

    def __post_init__(self) -> None:
        if self.ids.dtype.str[1:] != "u4" or self.ids.ndim != 1:
            raise EncodeError(
                f"TokenBatch.ids: has dtype {self.ids.dtype} and shape {self.ids.shape}. "
                "Pass uint32 of shape (n_tokens,)."
            )
        if self.starts.dtype.str[1:] != "i8" or self.starts.ndim != 1 or not len(self.starts):
            raise EncodeError(
                f"TokenBatch.starts: has dtype {self.starts.dtype} and shape {self.starts.shape}. "
                "Pass int64 of shape (n_docs + 1,)."
            )
        if self.starts[0] != 0 or self.starts[-1] != len(self.ids) or (self.starts[1:] < self.starts[:-1]).any():
            raise EncodeError(
                f"TokenBatch.starts: does not rise from 0 to the {counted(len(self.ids), 'id')}. "
                "Pass where each document begins, and the end."
            )

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.starts) - 1

    @overload
    def __getitem__(self, document: SupportsIndex) -> "NDArray[uint32]": ...
    @overload
    def __getitem__(self, document: slice) -> "TokenBatch": ...
    def __getitem__(self, document: SupportsIndex | slice) -> "NDArray[uint32] | TokenBatch":
        """The ids of one document, a view of shape (n_tokens_of_document,); a slice gives a TokenBatch."""
        if isinstance(document, slice):
            return self._part(range(len(self))[document])
        try:
            number = index(document)
        except TypeError as error:
            raise TypeError(
                f"document {document!r}: is of type {type(document).__name__}. Use a whole number or a slice."
            ) from error
        if not -len(self) <= number < len(self):
            raise IndexError(
                f"document {document!r}: this TokenBatch has {counted(len(self), 'document')}. "
                "Use a number from 0, and below the length of the batch."
            )
        number %= len(self)
        return self.ids[self.starts[number] : self.starts[number + 1]]

    def __iter__(self) -> Iterator["NDArray[uint32]"]:
        """The ids of each document in turn."""
        return (self[document] for document in range(len(self)))

    def framed(self, before: Sequence[int], after: Sequence[int]) -> "TokenBatch":
        """The same documents, each with these ids before and behind its own.

        >>> import numpy as np
        >>> batch = TokenBatch(np.array([5, 6, 7], dtype=np.uint32), np.array([0, 2, 2, 3], dtype=np.int64))
        >>> [document.tolist() for document in batch.framed([1], [2])]
        [[1, 5, 6, 2], [1, 2], [1, 7, 2]]
        """
        import numpy as np

        n_docs = len(self)
        heads = np.repeat(self.starts[:-1], len(before))
        tails = np.repeat(self.starts[1:], len(after))
        # The ids behind a document and those before the next go to one place: in the order of documents.
        around = np.empty((n_docs, len(before) + len(after)), dtype=np.uint32)
        places = np.empty(around.shape, dtype=np.int64)
        around[:, : len(before)], around[:, len(before) :] = before, after
        places[:, : len(before)] = heads.reshape(n_docs, len(before))
        places[:, len(before) :] = tails.reshape(n_docs, len(after))
        ids = np.insert(self.ids, places.ravel(), around.ravel())
        return TokenBatch(ids, self.starts + np.arange(n_docs + 1) * around.shape[1])

    def __repr__(self) -> str:
        return f"TokenBatch({counted(len(self), 'document')}, {counted(len(self.ids), 'token')})"

    def _part(self, documents: range) -> "TokenBatch":
        """Some of the documents; neighbours share the ids of this batch, others are copied."""
        import numpy as np

        if documents.step == 1:
            starts = self.starts[documents.start : max(documents.start, documents.stop) + 1]
            return TokenBatch(self.ids[starts[0] : starts[-1]], starts - starts[0])
        parts = [self[document] for document in documents]
        starts = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in parts], out=starts[1:])
        return TokenBatch(np.concatenate([self.ids[:0], *parts]), starts)


def batch_of(
    core: _core.Pipeline,
    texts: Iterable[Text],
    special: tuple[Special, Special],
    around: Around | None,
    n_threads: int | None,
    progress: Callable[[int], object] | None,
    *,
    dropout: float,
    seed: int | None,
) -> TokenBatch:
    """The ids of many texts; see `Tokenizer.encode_batch`. `special` is what is allowed, and what is refused."""
    chance = checked_chance(dropout, seed)
    check_threads(n_threads, EncodeError)
    check_progress(progress)
    known = texts if any(hasattr(texts, export) for export in _ARROW_EXPORTS) else check_texts(texts)
    if chance:
        arrays = _core.encode_batch_with_dropout(core, known, special, chance, n_threads=n_threads, progress=progress)
    else:
        arrays = core.encode_batch(known, *special, n_threads=n_threads, progress=progress)
    batch = TokenBatch(*arrays)
    return batch.framed(*around) if around else batch
