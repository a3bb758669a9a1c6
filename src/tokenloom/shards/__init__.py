"""Token shards: the ids of a corpus as arrays on the disk, with the borders of its documents and a manifest."""

from tokenloom.shards.layout import ShardHeader, SourceRow, smallest_dtype
from tokenloom.shards.shard_set import ShardSet, open_shards

__all__ = ["ShardHeader", "ShardSet", "SourceRow", "open", "open_shards", "smallest_dtype"]

open = open_shards  # noqa: A001 - reads well from outside: tokenloom.shards.open(folder)
