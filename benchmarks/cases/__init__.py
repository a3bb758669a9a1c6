"""The benchmark cases by name."""

from typing import Final

from cases import encode_gpt2, shards, train_bpe
from measuring.case import Case

__all__ = ["CASES"]

CASES: Final[dict[str, Case]] = {"train_bpe": train_bpe.CASE, "encode_gpt2": encode_gpt2.CASE, "shards": shards.CASE}
