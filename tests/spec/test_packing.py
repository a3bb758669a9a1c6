from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tokenloom.spec.packing import first_fall, highest, pack_arena, pack_uint32, unpack_arena, unpack_uint32


def test_numbers_are_little_endian_on_every_machine() -> None:
    assert pack_uint32([0x01020304]) == b"\x04\x03\x02\x01"


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_numbers_come_back(values: list[int]) -> None:
    assert unpack_uint32(pack_uint32(values)).tolist() == values


@given(st.lists(st.binary(max_size=5)))
def test_strings_come_back_with_the_empty_ones(strings: list[bytes]) -> None:
    assert unpack_arena(*pack_arena(strings)) == strings


@given(st.lists(st.integers(0, 5) | st.integers(0, 2**32 - 1)))
def test_falls_and_the_highest_number_are_found(values: list[int]) -> None:
    falls = [place for place, (value, after) in enumerate(pairwise(values)) if value > after]
    assert first_fall(pack_uint32(values)) == min(falls, default=None)
    assert highest(pack_uint32(values)) == max(values, default=0)
