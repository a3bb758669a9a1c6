"""How a folder of token shards is laid out, and what its manifest says beside checksums.

    tokens-00000.npy  ids of all documents, one after the other, cut every `shard_tokens` ids: an array of uint16 or
    tokens-00001.npy  uint32, little-endian, that `numpy.load(path, mmap_mode="r")` opens anywhere
    documents.npy     where each document begins among all ids, and the end: int64 of shape (n_docs + 1,)
    tokenizer.tloom   the tokenizer, so that the folder can be read without anything else
    manifest.json     lengths, checksums and the header below, written last

Documents are never told apart by the end-of-document token: a text may hold that token too.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, get_args

from tokenloom.spec.components import ID_LIMIT
from tokenloom.tokenizer import MOST_UINT16_IDS, IdType

__all__ = [
    "DOCUMENTS",
    "KIND",
    "NPY_HEADER_BYTES",
    "START_BYTES",
    "STORED_AS",
    "EdgeToken",
    "ShardHeader",
    "SourceRow",
    "npy_header",
    "shard_name",
    "smallest_dtype",
]

KIND: Final = "shards"
DOCUMENTS: Final = "documents.npy"
NPY_HEADER_BYTES: Final = 128
START_BYTES: Final = 8
"""Of the place of a document in `documents.npy`."""
MOST_IDS: Final = {"uint16": MOST_UINT16_IDS, "uint32": ID_LIMIT}
"""The largest vocabulary by type; no tokenizer has more."""
STORED_AS: Final = {"uint16": "<u2", "uint32": "<u4", "int64": "<i8"}
"""numpy's names of the types in the files: little-endian on every machine."""


@dataclass(frozen=True, slots=True)
class EdgeToken:
    """A special token at the beginning or the end of every document."""

    content: str
    id: int


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One input file, in the order in which its documents follow.

    Args:
        name: its path inside the corpus.
        format: `"text"`, `"jsonl"`, `"parquet"` or `"arrow"`.
        compression: `"none"`, or how the file was compressed.
        n_file_bytes: its length as it lay on the disk, compressed or not.
        n_text_bytes: the bytes of its documents, separators not counted.
        n_docs: its documents.
        n_skipped: records that were left out because they were broken.
    """

    name: str
    format: str
    compression: str
    n_file_bytes: int
    n_text_bytes: int
    n_docs: int
    n_skipped: int


@dataclass(frozen=True, slots=True)
class ShardHeader:
    """What the manifest of a shard folder says beside lengths and checksums.

    Args:
        dtype: of the ids.
        vocabulary_size: ids are below it.
        tokenizer_fingerprint: of the tokenizer that made the ids.
        n_docs: documents.
        n_tokens: ids, those at the edges of documents among them.
        n_text_bytes: the text behind them.
        shard_tokens: ids of each shard but the last, which may have fewer.
        begin_of_document: the token before each document, or None.
        end_of_document: the token behind each document, or None.
        document_separator: hex of the bytes that stood between the documents of a text file, or None.
        text_field: the field of each JSON record that was the document.
        special_text: what special tokens in a text became: `"plain"` text, or tokens (`"parse"`).
        n_special_tokens: how often each special token stood in the text; those that did not are left out.
        sources: the input files.
    """

    dtype: IdType
    vocabulary_size: int
    tokenizer_fingerprint: str
    n_docs: int
    n_tokens: int
    n_text_bytes: int
    shard_tokens: int
    begin_of_document: EdgeToken | None
    end_of_document: EdgeToken | None
    document_separator: str | None
    text_field: str
    special_text: str
    n_special_tokens: Mapping[str, int]
    sources: tuple[SourceRow, ...]

    def values(self) -> dict[str, Any]:
        """The header as JSON holds it."""
        sources = [asdict(source) for source in self.sources]
        return asdict(self) | {"n_special_tokens": dict(self.n_special_tokens), "sources": sources}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "ShardHeader":
        """The inverse of `values`. Raises: ValueError for what `values` does not give, with the name of the value."""
        names = {field.name for field in fields(cls)}
        for name in sorted(names ^ values.keys()):
            raise ValueError(f"{name!r} is {'missing' if name in names else 'unknown'}")
        header = cls(
            **dict(values)
            | {name: _edge_token(name, values[name]) for name in ("begin_of_document", "end_of_document")}
            | {"sources": _sources(values["sources"])}
        )
        fault = header._fault()
        if fault:
            raise ValueError(fault)
        return header

    def _fault(self) -> str | None:
        """The first value that no run can have written."""
        for name in ("vocabulary_size", "n_docs", "n_tokens", "n_text_bytes", "shard_tokens"):
            if not _is_count(getattr(self, name)):
                return f"{name} {getattr(self, name)!r} is no count"
        for name in ("tokenizer_fingerprint", "text_field", "special_text"):
            if not isinstance(getattr(self, name), str):
                return f"{name} {getattr(self, name)!r} is no text"
        special = self.n_special_tokens
        if not isinstance(special, dict) or not all(map(_is_count, special.values())):
            return f"n_special_tokens {special!r} are no counts"
        if self.dtype not in get_args(IdType):
            return f"dtype {self.dtype!r} is unknown"
        if self.document_separator is not None and not _is_hex(self.document_separator):
            return f"document_separator {self.document_separator!r} is no hex"
        if not self.shard_tokens:
            return "shard_tokens is 0"
        if not 0 < self.vocabulary_size <= MOST_IDS[self.dtype]:
            return f"vocabulary_size {self.vocabulary_size} does not fit {self.dtype}"
        if not all(source.format in ("text", "jsonl", "parquet", "arrow") for source in self.sources):
            return "a source has a format that is none of text, jsonl, parquet and arrow"
        if not _is_unicode(self.text_field):
            return f"text_field {self.text_field!r} has a lone surrogate"
        if sum(source.n_docs for source in self.sources) != self.n_docs:
            return f"n_docs {self.n_docs} is not the sum of its sources"
        return None

    @property
    def n_shards(self) -> int:
        """The number of shard files; for a hostile header far more than `shards` could list."""
        return -(-self.n_tokens // self.shard_tokens)

    @property
    def shards(self) -> dict[str, int]:
        """The ids of each shard file, in order."""
        full, rest = divmod(self.n_tokens, self.shard_tokens)
        sizes = [self.shard_tokens] * full + ([rest] if rest else [])
        return {shard_name(number): n_tokens for number, n_tokens in enumerate(sizes)}

    @property
    def separator(self) -> bytes | None:
        """The bytes between the documents of a text file."""
        return None if self.document_separator is None else bytes.fromhex(self.document_separator)


def smallest_dtype(vocabulary_size: int) -> IdType:
    """The smallest type that holds all ids of a vocabulary.

    >>> smallest_dtype(65_536), smallest_dtype(65_537)
    ('uint16', 'uint32')
    """
    return "uint16" if vocabulary_size <= MOST_UINT16_IDS else "uint32"


def shard_name(number: int) -> str:
    """The file of a shard.

    >>> shard_name(7)
    'tokens-00007.npy'
    """
    return f"tokens-{number:05}.npy"


def npy_header(dtype: Literal["uint16", "uint32", "int64"], n_items: int) -> bytes:
    r"""The 128 bytes before the items of a flat array in numpy's file format, version 1.0.

    Written here, since numpy promises that its files can be read, not that the spelling of the header stays.

    >>> npy_header("uint16", 3)[:10], npy_header("uint16", 3)[10:68].decode()
    (b'\x93NUMPY\x01\x00v\x00', "{'descr': '<u2', 'fortran_order': False, 'shape': (3,), } ")
    """
    text = f"{{'descr': '{STORED_AS[dtype]}', 'fortran_order': False, 'shape': ({n_items},), }}"
    start = b"\x93NUMPY\x01\x00" + (NPY_HEADER_BYTES - 10).to_bytes(2, "little")
    return start + text.ljust(NPY_HEADER_BYTES - 11).encode("ascii") + b"\n"


def _edge_token(name: str, value: Any) -> EdgeToken | None:
    if value is None:
        return None
    if not isinstance(value, dict) or value.keys() != {"content", "id"} or not _is_count(value["id"]):
        raise ValueError(f"{name} {value!r} is no token")
    return EdgeToken(value["content"], value["id"])


def _sources(values: Any) -> tuple[SourceRow, ...]:
    names = {field.name for field in fields(SourceRow)}
    if not isinstance(values, list) or not all(isinstance(row, dict) and row.keys() == names for row in values):
        raise ValueError("sources are no list of input files")
    for row in values:
        counts = [value for name, value in row.items() if name.startswith("n_")]
        if not all(map(_is_count, counts)) or not isinstance(row["name"], str):
            raise ValueError(f"source {row!r} has an impossible value")
    return tuple(SourceRow(**row) for row in values)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_hex(value: Any) -> bool:
    try:
        return isinstance(value, str) and bytes.fromhex(value).hex() == value
    except ValueError:
        return False
