"""The record of a training: every merge with what decided it, in one file that needs nothing else to be read.

A record is an envelope of the kind "training-record". Its header says what was trained, on which counts; the sections

    token_bytes, token_offsets, merges           the tokenizer before the first merge, with `start` of the header
    left, right                                  uint32: ids of the parts; merge `i` makes the id `first_id + i`
    n_pairs, n_tokens, n_tied                    uint64: see `MergeStep`
    runner_up_left, runner_up_right              uint32: ids of the pair that came second; the first token for none
    n_runner_up_pairs                            uint64: how often it stood there; 0 for none

have one number a merge, so that any merge is found by its place. No time, path or number of threads is in it: the same
training gives the same bytes, also one that was stopped and went on.
"""

import hashlib
import operator
import os
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from types import MappingProxyType
from typing import Any, Final, Never

from tokenloom import _core
from tokenloom.errors import FormatError, TokenloomError, TrainingError
from tokenloom.spec import TokenizerSpec
from tokenloom.spec.packing import pack_arena, pack_uint32, unpack_arena
from tokenloom.storage import read_envelope, write_envelope
from tokenloom.storage.canonical import canonical_json, parse_canonical
from tokenloom.trainers.bpe import BpeTraining, MergeStep
from tokenloom.wording import counted

__all__ = [
    "RECORD_KIND",
    "RecordHeader",
    "TrainingRecord",
    "counts_checksum",
    "open_record",
    "record_training",
]

RECORD_KIND: Final = "training-record"
_VERSION: Final = (1, 0)
_START: Final = ("token_bytes", "token_offsets", "merges")
_COLUMNS: Final = {
    "left": 4,
    "right": 4,
    "n_pairs": 8,
    "n_tokens": 8,
    "n_tied": 8,
    "runner_up_left": 4,
    "runner_up_right": 4,
    "n_runner_up_pairs": 8,
}
"""Bytes of a number of each column."""
_IDS: Final = ("left", "right", "runner_up_left", "runner_up_right")
_TYPECODES: Final = {4: next(code for code in "IL" if array(code).itemsize == 4), 8: "Q"}
_RESTORE: Final = "Restore the file from a copy, or train again with --record"


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """What a record says of its training.

    Args:
        tokenizer_fingerprint: of the tokenizer that came of it, reserved tokens included.
        counts_sha256: of the pretokens that were trained on and their counts, see `counts_checksum`.
        training: the provenance of the tokenizer: options, tie rule, version of tokenloom, and the like.
        n_bytes: the bytes of the corpus that were trained on.
        n_start_tokens: the tokens of the corpus before any merge.
        first_id: the id of the token that the first merge makes. Tokens of `start` with higher ids stand behind all
            that merges have made.
    """

    tokenizer_fingerprint: str
    counts_sha256: str
    training: Mapping[str, Any]
    n_bytes: int
    n_start_tokens: int
    first_id: int


_TYPES: Final[dict[str, type]] = {
    "tokenizer_fingerprint": str,
    "counts_sha256": str,
    "training": dict,
    "n_bytes": int,
    "n_start_tokens": int,
    "first_id": int,
}


@dataclass(frozen=True)
class TrainingRecord:
    """A training that can be seen at every step; step 0 is before the first merge, step 1 behind it.

    Args:
        header: what was trained.
        start: the tokenizer at step 0.
        columns: a number for each merge by the name of the column.

    >>> from tokenloom.trainers import BpeOptions, pretoken_counts, train_on_counts
    >>> counts = pretoken_counts({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> training = train_on_counts(counts, BpeOptions(260, tie_break="first-seen"), runner_up=True)
    >>> record = record_training(training, counts)
    >>> record.merge(2)[:6]
    (b'es', b't', 9, 61, 0, (b'l', b'o'))
    >>> record.spec_at(2).merge_list()
    [(b'e', b's'), (b'es', b't')]
    """

    header: RecordHeader
    start: TokenizerSpec
    columns: Mapping[str, "array[int]"]

    @property
    def n_merges(self) -> int:
        """The merges of the training."""
        return len(self.columns["left"])

    def merge(self, step: int) -> MergeStep:
        """The merge that led to a step. Raises: TrainingError if there is no such merge."""
        self.check_step(step, first=1)
        row = {name: column[step - 1] for name, column in self.columns.items()}
        n_runner_up_pairs = row["n_runner_up_pairs"]
        return MergeStep(
            self.token(row["left"]),
            self.token(row["right"]),
            row["n_pairs"],
            row["n_tokens"],
            row["n_tied"],
            (self.token(row["runner_up_left"]), self.token(row["runner_up_right"])) if n_runner_up_pairs else None,
            n_runner_up_pairs,
        )

    def merges(self, *, first: int = 1, last: int | None = None) -> Iterator[MergeStep]:
        """The merges of some steps, all of them by default."""
        return map(self.merge, range(first, (self.n_merges if last is None else last) + 1))

    def n_tokens_at(self, step: int) -> int:
        """The tokens of the corpus at a step. Raises: TrainingError if the training has no such step."""
        self.check_step(step)
        return self.columns["n_tokens"][step - 1] if step else self.header.n_start_tokens

    def token(self, token_id: int) -> bytes:
        """The bytes of a token that was there at the start or that a merge has made."""
        parts, left_to_do = [], [token_id]
        while left_to_do:
            token_id = left_to_do.pop()
            row = token_id - self.header.first_id
            if row < 0:
                parts.append(self._start_tokens[token_id])
            else:
                left_to_do += (self.columns["right"][row], self.columns["left"][row])
        return b"".join(parts)

    def tokens(self, step: int) -> list[bytes]:
        """What the merges up to a step have made, in their order."""
        self.check_step(step)
        made: list[bytes] = []
        known, first_id = self._start_tokens, self.header.first_id
        for left, right in zip(self.columns["left"][:step], self.columns["right"][:step], strict=True):
            made.append(
                (known[left] if left < first_id else made[left - first_id])
                + (known[right] if right < first_id else made[right - first_id])
            )
        return made

    def spec_at(self, step: int) -> TokenizerSpec:
        """The tokenizer at a step: that of a training which ends there.

        Raises: TrainingError if the training has no such step.
        """
        made, start, first_id = self.tokens(step), self.start, self.header.first_id
        tokens = [*self._start_tokens[:first_id], *made]
        ids = {token: token_id for token_id, token in enumerate(made, first_id)}
        added = []
        for token in start.added_tokens:
            if token.id >= first_id:  # behind the merges, or the token that one of them makes
                token = replace(token, id=ids.get(token.content.encode(), len(tokens)))
                tokens += [b""] * (token.id == len(tokens))
            added.append(token)
        token_bytes, token_offsets = pack_arena(tokens)
        parts = zip(self.columns["left"][:step], self.columns["right"][:step], strict=True)
        return replace(
            start,
            added_tokens=tuple(sorted(added, key=lambda token: token.id)),
            token_bytes=token_bytes,
            token_offsets=token_offsets,
            merges=start.merges
            + (b"" if start.model.semantics == "ranks" else pack_uint32(chain.from_iterable(parts))),
        )

    def check_step(self, step: int, *, first: int = 0) -> None:
        """See whether the training has a step. Raises: TrainingError."""
        if type(step) is not int or not first <= step <= self.n_merges:
            raise TrainingError(
                f"step {step!r}: the record has {counted(self.n_merges, 'merge')}. Choose a step from {first} to "
                f"{self.n_merges:,}."
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record as one file. Raises: StorageError if it cannot be written."""
        start = [(name, getattr(self.start, name)) for name in _START]
        columns = [(name, _little_endian(column).tobytes()) for name, column in self.columns.items()]
        header = {name: getattr(self.header, name) for name in _TYPES}
        config = parse_canonical(self.start.config_json().encode("ascii"))
        write_envelope(
            path, kind=RECORD_KIND, version=_VERSION, header=header | {"start": config}, sections=[*start, *columns]
        )

    @cached_property
    def _start_tokens(self) -> list[bytes]:
        return _tokens_of(self.start)


def record_training(
    training: BpeTraining,
    counts: _core.PretokenCounts,
    *,
    tokenizer_fingerprint: str | None = None,
    provenance: Mapping[str, Any] = MappingProxyType({}),
) -> TrainingRecord:
    """The record of a training.

    Args:
        training: what `train_on_counts` gave with `runner_up=True`.
        counts: what it was trained on.
        tokenizer_fingerprint: of the tokenizer that was made of it, if that has reserved tokens; None for its own.
        provenance: of the tokenizer: values that JSON can hold.
    """
    options = training.options
    begin = options.start(counts)
    start = begin.spec(())
    all_ids = {token: token_id for token_id, token in enumerate(_tokens_of(start)) if token}
    ids = {token: all_ids[token] for token in begin.tokens}
    first_id = 1 + max(ids.values()) if options.n_init_ids is None else options.n_init_ids
    begins_as_bytes = options.init is None and options.characters is None
    header = RecordHeader(
        tokenizer_fingerprint or training.spec.fingerprint,
        counts_checksum(counts, has_positions=options.tie_break == "first-seen"),
        dict(provenance),
        training.n_bytes,
        counts.n_bytes if begins_as_bytes else _core.Trainer(counts, begin.core, options.tie_break).n_tokens(),
        first_id,
    )
    return TrainingRecord(header, start, _columns_of(training.steps, ids, first_id))


def _columns_of(steps: Iterable[MergeStep], ids: dict[bytes, int], first_id: int) -> dict[str, "array[int]"]:
    """The numbers of steps, with ids for tokens."""
    columns = {name: array(_TYPECODES[size]) for name, size in _COLUMNS.items()}
    none = next(iter(ids), b"")
    for token_id, step in enumerate(steps, first_id):
        parts = (step.left, step.right, *(step.runner_up or (none, none)))
        left, right, second_left, second_right = map(ids.__getitem__, parts)
        numbers = (left, right, *step[2:5], second_left, second_right, step.n_runner_up_pairs)
        for column, number in zip(columns.values(), numbers, strict=True):
            column.append(number)
        ids[step.left + step.right] = token_id
    return columns


def counts_checksum(counts: _core.PretokenCounts, *, has_positions: bool) -> str:
    """Hex SHA-256 of distinct pretokens and their counts, sorted; of their first positions too if a tie rule uses them.

    >>> from tokenloom.trainers import pretoken_counts
    >>> one, other = pretoken_counts({"a": 1, "b": 2}), pretoken_counts({"b": 2, "a": 1})
    >>> counts_checksum(one, has_positions=False) == counts_checksum(other, has_positions=False)
    True
    """
    digest = hashlib.sha256()
    counts.write_run(digest.update, has_positions=has_positions)
    return digest.hexdigest()


def open_record(path: str | os.PathLike[str]) -> TrainingRecord:
    """Read what `tokenloom train --record` has written; every byte is compared with its checksum.

    Args:
        path: a local file.
    Raises: CorpusError if there is no such file; FormatError if it is no record, damaged, or of a newer version.
    """
    source = os.fspath(path)
    envelope = read_envelope(path, kind=RECORD_KIND, major=_VERSION[0])
    try:
        header = _header_of(source, envelope.header)
        config = canonical_json(envelope.header["start"]).decode("ascii")
        start = TokenizerSpec.from_config(config, **{name: envelope.sections[name] for name in _START})
        columns = {name: _column(source, name, envelope.sections[name]) for name in _COLUMNS}
    except KeyError as error:
        _refuse(source, f"it has no part {error}")
    except FormatError:
        raise
    except TokenloomError as error:
        _refuse(source, f"its start is no tokenizer ({error})")
    _check_columns(source, columns, _tokens_of(start), header.first_id)
    return TrainingRecord(header, start, columns)


def _tokens_of(spec: TokenizerSpec) -> list[bytes]:
    return unpack_arena(spec.token_bytes, spec.token_offsets)


def _header_of(source: str, values: Mapping[str, Any]) -> RecordHeader:
    found = {name: values[name] for name in _TYPES}
    for name, kind in _TYPES.items():
        if type(found[name]) is not kind or (kind is int and found[name] < 0):
            _refuse(source, f"its {name} is {found[name]!r}")
    return RecordHeader(**found)


def _column(source: str, name: str, data: bytes) -> "array[int]":
    if len(data) % _COLUMNS[name]:
        _refuse(source, f"its section {name!r} has {counted(len(data), 'byte')}, no whole numbers")
    column = array(_TYPECODES[_COLUMNS[name]])
    column.frombytes(data)
    return _little_endian(column)


def _check_columns(
    source: str, columns: Mapping[str, "array[int]"], start_tokens: Sequence[bytes], first_id: int
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


def _little_endian(column: "array[int]") -> "array[int]":
    """A column between this machine's order and the file's; on most machines they are one."""
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column


def _refuse(source: str, what: str) -> Never:
    raise FormatError(f"{source!r}: {what}, which no training writes. {_RESTORE}.")
