"""From a source, a part of it or a stream to its documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from tokenloom.corpus.blocks import BLOCK_BYTES, Block, SkippedRecords
from tokenloom.corpus.json_lines import LineMemory, read_json_lines
from tokenloom.corpus.limits import limited
from tokenloom.corpus.line_ranges import read_line_range
from tokenloom.corpus.options import DocumentOptions
from tokenloom.corpus.pieces import Piece, read_pieces, stream_pieces
from tokenloom.corpus.rows import read_rows
from tokenloom.corpus.selection import Keep, Selection
from tokenloom.corpus.sources import Source
from tokenloom.corpus.splits import SourceRange, Split, whole_range
from tokenloom.corpus.text import sampled_text, split_text
from tokenloom.errors import CorpusError
from tokenloom.storage import input_bytes
from tokenloom.wording import counted

__all__ = ["read_source", "read_split", "read_stream"]

_ALL: Final = Selection()


def read_source(
    source: Source,
    options: DocumentOptions,
    *,
    skipped: SkippedRecords | None = None,
    block_bytes: int = BLOCK_BYTES,
    line_memory: LineMemory | None = None,
) -> Iterator[Block]:
    """The documents of a source, in blocks.

    Args:
        source: the file, from `list_sources`.
        options: where a document ends, and whether what is broken raises or is left out.
        skipped: where that which is left out is counted.
        block_bytes: about how many bytes a block has. The documents do not depend on it.
        line_memory: what there is for a line of JSONL; None for any.
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
    parts = iter([source])  # so that nothing is opened before blocks are asked for
    kept = _kept(options, skipped)
    return (
        block
        for part in parts
        for block in _part(whole_range(part, options), options, None, kept, block_bytes, line_memory)
    )


def read_split(
    split: Split,
    options: DocumentOptions,
    *,
    selection: Selection = _ALL,
    skipped: SkippedRecords | None = None,
    line_memory: LineMemory | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> Iterator[tuple[Source, Block]]:
    r"""The documents of a split, in blocks, each with the source that it is of.

    Args:
        split: from `plan_splits`, with the same options and selection.
        options: as for `read_source`.
        selection: which documents are wanted.
        skipped: as there.
        line_memory: what there is for a line of JSONL; None for any.
        block_bytes: as there. `n_read_bytes` of a block counts from the start of its part of the source.
    Raises: as there, and CorpusError for a file that has changed its length since it was listed, or if the first
        document of a group is longer than the limit of the group; MemoryLimitError for a wanted
        line that is too long for the memory and no broken record.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from tokenloom.corpus import list_sources, plan_splits
    >>> path = Path(tempfile.mkdtemp()) / "cats.jsonl"
    >>> _ = path.write_text('{"text": "the cat"}\n' * 5)
    >>> options = DocumentOptions()
    >>> for split in plan_splits(list_sources([path]), options, split_bytes=60):
    ...     print([block.texts for _, block in read_split(split, options)])
    [[b'the cat', b'the cat', b'the cat']]
    [[b'the cat', b'the cat']]
    """
    kept = _kept(options, skipped)

    def read(part: SourceRange) -> Iterator[Block]:
        yield from _part(part, options, selection.chooser(part.source.name), kept, block_bytes, line_memory)
        _refuse_changed(part.source, options)

    def measure(part: SourceRange) -> Iterator[Block]:
        aside = None if kept is None else SkippedRecords()
        return _part(part, options, selection.chooser(part.source.name), aside, block_bytes, line_memory)

    if split.group in selection.limits:
        return limited(split, read, measure, limit_bytes=selection.limits[split.group])
    return ((part.source, block) for part in split.parts for block in read(part))


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
    if options.format in ("parquet", "arrow"):
        raise CorpusError(
            f"{name!r}: a table cannot be read from a stream, as it is entered in many places. Name a file."
        )
    kept = _kept(options, skipped)
    source = Source(
        path=Path(name),
        name=name,
        format="jsonl" if options.format == "jsonl" else "text",
        compression="none" if options.compression == "auto" else options.compression,
        n_file_bytes=0,
    )
    pieces = stream_pieces(stream, source.compression, place=repr(name), name=name, skipped=kept)
    return _texts(pieces, source, options, None, kept)


def _kept(options: DocumentOptions, skipped: SkippedRecords | None) -> SkippedRecords | None:
    """Where that which is left out is counted; None if it raises."""
    if options.on_error == "stop":
        return None
    return SkippedRecords() if skipped is None else skipped


def _part(
    part: SourceRange,
    options: DocumentOptions,
    keep: Keep | None,
    skipped: SkippedRecords | None,
    block_bytes: int,
    line_memory: LineMemory | None = None,
) -> Iterator[Block]:
    source = part.source
    if source.format == "parquet" or source.format == "arrow":
        return read_rows(
            source.path,
            source.format,
            options,
            name=source.name,
            parts=range(part.start, part.end),
            n_file_bytes=part.n_file_bytes,
            keep=keep,
            skipped=skipped,
        )
    arguments: dict[str, Any] = {"block_bytes": block_bytes, "storage_options": options.storage_options}
    if part.start == 0 and part.end >= source.n_file_bytes:
        pieces = read_pieces(source.path, source.compression, name=source.name, skipped=skipped, **arguments)
    else:
        pieces = read_line_range(source.path, part.start, part.end, **arguments)
    return _texts(pieces, source, options, keep, skipped, is_numbered=part.start == 0, line_memory=line_memory)


def _texts(
    pieces: Iterator[Piece],
    source: Source,
    options: DocumentOptions,
    keep: Keep | None,
    skipped: SkippedRecords | None,
    *,
    is_numbered: bool = True,
    line_memory: LineMemory | None = None,
) -> Iterator[Block]:
    if source.format == "jsonl":
        return read_json_lines(
            pieces,
            source,
            text_field=options.text_field,
            max_line_bytes=options.max_record_bytes,
            skipped=skipped,
            keep=keep,
            is_numbered=is_numbered,
            memory=line_memory,
        )
    blocks = split_text(pieces, options.document_separator)
    if keep is None:
        return blocks
    return sampled_text(blocks, keep, n_separator_bytes=len(options.document_separator or b""))


def _refuse_changed(source: Source, options: DocumentOptions) -> None:
    if input_bytes(source.path, options.storage_options) != source.n_file_bytes:
        raise CorpusError(
            f"{str(source.path)!r}: had {counted(source.n_file_bytes, 'byte')} at first, and has changed since. "
            "Start again when nothing writes it any more."
        )
