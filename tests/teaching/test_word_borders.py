"""Tokens at the borders of words, and the first merges, by hand and on the stories."""

from typing import Any

import pytest

from tokenloom import TrainingError
from tokenloom.teaching import FirstMerge, border_kinds, first_merges, pattern_tokens, stories


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        (b"dog.", "word and sign"),
        (b'," said ', "word and sign"),
        (b". They ", "word and sign"),
        (b"in the ", "several words"),
        (b"y s", "several words"),
        (b"don't", "parts of a word"),
        (b" n't", "parts of a word"),
        (b"a1", "parts of a word"),
        (b"3.14", "parts of a word"),
        (b"a. b", "several words"),
        (b"ed ", "word and blank"),
        (b"  the", "word and blank"),
        (b". ", "signs and blanks"),
        (b" the", "inside"),
        (b"the", "inside"),
        (b'."', "inside"),
        (b" ", "inside"),
        (b"'ll", "inside"),
        (b"'l", "inside"),
        ("妈妈".encode(), "inside"),
        ("，小".encode(), "word and sign"),
        ("小".encode()[:2], "half character"),
    ],
)
def test_kinds_by_hand(token: bytes, kind: str) -> None:
    assert border_kinds([token]) == [kind]


def test_without_a_pattern_a_word_is_joined_with_its_full_stop() -> None:
    tokens = pattern_tokens(["the dog. a dog. dog."], pattern=None, n_merges=4)
    assert tokens.tokens == (b"og", b"og.", b"dog.", b" dog.")
    assert tokens.kinds == ("inside", "word and sign", "word and sign", "word and sign")
    assert (tokens.n_crossing, tokens.n_inner_blank) == (3, 0)


def test_with_the_pattern_no_token_of_the_stories_crosses_a_border() -> None:
    whole, cut = (pattern_tokens(stories().all, pattern=pattern) for pattern in (None, "gpt2"))
    assert len(whole.tokens) == len(cut.tokens) == sum(whole.n_of_kinds.values()) == 300
    assert (whole.n_crossing, whole.n_inner_blank) == (82, 79)
    assert (cut.n_crossing, cut.n_inner_blank) == (0, 0)
    assert {b"in the ", b'," said the '} <= set(whole.tokens)


def test_the_first_merges_of_chinese_are_beginnings_of_characters() -> None:
    first = first_merges(stories().chinese, n_merges=40)
    assert {merge.hex for merge in first[:2]} == {"e4 b8", "ef bc"}
    assert first[4].hex == "ef bc 8c", "the full-width comma is the second whole character"
    assert [merge.kind for merge in first[:5]] == ["part of a character"] * 3 + ["one character"] * 2
    assert "several characters" in {merge.kind for merge in first}


def test_kinds_of_merges_by_hand() -> None:
    merges = [FirstMerge(b"\xe4", b"\xb8", 9), FirstMerge(b"\xe4\xb8", b"\xad", 8), FirstMerge(b"a", b"\xe4", 7)]
    assert [merge.kind for merge in merges] == ["part of a character", "one character", "part of a character"]
    assert FirstMerge(b"a", b"b", 1).kind == "several characters"


def test_one_text_in_the_place_of_many_and_another_pattern_are_refused() -> None:
    tokens: Any = pattern_tokens
    for act in (lambda: first_merges("abc"), lambda: tokens("abc", pattern=None)):
        with pytest.raises(TrainingError, match="texts 'abc': is one text in the place of many"):
            act()
    with pytest.raises(TrainingError, match="pattern 'cl100k': borders are those of GPT-2's pattern"):
        tokens(["abc"], pattern="cl100k")
