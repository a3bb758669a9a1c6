"""UTF-8 by hand against Python's own codec, and every kind of fault."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.lessons.bytes_and_unicode import (
    Fault,
    bit_pattern,
    decode_byte_by_byte,
    decode_tokens,
    decode_utf8,
    encode_utf8,
    encoded_lengths,
    normal_forms,
    utf8_faults,
)

# Bytes near every border of UTF-8: random bytes alone would seldom build a whole broken character.
TELLING_BYTES = b"a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xf7\xf8\xff"
broken_bytes = st.lists(st.sampled_from(list(TELLING_BYTES)), max_size=12).map(bytes)


@pytest.mark.parametrize(
    ("character", "bits"),
    [
        ("A", "01000001"),
        ("é", "11000011 10101001"),
        ("€", "11100010 10000010 10101100"),
        ("𝄞", "11110000 10011101 10000100 10011110"),
    ],
)
def test_bits_of_a_code_point_fill_its_bytes(character: str, bits: str) -> None:
    assert bit_pattern(encode_utf8(character)) == bits


def test_characters_of_all_planes_are_encoded_and_read_back() -> None:
    points = [*range(0x3000), *range(0x3000, sys.maxunicode + 1, 61), 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
    text = "".join(chr(point) for point in points if not 0xD800 <= point <= 0xDFFF)
    assert encode_utf8(text) == text.encode("utf-8")
    assert decode_utf8(text.encode("utf-8")) == text


def test_a_lone_surrogate_is_refused_with_its_position() -> None:
    with pytest.raises(ValueError, match=r"character 2 .*'\\udc00'.*Remove it"):
        encode_utf8("ab\udc00")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"ab\x80", Fault(2, 1, "continuation without lead")),
        (b"\xff", Fault(0, 1, "impossible byte")),
        (b"\xe4\xbd", Fault(0, 2, "truncated")),
        (b"\xf0\x9f\x8c", Fault(0, 3, "truncated")),
        (b"\xc3\x28", Fault(0, 1, "truncated")),
        (b"\xc0\xaf", Fault(0, 2, "overlong")),
        (b"\xe0\x80\xaf", Fault(0, 3, "overlong")),
        (b"\xf0\x80\x80\xaf", Fault(0, 4, "overlong")),
        (b"\xed\xa0\x80", Fault(0, 3, "surrogate")),
        (b"\xed\xbf\xbf", Fault(0, 3, "surrogate")),
        (b"\xf4\x90\x80\x80", Fault(0, 4, "above U+10FFFF")),
        (b"\xf5", Fault(0, 1, "above U+10FFFF")),
    ],
)
def test_a_fault_has_its_name_and_place(data: bytes, fault: Fault) -> None:
    assert utf8_faults(data) == [fault]


def test_a_beginning_that_cannot_become_a_character_is_not_merely_truncated() -> None:
    assert [fault.kind for fault in utf8_faults(b"\xed\xa0 \xe0\x80 \xf4\x90 \xc1")] == [
        "surrogate",
        "overlong",
        "above U+10FFFF",
        "overlong",
    ]


def test_the_last_characters_before_a_border_are_valid() -> None:
    assert utf8_faults("\x7f\u07ff\ud7ff\ue000\uffff\U0010ffff".encode()) == []


@given(st.binary() | broken_bytes)
def test_replacing_equals_python_on_any_bytes(data: bytes) -> None:
    assert decode_utf8(data, errors="replace") == data.decode("utf-8", errors="replace")


@given(st.binary() | broken_bytes)
def test_faulty_bytes_are_those_that_surrogateescape_escapes(data: bytes) -> None:
    n_escaped = sum("\udc80" <= character <= "\udcff" for character in data.decode("utf-8", errors="surrogateescape"))
    assert sum(fault.n_bytes for fault in utf8_faults(data)) == n_escaped


def test_strict_decoding_names_bytes_place_kind_and_remedy() -> None:
    with pytest.raises(ValueError, match=r"b'\\xc0\\xaf' at byte 3 is not UTF-8 \(overlong\).*errors='replace'"):
        decode_utf8(b"ok \xc0\xaf")


def test_decoding_byte_by_byte_works_only_for_ascii() -> None:
    assert decode_byte_by_byte(b"hello") == "hello"
    with pytest.raises(UnicodeDecodeError):
        decode_byte_by_byte("你".encode())


def test_joining_before_decoding_mends_a_character_cut_in_two() -> None:
    assert decode_tokens([bytes([228, 189]), bytes([160])]) == "你"


def test_what_is_truly_not_utf8_becomes_a_replacement_character() -> None:
    assert decode_tokens([b"\xc3\x28"]) == "\ufffd("
    assert decode_tokens([b"\xe4\xbd"]) == "\ufffd"


def test_two_spellings_of_one_letter_meet_under_normalization() -> None:
    assert "é".encode() != "e\u0301".encode()
    assert (
        normal_forms("é") == normal_forms("e\u0301") == {"NFC": b"\xc3\xa9", "NFD": b"e\xcc\x81", "NFKC": b"\xc3\xa9"}
    )


def test_only_nfkc_replaces_compatibility_characters() -> None:
    forms = normal_forms("①")
    assert forms["NFC"] == forms["NFD"] == "①".encode()
    assert forms["NFKC"] == b"1"


def test_chinese_is_longer_in_utf8_than_in_utf16_and_english_shorter() -> None:
    assert encoded_lengths("你好") == {"UTF-8": 6, "UTF-16": 4, "UTF-32": 8}
    assert encoded_lengths("hello") == {"UTF-8": 5, "UTF-16": 10, "UTF-32": 20}
