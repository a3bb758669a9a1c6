"""So much text of a group and no more, in whole documents.

Documents are taken in order as long as they fit, and the first that does not fit ends the group: what is read is a
beginning of the group, the same one for every block size. (Cutting that document would count half a word; passing over
it and going on would favour short documents.) A document that goes over several blocks must be known to fit before its
first part is given out, and must not be held, for it may be larger than memory: so its source is read a second time,
ahead of the first, to measure it.
"""

from collections.abc import Callable, Iterable, Iterator

from tokenloom.corpus.blocks import Block
from tokenloom.corpus.sources import Source
from tokenloom.corpus.splits import SourceRange, Split
from tokenloom.errors import CorpusError
from tokenloom.wording import counted

__all__ = ["limited"]

_Blocks = Callable[[SourceRange], Iterator[Block]]


def limited(split: Split, read: _Blocks, measure: _Blocks, *, limit_bytes: int) -> Iterator[tuple[Source, Block]]:
    """The first documents of a split that together have at most so many bytes.

    Args:
        split: all of a group.
        read: the documents of a part of it.
        measure: the same once more, for a part whose documents go over several blocks.
        limit_bytes: the most that is read.
    Raises: CorpusError if not even the first document fits, and as `read`.
    """
    n_left, n_taken = limit_bytes, 0
    for part in split.parts:
        sizes = _sizes(measure(part))
        number, is_open = 0, False  # of the next document of the part; of the block before
        for block in read(part):
            texts, n_fitting = block.texts, int(is_open)
            n_left -= len(texts[0]) if is_open else 0
            for text in texts[n_fitting:]:
                is_last = block.is_open and n_fitting == len(texts) - 1
                n_bytes = len(text)
                if n_bytes > n_left or (is_last and not _fits(sizes, number, n_left)):
                    break
                n_left -= n_bytes
                number += 1
                n_fitting += 1
            n_taken += n_fitting
            if n_fitting < len(texts):
                if n_taken == 0:
                    raise _too_long(part.source, limit_bytes)
                if n_fitting:
                    texts = texts[:n_fitting]
                    yield part.source, Block(texts, False, sum(map(len, texts)), block.n_read_bytes)
                return
            is_open = block.is_open
            yield part.source, block


def _sizes(blocks: Iterable[Block]) -> Iterator[tuple[int, int, bool]]:
    """The number of a document, how many bytes of it were seen, and whether that is all of it; time and again."""
    number = n_bytes = 0
    for block in blocks:
        for place, text in enumerate(block.texts, 1):
            n_bytes += len(text)
            is_whole = place < len(block.texts) or not block.is_open
            yield number, n_bytes, is_whole
            if is_whole:
                number, n_bytes = number + 1, 0


def _fits(sizes: Iterator[tuple[int, int, bool]], wanted: int, n_left: int) -> bool:
    """Whether a document has at most so many bytes; no more of it is read than tells."""
    return next(
        n_bytes <= n_left for number, n_bytes, is_whole in sizes if number == wanted and (is_whole or n_bytes > n_left)
    )


def _too_long(source: Source, limit_bytes: int) -> CorpusError:
    return CorpusError(
        f"{str(source.path)!r}: its first document is longer than the limit of group {source.group!r}, "
        f"{counted(limit_bytes, 'byte')}. Raise the limit, or name what stands between the documents of a text file "
        "with --document-separator."
    )
