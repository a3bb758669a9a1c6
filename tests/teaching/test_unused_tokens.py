"""Tokens that their own corpus does not use: by hand, and counted again by the lesson."""

from collections import Counter

from tokenloom.lessons import byte_pair
from tokenloom.lessons.pretokenizing import split_gpt2
from tokenloom.teaching import DOCUMENT_END, stories, vocabulary_use


def test_a_token_that_is_always_joined_with_another_is_used_nowhere() -> None:
    """ab is made eight times, and all of them go into abab."""
    use = vocabulary_use(["abab abab abab abab"], vocab_size=259)
    assert [token.token for token in use.tokens] == [b"ab", b"abab"]
    assert [(token.n_merged, token.n_left, token.inside) for token in use.tokens] == [(8, 0, (b"abab",)), (4, 4, ())]
    assert [token.token for token in use.never] == [b"ab"]
    assert use.rare == ()


def test_counts_are_those_of_the_lesson() -> None:
    texts = stories().english[:3]
    use = vocabulary_use(texts, vocab_size=356, special_tokens=())
    training = byte_pair.train(words := byte_pair.count_pretokens("".join(texts), split=split_gpt2), 100)
    assert [token.n_merged for token in use.tokens] == training.counts
    counts: Counter[bytes] = Counter()
    for word, n_words in words.items():
        for token in byte_pair.encode_by_lowest_rank(training.merges, word):
            counts[token] += n_words
    assert {token.token: token.n_left for token in use.tokens} == {a + b: counts[a + b] for a, b in training.merges}
    assert use.of(b"zzz") is None


def test_of_the_stories_tokens_are_left_that_only_longer_ones_hold() -> None:
    use = vocabulary_use(stories().all)
    assert len(use.tokens) == 1000 - 256 - len([DOCUMENT_END])
    assert (len(use.never), len(use.rare)) == (135, 100)
    mother = use.of("妈".encode())
    assert mother in use.never
    assert mother is not None
    assert mother.inside == ("妈妈".encode(),)
    assert all(token.inside for token in use.never), "what occurs nowhere went into something"
