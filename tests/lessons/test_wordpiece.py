"""WordPiece worked by hand, and the core held to the lesson."""

import unicodedata
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import hard_texts
from tests.wordpieces import WORDS, wordpiece_tokenizer
from tokenloom import Tokenizer
from tokenloom.lessons.wordpiece import bert_text, bert_words, decode, encode, encode_text
from tokenloom.spec import BertText, Decoder, DecodeWordpiece, Pretokenizer, TokenizerSpec, WordpieceModel
from tokenloom.spec.packing import pack_arena

UNABLE: Final = ("un", "##a", "##able", "##ab", "##bc")
parts = st.text(st.sampled_from("ab#é中"), min_size=1, max_size=5)
models = st.tuples(
    st.sampled_from(["##", "", "#", "a", "ab"]),
    st.sets(parts, max_size=25),
    st.sets(parts, max_size=25),
    st.sampled_from([0, 1, 4, 100]),
)


@pytest.mark.parametrize(
    ("word", "tokens"),
    [
        ("unable", ["un", "##able"]),
        ("una", ["un", "##a"]),
        ("unabc", ["[UNK]"]),  # "##ab" hides that "##a" would have gone on
        ("able", ["[UNK]"]),  # no token begins a word with it
        ("", []),
    ],
)
def test_the_longest_token_is_taken_at_each_place(word: str, tokens: list[str]) -> None:
    assert encode(word, UNABLE) == tokens


def test_a_word_may_have_so_many_characters_and_no_more() -> None:
    assert encode("un" + "a" * 3, UNABLE, most_characters=5) == ["un", "##a", "##a", "##a"]
    assert encode("un" + "a" * 4, UNABLE, most_characters=5) == ["[UNK]"]


def test_steps_of_the_text_are_done_in_their_order() -> None:
    """A Chinese character of compatibility is set apart, then taken apart; a private one is gone before it counts."""
    assert bert_text("\uf900x\ue000\u0301") == " \u8c48 x"
    assert bert_text("É", strip_accents=False) == "é"
    assert bert_text("É", lowercase=False) == "E"


def test_words_of_a_text_have_no_blanks() -> None:
    assert list(bert_words(" a$b\u00a0€c")) == ["a", "$", "b", "€c"]


def test_decoding_glues_what_goes_on_with_a_word() -> None:
    assert decode(["##en", "##s", "do", "n't"]) == "##ens don't"
    assert decode(["do", "n't"], cleanup=False) == "do n't"


def of_tokens(tokens: list[str], model: WordpieceModel) -> Tokenizer:
    token_bytes, token_offsets = pack_arena(list(map(str.encode, tokens)))
    decoder = Decoder((DecodeWordpiece(),))
    pretokenizer = Pretokenizer("none")
    spec = TokenizerSpec(model, pretokenizer, (), token_bytes, token_offsets, b"", decoder=decoder)
    return Tokenizer.from_spec(spec)


@given(models, st.lists(st.text(st.sampled_from("ab#é中z"), max_size=12), max_size=20))
@settings(max_examples=300)
def test_core_cuts_words_as_the_lesson(model: tuple[str, set[str], set[str], int], words: list[str]) -> None:
    prefix, starts, others, most = model
    tokens = ["[UNK]", *sorted({*starts, *(prefix + part for part in others)})]
    tokenizer = of_tokens(tokens, WordpieceModel("[UNK]", prefix, most))
    for word in words:
        expected = encode(word, tokens, prefix=prefix, most_characters=most)
        assert [tokens[token_id] for token_id in tokenizer.encode(word)] == expected


@given(hard_texts, st.tuples(*[st.booleans()] * 4))
def test_core_reads_a_text_as_the_lesson(text: str, options: tuple[bool, bool, bool, bool]) -> None:
    """Where Unicode 3.2 has all characters: the library's tables are of several versions, and Python's of another."""
    text = "".join(character for character in text if unicodedata.ucd_3_2_0.category(character) != "Cn")
    tokenizer = wordpiece_tokenizer(BertText(*options) if any(options) else None)
    clean_text, handle_chinese_chars, strip_accents, lowercase = options
    read = bert_text(
        text,
        clean_text=clean_text,
        handle_chinese_chars=handle_chinese_chars,
        strip_accents=strip_accents,
        lowercase=lowercase,
    )
    assert [piece.decode() for piece in tokenizer.pretokens(text)] == list(bert_words(read))


@given(hard_texts)
def test_core_encodes_and_decodes_a_text_as_the_lesson(text: str) -> None:
    text = "".join(character for character in text if unicodedata.ucd_3_2_0.category(character) != "Cn")
    tokenizer = wordpiece_tokenizer(special_text="plain")
    ids = tokenizer.encode(text)
    expected = encode_text(text, WORDS[3:])
    assert [WORDS[token_id] for token_id in ids] == expected
    assert tokenizer.decode(ids) == decode(expected)
