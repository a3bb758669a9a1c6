"""On which words the longest token at each place is another cut than the order of merges.

The lecture trains with 800 merges and the mark `</w>` on the words of some code, and finds that 48 of 430 words that it
had kept back (11.2 %) are cut in two ways, with 7,170 and 7,159 tokens in all: neither way is shorter by much, and yet
they must not be mixed. Its code is not public, and other words have other numbers: of 430 words from ten modules of the
standard library, after a training on the words of sixty others, about a fifth are cut in two ways.

Source: Li, LLM Systems (CMU 11-868), lecture 8, section 2.2 and exercise 3.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tokenloom import OtherCuts, Tokenizer

__all__ = ["CutDifferences", "WordCuts", "cut_differences"]


@dataclass(frozen=True, slots=True)
class WordCuts:
    """A word in three cuts, as texts of tokens.

    Args:
        word: it.
        merged: by the order of merges.
        greedy: the longest token at each place.
        fewest: as few tokens as there can be.
    """

    word: str
    merged: tuple[str, ...]
    greedy: tuple[str, ...]
    fewest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CutDifferences:
    """Words that are cut in several ways.

    Args:
        words: all that were looked at, each once.
    """

    words: tuple[WordCuts, ...]

    @property
    def greedy_differs(self) -> tuple[WordCuts, ...]:
        """Those where the longest tokens are another cut than the merges."""
        return tuple(word for word in self.words if word.greedy != word.merged)

    @property
    def fewest_differs(self) -> tuple[WordCuts, ...]:
        """Those where the fewest tokens are another cut than the merges."""
        return tuple(word for word in self.words if word.fewest != word.merged)

    @property
    def n_tokens(self) -> tuple[int, int, int]:
        """Tokens of all words: by merges, greedily, and the fewest."""
        return (
            sum(len(word.merged) for word in self.words),
            sum(len(word.greedy) for word in self.words),
            sum(len(word.fewest) for word in self.words),
        )


def cut_differences(tokenizer: Tokenizer, words: Iterable[str]) -> CutDifferences:
    """Cut words in three ways; one that comes again counts once.

    >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"bc", 257: b"ab", 258: b"bcd"}
    >>> tokenizer = Tokenizer(vocab, [(b"b", b"c"), (b"a", b"b"), (b"bc", b"d")])
    >>> found = cut_differences(tokenizer, ["abcd", "bcd", "abcd"])
    >>> len(found.words), found.greedy_differs
    (2, (WordCuts(word='abcd', merged=('a', 'bcd'), greedy=('ab', 'c', 'd'), fewest=('a', 'bcd')),))
    >>> found.n_tokens
    (3, 4, 3)
    """
    cuts = OtherCuts(tokenizer)

    def texts(ids: Iterable[int]) -> tuple[str, ...]:
        return tuple(tokenizer.token_bytes(token_id).decode(errors="backslashreplace") for token_id in ids)

    return CutDifferences(
        tuple(
            WordCuts(
                word,
                texts(tokenizer.encode(word, disallowed_special=())),
                texts(cuts.encode_greedy(word)),
                texts(cuts.encode_fewest(word)),
            )
            for word in dict.fromkeys(words)
        )
    )
