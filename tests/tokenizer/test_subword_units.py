"""Units of subword-nmt: by hand, and equal to a second implementation on generated codes and lines."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.subword_codes import cut_line, random_codes, random_line, random_vocabulary
from tokenloom import EncodeError, SpecError, Tokenizer, train
from tokenloom.formats.subword_nmt import parse_subword_nmt
from tokenloom.spec import AddedToken, Lowercase, Normalizer, Pretokenizer, UnicodeForm
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
    for separator in ("", " @", "@\n", "\t"):
        with pytest.raises(SpecError, match=r"is empty or has a blank\. Use such as '@@'"):
            SubwordUnits(tokenizer_of(LEARNED), separator=separator)


@pytest.mark.parametrize("codes", [LEARNED, b"l o\nlo w\nlow </w>\nx y\n"])
def test_characters_without_a_token_stay_whatever_the_unknown_token_is(codes: bytes) -> None:
    """None drops them, another joins several, and one may be what merges make."""
    spec = tokenizer_of(codes).spec
    for change in ({"unk_token": None}, {"fuse_unk": True}, {"unk_token": "lo"}):
        model = replace(spec.model, **change)
        units = SubwordUnits(Tokenizer.from_spec(replace(spec, model=model)))
        assert units.segment("zlow zzzlowz lzo low") == "z@@ low z@@ z@@ z@@ low@@ z l@@ z@@ o low"


def test_a_normalizer_is_refused() -> None:
    """Its words have other characters, and may have more or fewer of them."""
    for step in (Lowercase(), UnicodeForm("nfd")):
        spec = replace(tokenizer_of(LEARNED).spec, normalizer=Normalizer((step,)))
        with pytest.raises(SpecError, match=r"has the normalizer Normalizer\(.*Use a tokenizer without one"):
            SubwordUnits(Tokenizer.from_spec(spec))


def test_added_tokens_of_the_tokenizer_are_text() -> None:
    spec = tokenizer_of(LEARNED).spec
    offsets = spec.token_offsets + spec.token_offsets[-4:]
    added = replace(spec, added_tokens=(AddedToken("zz", len(spec.vocabulary())),), token_offsets=offsets)
    assert SubwordUnits(Tokenizer.from_spec(added)).segment("lowzz") == "low@@ z@@ z"


@pytest.mark.parametrize("vocabulary", ["low@@", b"low", 5, [b"low"], [1]])
def test_a_vocabulary_that_is_no_collection_of_units_is_refused(vocabulary: Any) -> None:
    with pytest.raises(SpecError, match="is no collection of units of type str"):
        SubwordUnits(tokenizer_of(LEARNED), vocabulary=vocabulary)


@pytest.mark.parametrize("text", [None, b"low", 5])
def test_what_is_no_text_is_refused(text: Any) -> None:
    units = SubwordUnits(tokenizer_of(LEARNED))
    for work in (units.segment, units.join):
        with pytest.raises(EncodeError, match=r"not str\. Decode bytes before"):
            work(text)


def test_arguments_are_checked_also_where_nothing_is_cut() -> None:
    units: Any = SubwordUnits
    with pytest.raises(EncodeError, match="dropout 5: is no probability"):
        units(tokenizer_of(LEARNED)).segment("", dropout=5)
    with pytest.raises(SpecError, match="separator b'@@': is of type bytes"):
        units(tokenizer_of(LEARNED), separator=b"@@")
    with pytest.raises(SpecError, match=r"tokenizer 5: is of type int, no Tokenizer"):
        units(5)
