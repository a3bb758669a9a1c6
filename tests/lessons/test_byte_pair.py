"""Training and segmenting, worked by hand; the laws that the fast core relies on as properties."""

from collections.abc import Callable, Mapping
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.lessons.byte_pair import (
    BytePairTokenizer,
    Pair,
    TieBreak,
    byte_order,
    count_pairs,
    count_pretokens,
    encode_by_lowest_rank,
    encode_by_replay,
    encode_by_token_rank,
    gpt2_characters,
    merge_pair,
    train,
    train_text,
)
from tokenloom.lessons.pretokenizing import split_gpt2

THE_CAT = "the cat in the hat"
LOW_LOWER = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}

# Few letters, so that runs, overlaps and ties are the rule.
runs = st.text("ab", max_size=14).map(str.encode) | st.text("abc", max_size=14).map(str.encode)
word_counts = st.lists(st.tuples(runs, st.integers(1, 4)), max_size=6)
tie_breaks: st.SearchStrategy[TieBreak] = st.sampled_from(get_args(TieBreak))


def joined(merges: list[Pair]) -> list[bytes]:
    return [left + right for left, right in merges]


def test_the_cat_in_the_hat_shrinks_from_18_to_12() -> None:
    training = train_text(THE_CAT, 3)
    assert len(THE_CAT) == 18
    assert training.merges == [(b"t", b"h"), (b"th", b"e"), (b"the", b" ")]
    assert training.tokens_left == [16, 14, 12]


def test_first_seen_agrees_on_the_cat_in_the_hat() -> None:
    assert train_text(THE_CAT, 3, tie_break="first-seen") == train_text(THE_CAT, 3)


def test_the_quick_brown_fox_takes_16_tokens() -> None:
    tokens = encode_by_replay(train_text(THE_CAT, 3).merges, b"the quick brown fox")
    assert len(b"the quick brown fox") == 19
    assert tokens == [b"the ", *(bytes([byte]) for byte in b"quick brown fox")]
    assert len(tokens) == 16


def test_first_counts_of_aaabdaaabac_are_4_2_1_1_1_1() -> None:
    counts = count_pairs([([bytes([byte]) for byte in b"aaabdaaabac"], 1)])
    assert list(counts.values()) == [4, 2, 1, 1, 1, 1]
    assert counts[b"a", b"a"] == 4


def test_aaabdaaabac_takes_the_greater_pair_in_a_tie() -> None:
    training = train_text("aaabdaaabac", 3)
    assert joined(training.merges) == [b"aa", b"aaa", b"aaab"]
    assert training.counts == [4, 2, 2]
    assert training.tokens_left == [9, 7, 5]


def test_cat_hat_cat_by_first_seen() -> None:
    training = train_text("cat hat cat", 3, tie_break="first-seen")
    assert training.merges == [(b"a", b"t"), (b"c", b"at"), (b"cat", b" ")]
    assert training.counts == [3, 2, 1]


def test_lowest_splits_into_learned_parts() -> None:
    training = train(LOW_LOWER, 10, tie_break="first-seen")
    assert joined(training.merges)[:4] == [b"es", b"est", b"lo", b"low"]
    assert joined(training.merges)[4:] == [b"ne", b"new", b"newest", b"wi", b"wid", b"widest"]
    assert training.counts == [9, 9, 7, 7, 6, 6, 6, 3, 3, 3]
    assert encode_by_replay(training.merges, b"lowest") == [b"low", b"est"]


def test_word_counts_of_cat_and_rat_by_first_seen() -> None:
    training = train({b"cat": 90, b"catch": 50, b"rat": 80, b"rattle": 40}, 4, tie_break="first-seen")
    assert list(zip(joined(training.merges), training.counts, strict=True)) == [
        (b"at", 260),
        (b"cat", 140),
        (b"rat", 120),
        (b"catc", 50),
    ]


@pytest.mark.parametrize("text", ["mmmkkkvvvvuuuu", "kkkmmmuuuuvvvv"])
@pytest.mark.parametrize(
    ("tie_break", "expected"),
    [("lexicographic", [b"vv", b"uu", b"mm", b"kk"]), ("lowest-id", [b"uu", b"vv", b"kk", b"mm"])],
)
def test_order_of_equal_pairs_does_not_matter_to_a_rule_on_tokens(
    text: str, tie_break: TieBreak, expected: list[bytes]
) -> None:
    training = train_text(text, 4, tie_break=tie_break)
    assert joined(training.merges) == expected
    assert training.counts == [3, 3, 2, 2]


def test_first_seen_depends_on_the_order_of_the_text() -> None:
    assert joined(train_text("mmmkkkvvvvuuuu", 2, tie_break="first-seen").merges) == [b"vv", b"uu"]
    assert joined(train_text("kkkmmmuuuuvvvv", 2, tie_break="first-seen").merges) == [b"uu", b"vv"]


def test_training_goes_on_until_no_pair_is_left() -> None:
    words = {b"pq": 1, b"pqr": 1, b"qrs": 1, b"qr": 1}
    training = train(words, 1000)
    assert len(training.merges) == 4
    assert (training.merges[0], training.counts[0]) == ((b"q", b"r"), 3)
    assert all(encode_by_replay(training.merges, word) == [word] for word in words)


def test_overlapping_occurrences_all_count() -> None:
    training = train({b"aaaaa": 1, b"bc": 3}, 1)
    assert (training.merges, training.counts) == ([(b"a", b"a")], [4])


def test_merging_goes_from_left_to_right_without_overlap() -> None:
    assert encode_by_replay([(b"a", b"a")], b"aaaaa") == [b"aa", b"aa", b"a"]
    assert encode_by_lowest_rank([(b"a", b"a")], b"aaaaa") == [b"aa", b"aa", b"a"]


def test_lowest_id_takes_the_left_token_first() -> None:
    assert train([(b"bc", 1), (b"ad", 1)], 1, tie_break="lowest-id").merges == [(b"a", b"d")]


def test_a_merged_token_has_a_higher_id_than_every_byte() -> None:
    training = train([(b"aazz", 1), (b"aaaa", 1)], 2, tie_break="lowest-id")
    assert training.merges == [(b"a", b"a"), (b"z", b"z")]
    assert training.counts == [4, 1]


def test_the_gpt2_alphabet_puts_the_space_after_the_letters() -> None:
    words = [(b" a", 1), (b"ab", 1)]
    assert train(words, 1, tie_break="lowest-id", alphabet="bytes").merges == [(b" ", b"a")]
    assert train(words, 1, tie_break="lowest-id", alphabet="gpt2").merges == [(b"a", b"b")]


@pytest.mark.parametrize("words", [{}, {b"": 3}, {b"x": 3}])
def test_nothing_to_merge_gives_no_merges(words: Mapping[bytes, int]) -> None:
    assert train(words, 5) == ([], [], [])


def test_counts_beyond_32_bits_are_exact() -> None:
    training = train({b" " * 64 + b"z": 34_100_000}, 2)
    assert training.merges == [(b" ", b" "), (b"  ", b"  ")]
    assert training.counts == [2_148_300_000, 1_057_100_000]


def test_text_of_a_special_token_teaches_nothing() -> None:
    text = "x<|endoftext|>y " * 50
    training = train_text(text, 100, split=split_gpt2, special_tokens=["<|endoftext|>"])
    assert (joined(training.merges), training.counts) == ([b" x"], [49])


def test_no_merge_spans_a_special_token() -> None:
    text = "x<|endoftext|>y " * 50
    assert count_pretokens(text, special_tokens=["<|endoftext|>"]) == {b"x": 1, b"y x": 49, b"y ": 1}


def test_bytes_are_trained_like_text() -> None:
    assert train_text(THE_CAT.encode(), 3, special_tokens=[b"<|end|>"]) == train_text(THE_CAT, 3)


def test_pretokens_keep_the_order_of_their_first_occurrence() -> None:
    assert list(count_pretokens("b a b c a", split=str.split).items()) == [(b"b", 2), (b"a", 2), (b"c", 1)]


def test_the_order_of_merges_decides_the_segmentation() -> None:
    assert encode_by_replay([(b"a", b"b"), (b"b", b"c")], b"abc") == [b"ab", b"c"]
    assert encode_by_replay([(b"b", b"c"), (b"a", b"b")], b"abc") == [b"a", b"bc"]


def test_unseen_characters_stay_single_bytes() -> None:
    assert encode_by_replay(train_text(THE_CAT, 3).merges, "你".encode()) == [b"\xe4", b"\xbd", b"\xa0"]


def test_token_rank_takes_a_whole_token_that_merges_cannot_reach() -> None:
    ranks = {b"a": 0, b"b": 1, b"c": 2, b"abc": 3}
    assert encode_by_token_rank(ranks, b"abc") == [b"abc"]
    assert encode_by_token_rank(ranks, b"abca") == [b"a", b"b", b"c", b"a"]


def test_token_rank_reaches_a_token_by_another_way_than_training() -> None:
    merges = [(b"b", b"c"), (b"c", b"d"), (b"a", b"b"), (b"ab", b"cd")]
    ranks = {token: rank for rank, token in enumerate([b"a", b"b", b"c", b"d", *joined(merges), b"bcd"])}
    assert encode_by_lowest_rank(merges, b"bcd") == [b"bc", b"d"]
    assert encode_by_token_rank(ranks, b"bcda") == [b"bcd", b"a"]


def test_a_pair_listed_twice_keeps_its_first_place() -> None:
    merges = [(b"a", b"b"), (b"b", b"c"), (b"a", b"b")]
    assert encode_by_lowest_rank(merges, b"abc") == encode_by_replay(merges, b"abc") == [b"ab", b"c"]


@pytest.mark.parametrize(
    "encoded", [encode_by_replay([], b""), encode_by_lowest_rank([], b""), encode_by_token_rank({}, b"")]
)
def test_nothing_encodes_to_nothing(encoded: list[bytes]) -> None:
    assert encoded == []


@given(word_counts, tie_breaks, runs)
def test_replay_equals_lowest_rank_for_trained_merges(
    words: list[tuple[bytes, int]], tie_break: TieBreak, data: bytes
) -> None:
    merges = train(words, 30, tie_break=tie_break).merges
    assert encode_by_replay(merges, data) == encode_by_lowest_rank(merges, data)


@given(word_counts, tie_breaks)
def test_no_two_merges_of_a_training_make_the_same_bytes(words: list[tuple[bytes, int]], tie_break: TieBreak) -> None:
    tokens = joined(train(words, 100, tie_break=tie_break).merges)
    assert len(set(tokens)) == len(tokens)


@given(word_counts, tie_breaks)
def test_a_count_never_rises_above_the_one_before(words: list[tuple[bytes, int]], tie_break: TieBreak) -> None:
    counts = train(words, 100, tie_break=tie_break).counts
    assert counts == sorted(counts, reverse=True)


@given(word_counts, st.sampled_from(["lexicographic", "lowest-id"]), st.randoms(use_true_random=False))
def test_order_of_words_matters_only_under_first_seen(
    words: list[tuple[bytes, int]], tie_break: TieBreak, random: Random
) -> None:
    shuffled = random.sample(words, len(words))
    assert train(shuffled, 30, tie_break=tie_break) == train(words, 30, tie_break=tie_break)


@given(word_counts, tie_breaks)
def test_each_word_is_encoded_as_training_left_it(words: list[tuple[bytes, int]], tie_break: TieBreak) -> None:
    training = train(words, 10, tie_break=tie_break)
    n_tokens = sum(len(encode_by_replay(training.merges, word)) * count for word, count in words)
    assert training.tokens_left[-1:] in ([], [n_tokens])


@given(st.lists(st.sampled_from([b"a", b"b", b"ab"])), st.tuples(st.sampled_from([b"a", b"b"]), st.just(b"b")))
def test_merging_keeps_every_byte(tokens: list[bytes], pair: Pair) -> None:
    assert b"".join(merge_pair(tokens, pair)) == b"".join(tokens)


def test_byte_order_of_gpt2_is_printable_bytes_then_the_others() -> None:
    order = byte_order("gpt2")
    assert sorted(order) == list(range(256))
    assert order == [*range(33, 127), *range(161, 173), *range(174, 256), *range(33), *range(127, 161), 173]


def test_gpt2_writes_space_and_line_feed_as_letters() -> None:
    characters = gpt2_characters()
    assert (characters[0x20], characters[0x0A], characters[0xE9]) == ("Ġ", "Ċ", "é")
    assert len(set(characters.values())) == 256


@pytest.mark.parametrize(
    ("problem", "call"),
    [
        ("n_merges is -1. Pass 0 or more", lambda: train([], -1)),
        ("word b'a' has the count 0. Leave it out", lambda: train({b"a": 0}, 1)),
        ("tie_break is 'largest'. Choose 'lexicographic'", lambda: train({b"ab": 1}, 1, tie_break="largest")),  # type: ignore[arg-type]
        ("alphabet is 'latin'. Choose 'bytes' or 'gpt2'", lambda: byte_order("latin")),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_argument_is_named_with_its_remedy(problem: str, call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=problem):
        call()


def test_verbose_prints_counts_choice_and_sequence(capsys: pytest.CaptureFixture[str]) -> None:
    train_text("aaab", 1, verbose=True)
    assert capsys.readouterr().out.splitlines() == [
        "merge 1: (a,a) 2, (a,b) 1",
        "  (a,a) -> aa",
        "  1 x aa a b",
        "  3 tokens left",
    ]


def test_a_trace_shows_blanks_and_bytes_that_are_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    train([(b" \n\xff", 2)], 1, verbose=True)
    assert "  2 x ␣\\n \\xff\n" in capsys.readouterr().out


def test_a_tokenizer_gives_back_its_text() -> None:
    text = "the hat, 你好!  \n"
    tokenizer = BytePairTokenizer(train_text(THE_CAT, 3, split=split_gpt2).merges, split=split_gpt2)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_ids_are_bytes_then_merges_then_special_tokens() -> None:
    tokenizer = BytePairTokenizer(train_text(THE_CAT, 3).merges, special_tokens=["<|end|>"])
    assert tokenizer.encode("the <|end|>the", special_text="parse") == [258, 259, 257]


def test_the_gpt2_alphabet_numbers_bytes_by_their_character() -> None:
    assert BytePairTokenizer([], alphabet="gpt2").encode("! ") == [0, 220]
