"""GPT-2's pattern, its rewrite for `re`, and what both do with every character there is."""

import re
import sys
import unicodedata

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.lessons.bytes_and_unicode import Fault, read_utf8
from tokenloom.lessons.pretokenizing import split_gpt2, split_gpt2_bytes, split_standard_library

SCALAR_VALUES = [chr(point) for point in range(sys.maxunicode + 1) if not 0xD800 <= point <= 0xDFFF]

BY_HAND = [
    ("I've got 3 cats!!  Yes", ["I", "'ve", " got", " 3", " cats", "!!", " ", " Yes"]),
    ("DON'T", ["DON", "'", "T"]),
    ("don't", ["don", "'t"]),
    ("isn\u2019t", ["isn", "\u2019", "t"]),
    ("a   b", ["a", "  ", " b"]),
    ("a  b   ", ["a", " ", " b", "   "]),
    ("a\n\nb", ["a", "\n", "\n", "b"]),
    ("snake_case", ["snake", "_", "case"]),
    ("x _y", ["x", " _", "y"]),
    ("我喜欢机器学习,真的。", ["我喜欢机器学习", ",", "真的", "。"]),
    ("二〇二六年", ["二", "〇", "二六年"]),
    ("नमस्ते", ["नमस", "्", "त", "े"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "pieces"), BY_HAND)
def test_gpt2_pattern_by_hand(text: str, pieces: list[str]) -> None:
    assert split_gpt2(text) == pieces


@pytest.mark.parametrize(("text", "pieces"), BY_HAND)
def test_standard_library_pattern_by_hand(text: str, pieces: list[str]) -> None:
    assert split_standard_library(text) == pieces


def test_every_scalar_value_alone_survives_the_standard_library() -> None:
    assert [value for value in SCALAR_VALUES if split_standard_library(value) != [value]] == []


def test_all_scalar_values_in_a_row_survive_the_standard_library() -> None:
    text = "".join(SCALAR_VALUES)
    assert "".join(split_standard_library(text)) == text


@given(st.text())
def test_no_character_is_lost(text: str) -> None:
    assert "".join(split_gpt2(text)) == text
    assert "".join(split_standard_library(text)) == text


def is_documented_difference(character: str) -> bool:
    """One of the three kinds that the docstring of split_standard_library lists."""
    other_number = unicodedata.category(character) in ("No", "Nl") and character != "〇"
    known_to_one = (unicodedata.category(character) == "Cn") != bool(regex.match(r"\p{Cn}", character))
    return other_number or "\x1c" <= character <= "\x1f" or known_to_one


def test_the_two_patterns_class_every_other_character_alike() -> None:
    text = "".join(SCALAR_VALUES)
    for ours, theirs in [
        (r"[^\W\d_〇]", r"\p{L}"),
        (r"[\d〇]", r"\p{N}"),
        (r"[^\s\w]|_", r"[^\s\p{L}\p{N}]"),
        (r"\s", r"\s"),
    ]:
        different = set(re.findall(ours, text)) ^ set(regex.findall(theirs, text))
        assert [f"U+{ord(value):04X}" for value in different if not is_documented_difference(value)] == []


@pytest.mark.parametrize("context", ["a{}", "{}a", "1{}1", " {}", "!{}", "{} ", "{}\n", "'{}", "a{}'s", "{0}{0}"])
def test_the_two_splits_agree_on_other_characters_in_context(context: str) -> None:
    values = [
        value for value in SCALAR_VALUES[:0x3100] + SCALAR_VALUES[0x3100::199] if not is_documented_difference(value)
    ]
    texts = [context.format(value) for value in values]
    assert [text for text in texts if split_standard_library(text) != split_gpt2(text)] == []


@pytest.mark.parametrize(
    ("text", "standard_library", "gpt2"),
    [
        ("m²", ["m²"], ["m", "²"]),
        ("1½", ["1", "½"], ["1½"]),
        ("aⅧ", ["aⅧ"], ["a", "Ⅷ"]),
        ("a\x1c!", ["a", "\x1c", "!"], ["a", "\x1c!"]),
    ],
)
def test_a_listed_character_does_differ(text: str, standard_library: list[str], gpt2: list[str]) -> None:
    assert split_standard_library(text) == standard_library
    assert split_gpt2(text) == gpt2


@given(st.text(st.characters(exclude_categories=["Cs", "Cn", "No", "Nl"], exclude_characters="\x1c\x1d\x1e\x1f")))
def test_the_two_splits_agree_on_any_other_text(text: str) -> None:
    assert split_standard_library(text) == split_gpt2(text)


@given(st.text("aZé'sdtlmver 1٣_.!\t\n\r\u00a0\u3000你〇\u0301🌍"))
def test_the_two_splits_agree_on_contractions_and_blanks(text: str) -> None:
    assert split_standard_library(text) == split_gpt2(text)


@given(st.text())
def test_bytes_of_a_text_are_split_like_the_text(text: str) -> None:
    assert split_gpt2_bytes(text.encode()) == [piece.encode() for piece in split_gpt2(text)]


@given(
    st.binary() | st.lists(st.sampled_from([b"a", b" ", b"1", b"!", b"\xe4", b"\xbd", b"\xa0", b"\xff"])).map(b"".join)
)
def test_a_byte_outside_valid_utf8_behaves_like_punctuation(data: bytes) -> None:
    # "§" stands for each such byte; it is two bytes long, so pieces are compared by their lengths in characters.
    stand_in = "".join("§" * part.n_bytes if isinstance(part, Fault) else part for part in read_utf8(data))
    pieces = split_gpt2_bytes(data)
    assert b"".join(pieces) == data
    assert [len(piece.decode("utf-8", errors="surrogateescape")) for piece in pieces] == list(
        map(len, split_gpt2(stand_in))
    )


@pytest.mark.parametrize(
    ("data", "pieces"),
    [
        (b"ab\xff\xfecd", [b"ab", b"\xff\xfe", b"cd"]),
        (b"a \xff", [b"a", b" \xff"]),
        (b"a  \xff!", [b"a", b" ", b" \xff!"]),
        (b"\xe4\xbd12", [b"\xe4\xbd", b"12"]),
        (b"\xed\xa0\x80a", [b"\xed\xa0\x80", b"a"]),
        (b"\xff's", [b"\xff'", b"s"]),
        (b"", []),
    ],
)
def test_invalid_bytes_by_hand(data: bytes, pieces: list[bytes]) -> None:
    assert split_gpt2_bytes(data) == pieces


def test_surrogates_are_neither_letter_number_nor_blank() -> None:
    surrogates = [chr(point) for point in range(0xD800, 0xE000)]
    assert all(regex.fullmatch(r"[^\s\p{L}\p{N}]", surrogate) for surrogate in surrogates)


def test_gpt2_split_without_regex_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(ImportError, match=r"needs the module 'regex'.*split_standard_library"):
        split_gpt2("a")


def test_a_long_run_is_one_piece() -> None:
    assert [len(piece) for piece in split_standard_library("^" * 1_000_000)] == [1_000_000]
    assert [len(piece) for piece in split_gpt2("^" * 1_000_000)] == [1_000_000]
