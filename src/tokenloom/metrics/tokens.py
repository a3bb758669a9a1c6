"""Facts about the tokens of a vocabulary, from their bytes alone and from how often they occur.

None of them says that one tokenizer is better than another. They show what a vocabulary is made of: its longest tokens,
tokens that end inside a character, tokens that join letters with numbers or punctuation, tokens that are never used.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from numpy import integer
    from numpy.typing import NDArray

__all__ = [
    "CharacterClass",
    "TokenUsage",
    "character_class",
    "cross_class_tokens",
    "half_character_tokens",
    "is_cross_class",
    "is_half_character",
    "longest_tokens",
    "token_counts",
    "token_lengths",
    "token_usage",
]

CharacterClass = Literal["letter", "number", "other", "blank"]

_COUNTED_AT_ONCE: Final = 1 << 24
"""Ids that are counted at once: counting takes 8 bytes for each."""


def is_half_character(token: bytes) -> bool:
    r"""Whether a token's bytes are no sequence of whole UTF-8 characters, so that it has no text of its own.

    >>> is_half_character("你".encode()), is_half_character("你".encode()[:2]), is_half_character(b"\xbd a")
    (False, True, True)
    """
    try:
        token.decode()
    except UnicodeDecodeError:
        return True
    return False


def half_character_tokens(vocabulary: Mapping[int, bytes]) -> dict[int, bytes]:
    r"""The tokens that are no whole characters, by id; of the 256 single bytes, these are the 128 from 0x80 on.

    >>> half_character_tokens({97: b"a", 228: b"\xe4", 300: b"\xe4\xbd", 301: b"\xe4\xbd\xa0"})
    {228: b'\xe4', 300: b'\xe4\xbd'}
    """
    return {token_id: token for token_id, token in vocabulary.items() if is_half_character(token)}


def character_class(char: str) -> CharacterClass:
    """The class of a character by its Unicode category, as the running Python knows it.

    `"letter"` for letters and marks (categories L and M: an accent belongs to its letter), `"number"` for N, `"blank"`
    for what `str.isspace` calls a space, `"other"` for the rest: punctuation, symbols, control characters, emoji.

    >>> [character_class(char) for char in ("é", "你", chr(0x301), "²", "_", chr(0xA0))]
    ['letter', 'letter', 'letter', 'number', 'other', 'blank']
    """
    if char.isspace():
        return "blank"
    first = unicodedata.category(char)[0]
    return "letter" if first in "LM" else "number" if first == "N" else "other"


def is_cross_class(token: bytes) -> bool:
    r"""Whether characters of more than one class stand in a token, after one leading space.

    One space (U+0020) at the beginning is passed over, because byte-level tokenizers attach it to words. Bytes that are
    no whole character have no class and are passed over too, so a token of half characters alone crosses nothing.

    >>> [is_cross_class(token) for token in (b" the", b"self.", b"x1", b"  a", b"'s", b" \xe4\xbd", b"", b" ")]
    [False, True, True, True, True, False, False, False]
    """
    text = token.removeprefix(b" ").decode("utf-8", "ignore")
    return len({character_class(char) for char in text}) > 1


def cross_class_tokens(vocabulary: Mapping[int, bytes]) -> dict[int, bytes]:
    """The tokens that `is_cross_class` names, by id. Pass a vocabulary without special tokens: they are names.

    >>> cross_class_tokens({300: b" the", 301: b"self.", 302: b"20th"})
    {301: b'self.', 302: b'20th'}
    """
    return {token_id: token for token_id, token in vocabulary.items() if is_cross_class(token)}


def token_lengths(tokens: Iterable[bytes], *, unit: Literal["bytes", "chars"] = "bytes") -> dict[int, int]:
    r"""How many tokens have each length, by rising length; in characters, half characters are left out.

    >>> token_lengths([b"a", b"the", "né".encode(), b"\xe4"]), token_lengths(["né".encode(), b"\xe4"], unit="chars")
    ({1: 2, 3: 2}, {2: 1})
    """
    if unit == "bytes":
        lengths = Counter(map(len, tokens))
    else:
        lengths = Counter(len(token.decode()) for token in tokens if not is_half_character(token))
    return dict(sorted(lengths.items()))


def longest_tokens(vocabulary: Mapping[int, bytes], *, n: int = 10) -> dict[int, bytes]:
    """The `n` tokens with the most bytes by id, the longest first, equally long ones by id.

    >>> longest_tokens({0: b"a", 1: b"long", 2: b"longer", 3: b"also"}, n=3)
    {2: b'longer', 1: b'long', 3: b'also'}
    """
    longest = sorted(vocabulary.items(), key=lambda item: (-len(item[1]), item[0]))
    return dict(longest[:n])


def token_counts(arrays: "Iterable[NDArray[integer[Any]]]", *, n_ids: int) -> "NDArray[integer[Any]]":
    """How often each id occurs in arrays of ids, such as the shards of a corpus, read piece by piece.

    Args:
        arrays: ids of any unsigned type, each of shape (n_tokens,).
        n_ids: the ids there are; all in the arrays must be below.
    Returns: int64 of shape (n_ids,).
    Raises: ValueError for an id that is not below `n_ids`.

    >>> import numpy as np
    >>> token_counts([np.array([0, 2, 2], np.uint16), np.array([2], np.uint16)], n_ids=4).tolist()
    [1, 0, 3, 0]
    """
    import numpy as np

    counts = np.zeros(n_ids, dtype=np.int64)
    for array in arrays:
        for start in range(0, len(array), _COUNTED_AT_ONCE):
            found = np.bincount(array[start : start + _COUNTED_AT_ONCE], minlength=n_ids)
            if len(found) > n_ids:
                raise ValueError(
                    f"ids: {len(found) - 1} is not below the number of ids, {n_ids}. "
                    "Count with the tokenizer that made these ids."
                )
            counts += found
    return counts


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """How a corpus uses the ids of a vocabulary.

    Args:
        n_tokens: all occurrences.
        unused_ids: ids of tokens that do not occur, in order.
        frequent: id and count of the tokens that occur, the most frequent first, equally frequent ones by id.
    """

    n_tokens: int
    unused_ids: Sequence[int]
    frequent: Sequence[tuple[int, int]]

    def share_of_most_frequent(self, n: int) -> float:
        """The share of all occurrences that the `n` most frequent tokens have; 0 where nothing occurs.

        >>> token_usage([5, 0, 3, 2], ids=range(4)).share_of_most_frequent(2)
        0.8
        """
        return sum(count for _, count in self.frequent[:n]) / self.n_tokens if self.n_tokens else 0.0


def token_usage(counts: "Sequence[int] | NDArray[integer[Any]]", *, ids: Iterable[int]) -> TokenUsage:
    """Which tokens are used, and how often.

    Args:
        counts: occurrences by id, shape (n_ids,).
        ids: the ids that have a token; a vocabulary may have holes, which nobody can use.

    >>> usage = token_usage([5, 0, 3, 0], ids=[0, 1, 2])
    >>> usage.n_tokens, usage.unused_ids, usage.frequent
    (8, (1,), ((0, 5), (2, 3)))
    """
    found = [(token_id, int(counts[token_id])) for token_id in sorted(ids)]
    used = sorted((item for item in found if item[1]), key=lambda item: -item[1])
    unused = tuple(token_id for token_id, count in found if not count)
    return TokenUsage(sum(count for _, count in used), unused, tuple(used))
