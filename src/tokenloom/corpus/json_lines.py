r"""JSONL: one JSON object a line, one of whose fields is the text of a document.

Lines end at `\n` alone. What a broken record is, the parser of the standard library decides, whichever parser is
installed: `orjson` is asked first because it is fast, and what it refuses is parsed again.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple, Never

from tokenloom.corpus.blocks import Block, SkippedRecords
from tokenloom.corpus.pieces import Piece
from tokenloom.corpus.selection import Keep
from tokenloom.corpus.sources import Source
from tokenloom.corpus.whole_lines import LineBound, WholeLines, whole_lines
from tokenloom.errors import CorpusError, MemoryLimitError
from tokenloom.wording import counted, format_bytes

__all__ = ["LineMemory", "read_json_lines"]

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_BLANKS: Final = b" \t\r"

_NOT_A_TEXT: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What the fast path raises for a broken record; LookupError for the field, AttributeError for a field without text."""

_TYPE_NAMES: Final = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
_MOST_NAMED: Final = 10
_MEND: Final = "Mend or remove it, or use --on-error skip to leave such records out"


class BrokenRecordError(ValueError):
    """A line that gives no text: the reason, and the remedy without its full stop."""


class LineMemory(NamedTuple):
    """The memory that there is for a line.

    Args:
        most_bytes: the longest line that may be held.
        enough: gives, for the length of a longer one, the memory limit that would be enough.
    """

    most_bytes: int
    enough: Callable[[int], int]


def read_json_lines(
    pieces: Iterable[Piece],
    source: Source,
    *,
    text_field: str,
    max_line_bytes: int,
    skipped: SkippedRecords | None,
    keep: Keep | None = None,
    is_numbered: bool = True,
    memory: LineMemory | None = None,
) -> Iterator[Block]:
    """The texts of a JSONL file, in blocks; broken records raise CorpusError, or are counted in `skipped`.

    Args:
        pieces: the bytes of the file, or of some whole lines of it.
        source: the file.
        text_field: the field that holds the text.
        max_line_bytes: how long a line may be; it must be held whole to be parsed.
        skipped: where broken records are counted; None raises.
        keep: told where a line begins, whether it is wanted; the others are not even parsed.
        is_numbered: the pieces begin with the first line, so that errors can number lines; else they name bytes.
        memory: what there is for a line; None for any. One that is too long for it, but no longer than allowed, is no
            broken record: which records are taken must not depend on the memory.
    Raises: MemoryLimitError for such a line, if it is wanted.
    """
    load = _loader()

    def place(number: int, begin: int) -> str:
        return f"line {number}" if is_numbered else f"the line at byte {begin}"

    def refuse(number: int, begin: int, error: BrokenRecordError) -> None:
        if keep and not keep(begin):
            return
        reason, remedy = error.args
        if skipped is None:
            raise CorpusError(f"{str(source.path)!r}, {place(number, begin)}: {reason}. {remedy}.") from error
        skipped.add(f"{source.name}, {place(number, begin)}: {reason}")

    def refuse_unheld(number: int, begin: int, n_bytes: int) -> None:
        if memory and (keep is None or keep(begin)):
            raise _unheld(f"{str(source.path)!r}, {place(number, begin)}", n_bytes, memory)

    bounds = [LineBound(max_line_bytes, lambda number, begin, _: refuse(number, begin, _too_long(max_line_bytes)))]
    if memory and memory.most_bytes < max_line_bytes:
        bounds.insert(0, LineBound(memory.most_bytes, refuse_unheld))
    for group in _lines(pieces, bounds):
        lines = group.lines
        if keep:
            lines = [line for line, at in zip(lines, group.places(), strict=False) if line and keep(at)]
        try:
            if max(map(len, lines), default=0) > max_line_bytes:
                raise _too_long(max_line_bytes)
            texts = [load(line)[text_field].encode() for line in lines if line]
        except _NOT_A_TEXT:
            parse = partial(_text_of, text_field=text_field, load=load, max_line_bytes=max_line_bytes)
            texts = list(_texts_one_by_one(group, parse, keep, refuse))
        if texts:
            yield Block(texts, False, sum(map(len, texts)), group.n_read_bytes)


def _lines(pieces: Iterable[Piece], bounds: Sequence[LineBound]) -> Iterator[WholeLines]:
    """Whole lines, without the byte order mark that a file may begin with."""
    for group in whole_lines(pieces, bounds=bounds):
        first = group.lines[0] if group.lines else b""
        if group.begin == 0 and first.startswith(_BYTE_ORDER_MARK):
            group.lines[0] = first.removeprefix(_BYTE_ORDER_MARK)
            yield group._replace(begin=len(_BYTE_ORDER_MARK))
        else:
            yield group


def _texts_one_by_one(
    group: WholeLines,
    parse: Callable[[bytes], bytes],
    keep: Keep | None,
    refuse: Callable[[int, int, BrokenRecordError], None],
) -> Iterator[bytes]:
    """The slow path, for lines among which one is blank or broken, and one that `orjson` takes for broken."""
    for number, (line, begin) in enumerate(zip(group.lines, group.places(), strict=False), group.number):
        if not line.strip(_BLANKS) or (keep and not keep(begin)):
            continue
        try:
            yield parse(line)
        except BrokenRecordError as error:
            refuse(number, begin, error)


def _text_of(line: bytes, *, text_field: str, load: Callable[[bytes], Any], max_line_bytes: int) -> bytes:
    """The text of a record. Raises: BrokenRecordError saying what is wrong with it."""
    if len(line) > max_line_bytes:
        raise _too_long(max_line_bytes)
    try:
        text: bytes = load(line)[text_field].encode()
    except _NOT_A_TEXT:
        return _defined_text(line, text_field)
    return text


def _too_long(max_line_bytes: int) -> BrokenRecordError:
    return BrokenRecordError(f"is longer than {counted(max_line_bytes, 'byte')}", _MEND)


def _unheld(place: str, n_bytes: int, memory: LineMemory) -> MemoryLimitError:
    n_megabytes = -(-memory.enough(n_bytes) // 1_000_000)
    return MemoryLimitError(
        f"{place}: is {format_bytes(n_bytes)} long, and the memory limit has room for lines of "
        f"{format_bytes(memory.most_bytes)}, as parsing takes several times the length. Raise --memory-limit to "
        f"{n_megabytes}MB, use fewer --processes, or cut the document into several."
    )


def _defined_text(line: bytes, text_field: str) -> bytes:
    """As `_text_of`, by the standard library; this is the definition."""
    record = _parsed(line)
    if not isinstance(record, dict):
        raise BrokenRecordError(f"is {_type_name(record)}, no JSON object", _MEND)
    if text_field not in record:
        names = ", ".join(repr(name[:40]) for name in islice(record, _MOST_NAMED)) or "none"
        more = ", ..." if len(record) > _MOST_NAMED else ""
        raise BrokenRecordError(
            f"has no field {text_field!r}; its fields are {names}{more}",
            "Name the field of the text with --text-field, or use --on-error skip to leave such records out",
        )
    text = record[text_field]
    if not isinstance(text, str):
        raise BrokenRecordError(
            f"field {text_field!r} is {_type_name(text)}, no string",
            "Name another field with --text-field, or use --on-error skip to leave such records out",
        )
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BrokenRecordError(
            f"character {error.start} of field {text_field!r} is a lone surrogate, which has no UTF-8 bytes", _MEND
        ) from error


def _parsed(line: bytes) -> Any:
    try:
        return _DECODER.decode(line.decode())
    except UnicodeDecodeError as error:
        raise BrokenRecordError(f"byte {error.start} of it, {line[error.start]:#04x}, is no UTF-8", _MEND) from error
    except RecursionError as error:
        raise BrokenRecordError("is nested too deeply", _MEND) from error
    except json.JSONDecodeError as error:
        raise BrokenRecordError(
            f"is no JSON (character {error.pos}: {error.msg})",
            f"{_MEND}, or --format text if the file is plain text",
        ) from error


def _no_number(name: str) -> Never:
    raise BrokenRecordError(f"is no JSON ({name} is no number of it)", _MEND)


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number, parse_int=float)
"""Strict as the standard, where `json` takes NaN; and numbers of any length, which `int` does not take."""


def _loader() -> Callable[[bytes], Any]:
    try:
        import orjson
    except ImportError:
        return lambda line: _DECODER.decode(line.decode())
    return orjson.loads


def _type_name(value: object) -> str:
    return _TYPE_NAMES.get(type(value), "a number")
