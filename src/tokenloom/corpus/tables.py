"""Parquet and Arrow files: which have a column of texts, and that column in batches of rows.

The only file that needs pyarrow. Of a Parquet file one row group is read at a time, and batches of rows out of it; of
an Arrow file, be it a file with an index or a stream, one record batch; of both the column of texts alone. So memory
follows the largest of these, and not the file.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, Protocol, TypeAlias

from tokenloom.corpus.blocks import BLOCK_BYTES
from tokenloom.corpus.column_texts import TEXT_TYPES, is_text_type
from tokenloom.corpus.options import DocumentOptions
from tokenloom.errors import CorpusError, MissingExtraError
from tokenloom.storage import input_bytes, open_input
from tokenloom.wording import quoted

__all__ = ["TABLE_NAMES", "Batch", "DamagedTableError", "Table", "TableFormat", "open_table"]

TableFormat: TypeAlias = Literal["parquet", "arrow"]
TABLE_NAMES: Final[dict[str, str]] = {"parquet": "Parquet", "arrow": "Arrow"}

_MOST_NAMED: Final = 20
_MOST_ROWS: Final = 4096
"""Of a batch, as a column that repeats its texts takes little room in the file and much in memory."""
_BUFFER_BYTES: Final = 1 << 20
"""Read at once of a column, in place of the column of a whole row group."""

Batch: TypeAlias = tuple[int, Any, float]
"""The number of its first row in the file, from 0; the column, an array of pyarrow; how much of the part is read."""


class DamagedTableError(Exception):
    """A part of a table that cannot be read; the message is the reason, for a reader who knows the file to word. The
    remedy has no full stop.
    """

    def __init__(self, reason: str, remedy: str = "Copy the file again") -> None:
        super().__init__(reason)
        self.remedy = remedy


class Table(Protocol):
    """An open file with a column of texts, in parts that can be read apart."""

    def part_bytes(self) -> list[int]:
        """How much of the file each part is; together it is all of it."""

    def batches(self, part: int) -> Iterator[Batch]:
        """The rows of a part. Raises: DamagedTableError."""


@contextmanager
def open_table(path: Path | str, table_format: TableFormat, options: DocumentOptions) -> Iterator[Table]:
    """Open a Parquet or Arrow file and find its column of texts.

    Raises: CorpusError if the file is missing, is none of its format, is damaged or encrypted, or has no such column;
        MissingExtraError without pyarrow.
    """
    make = _ParquetTable if table_format == "parquet" else _ArrowTable
    arrow = _arrow(table_format)
    n_bytes = input_bytes(path, options.storage_options)
    with open_input(path, options.storage_options) as file:
        place = quoted(str(path))
        _refuse_foreign(place, file.read(8), table_format)
        try:
            with _damage(arrow):
                table: Table = make(arrow, file, n_bytes, _column_of(place, options.text_field))
        except DamagedTableError as error:
            kind = TABLE_NAMES[table_format]
            raise CorpusError(f"{place}: cannot be read as {kind} ({error}). {error.remedy}.") from error
        yield table


class _ParquetTable:
    """The parts are row groups."""

    def __init__(self, arrow: Any, file: BinaryIO, n_bytes: int, column_of: Callable[[Any], int]) -> None:
        parquet = import_module("pyarrow.parquet")
        self._arrow = arrow
        self._file = parquet.ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER_BYTES)
        self._n_bytes = n_bytes
        self._name = self._file.schema_arrow.names[column_of(self._file.schema_arrow)]

    def part_bytes(self) -> list[int]:
        metadata = self._file.metadata
        sizes = [metadata.row_group(n).total_byte_size + 1 for n in range(metadata.num_row_groups)]
        ends = accumulate(sizes, initial=0)
        total = sum(sizes)
        return [after - before for before, after in pairwise(self._n_bytes * end // total for end in ends)]

    def batches(self, part: int) -> Iterator[Batch]:
        with _damage(self._arrow):
            metadata = self._file.metadata
            row = sum(metadata.row_group(n).num_rows for n in range(part))
            n_rows, n_seen = metadata.row_group(part).num_rows, 0
            n_row_bytes = metadata.row_group(part).total_byte_size // max(1, n_rows)
            n_batch = min(_MOST_ROWS, max(16, BLOCK_BYTES // max(1, n_row_bytes)))
            arguments = {"batch_size": n_batch, "row_groups": [part], "columns": [self._name], "use_threads": False}
            batches = self._file.iter_batches(**arguments)
        while True:
            with _damage(self._arrow):
                batch = next(batches, None)
            if batch is None:
                break
            n_seen += len(batch)
            yield row, batch.column(batch.schema.names.index(self._name)), n_seen / n_rows
            row += len(batch)


class _ArrowTable:
    """One part: an Arrow file has an index of its batches, but a stream, which is as common, has none."""

    def __init__(self, arrow: Any, file: BinaryIO, n_bytes: int, column_of: Callable[[Any], int]) -> None:
        self._arrow = arrow
        self._file = file
        self._n_bytes = n_bytes
        self._has_index = _head(file).startswith(b"ARROW1")
        self._column = column_of(self._open(None).schema)

    def part_bytes(self) -> list[int]:
        return [self._n_bytes]

    def batches(self, part: int) -> Iterator[Batch]:  # noqa: ARG002 - there is one
        row = 0
        with _damage(self._arrow):
            batches = self._read(self._open([self._column]))
        while True:
            with _damage(self._arrow):
                batch, share = next(batches, (None, 1.0))
            if batch is None:
                break
            yield row, batch.column(0), share
            row += len(batch)

    def _open(self, columns: list[int] | None) -> Any:
        ipc = self._arrow.ipc
        options = ipc.IpcReadOptions(included_fields=columns or [], use_threads=False)
        self._file.seek(0)
        return (ipc.open_file if self._has_index else ipc.open_stream)(self._file, options=options)

    def _read(self, reader: Any) -> Iterator[tuple[Any, float]]:
        if self._has_index:
            n_batches = reader.num_record_batches
            yield from ((reader.get_batch(n), (n + 1) / n_batches) for n in range(n_batches))
            return
        for batch in reader:
            yield batch, min(1.0, self._file.tell() / max(1, self._n_bytes))


def _arrow(table_format: TableFormat) -> Any:
    try:
        import_module("pyarrow.ipc")
        return import_module("pyarrow")
    except ImportError as error:
        raise MissingExtraError(
            f"reading {TABLE_NAMES[table_format]} needs pyarrow. Install tokenloom with the 'parquet' extra."
        ) from error


def _head(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(8)


def _refuse_foreign(place: str, head: bytes, table_format: TableFormat) -> None:
    """Refuse what is plainly of another kind, in better words than pyarrow has."""
    if head.startswith(b"PARE"):
        raise CorpusError(f"{place}: is encrypted, and no key is known here. Decrypt it first.")
    if head.startswith(b"FEA1"):
        raise CorpusError(f"{place}: is Feather of version 1, which is not read. Write it again as version 2.")
    if table_format == "parquet" and not b"PAR1".startswith(head[:4]):
        raise CorpusError(
            f"{place}: holds no Parquet data; it begins with {head[:6]!r}. Copy the file again, or name its --format."
        )


def _column_of(place: str, text_field: str) -> Callable[[Any], int]:
    """What finds the column in a schema, and refuses one that has none."""

    def column_of(schema: Any) -> int:
        names = list(schema.names)
        if text_field not in names:
            shown = ", ".join(quoted(name) for name in islice(names, _MOST_NAMED)) or "none"
            more = f", ... ({len(names)} in all)" if len(names) > _MOST_NAMED else ""
            raise CorpusError(
                f"{place}: has no column {text_field!r}; its columns are {shown}{more}. Name the column of the text "
                "with --text-field."
            )
        if names.count(text_field) > 1:
            raise CorpusError(f"{place}: has two columns {text_field!r}. Rename one of them.")
        column = names.index(text_field)
        if not is_text_type(schema.field(column).type):
            raise CorpusError(
                f"{place}: column {text_field!r} is of type {quoted(str(schema.field(column).type))}, no text. Name "
                f"another one with --text-field; texts are {', '.join(TEXT_TYPES)}, or a dictionary of these."
            )
        return column

    return column_of


@contextmanager
def _damage(arrow: Any) -> Iterator[None]:
    """Turn what pyarrow raises for data that it cannot read into the reason; errors of the file pass through."""
    try:
        yield
    except CorpusError:
        raise
    except MemoryError as error:  # what is damaged may say any length
        raise DamagedTableError("it asks for more memory than there is") from error
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
        if "decrypt" in reason or "encrypt" in reason:
            raise DamagedTableError(
                f"it is encrypted, and no key is known here: {reason}", "Decrypt it first"
            ) from error
        raise DamagedTableError(reason) from error
