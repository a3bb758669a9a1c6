"""From a source or a stream to its documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tokenloom.corpus.blocks import BLOCK_BYTES, Block, SkippedRecords
from tokenloom.corpus.json_lines import read_json_lines
from tokenloom.corpus.options import DocumentOptions
from tokenloom.corpus.pieces import Piece, read_pieces, stream_pieces
from tokenloom.corpus.sources import Source
from tokenloom.corpus.text import split_text

__all__ = ["read_source", "read_stream"]


def read_source(
    source: Source,
    options: DocumentOptions,
    *,
    skipped: SkippedRecords | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> Iterator[Block]:
    """The documents of a source, in blocks.

    Args:
        source: the file, from `list_sources`.
        options: where a document ends, and whether what is broken raises or is left out.
        skipped: where that which is left out is counted.
        block_bytes: about how many bytes a block has. The documents do not depend on it.
    Raises: CorpusError, when blocks are asked for, if the file cannot be opened or read on, or if a record or the
        compressed data is broken; MissingExtraError for zstd that this Python cannot read.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from tokenloom.corpus import list_sources
    >>> path = Path(tempfile.mkdtemp()) / "cats.txt"
    >>> _ = path.write_text("the cat||the hat")
    >>> options = DocumentOptions(document_separator="||")
    >>> [block.texts for source in list_sources([path], options) for block in read_source(source, options)]
    [[b'the cat', b'the hat']]
    """
    kept = _kept(options, skipped)
    pieces = read_pieces(source.path, source.compression, name=source.name, skipped=kept, block_bytes=block_bytes)
    return _blocks(pieces, source, options, kept)


def read_stream(
    stream: BinaryIO, options: DocumentOptions, *, name: str, skipped: SkippedRecords | None = None
) -> Iterator[Block]:
    """The documents of a stream, as `read_source`; format `"auto"` stands for text, compression `"auto"` for none.

    Args:
        stream: gives bytes; a `read` that returns less than it is asked for is its last.
        options: as there.
        name: what errors call it.
        skipped: as there.

    >>> import io
    >>> [block.texts for block in read_stream(io.BytesIO(b"the cat"), DocumentOptions(), name="standard input")]
    [[b'the cat']]
    """
    kept = _kept(options, skipped)
    source = Source(
        path=Path(name),
        name=name,
        format="jsonl" if options.format == "jsonl" else "text",
        compression="none" if options.compression == "auto" else options.compression,
        n_file_bytes=0,
    )
    pieces = stream_pieces(stream, source.compression, place=repr(name), name=name, skipped=kept)
    return _blocks(pieces, source, options, kept)


def _kept(options: DocumentOptions, skipped: SkippedRecords | None) -> SkippedRecords | None:
    """Where that which is left out is counted; None if it raises."""
    if options.on_error == "stop":
        return None
    return SkippedRecords() if skipped is None else skipped


def _blocks(
    pieces: Iterator[Piece], source: Source, options: DocumentOptions, skipped: SkippedRecords | None
) -> Iterator[Block]:
    if source.format == "jsonl":
        return read_json_lines(pieces, source, text_field=options.text_field, skipped=skipped)
    return split_text(pieces, options.document_separator)
