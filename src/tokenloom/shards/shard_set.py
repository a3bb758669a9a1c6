"""Reading a folder of shards: memory-mapped, by document or by range, after it was checked."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Never, SupportsIndex, overload

from tokenloom.errors import StorageError
from tokenloom.formats import native
from tokenloom.formats.native import TOKENIZER
from tokenloom.shards.layout import (
    DOCUMENTS,
    KIND,
    NPY_HEADER_BYTES,
    STORED_AS,
    ShardHeader,
    npy_header,
)
from tokenloom.storage import read_manifest, verify_folder
from tokenloom.tokenizer import SpecialText, TokenBatch, Tokenizer
from tokenloom.wording import counted

if TYPE_CHECKING:
    from numpy import int64, unsignedinteger
    from numpy.typing import NDArray

__all__ = ["ShardSet", "open_shards"]

_CHECKED_TOKENS: Final = 1 << 22
"""Ids that are compared with the vocabulary at once."""

_MOST_MAPPED: Final = 64
"""Shards that are mapped at a time. Each keeps a file open, of which a process may have 1,024, or 256 on a Mac."""

_STARTS_AT_ONCE: Final = 1 << 20

_AGAIN: Final = "Write the folder again, or restore it from a copy"


def open_shards(
    folder: str | os.PathLike[str],
    *,
    tokenizer: Tokenizer | None = None,
    verify: bool = True,
    progress: Callable[[int], object] | None = None,
) -> "ShardSet":
    """Open a folder of token shards for reading.

    Args:
        folder: what `tokenloom encode` has written.
        tokenizer: the tokenizer that the ids are for; one that gives other ids is refused.
        verify: compare every byte with its checksum and every id with the vocabulary, which reads all of the folder.
            False checks the manifest and, of each file, length, type and shape: for the many workers of a training
            after one run of `tokenloom verify`.
        progress: called now and then with the bytes verified so far.
    Raises: StorageError if the folder is incomplete, cut, altered, of another dtype than it says, or made with another
        tokenizer.
    """
    place = Path(folder)
    manifest = read_manifest(place, kind=KIND)
    try:
        header = ShardHeader.from_values(manifest.header)
    except ValueError as error:
        _refuse(place, f"its manifest.json has a header that tokenloom does not write ({error})", _AGAIN)
    if header.n_shards > len(manifest.files):  # before they are listed: it may declare more than memory holds
        what = f"its manifest.json lists {counted(len(manifest.files), 'file')} for {counted(header.n_shards, 'shard')}"
        _refuse(place, what, _AGAIN)
    expected = {DOCUMENTS, TOKENIZER, *header.shards}
    if manifest.files.keys() != expected:
        names = ", ".join(map(repr, sorted(manifest.files.keys() ^ expected)[:3]))
        _refuse(place, f"its manifest.json disagrees with its header about {names}", _AGAIN)
    if tokenizer and tokenizer.spec.fingerprint != header.tokenizer_fingerprint:
        what = f"its ids are those of tokenizer {header.tokenizer_fingerprint}, not of {tokenizer.spec.fingerprint}"
        _refuse(place, what, "Use the tokenizer that made them: tokenloom.shards.open(folder).tokenizer()")
    if verify:
        verify_folder(place, kind=KIND, progress=progress)
    shards = ShardSet(place, header)
    if verify:
        shards.check_values()
    return shards


class ShardSet:
    """The ids of a corpus, mapped from the disk; made by `open_shards`.

    Args:
        folder: where the files lie.
        header: what the manifest says.
    Raises: StorageError if a file has another length, type or shape than the header says.
    """

    __slots__ = ("arrays", "folder", "header", "starts")

    arrays: "Sequence[NDArray[unsignedinteger[Any]]]"
    """The ids of each shard, read-only views of the files, uint16 or uint32 of shape (n_tokens_of_shard,). Mapped when
    they are asked for, so that a folder may have more shards than a process may have open files."""
    starts: "NDArray[int64]"
    """Where each document begins among all ids, and the end: int64 of shape (n_docs + 1,)."""

    def __init__(self, folder: Path, header: ShardHeader) -> None:
        self.folder = folder
        self.header = header
        self.arrays = _Arrays(folder, header)
        deque(self.arrays, maxlen=0)  # looks at each once
        self.starts = _mapped(folder / DOCUMENTS, "int64", header.n_docs + 1)
        if self.starts[0] != 0 or self.starts[-1] != header.n_tokens:
            what = f"its documents run from {self.starts[0]} to {self.starts[-1]}, its ids from 0 to {header.n_tokens}"
            _refuse(folder / DOCUMENTS, what, _AGAIN)

    def __reduce__(self) -> "tuple[type[ShardSet], tuple[Path, ShardHeader]]":
        """Pickled as a place: a worker process maps the files anew, and no id is copied."""
        return ShardSet, (self.folder, self.header)

    @property
    def n_docs(self) -> int:
        """The number of documents."""
        return self.header.n_docs

    @property
    def n_tokens(self) -> int:
        """The number of ids."""
        return self.header.n_tokens

    @property
    def dtype(self) -> str:
        """The type of the ids, `"uint16"` or `"uint32"`."""
        return self.header.dtype

    def tokenizer(self, *, special_text: SpecialText = "refuse") -> Tokenizer:
        """The tokenizer that made the ids, from the copy in the folder."""
        path = self.folder / TOKENIZER
        try:
            content = path.read_bytes()
        except OSError as error:
            _refuse(path, f"it cannot be read ({error.strerror})", _AGAIN)
        spec = native.decode_spec(content, source=str(path))
        if spec.fingerprint != self.header.tokenizer_fingerprint:
            what = f"its fingerprint {spec.fingerprint} is not that of the ids, {self.header.tokenizer_fingerprint}"
            _refuse(path, what, _AGAIN)
        return Tokenizer.from_spec(spec, special_text=special_text)

    def tokens(self, start: int = 0, stop: int | None = None) -> "NDArray[unsignedinteger[Any]]":
        """The ids from `start` to below `stop` among all ids, shape (stop - start,).

        A view of the file where they lie in one shard, which is nearly always; a copy where they lie in several.
        Raises: IndexError if they are not within 0 and `n_tokens`.
        """
        import numpy as np

        stop = self.n_tokens if stop is None else stop
        if not 0 <= start <= stop <= self.n_tokens:
            raise IndexError(
                f"tokens {start} to {stop}: this folder has {counted(self.n_tokens, 'token')}. "
                "Use 0 <= start <= stop <= n_tokens."
            )
        size = self.header.shard_tokens
        first, last = start // size, max(start, stop - 1) // size
        shards = [number for number in range(first, last + 1) if number * size < stop]
        parts = [self.arrays[i][max(0, start - i * size) : stop - i * size] for i in shards]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.zeros(0, self.dtype)

    def __len__(self) -> int:
        """The number of documents."""
        return self.n_docs

    @overload
    def __getitem__(self, document: SupportsIndex) -> "NDArray[unsignedinteger[Any]]": ...
    @overload
    def __getitem__(self, document: slice) -> TokenBatch: ...
    def __getitem__(self, document: SupportsIndex | slice) -> "NDArray[unsignedinteger[Any]] | TokenBatch":
        """The ids of one document, tokens at its edges included; a slice gives a TokenBatch, which is a copy."""
        if isinstance(document, slice):
            return self._batch(range(self.n_docs)[document])
        number = index(document)
        if not -self.n_docs <= number < self.n_docs:
            raise IndexError(
                f"document {number}: this folder has {counted(self.n_docs, 'document')}. "
                "Use a number from 0, and below n_docs."
            )
        number %= self.n_docs
        return self.tokens(int(self.starts[number]), int(self.starts[number + 1]))

    def __iter__(self) -> "Iterator[NDArray[unsignedinteger[Any]]]":
        """The ids of each document in turn."""
        return (self[document] for document in range(self.n_docs))

    def __repr__(self) -> str:
        return (
            f"ShardSet({counted(self.n_docs, 'document')}, {counted(self.n_tokens, 'token')} of {self.dtype}, "
            f"{counted(len(self.arrays), 'shard')})"
        )

    def text_tokens(self, document: int) -> tuple[int, int]:
        """First and last place among all ids that belong to the text of a document: without tokens at its edges."""
        header = self.header
        start = int(self.starts[document]) + (header.begin_of_document is not None)
        return start, int(self.starts[document + 1]) - (header.end_of_document is not None)

    def check_values(self) -> None:
        """Check what checksums cannot: that documents follow each other, and that every id has a token.

        Raises: StorageError naming the file and the place.
        """
        has_token = self._has_token()
        edges = (self.header.begin_of_document, self.header.end_of_document)
        shortest = sum(edge is not None for edge in edges)
        for first in range(0, self.n_docs, _STARTS_AT_ONCE):
            starts = self.starts[first : first + _STARTS_AT_ONCE + 1]
            falls = starts[1:] - starts[:-1] < shortest
            if falls.any():
                number = first + int(falls.argmax())
                _refuse(self.folder / DOCUMENTS, f"document {number} ends before it has begun", _AGAIN)
        for name, ids in zip(self.header.shards, self.arrays, strict=True):
            for start in range(0, len(ids), _CHECKED_TOKENS):
                part = ids[start : start + _CHECKED_TOKENS]
                wrong = part >= len(has_token)
                if not wrong.any():
                    wrong = ~has_token[part]
                if wrong.any():
                    place = int(wrong.argmax())
                    what = f"id {part[place]} at position {start + place} has no token in the vocabulary"
                    _refuse(self.folder / name, what, _AGAIN)

        self._check_edges()

    def _check_edges(self) -> None:
        """Decoding leaves out the tokens at the edges of documents, so each must be the one that the header names."""
        import numpy as np

        size, header = self.header.shard_tokens, self.header
        for edge, places, back in (
            (header.begin_of_document, self.starts[:-1], 0),
            (header.end_of_document, self.starts[1:], 1),
        ):
            if edge is None:
                continue
            for number, ids in enumerate(self.arrays):
                low = number * size + back
                first, last = np.searchsorted(places, [low, low + len(ids)])
                wrong = np.not_equal(ids[places[first:last] - low], edge.id)
                if wrong.any():
                    what = f"document {first + int(wrong.argmax())} has no {edge.content!r} at its edge"
                    _refuse(self.folder, what, _AGAIN)

    def _has_token(self) -> Any:
        """Of each id whether the vocabulary has a token for it, bool of shape (vocabulary_size,)."""
        import numpy as np

        known = np.zeros(self.header.vocabulary_size, dtype=bool)
        ids = list(self.tokenizer().vocabulary)
        if ids and max(ids) >= self.header.vocabulary_size:
            what = f"its vocabulary has {max(ids) + 1:,} ids, its manifest says {self.header.vocabulary_size:,}"
            _refuse(self.folder, what, _AGAIN)
        known[ids] = True
        return known

    def _batch(self, documents: range) -> TokenBatch:
        import numpy as np

        if documents.step == 1 and documents:
            starts = self.starts[documents.start : documents.stop + 1]
            return TokenBatch(self.tokens(int(starts[0]), int(starts[-1])).astype(np.uint32), starts - starts[0])
        parts = [np.asarray(self[document], dtype=np.uint32) for document in documents]
        starts = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in parts], out=starts[1:])
        return TokenBatch(np.concatenate([np.zeros(0, np.uint32), *parts]), starts)


class _Arrays(Sequence[Any]):
    """The ids of each shard; those that were asked for last stay mapped."""

    __slots__ = ("_mapped", "_n_shards")

    def __init__(self, folder: Path, header: ShardHeader) -> None:
        shards = tuple(header.shards.items())
        self._n_shards = len(shards)
        self._mapped = lru_cache(_MOST_MAPPED)(partial(_shard, folder, header.dtype, shards))

    def __len__(self) -> int:
        return self._n_shards

    @overload
    def __getitem__(self, number: int) -> Any: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Any]: ...
    def __getitem__(self, number: int | slice) -> Any:
        places = range(self._n_shards)[number]
        return self._mapped(places) if isinstance(places, int) else [self._mapped(place) for place in places]


def _shard(folder: Path, dtype: str, shards: Sequence[tuple[str, int]], number: int) -> Any:
    name, n_tokens = shards[number]
    return _mapped(folder / name, dtype, n_tokens)


def _mapped(path: Path, dtype: Any, n_items: int) -> Any:
    """The items of a file, after its length and its own header were compared with what the manifest says."""
    import numpy as np

    header = npy_header(dtype, n_items)
    expected = len(header) + n_items * np.dtype(dtype).itemsize
    try:
        with open(path, "rb") as file:
            size, found = os.fstat(file.fileno()).st_size, file.read(NPY_HEADER_BYTES)
            if size >= NPY_HEADER_BYTES and found != header:
                spelled = found[10:].decode("latin-1").strip()
                _refuse(path, f"it begins with {spelled!r}, but its manifest says {n_items:,} ids of {dtype}", _AGAIN)
            if size != expected:
                _refuse(path, f"it has {counted(size, 'byte')}, its manifest says {expected:,}", _AGAIN)
            if not n_items:
                return np.zeros(0, dtype)
            mapped = np.memmap(file, dtype=STORED_AS[dtype], mode="r", offset=len(header))
            return mapped.view(np.ndarray)  # slices of a memmap take three times as long to make
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        remedy = _AGAIN if isinstance(error, FileNotFoundError) else "Check its permissions and the disk"
        _refuse(path, f"it cannot be read ({error.strerror})", remedy)


def _refuse(place: Path, what: str, remedy: str) -> Never:
    raise StorageError(f"{str(place)!r}: {what}. {remedy}.")
