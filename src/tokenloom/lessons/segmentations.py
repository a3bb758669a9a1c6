"""All ways to cut a word: the best ones, one of them by chance, and how probable the word is.

A unigram model gives each token a probability, and a way to cut a word has the product of its tokens'. So a word has
many ways with a probability each. Encoding takes the best. A model that is trained on text cut by chance, mostly well
and sometimes otherwise, sees the parts of words too and is harder to confuse (subword regularization).

There are as many ways as 2 to the number of characters, but they share their parts: from a place to the end they do not
depend on how one came there. So all is counted from the end on, a number or a list for each place:

* `log_sums`: the sum of the probabilities of all ways from there. At the start that is the word's probability.
* `n_best`: the n best ways from there. They begin with a token and go on with one of the n best behind it.
* `draw`: a token is drawn with the share that its ways have of all ways from here, and so on behind it. The way that
  comes out has exactly the probability that it should have, with one pass and no way thrown away.

An exponent alpha flattens or sharpens: probabilities to the power of alpha, as shares. 0 makes all ways equal, 1 leaves
them, and a large one gives the best way nearly always.

Probabilities of long texts are too small for a float, so their logarithms are kept, and where they are summed the
largest is taken out first.

Source: Kudo 2018, "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword
Candidates"; chance as in `dropout.py`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import accumulate, islice

from tokenloom.lessons.dropout import throw_dice

Scores = Mapping[str, float]
"""The logarithm of the probability of each token."""

Way = tuple[float, tuple[str, ...]]
"""The sum of the scores of tokens, and the tokens."""


def tokens_at(word: str, start: int, scores: Scores, unknown: float | None = None) -> list[tuple[str, float]]:
    """The tokens that may be taken at a place, with their scores, shortest first.

    A character that is no token may be taken too, for the score `unknown`, and is listed last; None forbids it.

    >>> tokens_at("abc", 0, {"a": -1.0, "ab": -2.0, "b": -1.0})
    [('a', -1.0), ('ab', -2.0)]
    >>> tokens_at("abc", 2, {"a": -1.0}, unknown=-11.0)
    [('c', -11.0)]
    """
    parts = [word[start:end] for end in range(start + 1, len(word) + 1)]
    found = [(part, scores[part]) for part in parts if part in scores]
    if word[start] not in scores and unknown is not None:
        found.append((word[start], unknown))
    return found


def log_sum(logarithms: Sequence[float]) -> float:
    """The logarithm of a sum, of the logarithms of its terms.

    >>> math.exp(log_sum([math.log(0.25), math.log(0.5)]))
    0.75
    """
    largest = max(logarithms, default=-math.inf)
    if largest == -math.inf:
        return largest
    return largest + math.log(sum(math.exp(logarithm - largest) for logarithm in logarithms))


def log_sums(word: str, scores: Scores, unknown: float | None = None, *, alpha: float = 1.0) -> list[float]:
    """For each place the logarithm of the sum of all ways from there to the end; the last one is that of the end.

    "ab" below is one token, or two: 0.2 + 0.5 * 0.5.

    >>> scores = {"a": math.log(0.5), "b": math.log(0.5), "ab": math.log(0.2)}
    >>> [round(math.exp(logarithm), 9) for logarithm in log_sums("ab", scores)]
    [0.45, 0.5, 1.0]
    """
    sums = [-math.inf] * len(word) + [0.0]
    for start in reversed(range(len(word))):
        tokens = tokens_at(word, start, scores, unknown)
        sums[start] = log_sum([alpha * score + sums[start + len(token)] for token, score in tokens])
    return sums


def n_best(words: Sequence[str], n: int, scores: Scores, unknown: float | None = None) -> list[Way]:
    """The n best ways to cut the words of a text, of all words together, best first.

    Of equal ones that comes first whose first token is longer; if these are the same, the next token decides.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -1.5, "ba": -2.0}
    >>> n_best(["aba", "b"], 3, scores)
    [(-3.5, ('ab', 'a', 'b')), (-4.0, ('a', 'ba', 'b')), (-4.0, ('a', 'b', 'a', 'b'))]
    """
    best: list[Way] = [(0.0, ())]
    for word in reversed(words):
        ways = [*([] for _ in word), best]
        for start in reversed(range(len(word))):
            tokens = sorted(tokens_at(word, start, scores, unknown), key=lambda found: -len(found[0]))
            offers = [begun_with(token, score, ways[start + len(token)]) for token, score in tokens]
            ways[start] = list(islice(merge(*offers, key=lambda way: -way[0]), n))
        best = ways[0]
    return best[:n]


def begun_with(token: str, score: float, ways: Sequence[Way]) -> list[Way]:
    """Ways with one more token before them, in the same order.

    >>> begun_with("a", -1.0, [(-2.0, ("b", "c")), (-3.0, ("bc",))])
    [(-3.0, ('a', 'b', 'c')), (-4.0, ('a', 'bc'))]
    """
    return [(score + total, (token, *tokens)) for total, tokens in ways]


def draw(word: str, scores: Scores, unknown: float | None = None, *, alpha: float, dice: Iterator[int]) -> list[str]:
    """One way to cut a word, by chance: a die for each token, numbers of 64 bits.

    >>> scores = {"a": math.log(0.5), "b": math.log(0.5), "ab": math.log(0.2)}
    >>> draw("ab", scores, alpha=1.0, dice=iter([0, 0])), draw("ab", scores, alpha=1.0, dice=iter([2**64 - 1]))
    (['a', 'b'], ['ab'])
    """
    sums, drawn, at = log_sums(word, scores, unknown, alpha=alpha), [], 0
    while at < len(word):
        tokens = [
            (token, math.exp(alpha * score + sums[at + len(token)] - sums[at]))
            for token, score in tokens_at(word, at, scores, unknown)
            if sums[at + len(token)] > -math.inf
        ]
        upto = list(accumulate(share for _, share in tokens))
        die = (next(dice) >> 11) / 2**53 * upto[-1]
        token = next((token for (token, _), end in zip(tokens, upto, strict=True) if die < end), tokens[-1][0])
        drawn.append(token)
        at += len(token)
    return drawn


def sampled(
    text: bytes, words: Sequence[str], scores: Scores, unknown: float | None = None, *, alpha: float, seed: int
) -> list[str]:
    """The tokens of a text, each of its words drawn with dice of the seed, the text and the number of the word.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -1.5}
    >>> [sampled(b"ab", ["ab"], scores, alpha=1.0, seed=seed) for seed in (1, 2, 5)]
    [['a', 'b'], ['a', 'b'], ['ab']]
    """
    tokens = []
    for number, word in enumerate(words):
        tokens += draw(word, scores, unknown, alpha=alpha, dice=throw_dice(text, number, seed=seed))
    return tokens


def entropy(word: str, scores: Scores, unknown: float | None = None, *, alpha: float = 1.0) -> float:
    """How uncertain the way is that is drawn, in nats: 0 if there is one way, log(n) if n are equally probable.

    >>> round(math.exp(entropy("aaa", {"a": -1.0, "aa": -1.0, "aaa": -1.0}, alpha=0.0)), 9)
    4.0
    """
    sums, entropies = log_sums(word, scores, unknown, alpha=alpha), [0.0] * (len(word) + 1)
    for start in reversed(range(len(word))):
        for token, score in tokens_at(word, start, scores, unknown):
            end = start + len(token)
            if sums[end] > -math.inf:
                logarithm = alpha * score + sums[end] - sums[start]
                entropies[start] += math.exp(logarithm) * (entropies[end] - logarithm)
    return entropies[0]
