"""Tokens that a vocabulary has and its own corpus does not use: steps on the way to longer ones.

If `妈` stands in the corpus only as `妈妈`, the merge that made it was needed for the next one, and no text of the
corpus has the token any more. A language model that is trained on that text never sees it, and what it does with it,
should it come one day, nobody can say.

Source: Stanford CS336, lecture 1: of 743 tokens that merges made, 113 were never used and 110 once or twice; Land and
Bartolo 2024, "Fishing for Magikarp", for what becomes of such tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tokenloom import BpeOptions, Tokenizer
from tokenloom.metrics import token_counts
from tokenloom.teaching.corpus import DOCUMENT_END
from tokenloom.teaching.training import merged_tokens, trained

__all__ = ["LearnedToken", "VocabularyUse", "vocabulary_use"]


@dataclass(frozen=True, slots=True)
class LearnedToken:
    """A token that a merge made.

    Args:
        token: its bytes.
        n_merged: how often its pair stood side by side when it was chosen.
        n_left: how often it occurs in the corpus once all merges are made.
        inside: the tokens that later merges made of it.
    """

    token: bytes
    n_merged: int
    n_left: int
    inside: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class VocabularyUse:
    """What the corpus uses of the tokens that it made.

    Args:
        tokens: all of them, in the order of merges.
    """

    tokens: tuple[LearnedToken, ...]

    @property
    def never(self) -> tuple[LearnedToken, ...]:
        """The tokens that the corpus does not use."""
        return tuple(token for token in self.tokens if token.n_left == 0)

    @property
    def rare(self) -> tuple[LearnedToken, ...]:
        """The tokens that the corpus uses once or twice."""
        return tuple(token for token in self.tokens if 1 <= token.n_left <= 2)

    def of(self, token: bytes) -> LearnedToken | None:
        """What is known of a token; None if no merge made it."""
        return next((learned for learned in self.tokens if learned.token == token), None)


def vocabulary_use(
    texts: Sequence[str], *, vocab_size: int = 1000, special_tokens: Sequence[str] = (DOCUMENT_END,)
) -> VocabularyUse:
    """Train with GPT-2's pattern, encode the same texts, and count each token that a merge made.

    >>> from tokenloom.teaching import stories
    >>> use = vocabulary_use(stories().all)
    >>> len(use.tokens), len(use.never), len(use.rare)
    (743, 135, 100)
    >>> mother = use.of("妈".encode())
    >>> mother.n_merged, mother.n_left, [token.decode() for token in mother.inside]
    (26, 0, ['妈妈'])
    """
    training = trained(texts, BpeOptions(vocab_size, special_tokens))
    tokenizer = Tokenizer.from_spec(training.spec, special_text="plain")
    counts = token_counts(tokenizer.encode_batch(texts, n_threads=1), n_ids=len(tokenizer)).tolist()
    inside: dict[bytes, list[bytes]] = {}
    for step in training.steps:
        for part in dict.fromkeys((step.left, step.right)):
            inside.setdefault(part, []).append(step.left + step.right)
    learned = zip(merged_tokens(training), training.steps, strict=True)
    return VocabularyUse(
        tuple(
            LearnedToken(token, step.n_pairs, counts[tokenizer.id_of(token)], tuple(inside.get(token, ())))
            for token, step in learned
        )
    )
