"""From a source to its documents."""

from collections.abc import Iterator

from tokenloom.corpus.blocks import BLOCK_BYTES, Block, SkippedRecords
from tokenloom.corpus.json_lines import read_json_lines
from tokenloom.corpus.options import DocumentOptions
from tokenloom.corpus.pieces import read_pieces
from tokenloom.corpus.sources import Source
from tokenloom.corpus.text import split_text

__all__ = ["read_source"]


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
    kept = None if options.on_error == "stop" else SkippedRecords() if skipped is None else skipped
    pieces = read_pieces(source.path, source.compression, name=source.name, skipped=kept, block_bytes=block_bytes)
    if source.format == "jsonl":
        return read_json_lines(pieces, source, text_field=options.text_field, skipped=kept)
    return split_text(pieces, options.document_separator)
