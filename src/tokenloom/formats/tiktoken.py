"""The rank file of `tiktoken`: on each line a token in base64, a blank and its rank, which is its id.

The file says nothing about the pattern and the special tokens. Those of the published encodings are known here
(`encodings.py`); of a file of ours both are passed beside it:

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

import hashlib
import os
from base64 import b64encode
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Final, Never

from tokenloom.errors import FormatError, SpecError, SpecialTokenError
from tokenloom.formats.encodings import ENCODINGS, Encoding
from tokenloom.formats.id_holes import refuse_packed_holes
from tokenloom.formats.lost_parts import Part, refuse_lost
from tokenloom.formats.patterns import pretokenizer_of
from tokenloom.formats.rank_order import halves
from tokenloom.formats.rank_table import parse_rank_table
from tokenloom.spec import AddedToken, BpeModel, Pretokenizer, TokenizerSpec
from tokenloom.spec.faults import find_merge_fault
from tokenloom.spec.packing import UINT32_BYTES, unpack_uint32
from tokenloom.storage import read_input, replace_files
from tokenloom.wording import quoted

__all__ = ["LACKS", "RANKS", "parse_published", "parse_tiktoken", "read_tiktoken", "render_tiktoken", "write_tiktoken"]

RANKS: Final = "tokenizer.tiktoken"
LACKS: Final[tuple[Part, ...]] = ("characters", "normalizer", "sequence", "custom pattern", "flags", "postprocessor")
"""See `lost_parts`; the named patterns and special tokens are passed to tiktoken beside the file."""


def read_tiktoken(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    pattern: str | Pretokenizer | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> TokenizerSpec:
    """Read a rank file.

    Args:
        path: the file.
        name: a published encoding, such as "cl100k_base": its pattern and special tokens, and the file must have its
            checksum. Without a name and a pattern, the file must be that of a published encoding, known by its
            checksum.
        pattern: for any other file, how text is cut: the name of a pretokenizer, a `Pretokenizer`, or a regular
            expression. Text that no match of an expression covers is kept here; tiktoken drops it.
        special_tokens: ids by content; None for those of the published encoding, or none.
    Raises: CorpusError for a missing file; FormatError naming file and line, also for special tokens that cannot be.
    """
    data = read_input(path)
    return parse_tiktoken(data, place=str(Path(path)), name=name, pattern=pattern, special_tokens=special_tokens)


def parse_tiktoken(
    data: bytes,
    *,
    place: str,
    name: str | None = None,
    pattern: str | Pretokenizer | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> TokenizerSpec:
    """The content of a rank file; errors name `place`. See `read_tiktoken`."""
    if name is not None and pattern is not None:
        _refuse(place, f"it is read with name {quoted(name)} and with a pattern", "Pass one of the two")
    if pattern is not None:
        pretokenizer = pretokenizer_of(pattern, place=place)
        return _with_specials(parse_rank_table(data, place=place), pretokenizer, special_tokens or {}, place)
    if name is None:
        return parse_published(data, place=place, special_tokens=special_tokens)[0]
    if name not in ENCODINGS:
        _refuse(place, f"{quoted(name)} is no published encoding", f"Pass one of {_names()}, or a pattern")
    encoding, checksum = ENCODINGS[name], _checksum(data)
    if checksum != encoding.sha256:
        what = f"it is not the rank file of {quoted(name)}: its SHA-256 is {checksum}, not {encoding.sha256}"
        _refuse(place, what, f"Download {encoding.url} again, or pass a pattern if the file is another one")
    return _published_spec(data, encoding, special_tokens, place)


def parse_published(
    data: bytes, *, place: str, special_tokens: Mapping[str, int] | None = None
) -> tuple[TokenizerSpec, str]:
    """The content of the rank file of a published encoding, and the name of the encoding; the first of several."""
    checksum = _checksum(data)
    name = next((name for name, encoding in ENCODINGS.items() if encoding.sha256 == checksum), None)
    if name is None:
        parse_rank_table(data, place=place)  # a fault of the file says more than that it is unknown
        what = "it is no published encoding, and a rank file does not say how text is cut"
        _refuse(place, what, f"Pass name= ({_names()}) or pattern= to tokenloom.formats.read_tiktoken")
    return _published_spec(data, ENCODINGS[name], special_tokens, place), name


def _published_spec(
    data: bytes, encoding: Encoding, special_tokens: Mapping[str, int] | None, place: str
) -> TokenizerSpec:
    """The spec of a file whose checksum is that of the encoding."""
    specials = encoding.special_tokens if special_tokens is None else special_tokens
    table = parse_rank_table(data, place=place, is_known=True)
    return _with_specials(table, Pretokenizer(encoding.pretokenizer), specials, place)


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _with_specials(
    table: tuple[bytes, bytes], pretokenizer: Pretokenizer, special_tokens: Mapping[str, int], place: str
) -> TokenizerSpec:
    token_bytes, token_offsets = table
    if not isinstance(special_tokens, Mapping):
        what = f"special_tokens {quoted(special_tokens)} is of type {type(special_tokens).__name__}"
        _refuse(place, what, "Pass ids by content, such as {'<|end|>': 50256}")
    try:
        added = sorted((AddedToken(*token) for token in special_tokens.items()), key=lambda token: token.id)
    except (SpecError, SpecialTokenError) as error:
        raise FormatError(f"{place}: {error}") from error
    if added:
        n_ids = len(token_offsets) // UINT32_BYTES - 1
        token_offsets += token_offsets[-UINT32_BYTES:] * max(0, added[-1].id + 1 - n_ids)
    refuse_packed_holes(token_offsets, n_added=len(added), place=place)
    try:
        return TokenizerSpec(
            model=BpeModel("ranks"),
            pretokenizer=pretokenizer,
            added_tokens=tuple(added),
            token_bytes=token_bytes,
            token_offsets=token_offsets,
            merges=b"",
        )
    except (SpecError, SpecialTokenError) as error:
        raise FormatError(f"{place}: {error}") from error


def _names() -> str:
    return ", ".join(map(repr, ENCODINGS))


def write_tiktoken(spec: TokenizerSpec, path: str | os.PathLike[str]) -> None:
    """Write the tokens without the special ones as a rank file; the module shows how tiktoken reads it.

    A custom pattern is refused: text that its matches do not cover is kept here, and dropped by tiktoken.

    Raises: FormatError if the tokenizer has parts that tiktoken has not (`LACKS`), or if ranks do not say what the
        merges say: the order of ids is not the order of merges, a token comes from none of them, or lower ranks join
        its bytes to another pair than its merge; StorageError if the file cannot be written.
    """
    replace_files({Path(path): render_tiktoken(spec, place=str(path))})


def render_tiktoken(spec: TokenizerSpec, *, place: str = RANKS) -> bytes:
    r"""The content of a rank file; errors name `place`.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)} | {256: b"ab"}, [(b"a", b"b")], ["<|end|>"])
    >>> render_tiktoken(spec).splitlines()[-2:]
    [b'/w== 255', b'YWI= 256']
    """
    refuse_lost(spec, lacks=LACKS, place=place, holder="a rank file")
    tokens = spec.model_tokens()
    if spec.bpe.semantics == "merges":
        _check_ranks(spec, tokens, place)
    lines = [b"%b %d\n" % (b64encode(token), token_id) for token_id, token in enumerate(tokens) if token]
    return b"".join(lines)


def _check_ranks(spec: TokenizerSpec, tokens: list[bytes], place: str) -> None:
    """Refuse merges that ids cannot say in the place of ranks."""
    ids = {token: token_id for token_id, token in enumerate(tokens) if token}
    merges = spec.merge_list()
    if fault := find_merge_fault(merges, ids):
        raise _cannot_hold(place, f"merge {fault.merge_rank}: {fault.what}")
    made = [ids[left + right] for left, right in merges]
    unmade = set(ids.values()).difference(made)
    for token_id in sorted(unmade):
        if len(tokens[token_id]) > 1:
            what = f"token {quoted(tokens[token_id])} (id {token_id}) comes from no merge, but would from its rank"
            raise _cannot_hold(place, what)
    for rank, (before, after) in enumerate(pairwise(made), 1):
        if before >= after:
            what = (
                f"merge {rank} makes {quoted(tokens[after])} (id {after}), the merge before it {quoted(tokens[before])}"
            )
            raise _cannot_hold(place, f"the order of ids is not the order of merges: {what} (id {before})")
    listed = unpack_uint32(spec.merges)
    pairs, others = halves(spec.token_bytes, spec.token_offsets, place=place)
    if pairs != listed:
        # Merges are in the order of ids by now, and each token has one.
        differs = (at for at, (part, other) in enumerate(zip(pairs, listed, strict=False)) if part != other)
        rank = next(differs, len(pairs)) // 2
        parts = tuple(tokens[part] for part in pairs[2 * rank : 2 * rank + 2] or others)
        what = f"token {quoted(tokens[made[rank]])} (id {made[rank]}) is merged from {quoted(merges[rank])}"
        raise _cannot_hold(place, f"{what}, but lower ranks give {quoted(parts)}")


def _refuse(place: str, what: str, remedy: str) -> Never:
    raise FormatError(f"{place}: {what}. {remedy}.")


def _cannot_hold(place: str, what: str) -> FormatError:
    return FormatError(f"{place}: a rank file cannot hold this tokenizer: {what}. Use another format.")
