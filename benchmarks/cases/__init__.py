"""The benchmark cases by name."""

from typing import Final

from cases import (
    count,
    encode_gpt2,
    encode_rivals,
    flat_memory,
    fresh_process,
    hostile,
    load,
    shards,
    threads,
    train_bpe,
    train_rivals,
)
from measuring.case import Case

__all__ = ["CASES"]

CASES: Final[dict[str, Case]] = {
    "train_bpe": train_bpe.CASE,
    "encode_gpt2": encode_gpt2.CASE,
    "load_ranks": load.RANKS_CASE,
    "load_json": load.JSON_CASE,
    "shards": shards.CASE,
    "count": count.CASE,
    "encode_rivals": encode_rivals.CASE,
    "encode_fastest": encode_rivals.PLAIN_CASE,
    "hostile": hostile.CASE,
    "hostile_growth": hostile.GROWTH_CASE,
    "fresh_process": fresh_process.CASE,
    "threads": threads.CASE,
    "flat_memory": flat_memory.CASE,
    **train_rivals.CASES,
}
