"""The documents of a table: each row is one, and a row without a text is a broken record, as a line of JSONL is.

A text is missing where it is null, where a column of strings has bytes that are no UTF-8, and where it is longer than
was allowed. The bytes of a column of binaries are taken as they are.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from tokenloom.corpus.blocks import Block, SkippedRecords
from tokenloom.corpus.column_texts import column_texts
from tokenloom.corpus.options import DocumentOptions
from tokenloom.corpus.selection import Keep
from tokenloom.corpus.tables import TABLE_NAMES, DamagedTableError, TableFormat, open_table
from tokenloom.errors import CorpusError
from tokenloom.wording import counted

__all__ = ["read_rows"]

_SKIP: Final = "use --on-error skip to leave such rows out"


def read_rows(
    path: Path | str,
    table_format: TableFormat,
    options: DocumentOptions,
    *,
    name: str,
    parts: range,
    n_file_bytes: int,
    keep: Keep | None,
    skipped: SkippedRecords | None,
) -> Iterator[Block]:
    """The texts of some parts of a Parquet or Arrow file, in blocks.

    Args:
        path: the file.
        table_format: what it is.
        options: the name of the column, and how long a text may be.
        name: what the file is called among skipped records.
        parts: the row groups that are read; the one part of an Arrow file.
        n_file_bytes: how much of the file they are.
        keep: told the number of a row, from 0, whether it is wanted.
        skipped: where rows without a text and damaged parts are counted; None raises.
    Raises: CorpusError as `open_table`, and for a row without a text or a damaged part if `skipped` is None.
    """

    def refuse(place: str, reason: str, remedy: str) -> None:
        if skipped is None:
            raise CorpusError(f"{str(path)!r}{place}: {reason}. {remedy}.")
        skipped.add(f"{name}{place}: {reason}")

    with open_table(path, table_format, options) as table:
        for part in parts:
            try:
                for row, array, share in table.batches(part):
                    texts = _texts(row, array, options, keep, refuse)
                    n_read = round(n_file_bytes * (part - parts.start + share) / len(parts))
                    if texts:
                        yield Block(texts, False, sum(map(len, texts)), n_read)
            except DamagedTableError as error:
                place = f", row group {part + 1}" if table_format == "parquet" else ""
                reason = f"cannot be read on as {TABLE_NAMES[table_format]} ({error})"
                refuse(place, reason, f"{error.remedy}, or use --on-error skip to leave out what is damaged")


def _texts(first_row: int, array: Any, options: DocumentOptions, keep: Keep | None, refuse: Any) -> list[bytes]:
    is_sound = _is_sound(array)
    try:
        texts = column_texts(array)
    except (ValueError, IndexError, TypeError) as error:  # buffers that are too short for what they say
        raise DamagedTableError(f"the buffers of its column do not fit together: {error}") from error
    if keep is None and is_sound and None not in texts:
        whole = cast(list[bytes], texts)
        if max(map(len, whole), default=0) <= options.max_record_bytes:
            return whole
    kept = []
    for row, text in enumerate(texts, first_row):
        if keep and not keep(row):
            continue
        fault = _fault(text, options, is_sound or "binary" in str(array.type))
        if fault:
            refuse(f", row {row + 1}", *fault)
        elif text is not None:
            kept.append(text)
    return kept


def _is_sound(array: Any) -> bool:
    """Whether all offsets are in order and all strings are UTF-8; pyarrow does not look at that when it reads."""
    try:
        array.validate(full=True)
    except ValueError:
        return False
    return True


def _fault(text: bytes | None, options: DocumentOptions, is_sound: bool) -> tuple[str, str] | None:
    """What is wrong with a row, and the remedy."""
    if text is None:
        return f"column {options.text_field!r} is null, no text", f"Fill or remove the row, or {_SKIP}"
    if len(text) > options.max_record_bytes:
        return f"is longer than {counted(options.max_record_bytes, 'byte')}", f"Cut it into several, or {_SKIP}"
    if is_sound:
        return None
    try:
        text.decode()
    except UnicodeDecodeError as error:
        what = f"byte {error.start} of column {options.text_field!r}, {text[error.start]:#04x}, is no UTF-8"
        return what, f"Write the column as binary, or {_SKIP}"
    return None
