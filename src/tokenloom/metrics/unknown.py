"""How much of a text a closed vocabulary does not know, by its size.

A vocabulary of the commonest words, or characters, of one text meets another one. What it lacks there becomes the
unknown token. Three shares tell different things: of the tokens that a model would see, of the distinct ones, which are
mostly rare, and of the characters that are lost. Source: Heaps' law; Sennrich, Haddow and Birch 2016, section 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tokenloom.errors import TrainingError
from tokenloom.wording import quoted

__all__ = ["UnknownShares", "unknown_by_size"]


@dataclass(frozen=True, slots=True)
class UnknownShares:
    """What one size of the vocabulary does not know of a text.

    Args:
        vocab_size: the tokens that were asked for, the unknown one among them; None for all.
        n_tokens: the tokens that there are.
        n_unknown: tokens of the text that are unknown.
        n_all: all of its tokens.
        n_unknown_types: distinct ones that are unknown.
        n_types: all distinct ones.
        n_unknown_chars: characters in unknown tokens.
        n_chars: all characters.
    """

    vocab_size: int | None
    n_tokens: int
    n_unknown: int
    n_all: int
    n_unknown_types: int
    n_types: int
    n_unknown_chars: int
    n_chars: int

    @property
    def token_share(self) -> float | None:
        """Unknown tokens of all; None without any."""
        return self.n_unknown / self.n_all if self.n_all else None

    @property
    def type_share(self) -> float | None:
        """Unknown distinct tokens of all distinct ones; None without any."""
        return self.n_unknown_types / self.n_types if self.n_types else None

    @property
    def char_share(self) -> float | None:
        """Characters in unknown tokens of all; None without any."""
        return self.n_unknown_chars / self.n_chars if self.n_chars else None


def unknown_by_size(
    training: Iterable[tuple[bytes, int]],
    held_out: Iterable[tuple[bytes, int]],
    sizes: Sequence[int | None],
    *,
    n_fixed: int = 1,
) -> list[UnknownShares]:
    """What vocabularies of the commonest words of one text do not know of another.

    Args:
        training: distinct words, or characters, of the text that the vocabulary is made of, with their counts; of
            equally frequent ones those with the smaller bytes come first.
        held_out: those of the other text.
        sizes: the most tokens of each vocabulary, None for all that there are.
        n_fixed: tokens that are no words, such as the unknown one, which count for the sizes.
    Returns: one row for each size, in their order.
    Raises: TrainingError for a size without room for the fixed tokens.

    >>> words, other = [(b"the", 5), (b"cat", 2), (b"mat", 1)], [(b"the", 3), (b"mat", 1), (b"hat", 1)]
    >>> [row.token_share for row in unknown_by_size(words, other, [2, None])]
    [0.4, 0.2]
    """
    for size in sizes:
        if size is not None and (type(size) is not int or size < n_fixed):
            raise TrainingError(f"size {quoted(size)}: is no number of tokens. Use a whole number from {n_fixed:,}.")
    order = sorted(training, key=lambda item: (-item[1], item[0]))
    places = {word: place for place, (word, _) in enumerate(order)}
    never = len(order)
    tokens, types, chars = ([0] * (never + 1) for _ in range(3))
    for word, count in held_out:
        place = places.get(word, never)
        tokens[place] += count
        types[place] += 1
        chars[place] += count * _n_chars(word)
    known = [list(accumulate(numbers, initial=0)) for numbers in (tokens, types, chars)]
    sums = [numbers[-1] for numbers in known]
    rows = []
    for size in sizes:
        n_words = never if size is None else min(never, size - n_fixed)
        pairs = ((total - numbers[n_words], total) for numbers, total in zip(known, sums, strict=True))
        rows.append(UnknownShares(size, n_words + n_fixed, *(number for pair in pairs for number in pair)))
    return rows


def _n_chars(word: bytes) -> int:
    """Characters; a byte outside valid UTF-8 counts as one."""
    return len(word.decode(errors="surrogateescape"))
