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

import os
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

from tokenloom.errors import TrainingError
from tokenloom.spec import TokenizerSpec, enlarged_spec
from tokenloom.spec.packing import pack_arena, pack_uint32
from tokenloom.storage import write_envelope
from tokenloom.storage.canonical import parse_canonical
from tokenloom.trainers.bpe import MergeStep
from tokenloom.trainers.must_have import must_have_merges
from tokenloom.wording import counted

__all__ = [
    "COLUMNS",
    "HEADER_TYPES",
    "RECORD_KIND",
    "START_SECTIONS",
    "VERSION",
    "RecordHeader",
    "TrainingRecord",
    "packed_column",
    "unpacked_column",
]

RECORD_KIND: Final = "training-record"
VERSION: Final = (1, 0)
START_SECTIONS: Final = ("token_bytes", "token_offsets", "merges")
COLUMNS: Final = {
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
_TYPECODES: Final = {4: next(code for code in "IL" if array(code).itemsize == 4), 8: "Q"}


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

    def __hash__(self) -> int:
        return hash((self.tokenizer_fingerprint, self.counts_sha256))


HEADER_TYPES: Final[dict[str, type]] = {
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
        start: the tokenizer at step 0, without reserved tokens.
        columns: a number for each merge by the name of the column.

    >>> from tokenloom.trainers import BpeOptions, pretoken_counts, record_training, train_on_counts
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
    columns: Mapping[str, Sequence[int]]

    def __post_init__(self) -> None:
        columns = {name: tuple(column) for name, column in self.columns.items()}
        object.__setattr__(self, "columns", MappingProxyType(columns))

    def __repr__(self) -> str:
        name = self.header.tokenizer_fingerprint[:12]
        return f"<{type(self).__name__} of {counted(self.n_merges, 'merge')}, tokenizer {name}>"

    def __hash__(self) -> int:
        return hash((self.header, self.n_merges))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.header, self.start, dict(self.columns))  # a proxy cannot be pickled

    @property
    def n_merges(self) -> int:
        """The merges of the training."""
        return len(self.columns["left"])

    @cached_property
    def n_given(self) -> int:
        """How many of them were given by must-have tokens, as far as the header tells; they come first."""
        options = self.header.training.get("options", {})
        is_whole = options.get("whole_characters", False)
        return min(self.n_merges, len(must_have_merges(options.get("must_have", ()), whole_characters=is_whole)))

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
        """The bytes of a token that was there at the start or that a merge has made; none for an id without a token.

        Raises: TrainingError if no step has such an id.
        """
        n_ids = self.header.first_id + self.n_merges
        if type(token_id) is not int or not 0 <= token_id < n_ids:
            raise TrainingError(
                f"token id {token_id!r}: the start and the merges have {counted(n_ids, 'id')}. Choose one from 0 to "
                f"{n_ids - 1:,}."
            )
        row = token_id - self.header.first_id
        return self._start_tokens[token_id] if row < 0 else self._made[row]

    def tokens(self, step: int) -> list[bytes]:
        """What the merges up to a step have made, in their order."""
        self.check_step(step)
        return self._made[:step]

    def spec_at(self, step: int) -> TokenizerSpec:
        """The tokenizer at a step: that of a training which ends there, with the reserved tokens that the header names.

        `Tokenizer.from_spec` makes it encode. Raises: TrainingError if the training has no such step.
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
        spec = replace(
            start,
            added_tokens=tuple(sorted(added, key=lambda token: token.id)),
            token_bytes=token_bytes,
            token_offsets=token_offsets,
            merges=start.merges + (b"" if start.bpe.semantics == "ranks" else pack_uint32(chain.from_iterable(parts))),
        )
        training = self.header.training
        return enlarged_spec(spec, n_reserved=training.get("n_reserved", 0), pad_multiple=training.get("pad_multiple"))

    def check_step(self, step: int, *, first: int = 0) -> None:
        """See whether the training has a step. Raises: TrainingError."""
        if self.n_merges < first:
            raise TrainingError(f"step {step!r}: the record has no merge. Ask for the state at step 0, which is all.")
        if type(step) is not int or not first <= step <= self.n_merges:
            raise TrainingError(
                f"step {step!r}: the record has {counted(self.n_merges, 'merge')}. Choose a step from {first} to "
                f"{self.n_merges:,}."
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record as one file. Raises: StorageError if it cannot be written."""
        start = [(name, getattr(self.start, name)) for name in START_SECTIONS]
        columns = [(name, packed_column(name, column)) for name, column in self.columns.items()]
        header = {name: getattr(self.header, name) for name in HEADER_TYPES}
        config = parse_canonical(self.start.config_json().encode("ascii"))
        write_envelope(
            path, kind=RECORD_KIND, version=VERSION, header=header | {"start": config}, sections=[*start, *columns]
        )

    @cached_property
    def _made(self) -> list[bytes]:
        made: list[bytes] = []
        known, first_id = self._start_tokens, self.header.first_id
        for left, right in zip(self.columns["left"], self.columns["right"], strict=True):
            made.append(
                (known[left] if left < first_id else made[left - first_id])
                + (known[right] if right < first_id else made[right - first_id])
            )
        return made

    @cached_property
    def _start_tokens(self) -> list[bytes]:
        return self.start.model_tokens()


def packed_column(name: str, numbers: Sequence[int]) -> bytes:
    """A column as its section holds it."""
    return _little_endian(array(_TYPECODES[COLUMNS[name]], numbers)).tobytes()


def unpacked_column(name: str, data: bytes) -> tuple[int, ...]:
    """The inverse of `packed_column`; the length of `data` must be that of whole numbers."""
    column = array(_TYPECODES[COLUMNS[name]])
    column.frombytes(data)
    return tuple(_little_endian(column))


def _little_endian(column: "array[int]") -> "array[int]":
    """A column between this machine's order and the file's; on most machines they are one."""
    if sys.byteorder == "big":
        column.byteswap()
    return column
