"""The wire format of Protocol Buffers, with bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.errors import FormatError
from tokenloom.formats.protobuf import bytes_field, float_field, number_field, read_message


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    return [(field.number, field.value) for field in read_message(data, place="x.model", name="the model")]


@given(
    st.lists(
        st.tuples(st.integers(1, 2**29 - 1), st.integers(0, 2**64 - 1) | st.binary(max_size=200)),
        max_size=8,
    )
)
def test_fields_come_back_as_they_were_written(given_fields: list[tuple[int, int | bytes]]) -> None:
    data = b"".join(
        number_field(number, value) if isinstance(value, int) else bytes_field(number, value)
        for number, value in given_fields
    )
    assert fields(data) == given_fields


def test_a_negative_number_has_64_bits() -> None:
    assert fields(number_field(43, -1)) == [(43, 2**64 - 1)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x0a\x03ab", "byte 0: the model has 3 bytes in field 1, and 2 are left"),
        (b"\x0a\xff\xff\xff\xff\x0f", "byte 0: the model has 4294967295 bytes in field 1, and 0 are left"),
        (b"\x10\x01\x0a", "byte 2: the model ends within a number, so the file was probably cut"),
        (b"\x10\x80\x80", "byte 0: the model ends within a number"),
        (b"\x10" + b"\x80" * 10 + b"\x01", "byte 0: the model has a number of more than 64 bits"),
        (b"\x10" + b"\xff" * 9 + b"\x02", "byte 0: the model has a number of more than 64 bits"),
        (b"\x15\0\0", "byte 0: the model has 4 bytes in field 2, and 2 are left"),
        (b"\x11\0\0", "byte 0: the model has 8 bytes in field 2, and 2 are left"),
        (b"\x0b", "byte 0: the model has a field of number 1 and kind 3, which there is not"),
        (b"\x02\x00", "byte 0: the model has a field of number 0 and kind 2"),
    ],
)
def test_what_is_cut_or_wrong_is_refused_by_its_byte(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=rf"x\.model, {message}"):
        fields(data)


def test_values_of_another_kind_are_refused() -> None:
    (number,) = read_message(number_field(3, 7), place="x.model", name="piece 4")
    for read in (number.data, number.text, number.score, number.flag):
        with pytest.raises(FormatError, match=r"x\.model, byte 0: piece 4 has (a number|7) in field 3, which"):
            read()
    (data,) = read_message(bytes_field(3, b"\xff"), place="x.model", name="piece 4")
    with pytest.raises(FormatError, match="has bytes with a length in field 3, which holds a number"):
        data.whole_number()
    with pytest.raises(FormatError, match="has text in field 3 that is not UTF-8 at byte 2"):
        data.text()


@pytest.mark.parametrize("bits", [b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\x80\xff"])
def test_scores_that_are_no_numbers_are_refused(bits: bytes) -> None:
    (field,) = read_message(b"\x15" + bits, place="x.model", name="piece 4")
    with pytest.raises(FormatError, match=r"piece 4 has (nan|inf|-inf) in field 2\. Use a finite number"):
        field.score()


@pytest.mark.parametrize("value", [0.1, 1e300, 2.0**-160])
def test_a_float_that_needs_more_bits_is_refused(value: float) -> None:
    with pytest.raises(FormatError, match="is no float of four bytes"):
        float_field(2, value)
