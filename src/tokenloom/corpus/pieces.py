"""The bytes of a source, decompressed, in pieces of one size, each with how far the file on the disk was read."""

from collections.abc import Iterator
from typing import NamedTuple

from tokenloom.corpus.blocks import SkippedRecords
from tokenloom.corpus.sources import Source
from tokenloom.errors import CorpusError
from tokenloom.storage import open_input
from tokenloom.storage.compression import DamagedDataError, DecompressedFile

__all__ = ["Piece", "read_pieces"]


class Piece(NamedTuple):
    """Some bytes of a source.

    Args:
        data: the bytes; none in the only piece of an empty source.
        n_read_bytes: bytes of the file on the disk that were read so far.
        is_last: no piece follows.
        is_cut: the source goes on, but what follows is damaged and was left out.
    """

    data: bytes
    n_read_bytes: int
    is_last: bool = False
    is_cut: bool = False


def read_pieces(source: Source, *, skipped: SkippedRecords | None, block_bytes: int) -> Iterator[Piece]:
    """The pieces of a source, at least one; each is read before the one before it is given out.

    Args:
        source: what to read.
        skipped: where damaged data is counted; None raises.
        block_bytes: the length of all pieces but the last.
    Raises: CorpusError if the file cannot be opened or read, or is damaged and `skipped` is None.
    """
    with open_input(source.path) as file:
        stream = file if source.compression == "none" else DecompressedFile(file, source.compression)
        n_bytes, piece = 0, None
        while True:
            try:
                data = stream.read(block_bytes)
            except DamagedDataError as error:
                if skipped is None:
                    raise _damaged(source, n_bytes, error) from error
                skipped.add(f"{source.name}, byte {n_bytes} of the decompressed text: {error}")
                yield Piece(piece.data if piece else b"", file.tell(), is_last=True, is_cut=True)
                return
            except OSError as error:
                raise CorpusError(
                    f"{str(source.path)!r}: cannot be read at byte {file.tell()} ({error.strerror}). "
                    "Check the disk, or copy the file elsewhere."
                ) from error
            if piece:
                yield piece if data else piece._replace(is_last=True)
            if not data:
                if not piece:
                    yield Piece(b"", file.tell(), is_last=True)
                return
            n_bytes += len(data)
            piece = Piece(data, file.tell())


def _damaged(source: Source, n_bytes: int, error: DamagedDataError) -> CorpusError:
    return CorpusError(
        f"{str(source.path)!r}, byte {n_bytes} of the decompressed text: {error}. Copy the file again, or "
        "use --on-error skip to keep what stands before."
    )
