"""Reading the files of a corpus one after the other, and keeping account of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tokenloom.corpus import Block, DocumentOptions, SkippedRecords, Source, read_source
from tokenloom.errors import CorpusError
from tokenloom.shards import SourceRow
from tokenloom.storage import input_bytes
from tokenloom.wording import counted

__all__ = ["CorpusReading", "FileReading"]


@dataclass(slots=True)
class FileReading:
    """How far one file has been read.

    Args:
        n_text_bytes: bytes of documents.
        n_docs: documents that have begun.
        is_open: the last one goes on.
        n_open_bytes: bytes of that one so far.
    """

    n_text_bytes: int = 0
    n_docs: int = 0
    is_open: bool = False
    n_open_bytes: int = 0

    def add(self, block: Block) -> None:
        """Take account of the next block."""
        continues = self.is_open and len(block.texts) == 1
        last = len(block.texts[-1]) if block.texts else 0
        self.n_docs += len(block.texts) - self.is_open
        self.n_text_bytes += block.n_text_bytes
        self.n_open_bytes = (self.n_open_bytes * continues + last) * block.is_open
        self.is_open = block.is_open


class CorpusReading:
    """The files of a corpus on their way through a job.

    Args:
        sources: the files.
        options: how they are cut into documents.
        rows: of the first files, which an earlier run has read.
        skipped: what was left out of those.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        options: DocumentOptions,
        *,
        rows: Iterable[SourceRow] = (),
        skipped: Iterable[str] = (),
    ) -> None:
        self.sources = sources
        self.options = options
        self.rows = list(rows)
        self.skipped = SkippedRecords(sum(row.n_skipped for row in self.rows), list(skipped))
        self.at = FileReading()
        """Of the file at hand."""
        self._n_file_bytes = sum(source.n_file_bytes for source in sources)
        self._n_read_bytes = sum(source.n_file_bytes for source in sources[: len(self.rows)])

    @property
    def n_text_bytes(self) -> int:
        """The text that has been read, in an earlier run too."""
        return sum(row.n_text_bytes for row in self.rows) + self.at.n_text_bytes

    @property
    def expected_text_bytes(self) -> int:
        """The text of all files, from what those read so far hold: exact for plain text without separators."""
        return round(self.n_text_bytes * (self._n_file_bytes / max(1, self._n_read_bytes)))

    def blocks(self) -> Iterator[Block]:
        """The blocks of all files that have no row yet; each file then gets one."""
        for source in self.sources[len(self.rows) :]:
            skipped = SkippedRecords()
            n_before = self._n_read_bytes
            for block in read_source(source, self.options, skipped=skipped):
                self._n_read_bytes = n_before + block.n_read_bytes
                self.at.add(block)
                yield block
            self._n_read_bytes = n_before + source.n_file_bytes
            self._finish(source, skipped)

    def _finish(self, source: Source, skipped: SkippedRecords) -> None:
        if input_bytes(source.path, self.options.storage_options) != source.n_file_bytes:
            raise CorpusError(
                f"{str(source.path)!r}: had {counted(source.n_file_bytes, 'byte')} at first, and has changed since. "
                "Start again when nothing writes it any more."
            )
        at, self.at = self.at, FileReading()
        counts = (source.n_file_bytes, at.n_text_bytes, at.n_docs, skipped.n_skipped)
        self.rows.append(SourceRow(source.name, source.format, source.compression, *counts))
        self.skipped.extend(skipped)
