"""What a report reads of a run: the attributes that its sections need, and no more.

They are those of the runs of `tokenloom.jobs`; a report can be made, and tested, without running a job.
"""

# ruff: noqa: D102 - the classes that have these attributes document them

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tokenloom.jobs.measure import Stage
from tokenloom.tokenizer import Tokenizer

if TYPE_CHECKING:
    from numpy import int64, integer
    from numpy.typing import NDArray

__all__ = [
    "EncodedSource",
    "EncodingRun",
    "Header",
    "Merge",
    "Shards",
    "Skipped",
    "SourceTokens",
    "Training",
    "TrainingRun",
]


@dataclass(frozen=True, slots=True)
class SourceTokens:
    """How much text of a source became how many tokens; for a sample, both are those of the sample."""

    name: str
    n_bytes: int
    n_tokens: int


class Skipped(Protocol):
    """Broken records that were left out."""

    n_skipped: int
    examples: list[str]


class Merge(Protocol):
    """One merge; `n_tied` other pairs had the same count when it was chosen."""

    @property
    def left(self) -> bytes: ...
    @property
    def right(self) -> bytes: ...
    @property
    def n_pairs(self) -> int: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_tied(self) -> int: ...


class Options(Protocol):
    """What a training was asked for."""

    @property
    def n_merges(self) -> int: ...
    @property
    def tie_break(self) -> str: ...


class Training(Protocol):
    """The record of a training."""

    @property
    def options(self) -> Options: ...
    @property
    def steps(self) -> Sequence[Merge]: ...
    @property
    def n_bytes(self) -> int: ...


class TrainingRun(Protocol):
    """A training from files; `growth` holds bytes read and distinct pretokens seen by then."""

    @property
    def tokenizer(self) -> Tokenizer: ...
    @property
    def training(self) -> Training: ...
    @property
    def stages(self) -> Sequence[Stage]: ...
    @property
    def sources(self) -> Sequence[object]: ...
    @property
    def growth(self) -> Sequence[tuple[int, int]]: ...
    @property
    def n_pretokens(self) -> int: ...
    @property
    def skipped(self) -> Skipped: ...


class EncodedSource(Protocol):
    """An input file of a folder of shards."""

    @property
    def name(self) -> str: ...
    @property
    def n_text_bytes(self) -> int: ...
    @property
    def n_docs(self) -> int: ...


class Header(Protocol):
    """What the manifest of a folder of shards says."""

    @property
    def dtype(self) -> str: ...
    @property
    def vocabulary_size(self) -> int: ...
    @property
    def n_docs(self) -> int: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_text_bytes(self) -> int: ...
    @property
    def special_text(self) -> str: ...
    @property
    def sources(self) -> Sequence[EncodedSource]: ...
    @property
    def shards(self) -> Mapping[str, int]: ...


class Shards(Protocol):
    """A folder of shards, opened."""

    @property
    def folder(self) -> Path: ...
    @property
    def header(self) -> Header: ...
    @property
    def arrays(self) -> "Sequence[NDArray[integer[Any]]]": ...
    @property
    def starts(self) -> "NDArray[int64]": ...
    def tokenizer(self) -> Tokenizer: ...


class EncodingRun(Protocol):
    """An encoding of files into a folder of shards."""

    @property
    def shards(self) -> Shards: ...
    @property
    def stages(self) -> Sequence[Stage]: ...
    @property
    def skipped(self) -> Skipped: ...
    @property
    def n_special_tokens(self) -> Mapping[str, int]: ...
    @property
    def was_complete(self) -> bool: ...
    @property
    def n_resumed_tokens(self) -> int: ...
