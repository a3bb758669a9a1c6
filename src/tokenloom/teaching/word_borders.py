"""What a pattern that cuts words first does to the tokens, and what the first tokens of a corpus are.

Without a pattern, byte-pair encoding joins whatever stands side by side often: the end of a word with the blank behind
it, a word with its full stop, a few words. Each takes a place in the vocabulary and says little that is new. With
GPT-2's pattern no token crosses such a border.

Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2 (`dog.`, `dog!`,
`dog?`); Stanford CS336, lecture 1, where 83 of the first 300 tokens cross a border without a pattern, and none with it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from tokenloom import BpeOptions, Tokenizer, TrainingError
from tokenloom.metrics import character_class, is_half_character
from tokenloom.teaching.training import merged_tokens, trained
from tokenloom.wording import quoted

__all__ = [
    "BorderKind",
    "CharacterKind",
    "FirstMerge",
    "PatternTokens",
    "border_kinds",
    "first_merges",
    "pattern_tokens",
]

BorderKind = Literal[
    "inside",
    "word and blank",
    "word and sign",
    "several words",
    "parts of a word",
    "signs and blanks",
    "half character",
]
CharacterKind = Literal["part of a character", "one character", "several characters"]

_BEGINNINGS_OF_CONTRACTIONS: Final = (b"'l", b"'v", b"'r")
"""Parts of `'ll`, `'ve` and `'re`, which are pretokens: by themselves the pattern cuts them."""


@dataclass(frozen=True, slots=True)
class PatternTokens:
    """The first tokens of a training.

    Args:
        tokens: what its merges make, in their order.
        kinds: what each token does at the borders of words, in the same order.
    """

    tokens: tuple[bytes, ...]
    kinds: tuple[BorderKind, ...]

    @property
    def n_crossing(self) -> int:
        """How many tokens cross a border that GPT-2's pattern sees."""
        return sum(kind not in ("inside", "half character") for kind in self.kinds)

    @property
    def n_inner_blank(self) -> int:
        """How many tokens have a space behind their first byte."""
        return sum(b" " in token[1:] for token in self.tokens)

    @property
    def n_of_kinds(self) -> Mapping[BorderKind, int]:
        """How many tokens there are of each kind that occurs, the commonest first."""
        return dict(Counter(self.kinds).most_common())


def pattern_tokens(texts: Iterable[str], *, pattern: Literal["gpt2"] | None, n_merges: int = 300) -> PatternTokens:
    """Train with GPT-2's pattern or without any, and say of each token what it does at the borders of words.

    Raises: TrainingError for another pattern, of which the borders would be others.

    >>> from tokenloom.teaching import stories
    >>> whole, cut = (pattern_tokens(stories().all, pattern=pattern) for pattern in (None, "gpt2"))
    >>> whole.tokens[:7]
    (b'e ', b' t', b'he ', b' a', b'. ', b'd ', b' the ')
    >>> whole.n_crossing, cut.n_crossing
    (82, 0)
    """
    if pattern not in (None, "gpt2"):
        what = "borders are those of GPT-2's pattern"
        raise TrainingError(f"pattern {quoted(pattern)}: {what}. Pass 'gpt2', or None for no pattern.")
    tokens = merged_tokens(trained(texts, BpeOptions(256 + n_merges, pattern=pattern)))
    return PatternTokens(tokens, tuple(border_kinds(tokens)))


def border_kinds(tokens: Sequence[bytes]) -> list[BorderKind]:
    r"""What each token does at the borders of words that GPT-2's pattern sees; a word may have the space before it.

    >>> border_kinds([b" the", b"dog.", b"in the ", b"e ", b". ", b"'s", b"\xe4\xb8"])
    ['inside', 'word and sign', 'several words', 'word and blank', 'signs and blanks', 'inside', 'half character']
    """
    cut = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], pattern="gpt2").pretokens
    return [_border_kind(token, is_cut=len(cut(token)) > 1) for token in tokens]


def _border_kind(token: bytes, *, is_cut: bool) -> BorderKind:
    if is_half_character(token):
        return "half character"
    if not is_cut or token in _BEGINNINGS_OF_CONTRACTIONS:
        return "inside"
    classes = [kind for kind, _ in groupby(map(character_class, token.decode()))]
    n_words = sum(kind in ("letter", "number") for kind in classes)
    if n_words > 1:
        return "several words" if _has_space(token) else "parts of a word"
    if n_words == 0:
        return "signs and blanks"
    return "word and sign" if "other" in classes else "word and blank"


def _has_space(token: bytes) -> bool:
    """Whether a blank stands behind the first character: without one, `don't` and `3.14` are one word in parts."""
    return any(map(str.isspace, token.decode()[1:]))


@dataclass(frozen=True, slots=True)
class FirstMerge:
    """One of the first merges of a training.

    Args:
        left, right: the pair.
        count: how often it stood side by side.
    """

    left: bytes
    right: bytes
    count: int

    @property
    def hex(self) -> str:
        """The bytes of the new token, as `e4 b8`."""
        return (self.left + self.right).hex(" ")

    @property
    def kind(self) -> CharacterKind:
        """How much of the text the new token is."""
        token = self.left + self.right
        if is_half_character(token):
            return "part of a character"
        return "one character" if len(token.decode()) == 1 else "several characters"


def first_merges(texts: Iterable[str], *, n_merges: int = 10) -> tuple[FirstMerge, ...]:
    """The first merges of a training with GPT-2's pattern.

    Han characters in UTF-8 begin with few bytes (`e4` to `e9`), and full-width signs with `ef bc`: what stands side by
    side most often is no character, but the beginning of many.

    >>> from tokenloom.teaching import stories
    >>> [(merge.hex, merge.count, merge.kind) for merge in first_merges(stories().chinese, n_merges=2)]
    [('ef bc', 120, 'part of a character'), ('e4 b8', 93, 'part of a character')]
    """
    training = trained(texts, BpeOptions(256 + n_merges))
    return tuple(FirstMerge(step.left, step.right, step.n_pairs) for step in training.steps)
