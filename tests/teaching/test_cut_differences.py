"""Words that are cut in several ways."""

import re
from collections import Counter

from tokenloom import CharacterAlphabet, Tokenizer
from tokenloom.lessons.other_cuts import cut_fewest, cut_greedily
from tokenloom.teaching import cut_differences, stories
from tokenloom.trainers import BpeOptions, pretoken_counts, train_on_counts


def tokenizer_of(counts: Counter[str], n_merges: int) -> Tokenizer:
    """Trained as in the lecture: words with `</w>`, of tied pairs the first one."""
    alphabet = CharacterAlphabet(unk_token="<unk>", end_of_word_suffix="</w>")
    size = 2 + len(set("".join(counts))) + n_merges
    options = BpeOptions(size, pattern=None, tie_break="first-seen", characters=alphabet)
    return Tokenizer.from_spec(train_on_counts(pretoken_counts(counts), options).spec)


def test_words_of_the_stories_are_cut_in_several_ways() -> None:
    words = Counter(re.findall("[a-z]+", " ".join(stories().english).lower()))
    test = sorted(words)[::2]
    tokenizer = tokenizer_of(Counter({word: n for word, n in words.items() if word not in test}), 400)
    found = cut_differences(tokenizer, test)
    merged, greedy, fewest = found.n_tokens
    assert len(found.words) == len(test)
    assert 0 < len(found.greedy_differs) < len(test) / 4
    assert fewest <= min(merged, greedy)
    assert abs(merged - greedy) < merged / 20


def test_cuts_are_those_of_the_lesson() -> None:
    words = Counter(re.findall("[a-z]+", " ".join(stories().english).lower()))
    tokenizer = tokenizer_of(words, 300)
    tokens = {token.decode() for token in tokenizer.vocabulary.values()}
    for word in cut_differences(tokenizer, stories().tests["english"].lower().split()).words:
        if set(word.word) <= tokens:
            assert list(word.greedy) == cut_greedily(word.word + "</w>", tokens)
            assert list(word.fewest) == cut_fewest(word.word + "</w>", tokens)
