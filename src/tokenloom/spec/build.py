"""From a vocabulary and its merges, as people write them, to a `TokenizerSpec`.

The one rule worth knowing concerns special tokens. Ordinary text must never produce one by accident, so a special token
has no token bytes in the model: its id is a hole there. The exception is a special token that the model needs anyway,
because it is a single byte or the result of a merge: then both share one id.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from tokenloom.spec.components import BpeModel, Pretokenizer, Semantics, SpecialToken, special_contents
from tokenloom.spec.faults import (
    Fault,
    FaultError,
    find_collection_fault,
    find_merge_fault,
    find_missing_bytes,
    find_special_part,
    find_vocabulary_fault,
)
from tokenloom.spec.packing import pack_arena, pack_uint32
from tokenloom.spec.tokenizer_spec import TokenizerSpec

__all__ = ["build_spec"]


def build_spec(
    vocabulary: Mapping[int, bytes],
    merges: Iterable[tuple[bytes, bytes]],
    special_tokens: Iterable[str] | None = (),
    *,
    pretokenizer: Pretokenizer = Pretokenizer("gpt2"),  # noqa: B008 - a frozen value
    semantics: Semantics = "merges",
) -> TokenizerSpec:
    """Describe a tokenizer by its vocabulary, merges and special tokens.

    Args:
        vocabulary: token bytes by id; every single byte must be among them, ids may have holes.
        merges: pairs of token bytes, rank 0 first; must be empty for semantics "ranks".
        special_tokens: one that is in the vocabulary keeps its id; the others get the ids after the highest one, in
            the order given.
        pretokenizer: how text is cut before the model.
        semantics: which pair the model joins first, see `BpeModel`.
    Raises: SpecError naming the id or the merge rank; SpecialTokenError for an empty or double special token.

    >>> byte_tokens = {i: bytes([i]) for i in range(256)}
    >>> spec = build_spec(byte_tokens | {256: b"ab", 257: b"<s>"}, [(b"a", b"b")], ["<s>", "</s>"])
    >>> spec.special_tokens
    (SpecialToken(content='<s>', id=257), SpecialToken(content='</s>', id=258))
    >>> spec.token_bytes.endswith(b"ab")
    True
    """
    _raise(find_collection_fault(vocabulary, merges) or find_vocabulary_fault(vocabulary))
    merges = merges if isinstance(merges, list) else list(merges)
    ids = {token: token_id for token_id, token in vocabulary.items()}
    _raise(find_merge_fault(merges, ids) or find_missing_bytes(ids))
    specials = _numbered(special_contents(special_tokens), ids, next_id=max(vocabulary) + 1)
    holes = _holes(specials, merges)
    _raise(find_special_part(merges, holes))
    token_bytes, token_offsets = _pack_tokens(vocabulary, specials, holes)
    return TokenizerSpec(
        model=BpeModel(semantics),
        pretokenizer=pretokenizer,
        special_tokens=specials,
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=pack_uint32(map(ids.__getitem__, chain.from_iterable(merges))),
    )


def _numbered(contents: Sequence[str], ids: Mapping[bytes, int], *, next_id: int) -> tuple[SpecialToken, ...]:
    """Give each special token the id of its bytes, or else the next free one; sorted by id."""
    specials: dict[str, SpecialToken] = {}
    for content in contents:
        special = SpecialToken(content, next_id)
        known_id = ids.get(content.encode())
        specials[content] = special if known_id is None else SpecialToken(content, known_id)
        next_id += known_id is None
    return tuple(sorted(specials.values(), key=lambda special: special.id))


def _holes(specials: Sequence[SpecialToken], merges: Sequence[tuple[bytes, bytes]]) -> set[bytes]:
    """Bytes of the special tokens that the model does not need: neither a single byte nor the result of a merge."""
    holes = {token for special in specials if len(token := special.content.encode()) > 1}
    return holes.difference(left + right for left, right in merges) if holes else holes


def _pack_tokens(
    vocabulary: Mapping[int, bytes], specials: Sequence[SpecialToken], holes: Collection[bytes]
) -> tuple[bytes, bytes]:
    """Arena and offsets over all ids, with nothing at holes."""
    n_ids = max(chain(vocabulary, (special.id for special in specials))) + 1
    tokens = [b""] * n_ids
    for token_id, token in vocabulary.items():
        if token not in holes:
            tokens[token_id] = token
    return pack_arena(tokens)


def _raise(fault: Fault | None) -> None:
    if fault:
        raise FaultError(fault)
