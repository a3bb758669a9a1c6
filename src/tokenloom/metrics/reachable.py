"""Which tokens a text can become: those that encode to themselves.

A token that its own text does not become is dead weight: an embedding row that is never trained. In byte-level BPE that
is proof, since merges of a piece depend on nothing around it but where the text is cut. Other models put blanks or
prefixes before tokens, so a token counts there as reachable if any text of one, two or three tokens around it has it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from tokenloom.metrics.ratios import ratio_of_sums
from tokenloom.metrics.surfaces import Vocabulary
from tokenloom.tokenizer import Tokenizer

__all__ = ["Reachability", "reachability", "reachable_tokens"]

_CONTEXTS: Final = (b"a", b"(", b"1", b"e", b"-", b" ")


@dataclass(frozen=True, slots=True)
class Reachability:
    """What became of each token when it was encoded.

    Args:
        n_reachable: tokens that encode to themselves.
        unreachable: ids of whole characters that become other tokens.
        half_characters: ids of tokens that are no whole characters: no text of their own, so they are not judged.
        n_special: special tokens, which ordinary text must not become, so they are not judged.
    """

    n_reachable: int
    unreachable: Sequence[int]
    half_characters: Sequence[int]
    n_special: int

    @property
    def n_judged(self) -> int:
        """Tokens that are reachable or not."""
        return self.n_reachable + len(self.unreachable)


def reachable_tokens(n_reachable: int, n_judged: int) -> float:
    """Share of the judged tokens that encode to themselves; 0 to 1.

    Formula: tokens t with encode(decode(t)) = [t] / tokens that are whole characters and not special. No unit.
    Raises: MetricError if no token can be judged.
    Source: the categories of magikarp (Land & Bartolo 2024, "Fishing for Magikarp").

    >>> reachable_tokens(9, 10)
    0.9
    """
    return ratio_of_sums(n_reachable, n_judged, metric="reachable_tokens", of="tokens of whole characters")


def reachability(tokenizer: Tokenizer, vocabulary: Vocabulary) -> Reachability:
    """Encode what each token decodes to.

    >>> from tokenloom.metrics.surfaces import vocabulary_of
    >>> base = {i: bytes([i]) for i in range(256)}
    >>> merges = [(b"a", b" "), (b"a ", b"b")]
    >>> tokenizer = Tokenizer(base | {256: b"a ", 257: b"a b"}, merges, pattern="gpt2")
    >>> reachability(tokenizer, vocabulary_of(tokenizer)).unreachable
    (256, 257)
    """
    half = vocabulary.is_half
    judged = ~vocabulary.is_special & ~half
    ids = vocabulary.ids[judged].tolist()
    if tokenizer.spec.joins_bytes:
        texts = [surface for surface, is_judged in zip(vocabulary.surfaces, judged.tolist(), strict=True) if is_judged]
    else:
        texts = [tokenizer.decode_bytes([token_id]) for token_id in ids]
    reached = _reached_alone(tokenizer, ids, texts)
    if not tokenizer.spec.joins_bytes:
        reached |= _reached_in_context(tokenizer, [token_id for token_id in ids if token_id not in reached])
    return Reachability(
        n_reachable=len(reached),
        unreachable=tuple(token_id for token_id in ids if token_id not in reached),
        half_characters=tuple(vocabulary.ids[half & ~vocabulary.is_special].tolist()),
        n_special=len(vocabulary.special_ids),
    )


def _reached_alone(tokenizer: Tokenizer, ids: Sequence[int], texts: Sequence[bytes]) -> set[int]:
    batch = _encoded(tokenizer, texts)
    is_one = np.diff(batch[1]) == 1
    firsts = batch[0][batch[1][:-1][is_one]]
    wanted = np.array(ids, dtype=np.int64)[is_one]
    return set(wanted[firsts == wanted].tolist())


def _reached_in_context(tokenizer: Tokenizer, wanted: Sequence[int]) -> set[int]:
    """Those that stand anywhere among the ids of their text behind or between others."""
    encoded = (tokenizer.encode(text, allowed_special=(), disallowed_special=()) for text in _CONTEXTS)
    anchors = [ids[0] for ids in encoded if len(ids) == 1]
    found: set[int] = set()
    for anchor in anchors:
        rest = [token_id for token_id in wanted if token_id not in found]
        for around in ([anchor], [anchor, anchor]):
            texts = [tokenizer.decode_bytes([around[0], token_id, *around[1:]]) for token_id in rest]
            flat, starts = _encoded(tokenizer, texts)
            owners = np.repeat(np.array(rest, dtype=np.int64), np.diff(starts))
            found.update(np.unique(owners[owners == flat]).tolist())
    return found


def _encoded(tokenizer: Tokenizer, texts: Iterable[bytes]) -> tuple[NDArray[int64], NDArray[int64]]:
    batch = tokenizer.encode_batch(texts, allowed_special=(), disallowed_special=())
    return batch.ids.astype(np.int64), batch.starts
