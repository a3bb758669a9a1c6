"""OF: offsets. Each test is a public report of a fault in other software; see its id.

OF-05 for BERT's normalizer and OF-07 are about other kinds of vocabularies than byte-level BPE.
"""

from pathlib import Path

import pytest

from tests.cases.vocabularies import byte_tokenizer
from tests.interop.published import ours
from tests.wordpieces import wordpiece_tokenizer
from tokenloom import Tokenizer
from tokenloom.spec import Lowercase, UnicodeForm

Spans = list[tuple[int, int]]


def char_spans(tokenizer: Tokenizer, text: str) -> Spans:
    return [(start, end) for start, end in tokenizer.encode_with_offsets(text).char_offsets.tolist()]


def test_a_character_is_in_the_span_of_each_of_its_tokens() -> None:
    """OF-01."""
    expected = [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 4), (4, 5)]
    assert char_spans(byte_tokenizer(), "k \u21c4 z") == expected


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("go \U0001f680 up", [(0, 2), (2, 4), (3, 4), (3, 4), (4, 7)]),
        ("are you ok?", [(0, 3), (3, 7), (7, 10), (10, 11)]),
    ],
)
def test_spans_count_characters_and_hold_blanks(shared: Path, text: str, spans: Spans) -> None:
    """OF-02."""
    assert char_spans(ours(shared, "llama3_1"), text) == spans


def test_bytes_are_counted_apart_from_characters(shared: Path) -> None:
    """OF-02: the same spans in bytes, where each token has its own."""
    found = ours(shared, "llama3_1").encode_with_offsets("go \U0001f680 up")
    assert found.byte_offsets.tolist() == [[0, 2], [2, 5], [5, 6], [6, 7], [7, 10]]


def test_text_that_grows_when_it_is_normalized_has_the_span_of_its_character() -> None:
    """OF-04: 18 characters come out of one."""
    tokenizer = byte_tokenizer(steps=(UnicodeForm("nfkc"),))
    assert len(tokenizer.decode(tokenizer.encode("\ufdfa"))) == 18
    assert set(char_spans(tokenizer, "\ufdfa")) == {(0, 1)}


def test_text_that_grows_in_lower_case_does_not_shift_what_follows() -> None:
    """OF-05: two characters, of one byte and of two, come out of one."""
    assert char_spans(byte_tokenizer(steps=(Lowercase(),)), "\u0130x") == [(0, 1), (0, 1), (0, 1), (1, 2)]


def test_starts_of_ids_count_characters(shared: Path) -> None:
    """OF-06: half a character does not raise, which is our choice."""
    tokenizer = ours(shared, "gpt2")
    ids = tokenizer.encode("\U0001f44da")
    assert tokenizer.decode_with_offsets(ids) == ("\U0001f44da", [0, 0, 1])
    assert tokenizer.decode_with_offsets(ids[:1]) == ("\ufffd", [0])


@pytest.mark.parametrize("text", ["ok \ud83d!", "\ud83d\ude80"])
def test_offsets_of_replaced_surrogates_count_characters_of_the_text(shared: Path, text: str) -> None:
    """UN-01: in this entry point too."""
    replacing = Tokenizer.from_spec(ours(shared, "cl100k_base").spec, surrogates="replace")
    assert replacing.encode_with_offsets(text).ids.tolist() == replacing.encode(text)
    assert char_spans(replacing, text)[-1][1] == len(text)


def test_text_of_bert_does_not_shift_what_follows() -> None:
    """OF-05: accents, ligatures that stay, and the blanks round Chinese characters."""
    assert char_spans(wordpiece_tokenizer(), "Caf\u00e9 \ufb01 \u4e2dx") == [(0, 4), (5, 6), (7, 8), (8, 9)]
