"""Vocabularies made larger or smaller: reserved tokens for later use, a round number of ids, fewer merges.

Training is greedy, so its first merges are those of a training that stops earlier: `truncated_spec` gives the very
tokenizer that the smaller training gives, without the corpus.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from tokenloom.errors import SpecError
from tokenloom.spec.added_tokens import AddedToken
from tokenloom.spec.components import ID_LIMIT
from tokenloom.spec.packing import FLOAT64_BYTES, UINT32_BYTES, pack_arena, pack_uint32, unpack_uint32
from tokenloom.spec.tokenizer_spec import TokenizerSpec
from tokenloom.wording import counted, quoted

__all__ = ["enlarged_spec", "grown_spec", "padded_spec", "reserved_spec", "truncated_spec"]

_RESERVED: Final = "<|reserved_special_token_{}|>"
_RESERVED_BYTES: Final = re.compile(rb"<\|reserved_special_token_([0-9]{1,18})\|>")


def reserved_spec(spec: TokenizerSpec, n: int) -> TokenizerSpec:
    """Add special tokens `<|reserved_special_token_0|>`, `..._1|>` and so on, with the ids after the highest one.

    Counting goes on after the highest number that the vocabulary has.

    Raises: SpecError if `n` is no number of tokens or leads past the highest id allowed.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [])
    >>> [special.content for special in reserved_spec(reserved_spec(spec, 1), 1).special_tokens]
    ['<|reserved_special_token_0|>', '<|reserved_special_token_1|>']
    """
    if type(n) is not int or n < 0:
        raise SpecError(f"argument n: {n!r} is not a number of tokens. Pass a whole number from 0.")
    matches = map(_RESERVED_BYTES.fullmatch, spec.vocabulary().values())
    number = 1 + max((int(match[1]) for match in matches if match), default=-1)
    n_ids = spec.n_ids
    if n_ids + n > ID_LIMIT:  # before they are made: memory might not hold them
        raise SpecError(f"{n_ids:,} ids and {n:,} more: are over {ID_LIMIT:,}. Ask for fewer reserved tokens.")
    added = (AddedToken(_RESERVED.format(number + i), n_ids + i) for i in range(n))
    offsets = spec.token_offsets + spec.token_offsets[-UINT32_BYTES:] * n
    scores = spec.scores + bytes(FLOAT64_BYTES * n if spec.scores else 0)
    return replace(spec, added_tokens=(*spec.added_tokens, *added), token_offsets=offsets, scores=scores)


def padded_spec(spec: TokenizerSpec, multiple: int) -> TokenizerSpec:
    """Add as many reserved tokens as make the number of ids a multiple, which suits the matrices of a model.

    Raises: SpecError if `multiple` is no whole number from 1 or leads past the highest id allowed.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [], ["<|end|>"])
    >>> padded_spec(spec, 64).special_tokens[-1]
    AddedToken(content='<|reserved_special_token_62|>', id=319)
    """
    if type(multiple) is not int or multiple < 1:
        raise SpecError(f"argument multiple: {multiple!r} is not a multiple. Pass a whole number from 1, such as 64.")
    return reserved_spec(spec, -spec.n_ids % multiple)


def enlarged_spec(spec: TokenizerSpec, *, n_reserved: int, pad_multiple: int | None) -> TokenizerSpec:
    """Add reserved tokens, then as many as make the number of ids a multiple; None asks for no multiple.

    Raises: as `reserved_spec` and `padded_spec`.
    """
    spec = reserved_spec(spec, n_reserved) if n_reserved else spec
    return spec if pad_multiple is None else padded_spec(spec, pad_multiple)


def truncated_spec(spec: TokenizerSpec, vocabulary_size: int) -> TokenizerSpec:
    """Keep the first merges of a tokenizer, so that it has `vocabulary_size` tokens in all.

    What stays in any case: the 256 bytes, all added tokens (reserved and padding ones too: take them off by not
    adding them, or add them after truncating), and tokens that no merge makes, which are mostly special tokens that
    nobody named. With semantics "ranks" the tokens of the lowest ranks stay. Ids are renumbered from 0 without holes
    and keep their order, which for the result of a training gives the result of the smaller training.

    Raises: SpecError if the size is less than what stays or more than there is, if a merge makes no token, and for a
        model that joins characters, as its merges may join parts that are made later.

    >>> from tokenloom.spec import build_spec
    >>> vocabulary = {i: bytes([i]) for i in range(256)} | {256: b"th", 257: b"the"}
    >>> spec = build_spec(vocabulary, [(b"t", b"h"), (b"th", b"e")], ["<|end|>"])
    >>> truncated_spec(spec, 258).merge_list(), truncated_spec(spec, 258).special_tokens
    ([(b't', b'h')], (AddedToken(content='<|end|>', id=257),))
    """
    if not spec.joins_bytes:
        raise SpecError(
            "vocabulary_size: a model that does not join bytes cannot be cut, since its merges may join parts that are "
            "made later. Cut a byte-level tokenizer, or train a smaller one."
        )
    tokens = spec.model_tokens()
    steps = _steps(spec, tokens)
    added_ids = {added.id for added in spec.added_tokens}
    model_ids = {token_id for token_id, token in enumerate(tokens) if token}
    fixed = model_ids.difference(steps) | added_ids
    _check_size(vocabulary_size, len(fixed), len(model_ids | added_ids))
    n_steps, kept = 0, set(fixed)
    for step in steps:
        if len(kept) == vocabulary_size and step not in kept:
            break
        kept.add(step)
        n_steps += 1
    dropped = set(steps[n_steps:]).difference(steps[:n_steps])
    new_ids = {old: new for new, old in enumerate(sorted(kept))}
    return _renumbered(spec, [b"" if old in dropped else tokens[old] for old in new_ids], new_ids, n_steps)


def grown_spec(spec: TokenizerSpec, merges: Sequence[tuple[int, int]]) -> TokenizerSpec:
    """Add merges behind all others; what they make gets the ids after the highest one, in their order.

    With semantics "ranks" the tokens are added, and their ids are their ranks.

    Args:
        spec: the tokenizer.
        merges: ids of the parts, which must have tokens; those that the merges make may be parts of later ones.
    Raises: SpecError if they lead past the highest id allowed.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [], ["<|end|>"])
    >>> grown = grown_spec(spec, [(116, 104), (257, 101)])
    >>> grown.vocabulary()[258], grown.merge_list()
    (b'the', [(b't', b'h'), (b'th', b'e')])
    """
    n_ids = spec.n_ids
    if n_ids + len(merges) > ID_LIMIT:
        raise SpecError(f"{n_ids:,} ids and {len(merges):,} more: are over {ID_LIMIT:,}. Add fewer merges.")
    tokens = spec.model_tokens()
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    token_bytes, token_offsets = pack_arena(tokens)
    added = b"" if spec.bpe.semantics == "ranks" else pack_uint32(chain.from_iterable(merges))
    return replace(spec, token_bytes=token_bytes, token_offsets=token_offsets, merges=spec.merges + added)


def _steps(spec: TokenizerSpec, tokens: list[bytes]) -> list[int]:
    """The id that each merge makes, in the order of merges; with ranks the ids of all joined tokens in their order."""
    if spec.bpe.semantics == "ranks":
        return [token_id for token_id, token in enumerate(tokens) if len(token) > 1]
    ids = {token: token_id for token_id, token in enumerate(tokens) if token}
    try:
        return [ids[left + right] for left, right in spec.merge_list()]
    except KeyError as error:
        what = f"a merge makes {quoted(error.args[0])}, which is not in the vocabulary"
        raise SpecError(f"merges: {what}. Add the token or drop the merge.") from None


def _check_size(vocabulary_size: int, fewest: int, most: int) -> None:
    if type(vocabulary_size) is not int or not fewest <= vocabulary_size <= most:
        raise SpecError(
            f"vocabulary_size {vocabulary_size!r}: this tokenizer can be cut to a whole number from {fewest:,} (bytes, "
            f"special tokens and others that no merge makes) to {most:,}, as it has {counted(most, 'token')}. "
            "Choose one in this range."
        )


def _renumbered(
    spec: TokenizerSpec, tokens: Collection[bytes], new_ids: Mapping[int, int], n_steps: int
) -> TokenizerSpec:
    """The spec with the first merges alone, its tokens and ids replaced."""
    token_bytes, token_offsets = pack_arena(list(tokens))
    parts = unpack_uint32(spec.merges)[: 2 * n_steps]
    return replace(
        spec,
        added_tokens=tuple(replace(token, id=new_ids[token.id]) for token in spec.added_tokens),
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=pack_uint32(map(new_ids.__getitem__, parts)),
        postprocessor=spec.postprocessor and spec.postprocessor.renumbered(new_ids),
    )
