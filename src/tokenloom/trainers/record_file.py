"""Reading the record of a training: nothing is taken that contradicts itself, however it was written."""

import operator
import os
from collections.abc import Mapping, Sequence
from itertools import count, pairwise
from typing import Any, Final, Never

from tokenloom.errors import FormatError, TokenloomError
from tokenloom.spec import TokenizerSpec
from tokenloom.spec.components import ID_LIMIT
from tokenloom.storage import read_envelope
from tokenloom.storage.canonical import canonical_json
from tokenloom.trainers.training_record import (
    COLUMNS,
    HEADER_TYPES,
    RECORD_KIND,
    START_SECTIONS,
    VERSION,
    RecordHeader,
    TrainingRecord,
    unpacked_column,
)
from tokenloom.wording import counted, quoted

__all__ = ["open_record"]

_IDS: Final = ("left", "right", "runner_up_left", "runner_up_right")
_MOST_BYTES: Final = 2**32 - 1
"""Of all tokens of a tokenizer together, whose offsets have 32 bits."""
_RESTORE: Final = "Restore the file from a copy, or train again with --record"


def open_record(path: str | os.PathLike[str]) -> TrainingRecord:
    """Read what `tokenloom train --record` has written; every byte is compared with its checksum.

    Args:
        path: a local file.
    Raises: CorpusError if there is no such file; FormatError if it is no record, damaged, of a newer version, or
        contradicts itself.
    """
    source = os.fspath(path)
    envelope = read_envelope(path, kind=RECORD_KIND, major=VERSION[0])
    try:
        header = _header_of(source, envelope.header)
        config = canonical_json(envelope.header["start"]).decode("ascii")
        start = TokenizerSpec.from_config(config, **{name: envelope.sections[name] for name in START_SECTIONS})
        columns = {name: _column(source, name, envelope.sections[name]) for name in COLUMNS}
    except KeyError as error:
        _refuse(source, f"it has no part {error}")
    except FormatError:
        raise
    except TokenloomError as error:
        _refuse(source, f"its start is no tokenizer ({_fault(error)})")
    _check_start(source, start, header.first_id)
    _check_columns(source, columns, start.model_tokens(), header.first_id)
    _check_counts(source, columns["n_tokens"], header.n_start_tokens)
    record = TrainingRecord(header, start, columns)
    _check_tokens(source, record)
    return record


def _header_of(source: str, values: Mapping[str, Any]) -> RecordHeader:
    found = {name: values[name] for name in HEADER_TYPES}
    for name, kind in HEADER_TYPES.items():
        if type(found[name]) is not kind or (kind is int and found[name] < 0):
            _refuse(source, f"its {name} is {quoted(found[name])}")
    _check_training(source, found["training"])
    return RecordHeader(**found)


def _check_training(source: str, training: Mapping[str, Any]) -> None:
    """Whether the values of the training that a record uses are what a training writes; none of them need be there."""
    options = training.get("options", {})
    if not isinstance(options, dict):
        _refuse(source, f"the options of its training are {quoted(options)}")
    must_have, multiple = options.get("must_have", []), training.get("pad_multiple")
    for name, value, is_right in (
        ("n_reserved", training.get("n_reserved", 0), _is_whole(training.get("n_reserved", 0), first=0)),
        ("pad_multiple", multiple, multiple is None or _is_whole(multiple, first=1)),
        ("tie_break", options.get("tie_break"), isinstance(options.get("tie_break", ""), str)),
        ("whole_characters", options.get("whole_characters"), type(options.get("whole_characters", False)) is bool),
        ("must_have", must_have, isinstance(must_have, list) and all(isinstance(token, str) for token in must_have)),
    ):
        if not is_right:
            _refuse(source, f"the {name} of its training is {quoted(value)}")


def _is_whole(value: object, *, first: int) -> bool:
    return type(value) is int and first <= value <= ID_LIMIT


def _column(source: str, name: str, data: bytes) -> tuple[int, ...]:
    if len(data) % COLUMNS[name]:
        _refuse(source, f"its section {name!r} has {counted(len(data), 'byte')}, no whole numbers")
    return unpacked_column(name, data)


def _check_start(source: str, start: TokenizerSpec, first_id: int) -> None:
    """Whether the merges of the start make its tokens, and whether merges find their place behind these."""
    tokens = start.model_tokens()
    if first_id > len(tokens) or any(tokens[first_id:]):
        _refuse(source, f"its first_id is {first_id:,}, and its start has {counted(len(tokens), 'id')}")
    there = set(tokens)
    for row, (left, right) in enumerate(start.merge_list()):
        if left + right not in there:
            what = f"merge {row + 1:,} of its start makes {quoted(left + right)}, which has no id there"
            _refuse(source, what)


def _check_columns(
    source: str, columns: Mapping[str, Sequence[int]], start_tokens: Sequence[bytes], first_id: int
) -> None:
    """Whether merges have all their numbers and join tokens that are there; only a hostile writer fails here."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        _refuse(source, f"its sections do not have one number a merge: {lengths}")
    there = {token_id for token_id, token in enumerate(start_tokens[:first_id]) if token}
    for name in _IDS:
        column = columns[name]
        old = {token_id for token_id in set(column) if token_id < first_id} - there
        if old or not all(map(operator.lt, column, count(first_id))):
            _refuse(source, f"section {name!r}: it names tokens that are not there yet when they are merged")


def _check_counts(source: str, n_tokens: Sequence[int], n_start_tokens: int) -> None:
    """Whether no merge leaves more tokens than there were before."""
    for row, (before, after) in enumerate(pairwise((n_start_tokens, *n_tokens))):
        if after > before:
            what = f"section 'n_tokens': merge {row + 1:,} leaves {after:,} tokens of {before:,}"
            _refuse(source, what)


def _check_tokens(source: str, record: TrainingRecord) -> None:
    """Whether each merge makes a token of its own that the text can hold; lengths come first, as bytes take memory."""
    _check_lengths(source, record)
    first_at: dict[bytes, int] = {}
    there = set(record.start.model_tokens())
    for step, token in enumerate(record.tokens(record.n_merges), 1):
        if token in there or first_at.setdefault(token, step) != step:
            before = f"merge {first_at[token]:,}" if token in first_at else "the start"
            _refuse(source, f"merge {step:,} makes {quoted(token)}, which {before} has made")


def _check_lengths(source: str, record: TrainingRecord) -> None:
    columns, first_id = record.columns, record.header.first_id
    lengths = list(map(len, record.start.model_tokens()[:first_id]))
    n_all = sum(lengths)
    longest = record.header.n_bytes + len((record.start.bpe.end_of_word_suffix or "").encode())
    for step, row in enumerate(zip(columns["left"], columns["right"], columns["n_pairs"], strict=True), 1):
        left, right, n_pairs = row
        lengths.append(lengths[left] + lengths[right])
        n_all += lengths[-1]
        if n_pairs and lengths[-1] > longest:
            text = counted(record.header.n_bytes, "byte")
            _refuse(source, f"merge {step:,} makes a token of {lengths[-1]:,} bytes in a text of {text}")
        if n_all > _MOST_BYTES:
            _refuse(source, f"its tokens up to merge {step:,} have {n_all:,} bytes, of at most {_MOST_BYTES:,}")


def _fault(error: TokenloomError) -> str:
    """What is wrong, without the remedy: that of a file is another one."""
    return str(error).rpartition(". ")[0] or str(error)


def _refuse(source: str, what: str) -> Never:
    raise FormatError(f"{source!r}: {what}, which no training writes. {_RESTORE}.")
