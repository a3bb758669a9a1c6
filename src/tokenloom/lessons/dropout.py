"""BPE-dropout: the same word cut in many ways, by leaving out merges by chance.

Byte-pair encoding cuts a word always the same way, so a model learns nothing about the parts that it never sees. The
remedy changes nothing in the vocabulary: while a text is encoded, each merge that could be made is left out with a
probability p, at every step anew. With p = 0 that is plain encoding, with p = 1 nothing is merged. One trains with a
small p, 0.1 say, and another seed for each pass over the text, and uses the model with p = 0.

Whether a place is left out at a step depends on nothing else, so one die may say at how many steps in a row it is, and
has the same distribution as a die for each of them: above p it stays, between p * p and p it is left out once, and so
on. Near p = 1 that spares nearly all dice, and the core needs no quadratic time. What stands at a place that a merge
has changed gets a new die.

What is thrown a die for is a *place* where a pair stands that can be merged, as in the paper. One place is merged a
step. Others differ: subword-nmt merges all places of the chosen pair that were not left out in one step, so equal parts
are cut alike more often; `tokenizers` throws a die for places in the order of their ranks, as here, but also for places
that a merge has changed meanwhile, after which it may throw the dice of a step twice.

Chance comes from a small generator that anyone can write again, so that a result can be had again: SplitMix64, begun
anew for each pretoken from the seed, the bytes of the text and the number of the pretoken in it. The same text with the
same seed is always cut alike, whatever was encoded before it or beside it.

Source: Provilkov, Emelianenko and Voita 2020, "BPE-Dropout: Simple and Effective Subword Regularization", algorithm 1;
Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators", for SplitMix64.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import floor
from typing import AnyStr

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


def encode_with_dropout(
    text: bytes,
    pretokens: Iterable[bytes],
    rank_of: Callable[[bytes, bytes], int | None],
    *,
    dropout: float,
    seed: int,
) -> list[bytes]:
    """The tokens of a text.

    Args:
        text: the text as it was given; dice are made of it.
        pretokens: what it is cut into.
        rank_of: the rank of the merge of two tokens, None if there is none: see `ranks_of_merges`, `ranks_of_tokens`.
        dropout: the probability with which a merge is left out, 0 to 1.
        seed: which dice, 0 to 2**64 - 1.

    A pretoken that is a token as a whole is merged like any other, also where the plain rule would look it up.

    >>> rank_of = ranks_of_merges([(b"a", b"b"), (b"ab", b"c")])
    >>> [encode_with_dropout(b"abc", [b"abc"], rank_of, dropout=0.5, seed=seed) for seed in (1, 2, 5)]
    [[b'a', b'b', b'c'], [b'ab', b'c'], [b'abc']]
    """
    tokens: list[bytes] = []
    for number, pretoken in enumerate(pretokens):
        symbols = [bytes([byte]) for byte in pretoken]
        tokens += merge_with_dropout(symbols, rank_of, dropout=dropout, dice=throw_dice(text, number, seed=seed))
    return tokens


def merge_with_dropout(
    symbols: Sequence[AnyStr],
    rank_of: Callable[[AnyStr, AnyStr], int | None],
    *,
    dropout: float,
    dice: Iterator[int],
    n_prefix: int = 0,
) -> list[AnyStr]:
    """Join the pair of the lowest rank among those that are not left out, until all are left out or none is there.

    The paper throws a die for every place before it takes the best of those that stay. To throw them in the order of
    rank, and of equal ranks from the left, until one stays is the same with fewer dice.

    Args:
        symbols: what the pretoken begins as.
        rank_of: the rank of the merge of two tokens, None if there is none.
        dropout: the probability with which a place is left out, 0 to 1.
        dice: numbers of 64 bits, see `steps_left_out`.
        n_prefix: the length of the mark that the right part loses, see `lessons/characters.py`.

    >>> merge_with_dropout("abab", ranks_of_merges([("a", "b")]), dropout=0.5, dice=iter([0, 1 << 63]))
    ['a', 'b', 'ab']
    """
    shares, tokens = shares_left_out(dropout, n_digits=len(symbols).bit_length()), list(symbols)
    stays, step = [0] * len(tokens), 1  # at which step the pair that begins there stays, as its last die said
    while True:
        ranked = [(rank_of(left, right), place) for place, (left, right) in enumerate(pairwise(tokens))]
        for _, place in sorted((rank, place) for rank, place in ranked if rank is not None):
            if stays[place] < step:
                stays[place] = step + steps_left_out(next(dice), shares)
            if stays[place] == step:
                break
        else:
            return tokens
        tokens[place : place + 2] = [tokens[place] + tokens[place + 1][n_prefix:]]
        stays[max(0, place - 1) : place + 2] = [0] * min(place + 1, 2)
        step += 1


def shares_left_out(dropout: float, *, n_digits: int) -> list[int]:
    """The probabilities to be left out at 1, 2, 4, ... steps in a row, of 2**64; each is the square of the one before.

    >>> [share / 2**64 for share in shares_left_out(0.5, n_digits=3)]
    [0.5, 0.25, 0.0625]
    """
    shares = [floor(dropout * 2**64)]
    while len(shares) < n_digits:
        shares.append(shares[-1] ** 2 >> 64)
    return shares[:n_digits]


def steps_left_out(number: int, shares: Sequence[int]) -> int:
    """At how many steps in a row a place is left out: the most of which the probability is above the number.

    It is found digit by digit, in whole numbers, which are the same on every machine. More steps than a pretoken has
    symbols need not be told apart.

    >>> shares = shares_left_out(0.5, n_digits=3)
    >>> [steps_left_out(floor(part * 2**64), shares) for part in (0.5, 0.4, 0.25, 0.2, 0.1, 0.0)]
    [0, 1, 1, 2, 3, 7]
    """
    n_steps, share = 0, 1 << 64
    for digit, longer in reversed(list(enumerate(shares))):
        if number < share * longer >> 64:
            n_steps, share = n_steps + 2**digit, share * longer >> 64
    return n_steps


def ranks_of_merges(merges: Sequence[tuple[AnyStr, AnyStr]]) -> Callable[[AnyStr, AnyStr], int | None]:
    """The rule of a merge list: the rank of a pair is its place there.

    >>> rank_of = ranks_of_merges([("t", "h"), ("th", "e")])
    >>> rank_of("th", "e"), rank_of("h", "e")
    (1, None)
    """
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    return lambda left, right: ranks.get((left, right))


def ranks_of_tokens(ranks: Mapping[bytes, int]) -> Callable[[bytes, bytes], int | None]:
    """The rule of a rank file: the rank of a pair is that of the token that it makes.

    >>> ranks_of_tokens({b"the": 300})(b"t", b"he")
    300
    """
    return lambda left, right: ranks.get(left + right)


def throw_dice(text: bytes, number: int, *, seed: int) -> Iterator[int]:
    """The dice of the pretoken with this number, from 0, without end.

    >>> dice = throw_dice(b"the cat", 1, seed=7)
    >>> hex(next(dice)), hex(next(dice))
    ('0x48835a8c41aa0f5b', '0xd4be5b0aa4565458')
    """
    key = splitmix64(seed ^ splitmix64(len(text)))
    for at in range(0, len(text), 8):
        key = splitmix64(key ^ int.from_bytes(text[at : at + 8], "little"))
    state = splitmix64(key ^ splitmix64(number))
    while True:
        yield splitmix64(state)
        state = (state + _STEP) & _MASK


def splitmix64(state: int) -> int:
    """The number that SplitMix64 gives in a state of 64 bits; from one state to the next a constant is added.

    >>> hex(splitmix64(0)), hex(splitmix64(_STEP))
    ('0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4')
    """
    z = (state + _STEP) & _MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
    return z ^ z >> 31
