r"""Text files: a file is one document, or several with a separator between them, their bytes kept exactly.

No newline is translated and nothing is decoded: `\r\n` and invalid UTF-8 reach training and encoding as they are.
"""

from collections.abc import Iterable, Iterator

from tokenloom.corpus.blocks import Block
from tokenloom.corpus.pieces import Piece
from tokenloom.corpus.selection import Keep

__all__ = ["sampled_text", "split_text"]


def split_text(pieces: Iterable[Piece], separator: bytes | None) -> Iterator[Block]:
    """Documents as `bytes.split` gives them for the whole file; without a separator the file is one.

    The end of a piece is held back as far as it can be the beginning of a separator: that is one byte less than the
    separator has. What went out before cannot be part of one, so nothing is searched twice but these bytes.
    """
    held, is_empty = b"", True
    for piece in pieces:
        if piece.is_cut and is_empty and not piece.data:
            return  # nothing of it could be read, so there is no document to keep
        is_empty = False
        text = held + piece.data if held else piece.data
        texts = text.split(separator) if separator else [text]
        held = b""
        if separator and not piece.is_last:
            n_sure = max(0, len(texts[-1]) - len(separator) + 1)
            texts[-1], held = texts[-1][:n_sure], texts[-1][n_sure:]
        yield Block(texts, not piece.is_last, sum(map(len, texts)), piece.n_read_bytes)


def sampled_text(blocks: Iterable[Block], keep: Keep, *, n_separator_bytes: int) -> Iterator[Block]:
    """The documents that are wanted, of those that `split_text` gives; `keep` is told the byte that each begins at."""
    begin, is_open, is_kept = 0, False, False
    for block in blocks:
        texts = []
        for text in block.texts:
            is_kept = is_kept if is_open else keep(begin)
            if is_kept:
                texts.append(text)
            begin += len(text) + n_separator_bytes
            is_open = False
        is_open = block.is_open
        if is_open:
            begin -= n_separator_bytes
        if texts:
            yield Block(texts, is_open and is_kept, sum(map(len, texts)), block.n_read_bytes)
