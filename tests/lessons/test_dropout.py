"""BPE-dropout by its definition: what probability and dice decide, and that its dice are those of the rest."""

import math
from collections import Counter, defaultdict
from itertools import islice, pairwise, product
from random import Random

import pytest

from tests.strategies import random_corpus
from tokenloom.corpus import selection
from tokenloom.lessons import byte_pair, dropout
from tokenloom.lessons.dropout import encode_with_dropout, merge_with_dropout, ranks_of_merges, throw_dice

MERGES = [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c")]


def test_without_dropout_it_is_plain_encoding() -> None:
    random = Random(1)
    for _ in range(50):
        merges = byte_pair.train_text(random_corpus(random, n_symbols=3), 15).merges
        text = random_corpus(random, n_symbols=3)
        tokens = encode_with_dropout(text, [text], ranks_of_merges(merges), dropout=0.0, seed=random.getrandbits(64))
        assert tokens == byte_pair.encode_by_lowest_rank(merges, text)


def test_with_full_dropout_nothing_is_merged() -> None:
    assert encode_with_dropout(b"abc", [b"abc"], ranks_of_merges(MERGES), dropout=1.0, seed=3) == [b"a", b"b", b"c"]


def test_the_best_that_is_not_left_out_is_merged_though_a_better_one_stands_there() -> None:
    dice = iter([0, 1 << 63])  # a-b is left out and b-c stays; then no pair is left
    tokens = merge_with_dropout([b"a", b"b", b"c"], ranks_of_merges(MERGES), dropout=0.5, dice=dice)
    assert tokens == [b"a", b"bc"]


def test_each_place_has_a_die_of_its_own_and_one_is_merged_a_step() -> None:
    kept, dropped_once = 1 << 63, 1 << 62
    dice = iter([dropped_once, kept])  # the left a-b is left out, the right one stays; the left one in the next step
    assert merge_with_dropout("abab", ranks_of_merges([("a", "b")]), dropout=0.5, dice=dice) == ["ab", "ab"]
    assert next(dice, None) is None


def test_a_step_in_which_all_are_left_out_is_the_last() -> None:
    dice = iter([0, 0, 1 << 63])
    assert merge_with_dropout("abab", ranks_of_merges([("a", "b")]), dropout=0.5, dice=dice) == list("abab")
    assert list(dice) == [1 << 63]


def test_a_die_that_was_thrown_for_a_later_step_holds_for_that_step_alone() -> None:
    """In the third step both a-b to the left stay; the second of them gets a new die in the fourth."""
    once, twice, kept = 1 << 62, 1 << 61, 1 << 63
    rank_of = ranks_of_merges([("a", "b")])
    dice = iter([twice, twice, kept, kept, once])
    assert merge_with_dropout("abababab", rank_of, dropout=0.5, dice=dice) == ["ab", "a", "b", "ab", "ab"]
    assert next(dice, None) is None


def test_a_pair_that_a_merge_has_changed_gets_a_new_die() -> None:
    never, kept = 0, 1 << 63
    rank_of = ranks_of_merges([("a", "b"), ("b", "c"), ("a", "bc")])
    assert merge_with_dropout("abc", rank_of, dropout=0.5, dice=iter([never, kept, kept])) == ["abc"]


def test_so_many_merges_are_left_out_as_was_said() -> None:
    """One pair in a word of two bytes: it stays with the probability 1 - p."""
    rank_of = ranks_of_merges(MERGES)
    cuts = [encode_with_dropout(b"ab", [b"ab"], rank_of, dropout=0.25, seed=seed) for seed in range(4000)]
    assert 2900 < cuts.count([b"ab"]) < 3100


def paper_shares(
    tokens: tuple[bytes, ...], ranks: dict[tuple[bytes, bytes], int], p: float
) -> dict[tuple[bytes, ...], float]:
    """The probability of each way to cut a word, by the algorithm as it stands in the paper: a die for every place."""
    places = [(ranks[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in ranks]
    shares: defaultdict[tuple[bytes, ...], float] = defaultdict(float)
    for kept in product([False, True], repeat=len(places)):
        share = math.prod(1 - p if is_kept else p for is_kept in kept)
        stays = [place for place, is_kept in zip(places, kept, strict=True) if is_kept]
        if not stays:
            shares[tokens] += share
            continue
        at = min(stays)[1]
        after = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])
        for cut, part in paper_shares(after, ranks, p).items():
            shares[cut] += share * part
    return shares


def test_ways_to_cut_are_as_frequent_as_by_the_algorithm_of_the_paper() -> None:
    ranks = {pair: rank for rank, pair in enumerate(MERGES)}
    shares = paper_shares((b"a", b"b", b"c", b"a", b"b"), ranks, 0.3)
    assert math.isclose(sum(shares.values()), 1)
    assert len(shares) > 6
    n_seeds, rank_of = 6000, ranks_of_merges(MERGES)
    cuts = Counter(
        tuple(encode_with_dropout(b"abcab", [b"abcab"], rank_of, dropout=0.3, seed=seed)) for seed in range(n_seeds)
    )
    assert cuts.keys() <= shares.keys()
    for cut, share in shares.items():
        deviation = math.sqrt(n_seeds * share * (1 - share))
        assert abs(cuts[cut] - n_seeds * share) < 4 * deviation, cut


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 0.999, 1 - 2**-53])
def test_a_row_of_steps_is_as_probable_as_single_dice_make_it(p: float) -> None:
    """Counted on a grid of numbers: left out at n steps or more are those below p to the n."""
    shares = dropout.shares_left_out(p, n_digits=12)
    rows = [dropout.steps_left_out((2 * at + 1) << 52, shares) for at in range(2**11)]
    assert rows == sorted(rows, reverse=True)
    for n_steps in (1, 2, 3, 10, 100, 1000):
        assert abs(sum(row >= n_steps for row in rows) - p**n_steps * 2**11) <= 1


def test_seed_text_and_number_decide_the_dice() -> None:
    dice = {
        tuple(islice(throw_dice(text, number, seed=seed), 2))
        for text in (b"", b"a", b"a\0", b"b", b"12345678", b"123456789")
        for number in (0, 1)
        for seed in (0, 1, 2**64 - 1)
    }
    assert len(dice) == 36


@pytest.mark.parametrize("state", [0, 1, 2**63, 2**64 - 1])
def test_the_generator_is_that_of_the_corpus(state: int) -> None:
    assert dropout.splitmix64(state) == selection.splitmix64(state)
