"""Which ids of a text stay, whatever follows it: what tiktoken calls unstable encoding.

The ids of the last pretoken may change when the text goes on. Each completion is how the bytes of that pretoken are
encoded together with a token that begins in them, up to the token that covers their end. What tiktoken does not look at
is not looked at here: pretokens before the last one, but for blanks, and tokens behind the one that begins there.
Source: `_encode_unstable_native` in `src/lib.rs` of openai/tiktoken.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tokenloom import _core
from tokenloom.errors import SpecError

if TYPE_CHECKING:
    from tokenloom.tokenizer.options import Special
    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["unstable_ids"]

_BLANKS: Final = b" \n\t"
_WHITE: Final = frozenset(
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def unstable_ids(
    tokenizer: "Tokenizer", text: str, special: "tuple[Special, Special]", tokens: Sequence[bytes]
) -> tuple[list[int], list[list[int]]]:
    """The ids that stay, and the completions, sorted.

    Args:
        tokenizer: a byte-level one.
        text: without lone surrogates.
        special: special tokens that are allowed, and those that are refused.
        tokens: the sorted tokens of the model.
    Raises: SpecError for a tokenizer that no ranks describe.

    >>> from tokenloom import Tokenizer
    >>> vocabulary = {i: bytes([i]) for i in range(256)} | {256: b"ab", 257: b"abc"}
    >>> tokenizer = Tokenizer(vocabulary, [(b"a", b"b"), (b"ab", b"c")])
    >>> unstable_ids(tokenizer, "x ab", ((), ()), sorted(vocabulary.values()))
    ([120], [[32, 256], [32, 257]])
    """
    core, merge = tokenizer._core, _merging(tokenizer)
    ids, _, words = (array.tolist() for array in core.encode_with_words(text, *special))
    specials = frozenset(tokenizer.special_tokens.values())
    n_last = 0
    while n_last < len(ids) and ids[-1 - n_last] not in specials and words[-1 - n_last] == words[-1]:
        n_last += 1
    if not n_last:
        return ids, []
    if _is_blank(core, ids[-n_last], specials):
        while n_last < len(ids) and _is_blank(core, ids[-1 - n_last], specials):
            n_last += 1
    stable, rest = ids[:-n_last], core.decode_bytes(ids[-n_last:])
    found: set[tuple[int, ...]] = set()
    for token in _beginning_with(tokens, rest):
        found.add((tokenizer.id_of(token),))
    for at in range(1, len(rest)):
        for token in _beginning_with(tokens, rest[at:]):
            encoded = _encoded(core, merge, rest[:at] + token)
            found.add(tuple(_covering(core, encoded, len(rest))))
    found.update(_with_new_split(merge, rest))
    return stable, sorted(map(list, found))


def _merging(tokenizer: "Tokenizer") -> Callable[[bytes], list[int]]:
    """What merges bytes by the ranks of tokens, without looking whether all of them are one."""
    spec = tokenizer.spec
    if spec.normalizer or spec.pretokenizer.steps:
        raise SpecError("tokenizer: it changes text before it is cut, so no ids are stable. Use encode.")
    if spec.bpe.semantics == "merges":
        from tokenloom.formats.tiktoken import render_tiktoken

        render_tiktoken(spec, place="encode_with_unstable")
    specials = frozenset(tokenizer.special_tokens.values())
    ranks: dict[bytes, int] = {}
    for token_id, token in enumerate(spec.model_tokens()):
        if token and token_id not in specials:
            ranks[token] = token_id

    def merge(data: bytes) -> list[int]:
        parts = [data[at : at + 1] for at in range(len(data))]
        while True:
            pairs = [
                (ranks[left + right], at) for at, (left, right) in enumerate(_pairs(parts)) if left + right in ranks
            ]
            if not pairs:
                return [ranks[part] for part in parts]
            _, at = min(pairs)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]

    return merge


def _pairs(parts: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return pairwise(parts)


def _is_blank(core: _core.Pipeline, token_id: int, specials: frozenset[int]) -> bool:
    return token_id not in specials and not core.decode_bytes([token_id]).strip(_BLANKS)


def _beginning_with(tokens: Sequence[bytes], start: bytes) -> Iterator[bytes]:
    at = bisect_left(tokens, start)
    while at < len(tokens) and tokens[at].startswith(start):
        yield tokens[at]
        at += 1


def _encoded(core: _core.Pipeline, merge: Callable[[bytes], list[int]], data: bytes) -> list[int]:
    """With pretokens, as far as there are any in bytes that are no text."""
    try:
        return core.encode(data.decode(), (), (), None)
    except UnicodeDecodeError:
        return merge(data)


def _covering(core: _core.Pipeline, ids: Sequence[int], n_bytes: int) -> Iterator[int]:
    """The first ids that have so many bytes."""
    for token_id in ids:
        yield token_id
        n_bytes -= len(core.decode_bytes([token_id]))
        if n_bytes <= 0:
            return


def _with_new_split(merge: Callable[[bytes], list[int]], rest: bytes) -> Iterator[tuple[int, ...]]:
    """A blank at the end may become a pretoken of its own."""
    if len(rest) < 2:
        return
    n_last = next((n for n in (1, 2, 3, 4) if n <= len(rest) and _is_text(rest[-n:])), 0)
    if 0 < n_last < len(rest) and rest[-n_last:].decode() in _WHITE:
        yield tuple(merge(rest[:-n_last]) + merge(rest[-n_last:]))


def _is_text(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False
