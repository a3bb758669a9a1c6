"""Units of subword-nmt: by hand, and equal to a second implementation on generated codes and lines."""

from dataclasses import replace
from random import Random

import pytest

from tests.subword_codes import cut_line, random_codes, random_line, random_vocabulary
from tokenloom import SpecError, Tokenizer, train
from tokenloom.formats.subword_nmt import parse_subword_nmt
from tokenloom.spec import Pretokenizer
from tokenloom.tokenizer import SubwordUnits

LEARNED = b"#version: 0.2\nl o\nlo w</w>\ne s\nes t</w>\nlo w\n"
ALPHABETS = ("ab", "abc", "abcdé", "ab漢字", "a</w>b", "ab@")


def tokenizer_of(codes: bytes) -> Tokenizer:
    return Tokenizer.from_spec(parse_subword_nmt(codes, place="codes")[0])


def test_words_are_cut_and_joined_by_hand() -> None:
    units = SubwordUnits(tokenizer_of(LEARNED))
    assert units.segment("low lowest slow") == "low low@@ est s@@ low"
    assert units.join("low low@@ est s@@ low") == "low lowest slow"
    assert SubwordUnits(tokenizer_of(LEARNED), separator="~").segment("lowest") == "low~ est"


def test_lines_keep_their_ends_and_words_get_one_space() -> None:
    units = SubwordUnits(tokenizer_of(LEARNED))
    assert units.segment("  low   low\r\n\n \nlowest \n") == "  low low\r\n\n \nlow@@ est \n"
    assert units.segment("") == ""


def test_a_character_that_no_merge_has_stays_as_it_is() -> None:
    tokenizer = tokenizer_of(LEARNED)
    assert SubwordUnits(tokenizer).segment("zlow漢 z") == "z@@ low@@ 漢 z"
    assert 0 in tokenizer.encode("zlow"), "its id is that of the unknown token"


def test_units_below_the_threshold_are_cut_again() -> None:
    units = SubwordUnits(tokenizer_of(LEARNED), vocabulary={"lo@@", "w", "est", "s@@", "w@@"})
    assert units.segment("low lowest") == "lo@@ w lo@@ w@@ est"


@pytest.mark.parametrize("letters", ALPHABETS)
@pytest.mark.parametrize("is_glued", [False, True])
def test_lines_are_cut_as_by_the_second_implementation(letters: str, is_glued: bool) -> None:
    random = Random(repr((letters, is_glued)))
    for _ in range(40):
        codes = random_codes(random, letters, is_glued=is_glued)
        vocabulary = random_vocabulary(random, letters, codes) if random.random() < 0.5 else None
        allowed = None if vocabulary is None else {unit for unit, count in vocabulary.items() if count >= 4}
        units = SubwordUnits(tokenizer_of(codes.encode()), vocabulary=allowed)
        for _ in range(6):
            line = random_line(random, letters)
            expected = cut_line(codes, line, vocabulary, threshold=4)
            assert units.segment(line) == expected, (codes, vocabulary, line)
            if vocabulary is None and "@" not in line:
                words = " ".join(word for word in line.strip("\r ").split(" ") if word)
                assert units.join(expected).strip("\r ") == words


def test_with_full_dropout_words_are_characters() -> None:
    units = SubwordUnits(tokenizer_of(LEARNED))
    assert units.segment("low zest", dropout=1.0, seed=3) == "l@@ o@@ w z@@ e@@ s@@ t"
    assert units.segment("low zest", dropout=0.0, seed=3) == units.segment("low zest")
    assert SubwordUnits(tokenizer_of(b"l o\nlo </w>\n")).segment("lo lo", dropout=1.0, seed=3) == "l@@ o l@@ o"


def test_words_are_cut_at_spaces_alone_whatever_the_tokenizer_cuts_at() -> None:
    spec = replace(tokenizer_of(LEARNED).spec, pretokenizer=Pretokenizer("none"))
    assert SubwordUnits(Tokenizer.from_spec(spec)).segment("low low\tlow") == "low low@@ \t@@ low"


def test_a_tokenizer_without_the_mark_and_a_separator_with_a_blank_are_refused() -> None:
    with pytest.raises(SpecError, match="units are tokens of characters with a mark at the end of words"):
        SubwordUnits(train(["ab"], 257))
    for separator in ("", " @", "@\n"):
        with pytest.raises(SpecError, match=r"is empty or has a blank\. Use such as '@@'"):
            SubwordUnits(tokenizer_of(LEARNED), separator=separator)
