"""Whether texts come back from their ids, and what is lost where they do not.

A tokenizer may lose text in two ways: what it does not know becomes the unknown token, and a normalizer or a decoder
puts other characters in the place of those that were there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tokenloom.metrics.surfaces import unknown_id_of
from tokenloom.tokenizer import Tokenizer

__all__ = ["Losses", "LossyPlace", "first_difference", "losses_of"]

_CONTEXT_CHARS: Final = 20
_MOST_LOST: Final = 1 << 16
"""Distinct unknown stretches that are told apart; the text decides which, in its order."""


@dataclass(frozen=True, slots=True)
class LossyPlace:
    """Where a document does not come back.

    Args:
        document: its number, from 0.
        char_offset: the first character that differs.
        text: what stands there, and a little behind.
        decoded: what came back.
    """

    document: int
    char_offset: int
    text: str
    decoded: str


@dataclass(frozen=True, slots=True)
class Losses:
    """What came back of some documents.

    Args:
        n_docs: the documents.
        n_lossy_docs: those that did not come back as they were.
        n_tokens: their ids.
        n_unknown: unknown tokens among them.
        lost: stretches of text that became the unknown token, with how often; at most 65,536 different ones.
        examples: the first places that differ, one a document.
    """

    n_docs: int
    n_lossy_docs: int
    n_tokens: int
    n_unknown: int
    lost: Mapping[str, int]
    examples: tuple[LossyPlace, ...]

    @property
    def is_lossless(self) -> bool:
        """Whether all came back."""
        return self.n_lossy_docs == 0

    def most_lost(self, n: int) -> list[tuple[str, int]]:
        """The stretches that were lost most often."""
        return sorted(self.lost.items(), key=lambda item: (-item[1], item[0]))[:n]


def losses_of(tokenizer: Tokenizer, documents: Iterable[str], *, n_examples: int = 5) -> Losses:
    """Encode documents, special tokens as ordinary text, decode the ids, and compare.

    Args:
        tokenizer: any.
        documents: texts.
        n_examples: how many places are told.
    Raises: EncodeError for a text with a lone surrogate.

    >>> from tokenloom import train_words
    >>> result = losses_of(train_words(["the cat"]), ["the cat", "the fat cat"])
    >>> result.n_lossy_docs, result.most_lost(1), result.examples[0].char_offset
    (1, [('fat', 1)], 4)
    """
    unknown = unknown_id_of(tokenizer)
    lost: Counter[str] = Counter()
    examples: list[LossyPlace] = []
    n_docs = n_lossy = n_tokens = n_unknown = 0
    for number, text in enumerate(documents):
        ids = tokenizer.encode(text, disallowed_special=())
        decoded = tokenizer.decode(ids)
        n_docs, n_tokens = n_docs + 1, n_tokens + len(ids)
        n_unknown += 0 if unknown is None else ids.count(unknown)
        if decoded == text:
            continue
        n_lossy += 1
        _note_lost(lost, tokenizer, text, unknown)
        if len(examples) < n_examples:
            at = first_difference(text, decoded)
            stop = at + _CONTEXT_CHARS
            examples.append(LossyPlace(number, at, text[at:stop], decoded[at:stop]))
    return Losses(n_docs, n_lossy, n_tokens, n_unknown, lost, tuple(examples))


def first_difference(one: Sequence[object], other: Sequence[object]) -> int:
    """The first place where two sequences differ; the length of the shorter one if that is how the other begins.

    >>> first_difference("the cat", "the hat"), first_difference([1, 2], [1, 2, 3])
    (4, 2)
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, its) in pairs if mine != its), min(len(one), len(other)))


def _note_lost(lost: Counter[str], tokenizer: Tokenizer, text: str, unknown: int | None) -> None:
    if unknown is None:
        return
    encoding = tokenizer.encode_with_offsets(text, disallowed_special=())
    for token_id, (start, stop) in zip(encoding.ids, encoding.char_offsets.tolist(), strict=True):
        if token_id == unknown and (text[start:stop] in lost or len(lost) < _MOST_LOST):
            lost[text[start:stop]] += 1
