"""The alternatives of a pattern."""

from typing import get_args

import pytest

from tokenloom.spec import PatternName, Pretokenizer
from tokenloom.spec.alternatives import alternatives_of, words_of


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a", ("a",)),
        ("a|", ("a", "")),
        (r"a\|b|c", (r"a\|b", "c")),
        ("(a|(b|c))|d", ("(a|(b|c))", "d")),
        (r"[|)]|[^]|]|[]|]|[\]|]|x", ("[|)]", "[^]|]", "[]|]", r"[\]|]", "x")),
        ("[a[b|c]|]|d", ("[a[b|c]|]", "d")),
        ("(?i)a|(?-i)b|c", ("(?i)a", "(?i)(?-i)b", "(?i)(?-i)c")),
        ("(?#a|b)c|d", ("(?#a|b)c", "d")),
        ("a(?i)b|c", ("a(?i)b|c",)),
        ("(?x)a # b|c", ("(?x)a # b|c",)),
        (r"(a)|(b)\1", (r"(a)|(b)\1",)),
        (r"a\\1|b", (r"a\\1", "b")),
    ],
)
def test_a_pattern_is_cut_at_its_outermost_bars(pattern: str, expected: tuple[str, ...]) -> None:
    assert alternatives_of(pattern) == expected


@pytest.mark.parametrize("name", ["none", *get_args(PatternName)])
def test_every_alternative_of_a_named_pattern_has_words(name: PatternName) -> None:
    alternatives = alternatives_of(Pretokenizer(name).pattern)
    assert "|".join(alternatives) == Pretokenizer(name).pattern
    assert all(map(words_of, alternatives))
