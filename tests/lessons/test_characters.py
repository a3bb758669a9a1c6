"""Character-level encoding, worked by hand."""

import pytest

from tokenloom.lessons.characters import Rules, decode, encode, merge, symbols

LOW = ["l", "o", "w", "e", "r", "lo", "low", "er"]
LOW_MERGES = [("e", "r"), ("l", "o"), ("lo", "w")]


@pytest.mark.parametrize(
    ("word", "rules", "expected"),
    [
        ("lower", Rules(), ["low", "er"]),
        ("lower!", Rules(), ["low", "er"]),  # dropped
        ("lo!w", Rules(), ["low"]),  # neighbours of what is dropped meet
        ("lo!!w", Rules(unk_token="?"), ["lo", "?", "?", "w"]),
        ("lo!!w", Rules(unk_token="?", fuse_unk=True), ["lo", "?", "w"]),
    ],
)
def test_characters_without_a_token(word: str, rules: Rules, expected: list[str]) -> None:
    assert encode(word, LOW, LOW_MERGES, rules) == expected


def test_bytes_stand_for_a_character_only_if_all_are_tokens() -> None:
    tokens = ["a", "<0xC3>", "<0xA9>"]
    assert symbols("aéß", tokens, Rules(byte_fallback=True, unk_token="?")) == ["a", "<0xC3>", "<0xA9>", "?"]


def test_an_unknown_token_waits_behind_byte_tokens() -> None:
    tokens = ["a", "<0xC3>", "<0xA9>"]
    assert symbols("ßéa", tokens, Rules(byte_fallback=True, unk_token="?")) == ["<0xC3>", "<0xA9>", "?", "a"]
    assert symbols("ßéß", tokens, Rules(byte_fallback=True, unk_token="?", fuse_unk=True)) == ["<0xC3>", "<0xA9>", "?"]


def test_affixes_of_a_missing_character_become_bytes_too() -> None:
    tokens = ["a", "<0x23>", "<0x62>"]
    assert symbols("ab", tokens, Rules(byte_fallback=True, prefix="#")) == ["a", "<0x23>", "<0x62>"]


def test_the_leftmost_of_equal_pairs_is_merged_first() -> None:
    assert merge(["a", "a", "a"], [("a", "a")]) == ["aa", "a"]


def test_a_merge_may_join_parts_that_a_later_merge_makes() -> None:
    assert merge(["a", "b", "c"], [("ab", "c"), ("a", "b")]) == ["abc"]


def test_a_run_of_bytes_is_read_as_a_whole_or_not_at_all() -> None:
    assert decode(["▁a", "<0xC3>", "<0xA9>", "▁", "<0xC3>", "b"]) == "aé \ufffdb"
    assert decode(["<0x41>", "<0xFF>"]) == "\ufffd\ufffd"
