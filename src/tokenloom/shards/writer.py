"""Writing shards so that a run that was killed goes on where it was.

One stream of ids is cut every `shard_tokens` ids. A shard is written under a temporary name, brought to the disk and
renamed; then the journal names it, with a checkpoint: the place of the corpus where the batch began that filled the
shard. A run that goes on encodes from there, and leaves out the ids that the finished shards already hold.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from tokenloom.formats.native import TOKENIZER
from tokenloom.shards.journal import DOCUMENTS_PART, Checkpoint, Journal
from tokenloom.shards.layout import DOCUMENTS, KIND, START_BYTES, ShardHeader, npy_header, shard_name
from tokenloom.storage import atomic_write, measure_file, write_manifest
from tokenloom.storage.run_record import growing
from tokenloom.tokenizer import IdType

if TYPE_CHECKING:
    from numpy import int64, unsignedinteger
    from numpy.typing import NDArray

__all__ = ["EncodedBatch", "write_manifest_of", "write_shards"]

_SYNC_BYTES: Final = 32 << 20
"""So much is brought to the disk at a time, so that the end of a shard does not wait for all of it."""


@dataclass(frozen=True, slots=True)
class EncodedBatch:
    """The ids of the next stretch of the corpus.

    Args:
        ids: of the type of the shards.
        starts: where in `ids` documents begin, of those that begin here.
        checkpoint: the place before this batch.
    """

    ids: "NDArray[unsignedinteger[Any]]"
    starts: "NDArray[int64]"
    checkpoint: Checkpoint


class _Piece(NamedTuple):
    """Ids of one batch that lie in one shard."""

    shard: int
    ids: "NDArray[unsignedinteger[Any]]"
    checkpoint: Checkpoint


def write_shards(journal: Journal, batches: Iterable[EncodedBatch], *, dtype: IdType, shard_tokens: int) -> None:
    """Write all shards and the list of documents; what the journal has of them is kept.

    Args:
        journal: of the folder.
        batches: from the journal's checkpoint on, without gaps.
        dtype: of the ids.
        shard_tokens: ids of each shard but the last.
    Raises: StorageError if the disk is full or fails; the same run can go on when that is mended.
    """
    folder = journal.folder
    with _documents_part(journal) as documents:
        pieces = _pieces(journal, batches, documents, shard_tokens)
        for number, group in groupby(pieces, key=attrgetter("shard")):
            name = shard_name(number)
            with atomic_write(folder / name) as file:
                last = _write_shard(file, group, dtype, shard_tokens)
            _flush(documents, folder)
            journal.finish_shard(name, measure_file(folder, name), last.checkpoint)
        _flush(documents, folder)


def write_manifest_of(journal: Journal, header: ShardHeader, tokenizer: bytes) -> None:
    """Complete the folder: the list of documents, the tokenizer, and the manifest."""
    folder = journal.folder
    with atomic_write(folder / DOCUMENTS) as file, open(folder / DOCUMENTS_PART, "rb") as part:
        file.write(npy_header("int64", header.n_docs + 1))
        shutil.copyfileobj(part, file)
        file.write(header.n_tokens.to_bytes(START_BYTES, "little"))
    with atomic_write(folder / TOKENIZER) as file:
        file.write(tokenizer)
    names = [*header.shards, DOCUMENTS, TOKENIZER]
    write_manifest(folder, names, kind=KIND, header=header.values(), known=journal.shards)
    journal.clear()


def _pieces(
    journal: Journal, batches: Iterable[EncodedBatch], documents: BinaryIO, shard_tokens: int
) -> Iterator[_Piece]:
    """Cut batches at the borders of shards; ids that finished shards hold are left out. Lists documents on the way."""
    place = len(journal.shards) * shard_tokens
    for batch in batches:
        before = batch.checkpoint.n_tokens
        with growing(journal.folder / DOCUMENTS_PART):
            documents.write((batch.starts + before).astype("<i8").tobytes())
        ids = batch.ids[max(0, place - before) :]
        while len(ids):
            number, within = divmod(place, shard_tokens)
            piece = ids[: shard_tokens - within]
            yield _Piece(number, piece, batch.checkpoint)
            place += len(piece)
            ids = ids[len(piece) :]


def _write_shard(file: BinaryIO, pieces: Iterable[_Piece], dtype: IdType, shard_tokens: int) -> _Piece:
    """Write one shard; returns its last piece."""
    file.write(npy_header(dtype, shard_tokens))
    n_tokens = n_unsynced = 0
    for piece in pieces:
        file.write(piece.ids.astype(piece.ids.dtype.newbyteorder("<"), copy=False).data)
        n_tokens += len(piece.ids)
        n_unsynced += piece.ids.nbytes
        if n_unsynced >= _SYNC_BYTES:
            file.flush()
            os.fsync(file.fileno())
            n_unsynced = 0
    if n_tokens < shard_tokens:
        file.seek(0)
        file.write(npy_header(dtype, n_tokens))
    return piece


@contextmanager
def _documents_part(journal: Journal) -> Iterator[BinaryIO]:
    """The list of documents, cut to those that began before the checkpoint: the others are found again."""
    n_docs = journal.checkpoint.n_docs if journal.checkpoint else 0
    with growing(journal.folder / DOCUMENTS_PART):
        file = open(journal.folder / DOCUMENTS_PART, "r+b" if journal.checkpoint else "wb")  # noqa: SIM115 - closed below
        file.truncate(n_docs * START_BYTES)
        file.seek(0, os.SEEK_END)
    try:
        yield file
    finally:
        with suppress(OSError):  # what is left in its buffer on a full disk was reported by what failed before
            file.close()


def _flush(documents: BinaryIO, folder: Path) -> None:
    with growing(folder / DOCUMENTS_PART):
        documents.flush()
        os.fsync(documents.fileno())
