"""Reading documents."""

from tokenloom.corpus.blocks import BLOCK_BYTES, Block, DocumentParts, SkippedRecords, documents
from tokenloom.corpus.files import list_files, standard_library_files
from tokenloom.corpus.mixture import Mixture, check_weights, multipliers, parse_weights
from tokenloom.corpus.options import DocumentOptions
from tokenloom.corpus.pieces import read_blocks
from tokenloom.corpus.reading import read_source, read_split, read_stream
from tokenloom.corpus.selection import Selection
from tokenloom.corpus.sources import Source, list_sources, refuse_output, standard_library_sources
from tokenloom.corpus.splits import SPLIT_BYTES, SourceRange, Split, plan_splits

__all__ = [
    "BLOCK_BYTES",
    "SPLIT_BYTES",
    "Block",
    "DocumentOptions",
    "DocumentParts",
    "Mixture",
    "Selection",
    "SkippedRecords",
    "Source",
    "SourceRange",
    "Split",
    "check_weights",
    "documents",
    "list_files",
    "list_sources",
    "multipliers",
    "parse_weights",
    "plan_splits",
    "read_blocks",
    "read_source",
    "read_split",
    "read_stream",
    "refuse_output",
    "standard_library_files",
    "standard_library_sources",
]
