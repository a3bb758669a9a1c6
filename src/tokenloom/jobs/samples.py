"""Samples of a corpus: the beginnings of some of its files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tokenloom.corpus import BLOCK_BYTES, DocumentOptions, Source, read_source
from tokenloom.corpus.json_lines import LineMemory

__all__ = ["Sample", "beginning", "sample_texts"]

_SAMPLED_FILES: Final = 16
_SAMPLED_BYTES: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a file.

    Args:
        texts: its first documents; the last one may be cut, and a long one may lie in several pieces.
        n_text_bytes: bytes of these.
        n_read_bytes: bytes of the file on the disk that they took.
    """

    texts: list[bytes]
    n_text_bytes: int
    n_read_bytes: int


def beginning(
    source: Source, documents: DocumentOptions, *, n_bytes: int, line_memory: LineMemory | None = None
) -> Sample:
    """Read the beginning of a file, up to about `n_bytes` of text; what goes beyond is not read.

    Raises: as `read_source`.
    """
    texts: list[bytes] = []
    n_text_bytes = n_read_bytes = 0
    quarter = max(1, n_bytes // 4)  # blocks are taken whole, so a quarter more than asked for is the most
    for block in read_source(source, documents, block_bytes=min(BLOCK_BYTES, quarter), line_memory=line_memory):
        texts += block.texts
        n_text_bytes += block.n_text_bytes
        n_read_bytes = block.n_read_bytes
        if n_text_bytes >= n_bytes:
            break
    return Sample(texts, n_text_bytes, n_read_bytes)


def sample_texts(
    sources: Sequence[Source],
    documents: DocumentOptions,
    *,
    n_files: int = _SAMPLED_FILES,
    n_bytes: int = _SAMPLED_BYTES,
    line_memory: LineMemory | None = None,
) -> Iterator[tuple[list[bytes], int]]:
    """Texts from the beginnings of files that are spread over the corpus, each with the bytes of the file they took."""
    holding = [source for source in sources if source.n_file_bytes]
    chosen = holding[:: max(1, len(holding) // n_files)][:n_files]
    for source in chosen:
        sample = beginning(source, documents, n_bytes=n_bytes // len(chosen), line_memory=line_memory)
        yield sample.texts, sample.n_read_bytes
