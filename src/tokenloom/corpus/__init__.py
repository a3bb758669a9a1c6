"""Reading documents."""

from tokenloom.corpus.blocks import BLOCK_BYTES, Block, DocumentParts, SkippedRecords, documents
from tokenloom.corpus.files import list_files, standard_library_files
from tokenloom.corpus.options import DocumentOptions
from tokenloom.corpus.pieces import read_blocks
from tokenloom.corpus.reading import read_source, read_stream
from tokenloom.corpus.sources import Source, list_sources, refuse_output, standard_library_sources

__all__ = [
    "BLOCK_BYTES",
    "Block",
    "DocumentOptions",
    "DocumentParts",
    "SkippedRecords",
    "Source",
    "documents",
    "list_files",
    "list_sources",
    "read_blocks",
    "read_source",
    "read_stream",
    "refuse_output",
    "standard_library_files",
    "standard_library_sources",
]
