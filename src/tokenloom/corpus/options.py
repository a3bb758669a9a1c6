"""How the documents of a corpus lie in its files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from tokenloom.errors import CorpusError

__all__ = ["DocumentOptions"]

_Format = Literal["auto", "text", "jsonl", "parquet", "arrow"]
_Compression = Literal["auto", "none", "gzip", "zstd", "xz", "bzip2"]
_OnError = Literal["stop", "skip"]

_CHOICES: Final[dict[str, Any]] = {"format": _Format, "compression": _Compression, "on_error": _OnError}


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    r"""What files hold, and what to do with what is broken in them.

    Args:
        format: `"text"`, `"jsonl"` (one JSON object a line), `"parquet"` or `"arrow"` (one document a row; a file or a
            stream of Arrow's IPC format), or `"auto"`: by the name of each file, where `.jsonl` and `.ndjson` stand for
            JSONL, also under the suffix of a compression, `.parquet` for Parquet, `.arrow` and `.feather` for Arrow,
            and all others for text. A compressed `.json` may be either, and is refused.
        document_separator: what stands between the documents of a text file; None if each file is one document. A str
            stands for its UTF-8 bytes. It plays no part in other formats.
        text_field: the field of a JSON object, or the column of a table, that holds the text.
        compression: of all files but tables, or `"auto"`: by the suffix of each, `.gz`, `.zst`, `.xz` or `.bz2`.
        on_error: `"stop"` raises at a broken record or at compressed data that is damaged, `"skip"` leaves it out.
        max_record_bytes: how long a line of JSONL or the text of a row may be; a longer one is a broken record. A
            record must be held whole to be parsed, and a small compressed file can hold one that no memory holds.
        storage_options: for URLs, what their store takes, such as keys; passed to fsspec as they are, and neither shown
            nor written anywhere.
    Raises: CorpusError for a value that is not among those known, or a separator that cannot be one.

    >>> DocumentOptions(document_separator="\n\n").document_separator
    b'\n\n'
    """

    format: _Format = "auto"
    document_separator: bytes | None = None
    text_field: str = "text"
    compression: _Compression = "auto"
    on_error: _OnError = "stop"
    max_record_bytes: int = 1 << 30
    storage_options: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for option, choice in _CHOICES.items():
            value, known = getattr(self, option), get_args(choice)
            if value not in known:
                raise CorpusError(f"{option} {value!r}: is unknown. Use one of {', '.join(map(repr, known))}.")
        if not isinstance(self.text_field, str):
            raise CorpusError(f"text_field {self.text_field!r}: is no string. Pass the name of the field as str.")
        if type(self.max_record_bytes) is not int or self.max_record_bytes <= 0:
            raise CorpusError(f"max_record_bytes {self.max_record_bytes!r}: is no length. Use a whole number above 0.")
        object.__setattr__(self, "storage_options", _storage_options(self.storage_options))
        object.__setattr__(self, "document_separator", _separator_bytes(self.document_separator))
        if self.document_separator is not None and self.format not in ("auto", "text"):
            where, one = ("JSONL", "line") if self.format == "jsonl" else (f"format {self.format!r}", "row")
            raise CorpusError(
                f"document_separator {self.document_separator!r}: plays no part in {where}: each {one} is a document. "
                "Leave it out, or use format 'text'."
            )


def _storage_options(options: object) -> dict[str, Any]:
    """A copy; the values may be keys, so no message shows them."""
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise CorpusError("storage_options: is no mapping from names. Pass a dict such as {'anon': True}.")
    return dict(options)


def _separator_bytes(separator: object) -> bytes | None:
    if separator is None:
        return None
    data = separator
    if isinstance(separator, str):
        try:
            data = separator.encode()
        except UnicodeEncodeError as error:
            raise CorpusError(
                f"document_separator {separator!r}: character {error.start} is a lone surrogate, which has no UTF-8 "
                "bytes. Pass the separator as bytes."
            ) from error
    if not isinstance(data, bytes):
        raise CorpusError(
            f"document_separator {separator!r}: is neither str nor bytes. Pass the text between documents."
        )
    if not data:
        raise CorpusError(
            f"document_separator {separator!r}: is empty. Pass the text that stands between documents, or None if each "
            "file is one document."
        )
    return data
