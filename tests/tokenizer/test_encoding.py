"""Offsets: by hand, and the laws that hold for every tokenizer and text."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.characters import character_tokenizer
from tests.layered import CONTENTS, VOCABULARY, added_tokens, normalizer_values, our_spec, our_tokenizer, texts
from tests.strategies import bytes_texts
from tokenloom import EncodeError, Encoding, Tokenizer
from tokenloom.spec import (
    AddedToken,
    Lowercase,
    Normalizer,
    NormalizerStep,
    Prepend,
    Replace,
    Strip,
    Template,
    UnicodeForm,
    build_spec,
)

FIRST = len(VOCABULARY)
BYTES = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])

many = settings(max_examples=200)


def char_spans(steps: tuple[NormalizerStep, ...], text: str) -> list[tuple[int, int]]:
    """The spans of the single bytes of a normalized text, without repetition of equal neighbours."""
    vocabulary = {byte: bytes([byte]) for byte in range(256)}
    tokenizer = Tokenizer.from_spec(build_spec(vocabulary, [], (), normalizer=Normalizer(steps)))
    spans = [tuple(span) for span in tokenizer.encode_with_offsets(text).char_offsets.tolist()]
    return [span for at, span in enumerate(spans) if at == 0 or span != spans[at - 1]]


def test_a_character_of_several_tokens_is_in_the_span_of_each() -> None:
    """OF-01."""
    encoding = BYTES.encode_with_offsets("k \u21c4 z")
    assert encoding.char_offsets.tolist() == [[0, 1], [1, 2], [2, 3], [2, 3], [2, 3], [3, 4], [4, 5]]
    assert encoding.byte_offsets.tolist() == [[at, at + 1] for at in range(7)]


def test_added_tokens_have_the_blanks_that_they_take() -> None:
    """SP-07 and SP-08."""
    tokenizer = our_tokenizer([AddedToken("<m>", FIRST, lstrip=True, rstrip=True)], None)
    spans = tokenizer.encode_with_offsets("a \n\t<m>\u00a0\u3000b").char_offsets
    assert spans.tolist() == [[0, 1], [1, 9], [9, 10]]
    tokenizer = our_tokenizer([AddedToken("<m>", FIRST, single_word=True)], None)
    encoding = tokenizer.encode_with_offsets("<m> A<m> <m>b <m>")
    assert encoding.char_offsets[encoding.ids == FIRST].tolist() == [[0, 3], [14, 17]]


@pytest.mark.parametrize(
    ("steps", "text", "expected"),
    [
        ((UnicodeForm("nfkc"),), "\ufdfa", [(0, 1)]),  # OF-04
        ((Lowercase(),), "\u0130x", [(0, 1), (1, 2)]),  # OF-05
        ((Lowercase(),), "AbC", [(0, 1), (1, 2), (2, 3)]),
        ((UnicodeForm("nfkd"), Lowercase()), "Caf\u00e9 \ufb01", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]),
        ((UnicodeForm("nfd"),), "\u00e9", [(0, 1)]),
        ((UnicodeForm("nfc"),), "xe\u0301y", [(0, 1), (1, 3), (3, 4)]),
        ((UnicodeForm("nfc"),), "\u1100\u1161\u11a8z", [(0, 3), (3, 4)]),
        ((UnicodeForm("nfd"),), "\u00e9\u0323x", [(0, 2), (2, 3)]),
        ((UnicodeForm("nfd"),), "\u00e9\u0302x", [(0, 1), (1, 2), (2, 3)]),
        ((Prepend("__"),), "xy", [(0, 1), (1, 2)]),
        ((Replace("ab", by="XYZ"),), "zabc", [(0, 1), (1, 3), (3, 4)]),
        ((Replace("a", by=""),), "zabc", [(0, 1), (2, 3), (3, 4)]),
        ((Replace(pattern="b+", by="-"),), "abbbc", [(0, 1), (1, 4), (4, 5)]),
        ((Replace(pattern="(?=c)", by="-"),), "abc", [(0, 1), (1, 2), (2, 3)]),
        ((Strip(left=True, right=True),), "  ab ", [(2, 3), (3, 4)]),
        ((Replace("ab", by="X"), Prepend("_")), "abc", [(0, 2), (2, 3)]),
        ((UnicodeForm("nfd"), Replace("\u0301", by=" ")), "\u00e9c", [(0, 1), (1, 2)]),
        ((Strip(left=True, right=False), Lowercase(), Prepend("_")), " \u0130x", [(1, 2), (2, 3)]),
    ],
)
def test_normalized_characters_have_the_span_of_what_they_came_from(
    steps: tuple[NormalizerStep, ...], text: str, expected: list[tuple[int, int]]
) -> None:
    assert char_spans(steps, text) == expected


def test_a_byte_that_is_no_utf_8_counts_as_one_character() -> None:
    encoding = BYTES.encode_with_offsets(b"\xffa\xe2\x82 \xc3\xa9")
    assert encoding.char_offsets.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [5, 6]]


def test_surrogates_that_are_replaced_count_as_they_stand() -> None:
    tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], surrogates="replace")
    spans = tokenizer.encode_with_offsets("\ud83d\ude80a\ud83d\ud83d\ude80b").char_offsets.tolist()
    assert spans == [[0, 2]] * 4 + [[2, 3]] + [[3, 4]] * 3 + [[4, 6]] * 4 + [[6, 7]]


def test_ids_of_a_template_have_no_span() -> None:
    added = [AddedToken("<s>", FIRST)]
    spec = our_spec(added, None)
    framed = build_spec(
        spec.vocabulary(), spec.merge_list(), added_tokens=added, postprocessor=Template((FIRST, "A"), ("A", "B"))
    )
    tokenizer = Tokenizer.from_spec(framed)
    encoding = tokenizer.encode_with_offsets("ab", add_special_tokens=True)
    assert encoding.ids.tolist() == tokenizer.encode("ab", add_special_tokens=True) == [FIRST, 259]
    assert encoding.char_offsets.tolist() == encoding.byte_offsets.tolist() == [[0, 0], [0, 2]]
    assert list(tokenizer.encode_iterable(["a", "b"], add_special_tokens=True)) == [FIRST, 259]


def test_an_empty_text_has_no_spans() -> None:
    encoding = BYTES.encode_with_offsets("")
    assert (len(encoding), encoding.byte_offsets.shape, encoding.char_offsets.shape) == (0, (0, 2), (0, 2))


def test_a_refused_token_is_named_with_its_place_before_normalizing() -> None:
    tokenizer = Tokenizer.from_spec(
        our_spec([AddedToken("cat", FIRST, normalized=True)], Normalizer((Strip(left=True, right=True), Lowercase())))
    )
    with pytest.raises(EncodeError, match="at byte 5 of the text"):
        tokenizer.encode_with_offsets("  \u0130 CAT")


def test_arrays_that_do_not_fit_are_refused() -> None:
    spans = np.zeros((2, 2), dtype=np.int64)
    with pytest.raises(
        ValueError, match=re.escape("Encoding, 'char_offsets': has dtype int64 and shape (2,), with 2 ids")
    ):
        Encoding(np.zeros(2, dtype=np.uint32), spans, spans[0])
    with pytest.raises(ValueError, match="Encoding, 'ids': has dtype int64"):
        Encoding(np.zeros(2, dtype=np.int64), spans, spans)


@given(st.one_of(texts, bytes_texts), added_tokens(CONTENTS))
@settings(max_examples=60)
def test_without_a_normalizer_spans_tile_the_text_and_hold_their_tokens(
    text: str | bytes, added: tuple[AddedToken, ...]
) -> None:
    tokenizer = our_tokenizer(added, None)
    encoding = tokenizer.encode_with_offsets(text)
    data = text if isinstance(text, bytes) else text.encode()
    assert encoding.ids.tolist() == tokenizer.encode(text)
    assert [0, *encoding.byte_offsets[:, 1].tolist()] == [*encoding.byte_offsets[:, 0].tolist(), len(data)]
    takes_blanks = {token.id for token in added if token.lstrip or token.rstrip}
    for token_id, (start, stop) in zip(encoding.ids.tolist(), encoding.byte_offsets.tolist(), strict=True):
        if token_id not in takes_blanks:
            assert data[start:stop] == tokenizer.token_bytes(token_id)
    if isinstance(text, str):
        for by_bytes, by_characters in zip(encoding.byte_offsets, encoding.char_offsets, strict=True):
            start, stop = (len(data[:at].decode(errors="ignore")) for at in (by_bytes[0], by_bytes[1]))
            assert by_characters.tolist() == [start, stop + (len(data[: by_bytes[1]].decode(errors="replace")) > stop)]


@given(st.one_of(texts, bytes_texts), added_tokens(CONTENTS), normalizer_values)
@many
def test_spans_begin_in_order_and_lie_in_the_text(
    text: str | bytes, added: tuple[AddedToken, ...], normalizer: Normalizer | None
) -> None:
    tokenizer = our_tokenizer(added, normalizer)
    encoding = tokenizer.encode_with_offsets(text)
    assert encoding.ids.tolist() == tokenizer.encode(text)
    data = text if isinstance(text, bytes) else text.encode()
    for spans, length in ((encoding.byte_offsets, len(data)), (encoding.char_offsets, len(text))):
        assert (spans[:, 0] <= spans[:, 1]).all()
        assert (np.diff(spans[:, 0]) >= 0).all()
        assert not len(spans) or 0 <= spans.min() <= spans.max() <= length


@given(st.lists(st.sampled_from(["e", "\u0301", "\u00e9", " ", "\ufb01", "\u0323"]), max_size=300).map("".join))
@settings(max_examples=20)
def test_a_token_alone_has_the_text_that_it_stands_for(text: str) -> None:
    """What a token came from becomes, by itself, what the token is part of."""
    normalizer = Normalizer((UnicodeForm("nfkc"),))
    tokenizer = our_tokenizer((), normalizer)
    encoding = tokenizer.encode_with_offsets(text)
    for token_id, (start, stop) in zip(encoding.ids.tolist(), encoding.char_offsets.tolist(), strict=True):
        assert tokenizer.token_bytes(token_id) in b"".join(tokenizer.pretokens(text[start:stop]))


def test_an_unknown_token_behind_byte_tokens_keeps_its_place_in_the_text() -> None:
    """Some bytes have tokens, F0 has none: `tokenizers` gives the unknown token once a known character follows."""
    tokenizer = character_tokenizer()
    encoding = tokenizer.encode_with_offsets("a\U0001f600\u00fcx")
    assert [tokenizer.token_bytes(token_id) for token_id in encoding.ids.tolist()] == [
        *(b"a", b"<0xC3>", b"<0xBC>", b"<unk>", b"x"),
    ]
    assert encoding.char_offsets.tolist() == [[0, 1], [2, 3], [2, 3], [1, 2], [3, 4]]
