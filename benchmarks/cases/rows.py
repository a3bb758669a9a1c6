"""The rows of the README's tables: which case on what, and what is asked of it.

`rows.py` beside this folder measures them one after another. Tier 1 are the rows that most users meet first.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from peers.files import BYTE_LEVEL, MODELED

__all__ = ["ANCHOR", "ROWS", "TEXTS", "Row"]

TEXTS: Final = ("english", "code", "chinese", "multi")
"""Names of the corpora; `multi` has many languages."""


@dataclass(frozen=True, slots=True)
class Row:
    """One result.

    Args:
        name: of its file.
        case: the benchmark.
        text: the corpus.
        encoding: the vocabulary; of no meaning where one is trained.
        mebibytes: of text for each section, or of a string.
        n_threads: threads for each peer.
        asked: by section or other number, how many times less than the best rival with right ids tokenloom has to need.
    """

    name: str
    case: str
    text: str
    encoding: str = "cl100k_base"
    mebibytes: float = 16
    n_threads: int = 1
    asked: Mapping[str, float] = field(default_factory=dict)


ANCHOR: Final = "encode_cl100k_base_english"
"""The row that is told in most detail: all ways to ask, short calls, memory."""

_TIER_1: Final = ("cl100k_base", "gpt2")
_ASKED: Final = {
    "english": {"cold": 1.3, "next": 1.5, "warm": 1.2},
    "code": {"cold": 1.3, "next": 1.5, "warm": 1.2},
    "chinese": {"cold": 5.0, "next": 5.0, "warm": 1.2},
}
_LEVEL: Final = {"cold": 1.0, "next": 1.0}
_WORDPIECE: Final = {"cold": 1.2, "next": 1.2}
_TWICE: Final = {"cold": 2.0, "next": 2.0}
_THRICE: Final = {"cold": 3.0, "next": 3.0}


def _encode(encoding: str, text: str, *, mebibytes: float, asked: Mapping[str, float]) -> Row:
    name = f"encode_{encoding}_{text}"
    if name == ANCHOR:
        return Row(name, "encode_rivals", text, encoding, 2 * mebibytes, asked=asked)
    return Row(name, "encode_fastest", text, encoding, mebibytes, asked=asked)


def _rows() -> Iterator[Row]:
    for encoding in _TIER_1:
        for text, asked in _ASKED.items():
            yield _encode(encoding, text, mebibytes=16 if encoding == "cl100k_base" else 8, asked=asked)
    yield Row("hostile", "hostile", "chinese", mebibytes=1)
    yield Row("hostile_growth", "hostile_growth", "chinese", mebibytes=1)
    yield Row("fresh_process", "fresh_process", "english", mebibytes=1)
    yield Row("threads", "threads", "english", mebibytes=32)
    yield Row("flat_memory", "flat_memory", "english")
    for encoding in BYTE_LEVEL:
        if encoding not in _TIER_1:
            yield _encode(encoding, "english", mebibytes=4, asked=_LEVEL)
            yield _encode(encoding, "chinese", mebibytes=4, asked=_TWICE)
        yield _encode(encoding, "multi", mebibytes=4, asked=_LEVEL)
    for encoding in MODELED:
        for text in TEXTS:
            yield _encode(encoding, text, mebibytes=4, asked=_THRICE)
    yield Row(f"{ANCHOR}_2_threads", "encode_fastest", "english", mebibytes=32, n_threads=2)
    for text in TEXTS:
        yield _encode("minilm", text, mebibytes=16, asked=_WORDPIECE)
    yield from _training()


def _training() -> Iterator[Row]:
    """32,000 tokens of a text, with a pattern, by all trainers."""
    less_memory, level = {"net peak bytes": 1.0}, {"train": 1.0}
    yield Row("train_gpt2_english", "train_gpt2", "english", mebibytes=100, asked={"train": 2.0} | less_memory)
    yield Row("train_gpt2_english_10", "train_gpt2", "english", mebibytes=10, asked={"train": 1 / 0.7} | less_memory)
    for text in TEXTS[1:]:
        yield Row(f"train_gpt2_{text}", "train_gpt2", text, mebibytes=60, asked=level)
    for pattern in ("cl100k", "o200k"):
        yield Row(f"train_{pattern}_english", f"train_{pattern}", "english", mebibytes=100, asked=level)
    yield Row("train_gpt2_english_2_threads", "train_gpt2", "english", mebibytes=100, n_threads=2, asked=level)


ROWS: Final = {row.name: row for row in _rows()}
