"""From token shards back to text: to one stream, or to the files that the corpus had."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final

from tokenloom.corpus import DocumentOptions, Source, read_source
from tokenloom.corpus import documents as documents_of
from tokenloom.errors import StorageError, TokenloomError
from tokenloom.shards import ShardSet, SourceRow
from tokenloom.storage import atomic_write
from tokenloom.storage.atomic import folder_errors
from tokenloom.storage.compression import COMPRESSION_SUFFIXES
from tokenloom.tokenizer import Tokenizer
from tokenloom.wording import counted

if TYPE_CHECKING:
    from tokenloom.trainers import Progress

__all__ = ["compare_sources", "decode_shards", "restore_sources"]

_TOKENS_AT_ONCE: Final = 1 << 20
_ILLEGAL: Final = frozenset("\0" if os.name == "posix" else "\0:\\")
"""In the name of a file; elsewhere than here, a colon or a backslash may lead out of a folder."""


def decode_shards(shards: ShardSet, *, out: BinaryIO, progress: "Progress | None" = None) -> int:
    """Write the text of all documents to a stream, as it stood in the files of the corpus, one after the other.

    A text file comes back byte for byte. Of a JSONL file each document becomes a line with one field, in the form that
    `json` gives it: the other fields are not among the ids.

    Args:
        shards: the open folder.
        out: takes bytes.
        progress: called with the stage `"decode"`, the bytes written and how many there are, separators not counted.
    Returns: the bytes written.
    """
    tokenizer = shards.tokenizer()
    n_bytes = 0
    for source in _sources(shards):
        for part in source.parts(tokenizer):
            out.write(part)
            n_bytes += len(part)
            if progress:
                progress("decode", n_bytes, max(n_bytes, shards.header.n_text_bytes))
    return n_bytes


def restore_sources(
    shards: ShardSet, *, out: str | os.PathLike[str], progress: "Progress | None" = None
) -> tuple[Path, ...]:
    """Write the files of the corpus into a folder, under the names that they had, not compressed; see `decode_shards`.

    Returns: the files.
    Raises: StorageError if a file exists already, or cannot be written.
    """
    tokenizer = shards.tokenizer()
    files = [_place(Path(out), source) for source in shards.header.sources]
    _refuse_same_place(files)
    for file in files:
        if os.path.lexists(file):
            raise StorageError(f"{str(file)!r}: exists already. Choose a new or empty folder.")
    n_bytes = 0
    for path, source in zip(files, _sources(shards), strict=True):
        with folder_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as stream:
            for part in source.parts(tokenizer):
                stream.write(part)
                n_bytes += len(part)
                if progress:
                    progress("decode", n_bytes, max(n_bytes, shards.header.n_text_bytes))
    return tuple(files)


def compare_sources(
    shards: ShardSet,
    sources: Sequence[Source],
    *,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    progress: "Progress | None" = None,
) -> int:
    """Decode every document and compare it with the corpus that it came from.

    Args:
        shards: the open folder.
        sources: the files of the corpus, in the same order.
        documents: how they were cut into documents.
        progress: called with the stage `"decode"`, the bytes compared and how many there are.
    Returns: the bytes compared.
    Raises: TokenloomError naming the file and the first document that differs.
    """
    tokenizer, n_bytes, n_seen = shards.tokenizer(), 0, 0
    for source in sources:
        number = 0
        for number, document in enumerate(documents_of(read_source(source, documents)), 1):
            parts = [document] if isinstance(document, bytes) else document
            known = _text(shards, tokenizer, n_seen) if n_seen < len(shards) else iter([b"no such document"])
            n_new, digest = _measured(parts)
            if (n_new, digest) != _measured(known):
                raise TokenloomError(
                    f"{str(source.path)!r}, document {number}: did not come back byte for byte. Encode it again if it "
                    "has changed, or else please report it."
                )
            n_seen, n_bytes = n_seen + 1, n_bytes + n_new
            if progress:
                progress("decode", n_bytes, max(n_bytes, shards.header.n_text_bytes))
    if n_seen != len(shards):
        raise TokenloomError(
            f"{str(shards.folder)!r}: has {counted(len(shards), 'document')}, and the corpus {n_seen:,}. "
            "Encode it again if it has changed, or else please report it."
        )
    return n_bytes


def _measured(parts: Iterable[bytes]) -> tuple[int, bytes]:
    """Length and digest of a text in parts, which may be cut anywhere and need more memory than there is."""
    n_bytes, digest = 0, hashlib.sha256()
    for part in parts:
        n_bytes += len(part)
        digest.update(part)
    return n_bytes, digest.digest()


def _refuse_same_place(files: Iterable[Path]) -> None:
    """`a.txt` and `a.txt.gz` have different names in a corpus, and the same without compression."""
    taken: set[Path] = set()
    folders: set[Path] = set()
    for file in files:
        if file in taken or file in folders or not taken.isdisjoint(file.parents):
            raise StorageError(
                f"{str(file)!r}: two files of the corpus would lie there without their compression. "
                "Decode to one stream instead."
            )
        taken.add(file)
        folders.update(file.parents)


def _place(folder: Path, source: SourceRow) -> Path:
    """Where a file of the corpus is written: below the folder, whatever its name, and without its compression. Of a
    table only the texts are kept, and they are written as JSONL.
    """
    name, parts = source.name, PurePosixPath(source.name).parts
    if not parts or any(part in {"/", ".."} or not _ILLEGAL.isdisjoint(part) for part in parts):
        raise StorageError(f"{name!r}: this name of a file leads out of the folder. Decode to one stream instead.")
    last = PurePosixPath(parts[-1])
    if source.compression != "none" and COMPRESSION_SUFFIXES.get(last.suffix.lower()) == source.compression:
        last = last.with_suffix("")
    if source.format in ("parquet", "arrow"):
        last = last.with_name(f"{last.name}.jsonl")
    return folder.joinpath(*parts[:-1], last)


@dataclass(frozen=True, slots=True)
class _Source:
    """One file of the corpus: its documents among all."""

    shards: ShardSet
    row: SourceRow
    documents: range

    def parts(self, tokenizer: Tokenizer) -> Iterator[bytes]:
        """The bytes of the file."""
        header = self.shards.header
        for document in self.documents:
            text = _text(self.shards, tokenizer, document)
            if self.row.format != "text":
                try:
                    record = {header.text_field: b"".join(text).decode()}
                except UnicodeDecodeError as error:
                    raise StorageError(
                        f"{str(self.shards.folder)!r}, document {document}: comes from {self.row.format} but is no "
                        f"UTF-8 (byte {error.start}). Write the folder again, or restore it from a copy."
                    ) from error
                yield json.dumps(record, ensure_ascii=False).encode() + b"\n"
                continue
            if document > self.documents.start and header.separator:
                yield header.separator
            yield from text


def _text(shards: ShardSet, tokenizer: Tokenizer, document: int) -> Iterator[bytes]:
    """The text of one document in parts; a part may end inside a character. Steps of a decoder need all tokens."""
    start, stop = shards.text_tokens(document)
    at_once = _TOKENS_AT_ONCE if tokenizer.spec.decoder.steps is None else max(1, stop - start)
    for place in range(start, stop, at_once):
        yield tokenizer.decode_bytes(shards.tokens(place, min(stop, place + at_once)))


def _sources(shards: ShardSet) -> Iterator[_Source]:
    first = 0
    for row in shards.header.sources:
        yield _Source(shards, row, range(first, first + row.n_docs))
        first += row.n_docs
