"""Ids without a token: how many of them a file may have.

Vocabularies have holes, a few thousand at most. One id of sixteen million in a small file would cost seconds and
hundreds of megabytes, so what a file costs is bounded by what it holds.
"""

from typing import Final

from tokenloom.errors import FormatError
from tokenloom.spec.components import ID_LIMIT
from tokenloom.spec.packing import UINT32_BYTES

__all__ = ["refuse_holes", "refuse_packed_holes"]

_HOLES_OF_ENTRY: Final = 64
_FREE_HOLES: Final = 1 << 20


def refuse_holes(highest_id: int, n_entries: int, *, place: str) -> None:
    """Refuse ids with too many holes between them; an id that is none is for others to refuse.

    >>> refuse_holes(300, 257, place="x")
    >>> refuse_holes(2**24 - 1, 257, place="x.tiktoken")
    Traceback (most recent call last):
    tokenloom.errors.FormatError: x.tiktoken: its highest id is 16,777,215, and it has 257 entries, so nearly all ids \
would be without a token. Number tokens without gaps.
    """
    n_holes = highest_id + 1 - n_entries
    if highest_id < ID_LIMIT and n_holes > _HOLES_OF_ENTRY * n_entries + _FREE_HOLES:
        what = f"its highest id is {highest_id:,}, and it has {n_entries:,} {'entry' if n_entries == 1 else 'entries'}"
        raise FormatError(f"{place}: {what}, so nearly all ids would be without a token. Number tokens without gaps.")


def refuse_packed_holes(token_offsets: bytes, *, n_added: int, place: str) -> None:
    """The same for packed offsets as `TokenizerSpec` has them; tokens are counted only if there are very many ids."""
    n_ids = len(token_offsets) // UINT32_BYTES - 1
    if n_ids > _FREE_HOLES:
        import numpy as np

        n_tokens = int(np.count_nonzero(np.diff(np.frombuffer(token_offsets, "<u4"))))
        refuse_holes(n_ids - 1, n_tokens + n_added, place=place)
