"""The bytes of a file, decompressed, in pieces of one size, each with how far the file on the disk was read."""

import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from tokenloom.corpus.blocks import BLOCK_BYTES, SkippedRecords
from tokenloom.errors import CorpusError
from tokenloom.storage import open_input
from tokenloom.storage.compression import Compression, DamagedDataError, DecompressedFile
from tokenloom.storage.paths import StorageOptions

__all__ = ["Piece", "read_blocks", "read_pieces", "stream_pieces"]


class Piece(NamedTuple):
    """Some bytes of a file.

    Args:
        data: the bytes; none in the only piece of an empty file.
        n_read_bytes: bytes of the file on the disk, or of the range of it, that were read so far.
        is_last: no piece follows.
        is_cut: the file goes on, but what follows is damaged and was left out.
        begin: the place of the data in the decompressed file.
    """

    data: bytes
    n_read_bytes: int
    is_last: bool = False
    is_cut: bool = False
    begin: int = 0


def read_pieces(
    path: str | os.PathLike[str],
    compression: Compression = "none",
    *,
    name: str = "",
    skipped: SkippedRecords | None = None,
    block_bytes: int = BLOCK_BYTES,
    storage_options: StorageOptions = None,
) -> Iterator[Piece]:
    """The pieces of a file, at least one; each is read before the one before it is given out.

    Args:
        path: the file, or a URL.
        compression: how it is compressed.
        name: what it is called among skipped records.
        skipped: where damaged data is counted; None raises.
        block_bytes: the length of all pieces but the last.
        storage_options: for a URL.
    Raises: CorpusError if the file cannot be opened or read, or is damaged and `skipped` is None.
    """
    with open_input(path, storage_options) as file:
        yield from stream_pieces(
            file, compression, place=repr(os.fspath(path)), name=name, skipped=skipped, block_bytes=block_bytes
        )


def stream_pieces(
    file: BinaryIO,
    compression: Compression = "none",
    *,
    place: str,
    name: str,
    skipped: SkippedRecords | None = None,
    block_bytes: int = BLOCK_BYTES,
    begin: int = 0,
) -> Iterator[Piece]:
    """As `read_pieces`, of an open file or of a stream; `place` is what errors call it, `begin` where it stands.

    Of a stream that cannot tell how far it was read, `n_read_bytes` is 0.
    """
    stream = file if compression == "none" else DecompressedFile(file, compression)
    n_bytes, piece = begin, None
    while True:
        try:
            data = stream.read(block_bytes)
        except DamagedDataError as error:
            if skipped is None:
                raise _damaged(place, n_bytes, error, name) from error
            skipped.add(f"{name}, byte {n_bytes} of the decompressed text: {error}")
            last = piece or Piece(b"", 0, begin=n_bytes)
            yield last._replace(n_read_bytes=_n_read(file), is_last=True, is_cut=True)
            return
        except CorpusError:  # of a store, which names the URL
            raise
        except OSError as error:
            raise CorpusError(
                f"{place}: cannot be read at byte {_n_read(file)} ({error.strerror}). "
                "Check the disk, or copy the file elsewhere."
            ) from error
        if piece:
            yield piece if data else piece._replace(is_last=True)
        if not data:
            if not piece:
                yield Piece(b"", _n_read(file), is_last=True, begin=n_bytes)
            return
        piece = Piece(data, _n_read(file), begin=n_bytes)
        n_bytes += len(data)


def _n_read(file: BinaryIO) -> int:
    return file.tell() if file.seekable() else 0


def read_blocks(path: str | os.PathLike[str], *, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
    """The bytes of a file as they are on the disk, in blocks of at most `block_bytes`. An empty file has none.

    Raises: CorpusError, when the first block is asked for, if the file cannot be opened, and later if reading fails.
    """
    return (piece.data for piece in read_pieces(path, block_bytes=block_bytes) if piece.data)


def _damaged(place: str, n_bytes: int, error: DamagedDataError, name: str) -> CorpusError:
    """Only a source of a corpus, which has a name, can be kept in part."""
    remedy = ", or use --on-error skip to keep what stands before" if name else ""
    return CorpusError(f"{place}, byte {n_bytes} of the decompressed text: {error}. Copy the file again{remedy}.")
