"""The rank file of `tiktoken`: on each line a token in base64, a blank and its rank, which is its id.

The file says nothing about the pattern and the special tokens; both are passed beside it:

    import base64
    import tiktoken

    lines = open("folder/tokenizer.tiktoken", "rb").read().splitlines()
    encoding = tiktoken.Encoding(
        "mine",
        pat_str=tokenizer.pattern,
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)},
        special_tokens=tokenizer.special_tokens,
    )

`tiktoken.load.load_tiktoken_bpe(path)` reads the same, but keeps a copy in the temporary folder under the name of the
path and never looks at the file again: after another training into the same folder it returns the old ranks.

tiktoken joins the pair whose joined bytes have the lowest rank, and a piece that is a token as a whole is that token.
Merges join the pair that comes first in their list. In general these are two tokenizers; those that are one on every
text, as all that come from a training are, can be written (see `rank_order`).
Source: `src/lib.rs` of openai/tiktoken.
"""

import os
from base64 import b64encode
from itertools import pairwise
from pathlib import Path
from typing import Final

from tokenloom.errors import FormatError
from tokenloom.formats.rank_order import halves
from tokenloom.spec import TokenizerSpec
from tokenloom.spec.packing import unpack_arena
from tokenloom.storage import replace_files

__all__ = ["RANKS", "render_tiktoken", "write_tiktoken"]

RANKS: Final = "tokenizer.tiktoken"


def write_tiktoken(spec: TokenizerSpec, path: str | os.PathLike[str]) -> None:
    """Write the tokens without the special ones as a rank file; the module shows how tiktoken reads it.

    Raises: FormatError if ranks do not say what the merges say: the order of ids is not the order of merges, a token
        comes from none of them, or lower ranks join its bytes to another pair than its merge; StorageError if the file
        cannot be written.
    """
    replace_files({Path(path): render_tiktoken(spec, place=str(path))})


def render_tiktoken(spec: TokenizerSpec, *, place: str = RANKS) -> bytes:
    r"""The content of a rank file; errors name `place`.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)} | {256: b"ab"}, [(b"a", b"b")], ["<|end|>"])
    >>> render_tiktoken(spec).splitlines()[-2:]
    [b'/w== 255', b'YWI= 256']
    """
    for added in spec.added_tokens:
        if added.flags():
            raise _cannot_hold(place, f"{added.kind} {added.content!r} has the flags {sorted(added.flags())}")
    if spec.normalizer:
        raise _cannot_hold(place, "it has a normalizer")
    tokens = unpack_arena(spec.token_bytes, spec.token_offsets)
    if spec.model.semantics == "merges":
        _check_ranks(spec, tokens, place)
    lines = [b"%b %d\n" % (b64encode(token), token_id) for token_id, token in enumerate(tokens) if token]
    return b"".join(lines)


def _check_ranks(spec: TokenizerSpec, tokens: list[bytes], place: str) -> None:
    """Refuse merges that ids cannot say in the place of ranks."""
    ids = {token: token_id for token_id, token in enumerate(tokens) if token}
    merges = spec.merge_list()
    made = [ids[left + right] for left, right in merges]
    unmade = set(ids.values()).difference(made)
    for token_id in sorted(unmade):
        if len(tokens[token_id]) > 1:
            what = f"token {tokens[token_id]!r} (id {token_id}) comes from no merge, but would from its rank"
            raise _cannot_hold(place, what)
    for rank, (before, after) in enumerate(pairwise(made), 1):
        if before >= after:
            what = f"merge {rank} makes {tokens[after]!r} (id {after}), the merge before it {tokens[before]!r}"
            raise _cannot_hold(place, f"the order of ids is not the order of merges: {what} (id {before})")
    for merge in merges:
        token = b"".join(merge)
        if (parts := tuple(halves(token, ids))) != merge:
            what = f"token {token!r} (id {ids[token]}) is merged from {merge!r}, but lower ranks give {parts!r}"
            raise _cannot_hold(place, what)


def _cannot_hold(place: str, what: str) -> FormatError:
    return FormatError(f"{place}: a rank file cannot hold this tokenizer: {what}. Use another format.")
