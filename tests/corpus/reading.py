"""What the tests of this room read with."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from tokenloom.corpus import Block, documents

ReadBytes: TypeAlias = Callable[..., list[bytes]]


def whole(blocks: Iterable[Block]) -> list[bytes]:
    """The documents of blocks, each in one."""
    return [item if isinstance(item, bytes) else b"".join(item) for item in documents(blocks)]
