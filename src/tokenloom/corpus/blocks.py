"""Documents on their way: blocks of them, read one at a time, so that memory follows the block and not the corpus.

A document that is longer than a block goes over several: a block is *open* when its last text goes on in the next one.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

__all__ = ["BLOCK_BYTES", "Block", "DocumentParts", "SkippedRecords", "documents"]

BLOCK_BYTES: Final = 2 << 20
"""Large enough that all threads have work, small enough to stay near the processor."""

_MOST_EXAMPLES: Final = 100


@dataclass(frozen=True, slots=True)
class Block:
    """Some documents of one source, in their order.

    Args:
        texts: documents, or parts of them; if the block before was open, the first one continues its last document.
        is_open: the last text goes on in the next block. The last block of a source is never open.
        n_text_bytes: bytes of the texts.
        n_read_bytes: bytes of the file on the disk that were read so far.
    """

    texts: list[bytes]
    is_open: bool
    n_text_bytes: int
    n_read_bytes: int


@dataclass
class SkippedRecords:
    """What was left out because it is broken: how much, and what the first of it was.

    >>> skipped = SkippedRecords()
    >>> skipped.add("a.jsonl, line 12: is no JSON")
    >>> skipped
    SkippedRecords(n_skipped=1, examples=['a.jsonl, line 12: is no JSON'])
    """

    n_skipped: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        """Count one more; the first hundred are kept."""
        self.n_skipped += 1
        if len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(example)

    def extend(self, others: "SkippedRecords") -> None:
        """Add those of another part of the corpus, behind these."""
        self.n_skipped += others.n_skipped
        self.examples += others.examples[: _MOST_EXAMPLES - len(self.examples)]


def documents(blocks: Iterable[Block]) -> "Iterator[bytes | DocumentParts]":
    """The documents of blocks: whole ones as bytes, those that go over several blocks as their parts.

    What is not taken of the parts before the next document is asked for is passed over.

    >>> blocks = [Block([b"a", b"b"], True, 2, 2), Block([b"c", b"d"], False, 2, 4)]
    >>> [document if isinstance(document, bytes) else list(document) for document in documents(blocks)]
    [b'a', [b'b', b'c'], b'd']
    """
    rest = iter(blocks)
    for block in rest:
        n_seen = 0
        while block.is_open:
            yield from block.texts[n_seen:-1]
            parts = DocumentParts(block.texts[-1], rest)
            yield parts
            deque(parts, maxlen=0)
            if parts.last_block is None:
                return
            block, n_seen = parts.last_block, 1
        yield from block.texts[n_seen:]


class DocumentParts(Iterator[bytes]):
    """A document in parts, read when they are asked for; once they are all taken, `last_block` is where it ends."""

    def __init__(self, text: bytes, blocks: Iterator[Block]) -> None:
        self.last_block: Block | None = None
        self._parts = self._read(text, blocks)

    def __next__(self) -> bytes:
        return next(self._parts)

    def _read(self, text: bytes, blocks: Iterator[Block]) -> Iterator[bytes]:
        yield text
        for block in blocks:
            if len(block.texts) > 1 or not block.is_open:
                self.last_block = block
                yield block.texts[0]
                return
            yield block.texts[0]
