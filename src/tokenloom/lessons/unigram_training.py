"""A unigram model's training by its definition: begin with too many pieces, and leave out those that nobody misses.

A unigram model gives each piece a probability. A word can be cut in many ways, the probability of each is the product
of its pieces, and that of the word is the sum of all ways. Nobody says which pieces a word has, so their probabilities
are found by expectation and maximization: with the ones at hand, how often is each piece expected, over all ways to cut
the text? Those numbers, as shares, are the next probabilities. The text becomes likelier with each step.

Then some pieces are left out. A piece is worth what the text would lose without it: its own text would be cut another
way, and how much less likely that is, times how often the piece is used, is the loss. The worst quarter goes, and the
rest is trained again, until there are few enough. Single characters stay, so that every word can be cut.

Three details are SentencePiece's. The maximization takes `exp(digamma(count))` in place of the count, which makes rare
pieces rarer (as a Dirichlet prior that prefers few pieces would). Pieces that are expected less than half a time are
left out at once. And the rounds end a tenth above the number that is wanted, of which the most probable are taken.

Sums of floats depend on their order in the last bits. Where the result hangs on that, the rule is: a path is better
only by more than `BETTER`, and losses are compared rounded.

Source: Kudo 2018, "Subword Regularization"; SentencePiece's `unigram_model_trainer.cc`.
"""

import math
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

MARK = "\u2581"
BETTER = 1e-9
LEAST_EXPECTED = 0.5 - 1e-9

Scores = dict[str, float]
"""The logarithm of the probability of each piece, in the order in which pieces were found."""


def find_seeds(words: Mapping[str, int], *, max_chars: int = 16, n_seeds: int = 1_000_000) -> dict[str, int]:
    """The pieces to begin with, each with the number of characters of the text that it stands for.

    A substring is a seed if it occurs twice, and not always before the same character: else the longer one does as
    well. All characters come first, then the seeds that stand for most.

    >>> find_seeds({"abab": 1, "abc": 1})
    {'a': 3, 'b': 3, 'c': 1, 'ab': 6}
    """
    counts: dict[str, int] = {}
    followers: dict[str, list[str]] = {}
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(start + max_chars, len(word)) + 1):
                piece = word[start:end]
                counts[piece] = counts.get(piece, 0) + count
                # The end of a word is followed by another thing each time.
                behind = [word[end]] if end < len(word) else [f"end {word} {start} {n}" for n in range(min(count, 2))]
                followers.setdefault(piece, []).extend(behind)
    singles = sorted(piece for piece in counts if len(piece) == 1)
    others = [piece for piece in counts if len(piece) > 1 and counts[piece] > 1 and len(set(followers[piece])) > 1]
    others.sort(key=lambda piece: (-counts[piece] * len(piece), piece))
    return {piece: counts[piece] * len(piece) for piece in singles + others[:n_seeds]}


def pieces_at(word: str, start: int, scores: Mapping[str, float]) -> list[str]:
    """The pieces that a word has at a place, the shortest first.

    >>> pieces_at("abc", 1, {"b": -1.0, "bc": -2.0})
    ['b', 'bc']
    """
    longest = max(map(len, scores))
    ends = range(start + 1, min(start + longest, len(word)) + 1)
    return [word[start:end] for end in ends if word[start:end] in scores]


def log_sum(logarithms: Sequence[float]) -> float:
    """The logarithm of a sum, from the logarithms of its parts.

    >>> round(math.exp(log_sum([math.log(0.25), math.log(0.5)])), 6)
    0.75
    """
    highest = max(logarithms)
    return highest + math.log(sum(math.exp(one - highest) for one in logarithms))


def expected_counts(word: str, scores: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """How often each piece is expected in a word, and the logarithm of the word's probability.

    `forward[i]` is the probability of all ways to cut the first i characters, `backward[i]` of all ways to cut the
    rest, as logarithms. A piece between two places has the share forward * its own probability * backward of the whole.

    >>> scores = {"a": math.log(0.5), "aa": math.log(0.25)}
    >>> counts, _ = expected_counts("aa", scores)
    >>> {piece: round(count, 6) for piece, count in counts.items()}
    {'a': 1.0, 'aa': 0.5}
    """
    n = len(word)
    arriving: list[list[float]] = [[0.0], *([] for _ in range(n))]
    forward = [0.0] * (n + 1)
    for start in range(n + 1):
        forward[start] = log_sum(arriving[start])
        for piece in pieces_at(word, start, scores):
            arriving[start + len(piece)].append(forward[start] + scores[piece])
    backward = [0.0] * (n + 1)
    for start in reversed(range(n)):
        ways = [scores[piece] + backward[start + len(piece)] for piece in pieces_at(word, start, scores)]
        backward[start] = log_sum(ways)
    counts: dict[str, float] = {}
    for start in range(n):
        for piece in pieces_at(word, start, scores):
            path = forward[start] + scores[piece] + backward[start + len(piece)]
            counts[piece] = counts.get(piece, 0.0) + math.exp(path - forward[n])
    return counts, forward[n]


def best_cut(word: str, scores: Mapping[str, float], *, takes_whole: bool = True) -> tuple[list[str], float] | None:
    """The most probable way to cut a word (Viterbi), and its score; None if there is none.

    >>> best_cut("aab", {"a": -1.0, "b": -1.0, "ab": -1.5})
    (['a', 'ab'], -2.5)
    >>> best_cut("ab", {"a": -1.0, "b": -1.0, "ab": -1.5}, takes_whole=False)
    (['a', 'b'], -2.0)
    """
    best: list[tuple[list[str], float] | None] = [([], 0.0), *(None for _ in word)]
    for start in range(len(word)):
        before = best[start]
        if before is None:
            continue
        for piece in pieces_at(word, start, scores):
            if piece == word and not takes_whole:
                continue
            path, known = before[1] + scores[piece], best[start + len(piece)]
            if known is None or path > known[1] + BETTER:
                best[start + len(piece)] = ([*before[0], piece], path)
    return best[len(word)]


def digamma(x: float) -> float:
    """The derivative of the logarithm of the gamma function: about `log(x - 1/2)`.

    >>> round(digamma(1.0), 6), round(digamma(100.0), 6)
    (-0.577216, 4.600162)
    """
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    square = 1 / (x * x)
    series = square * (1 / 24 - square * (7 / 960 - square * (31 / 8064 - square * 127 / 30720)))
    return result + math.log(x) + series


def maximized(scores: Scores, words: Mapping[str, int]) -> Scores:
    """One step of expectation and maximization.

    >>> scores = maximized({"a": -1.0, "b": -1.0, "ab": -1.0}, {"ab": 10})
    >>> {piece: round(score, 2) for piece, score in scores.items()}
    {'a': -1.71, 'b': -1.71, 'ab': -0.58}
    """
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        for piece, n in expected_counts(word, scores)[0].items():
            expected[piece] += n * count
    kept = {piece: n for piece, n in expected.items() if len(piece) == 1 or n >= LEAST_EXPECTED}
    kept = {piece: max(n, 0.5) if len(piece) == 1 else n for piece, n in kept.items()}
    total = digamma(sum(kept.values()))
    return {piece: digamma(n) - total for piece, n in kept.items()}


def pruned(scores: Scores, words: Mapping[str, int], n_wanted: int) -> Scores:
    """Without the pieces that the text would miss least: down to `n_wanted`, but not more than a quarter at once.

    >>> sorted(pruned({"a": -2.0, "b": -2.0, "c": -2.0, "ab": -1.0, "bc": -4.5}, {"abc": 9}, 4))
    ['a', 'ab', 'b', 'c']
    """
    used = dict.fromkeys(scores, 0)
    for word, count in words.items():
        for piece in (best_cut(word, scores) or ([], 0.0))[0]:
            used[piece] += count
    total = sum(used.values())
    losses: dict[str, float] = {}
    for piece in scores:
        other = best_cut(piece, scores, takes_whole=False)
        # A piece that is not used, or whose text is better cut in another way, is worth nothing.
        if other and used[piece] and other[1] <= scores[piece] + BETTER:
            losses[piece] = loss_without(piece, other[0], used, total)
    kept = {piece for piece in scores if len(piece) == 1}
    n_left = max(n_wanted, len(scores) * 3 // 4) - len(kept)
    places = {piece: place for place, piece in enumerate(scores)}
    kept.update(sorted(losses, key=lambda piece: (-rounded(losses[piece]), places[piece]))[: max(0, n_left)])
    return {piece: score for piece, score in scores.items() if piece in kept}


def loss_without(piece: str, parts: Sequence[str], used: Mapping[str, int], total: int) -> float:
    """What the mean logarithm of a token's probability falls by if other pieces stand for one.

    >>> round(loss_without("ab", ["a", "b"], {"ab": 5, "a": 5, "b": 0}, 10), 4)
    0.4055
    """
    count = used[piece]
    without = math.log(total + count * (len(parts) - 1))
    others = sum(math.log(used[part] + count) - without for part in parts)
    return count / total * (math.log(count) - math.log(total) - others)


def rounded(loss: float) -> float:
    """Nine digits of a loss: what is equal but for the order of additions is equal.

    >>> rounded(0.1 + 0.2) == rounded(0.3)
    True
    """
    mantissa, exponent = math.frexp(max(0.0, loss))
    return math.ldexp(math.floor(mantissa * 2**31 + 0.5), exponent)


def in_32_bits(score: float) -> float:
    """What a file of SentencePiece holds of a score; pieces with equal ones are in the order of their characters.

    >>> in_32_bits(-1.1)
    -1.100000023841858
    """
    (held,) = struct.unpack("<f", struct.pack("<f", score))
    return float(held)


class Model(NamedTuple):
    """What was learned: pieces with their scores, by falling score, and how many pieces each round had."""

    scores: Scores
    n_pieces: list[int]


def train(words: Mapping[str, int], n_pieces: int, *, max_chars: int = 16, n_seeds: int = 1_000_000) -> Model:
    """Learn pieces from words and their counts; a space in a word is its mark.

    >>> words = {" low": 5, " lower": 2, " newest": 6, " widest": 3}
    >>> [piece for piece in train(words, 15).scores if len(piece) > 1]
    ['▁newest', '▁low', '▁widest', '▁lower']
    """
    marked = {word.replace(" ", MARK): count for word, count in words.items()}
    seeds = find_seeds(marked, max_chars=max_chars, n_seeds=n_seeds)
    total = math.log(sum(seeds.values()))
    scores = {piece: math.log(reach) - total for piece, reach in seeds.items()}
    n_wanted = int(n_pieces * 1.1)
    sizes: list[int] = []
    while True:
        scores = maximized(maximized(scores, marked), marked)
        sizes.append(len(scores))
        if len(scores) <= n_wanted:
            break
        fewer = pruned(scores, marked, n_wanted)
        if len(fewer) == len(scores):
            break
        scores = fewer
    scores = {piece: in_32_bits(score) for piece, score in scores.items()}
    singles = [item for item in scores.items() if len(item[0]) == 1]
    others = sorted((item for item in scores.items() if len(item[0]) > 1), key=lambda item: (-item[1], item[0]))
    chosen = singles + others[: max(0, n_pieces - len(singles))]
    return Model(dict(sorted(chosen, key=lambda item: (-item[1], item[0]))), sizes)
