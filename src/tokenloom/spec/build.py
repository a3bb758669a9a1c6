"""From a vocabulary and its merges, as people write them, to a `TokenizerSpec`.

The one rule worth knowing concerns added tokens. Ordinary text must never produce a special one by accident, so an
added token has no token bytes in the model: its id is a hole there. The exception is a token that the model needs
anyway, because it is a single byte or the result of a merge: then both share one id. A model that takes whole pretokens
needs every token that is not special.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from tokenloom.errors import SpecError
from tokenloom.spec.added_tokens import AddedToken, special_contents
from tokenloom.spec.components import Pretokenizer
from tokenloom.spec.faults import (
    Fault,
    FaultError,
    find_collection_fault,
    find_merge_fault,
    find_missing_bytes,
    find_special_part,
    find_vocabulary_fault,
)
from tokenloom.spec.model import BpeModel, Semantics
from tokenloom.spec.normalizer import Normalizer
from tokenloom.spec.packing import pack_arena, pack_uint32
from tokenloom.spec.postprocessor import Template
from tokenloom.spec.tokenizer_spec import TokenizerSpec
from tokenloom.wording import quoted

__all__ = ["build_spec"]


def build_spec(
    vocabulary: Mapping[int, bytes],
    merges: Iterable[tuple[bytes, bytes]],
    special_tokens: Iterable[str] | None = (),
    *,
    pretokenizer: Pretokenizer = Pretokenizer("gpt2"),  # noqa: B008 - a frozen value
    semantics: Semantics = "merges",
    ignore_merges: bool = False,
    added_tokens: Iterable[AddedToken] = (),
    normalizer: Normalizer | None = None,
    postprocessor: Template | None = None,
) -> TokenizerSpec:
    """Describe a tokenizer by its vocabulary, merges and added tokens.

    Args:
        vocabulary: token bytes by id; every single byte must be among them, ids may have holes.
        merges: pairs of token bytes, rank 0 first; must be empty for semantics "ranks".
        special_tokens: texts; one that is in the vocabulary keeps its id; the others get the ids after the highest
            one, in the order given.
        pretokenizer: how text is cut before the model.
        semantics: which pair the model joins first, see `BpeModel`.
        ignore_merges: see `BpeModel`.
        added_tokens: tokens with ids and flags of their own, beside `special_tokens`. One that is in the vocabulary
            must have its id.
        normalizer: how text is changed before it is cut.
        postprocessor: ids around those of a text.
    Raises: SpecError naming the id or the merge rank; SpecialTokenError for an empty or double special token.

    >>> byte_tokens = {i: bytes([i]) for i in range(256)}
    >>> spec = build_spec(byte_tokens | {256: b"ab", 257: b"<s>"}, [(b"a", b"b")], ["<s>", "</s>"])
    >>> spec.special_tokens
    (AddedToken(content='<s>', id=257), AddedToken(content='</s>', id=258))
    >>> spec.token_bytes.endswith(b"ab")
    True
    """
    _raise(find_collection_fault(vocabulary, merges) or find_vocabulary_fault(vocabulary))
    merges = merges if isinstance(merges, list) else list(merges)
    ids = {token: token_id for token_id, token in vocabulary.items()}
    _raise(find_merge_fault(merges, ids) or find_missing_bytes(ids))
    model, added = BpeModel(semantics, ignore_merges), tuple(added_tokens)
    next_id = 1 + max(max(vocabulary), max((token.id for token in added), default=-1))
    added = _joined(added, _numbered(special_contents(special_tokens), ids, next_id=next_id), ids)
    holes = _holes(added, merges, model)
    _raise(find_special_part(merges, holes))
    token_bytes, token_offsets = _pack_tokens(vocabulary, added, holes)
    return TokenizerSpec(
        model=model,
        pretokenizer=pretokenizer,
        added_tokens=added,
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=pack_uint32(map(ids.__getitem__, chain.from_iterable(merges))),
        normalizer=normalizer,
        postprocessor=postprocessor,
    )


def _numbered(contents: Sequence[str], ids: Mapping[bytes, int], *, next_id: int) -> Iterator[AddedToken]:
    """Give each special token the id of its bytes, or else the next free one."""
    for content in contents:
        known_id = ids.get(content.encode())
        yield AddedToken(content, next_id if known_id is None else known_id)
        next_id += known_id is None


def _joined(
    added: Iterable[AddedToken], specials: Iterable[AddedToken], ids: Mapping[bytes, int]
) -> tuple[AddedToken, ...]:
    """All added tokens, sorted by id."""
    tokens = (*added, *specials)
    for token in tokens:
        known_id = ids.get(token.content.encode(), token.id)
        if known_id != token.id:
            raise SpecError(
                f"{token.kind} {quoted(token.content)}: its id is {token.id}, and in the vocabulary {known_id}. "
                "Give it the id of the vocabulary."
            )
    return tuple(sorted(tokens, key=lambda token: token.id))


def _holes(added: Sequence[AddedToken], merges: Sequence[tuple[bytes, bytes]], model: BpeModel) -> set[bytes]:
    """Bytes of the added tokens that the model does not need: neither a single byte nor the result of a merge, nor a
    token that is not special where the model takes whole pretokens.
    """
    takes_whole = model.ignore_merges or model.semantics == "ranks"
    dropped = (token.content.encode() for token in added if token.special or not takes_whole)
    holes = {token for token in dropped if len(token) > 1}
    return holes.difference(left + right for left, right in merges) if holes else holes


def _pack_tokens(
    vocabulary: Mapping[int, bytes], added: Sequence[AddedToken], holes: Collection[bytes]
) -> tuple[bytes, bytes]:
    """Arena and offsets over all ids, with nothing at holes."""
    n_ids = max(chain(vocabulary, (token.id for token in added))) + 1
    tokens = [b""] * n_ids
    for token_id, token in vocabulary.items():
        if token not in holes:
            tokens[token_id] = token
    return pack_arena(tokens)


def _raise(fault: Fault | None) -> None:
    if fault:
        raise FaultError(fault)
