"""Ids of files: a file is read in blocks, and its text is never in memory as a whole."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, get_args

from tokenloom import _core
from tokenloom.corpus import BLOCK_BYTES
from tokenloom.corpus.pieces import read_pieces
from tokenloom.errors import EncodeError
from tokenloom.storage.compression import check_support, find_compression
from tokenloom.storage.paths import shown
from tokenloom.tokenizer.options import (
    FileCompression,
    Special,
    check_choice,
    check_path,
    check_progress,
    check_threads,
)
from tokenloom.tokenizer.progress import part_progress

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import NDArray

__all__ = ["ids_of_file"]


def ids_of_file(
    core: _core.Pipeline,
    path: str | os.PathLike[str],
    special: tuple[Special, Special],
    around: tuple[Sequence[int], Sequence[int]] | None,
    n_threads: int | None,
    progress: Callable[[int], object] | None,
    *,
    compression: FileCompression = "auto",
    block_bytes: int = BLOCK_BYTES,
) -> "NDArray[uint32]":
    """The ids of a file; see `Tokenizer.encode_file`. `special` is what is allowed, and what is refused."""
    check_threads(n_threads, EncodeError)
    check_progress(progress)
    path = check_path(path)
    check_choice("compression", compression, get_args(FileCompression), EncodeError)
    found = find_compression(path, compression)
    check_support(found)
    text = _core.TextEncoder(core, *special, around=around or ((), ()), n_threads=n_threads)
    n_done = 0
    try:
        for piece in read_pieces(path, found, block_bytes=block_bytes):
            n_bytes = len(piece.data)
            report = part_progress(progress, n_before=n_done, n_bytes=n_bytes)
            text.push(piece.data, is_last=piece.is_last, progress=report)
            n_done += n_bytes
            if progress and not piece.is_last:
                progress(n_done)  # a block may be done before its own progress is told
    except EncodeError as error:
        raise EncodeError(f"{shown(os.fspath(path))}: {error}") from error
    return text.finish()
