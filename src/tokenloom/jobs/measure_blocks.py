"""Feeding the files of a corpus to meters: while one block is counted, the next is encoded, and one behind it read."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from tokenloom.corpus import Block, DocumentOptions, SkippedRecords, Source, read_source
from tokenloom.engine import ahead
from tokenloom.metrics import Meters
from tokenloom.metrics.text_meter import WordSpans
from tokenloom.metrics.token_meter import Encoded

if TYPE_CHECKING:
    from tokenloom.trainers import Progress

__all__ = ["CorpusFeed"]

_BATCH_BYTES: Final = 8 << 20
_STAGE: Final = "measure"


@dataclass(slots=True)
class CorpusFeed:
    """The files of a corpus on their way to meters, group by group.

    Args:
        documents: how they are cut into documents.
        n_file_bytes: of all files.
        progress: called with the stage `"measure"`, the bytes of the files read, and how many there are.
        skipped: the broken records that were left out.
        n_read_bytes: of the files read so far.
    """

    documents: DocumentOptions
    n_file_bytes: int
    progress: "Progress | None" = None
    skipped: SkippedRecords = field(default_factory=SkippedRecords)
    n_read_bytes: int = 0

    def feed(self, meters: Meters, sources: Sequence[Source]) -> None:
        """Feed the documents of some files."""
        parts = _worded(meters, self._blocks(sources))
        with closing(ahead(parts)) as worded, closing(ahead(_encoded(meters, worded))) as encoded:
            for part, ids in encoded:
                meters.count(part.texts, part.words, ids, is_open=part.is_open)

    def _blocks(self, sources: Sequence[Source]) -> Iterator[Block]:
        for source in sources:
            n_before = self.n_read_bytes
            for block in read_source(source, self.documents, skipped=self.skipped):
                yield block
                if self.progress:
                    done = n_before + block.n_read_bytes
                    self.progress(_STAGE, done, max(done, self.n_file_bytes))
            self.n_read_bytes = n_before + source.n_file_bytes


class _Part(NamedTuple):
    """Some texts of the corpus on their way."""

    texts: list[bytes]
    is_open: bool
    words: WordSpans


def _worded(meters: Meters, blocks: Iterator[Block]) -> Iterator[_Part]:
    """Batches of blocks, with what the text alone is."""
    texts: list[bytes] = []
    n_bytes = 0
    for block in blocks:
        texts += block.texts
        n_bytes += block.n_text_bytes
        if block.is_open or n_bytes >= _BATCH_BYTES:
            yield _Part(texts, block.is_open, meters.words_of(texts, is_open=block.is_open))
            texts, n_bytes = [], 0
    if texts:
        yield _Part(texts, False, meters.words_of(texts))


def _encoded(meters: Meters, parts: Iterator[_Part]) -> Iterator[tuple[_Part, list[Encoded]]]:
    for part in parts:
        yield part, meters.encode(part.texts, is_open=part.is_open)
