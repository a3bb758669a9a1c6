"""WordPiece's training by its definition: join the pair that stands together far more often than by chance.

Byte-pair encoding joins the pair with the highest count, so the first pairs are of common letters. WordPiece divides by
how often the two parts occur at all:

    score(a, b) = count(ab) / (count(a) * count(b))

which is the mutual information of the two, without its logarithm. Its first pairs are of letters that are rare, but
nearly always stand together: q and u, c and k.

The bare score has a flaw: nothing is as certain as what happened once. Two letters that
occur once in the whole corpus, side by side, have the score 1 / (1 * 1), and nothing beats that. So a pair must also
occur often enough, and how often is part of the result: `min_pair_count`. Without one, training begins with a
thousandth of all letters, and halves that whenever no pair is left.

A letter that goes on a word is another token than the same letter at its start: it has `##` before it.

Source: Schuster and Nakajima 2012, "Japanese and Korean Voice Search"; Wu and others 2016, "Google's Neural Machine
Translation System"; the score as Hugging Face's course gives it. `tokenizers` merges by count in its WordPieceTrainer.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

Pair = tuple[str, str]


class Merge(NamedTuple):
    """One merge: the pair, what it makes, and the counts of the pair and of its parts."""

    left: str
    right: str
    token: str
    n_pairs: int
    n_left: int
    n_right: int


def pieces_of(word: str, prefix: str = "##") -> list[str]:
    """A word as it begins.

    >>> pieces_of("duck")
    ['d', '##u', '##c', '##k']
    """
    return [character if place == 0 else prefix + character for place, character in enumerate(word)]


def join(left: str, right: str, prefix: str = "##") -> str:
    """Two pieces as one.

    >>> join("qu", "##ick"), join("##i", "##ck")
    ('quick', '##ick')
    """
    return left + right.removeprefix(prefix)


def count_pieces(words: Iterable[tuple[Sequence[str], int]]) -> dict[str, int]:
    """How often each piece occurs.

    >>> count_pieces([(["d", "##u"], 3), (["d"], 1)])
    {'d': 4, '##u': 3}
    """
    counts: dict[str, int] = {}
    for pieces, count in words:
        for piece in pieces:
            counts[piece] = counts.get(piece, 0) + count
    return counts


def count_pairs(words: Iterable[tuple[Sequence[str], int]]) -> dict[Pair, int]:
    """How often each pair of neighbours occurs, overlaps included.

    >>> count_pairs([(["o", "##o", "##o"], 2)])
    {('o', '##o'): 2, ('##o', '##o'): 2}
    """
    counts: dict[Pair, int] = {}
    for pieces, count in words:
        for pair in pairwise(pieces):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def score(pair: Pair, pairs: Mapping[Pair, int], pieces: Mapping[str, int]) -> Fraction:
    """How much likelier the two stand together than by chance: exact, so that equal scores are equal.

    >>> score(("q", "##u"), {("q", "##u"): 3}, {"q": 3, "##u": 5})
    Fraction(1, 5)
    """
    return Fraction(pairs[pair], pieces[pair[0]] * pieces[pair[1]])


def merge_pair(pieces: Sequence[str], pair: Pair, token: str) -> list[str]:
    """Join every occurrence of a pair, from left to right, never using a piece twice.

    >>> merge_pair(["q", "##u", "##u"], ("q", "##u"), "qu")
    ['qu', '##u']
    """
    merged: list[str] = []
    place = 0
    while place < len(pieces):
        if tuple(pieces[place : place + 2]) == pair:
            merged.append(token)
            place += 2
        else:
            merged.append(pieces[place])
            place += 1
    return merged


def train(
    words: Mapping[str, int],
    n_merges: int,
    *,
    characters: str | None = None,
    min_pair_count: int | None = None,
    prefix: str = "##",
    special_tokens: Sequence[str] = (),
) -> list[Merge]:
    """Learn merges from words and their counts.

    Args:
        words: how often each word occurs.
        n_merges: how many at most; training stops early when no pair is left.
        characters: those that have tokens, by code point; None for all. A word with another one is unknown, and left
            out.
        min_pair_count: how often a pair must occur; None begins with a thousandth of all letters and halves it whenever
            no pair is left, down to 2.
        prefix: what a piece begins with that goes on a word.
        special_tokens: no merge makes one of them, nor a token that is there.

    >>> words = {"quick": 9, "quack": 9, "duck": 9, "cat": 40, "tad": 40, "tab": 40}
    >>> [merge.token for merge in train(words, 3, min_pair_count=9)]
    ['##ck', 'qu', 'du']

    Without a least count the first merge is what was seen once:

    >>> [merge.token for merge in train(words | {"xylem": 1}, 2, min_pair_count=1)]
    ['xy', '##em']
    """
    characters = "".join(sorted({*"".join(words)})) if characters is None else characters
    known = [(word, count) for word, count in words.items() if set(word) <= set(characters)]
    segmented: list[tuple[list[str], int]] = [(pieces_of(word, prefix), count) for word, count in known]
    ids = {token: place for place, token in enumerate([*characters, *(prefix + one for one in characters)])}
    n_letters = sum(len(word) * count for word, count in known)
    last = 2 if min_pair_count is None else min_pair_count
    least = max(n_letters // 1000, last) if min_pair_count is None else last
    merges: list[Merge] = []
    while len(merges) < n_merges:
        pairs, pieces = count_pairs(segmented), count_pieces(segmented)
        taken = {*ids, *special_tokens}
        frequent = [pair for pair, count in pairs.items() if count >= least and join(*pair, prefix) not in taken]
        if not frequent:
            if least == last:
                break
            least = max(least // 2, last)
            continue
        # Of equal scores the more frequent pair is merged, then the one with the smaller ids.
        best = max(frequent, key=lambda pair: (score(pair, pairs, pieces), pairs[pair], -ids[pair[0]], -ids[pair[1]]))
        token = join(*best, prefix)
        merges.append(Merge(*best, token, pairs[best], pieces[best[0]], pieces[best[1]]))
        ids[token] = len(ids)
        segmented = [(merge_pair(parts, best, token), count) for parts, count in segmented]
    return merges
