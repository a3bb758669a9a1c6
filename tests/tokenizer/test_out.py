"""Ids into an array of the caller."""

import ctypes
from array import array
from typing import Any, Final

import numpy as np
import pytest

from tokenloom import EncodeError, Tokenizer
from tokenloom.spec import Template, build_spec

VOCABULARY: Final = {byte: bytes([byte]) for byte in range(256)}
BYTES: Final = Tokenizer(VOCABULARY, [], ["<e>"], special_text="parse")
WIDE: Final = Tokenizer(VOCABULARY | {70_000: b"th"}, [(b"t", b"h")])


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
def test_the_start_of_an_array_is_filled_and_returned_as_a_view(dtype: Any) -> None:
    out = np.full(5, 9, dtype=dtype)
    ids = BYTES.encode_array("abc", out=out)
    assert (ids.tolist(), ids.dtype, ids.base is out) == ([97, 98, 99], dtype, True)
    assert out.tolist() == [97, 98, 99, 9, 9]


@pytest.mark.parametrize(
    "out",
    [
        array("H", [9] * 4),
        array("I", [9] * 4),
        memoryview(bytearray(16)).cast("I"),
        (ctypes.c_uint16 * 4)(9, 9, 9, 9),
        (ctypes.c_uint32 * 4)(9, 9, 9, 9),
    ],
)
def test_other_buffers_are_filled_as_arrays_are(out: Any) -> None:
    ids = BYTES.encode_array("a<e>", out=out)
    assert (ids.tolist(), list(out)[:2]) == ([97, 256], [97, 256])


def test_ids_around_a_text_are_written_too() -> None:
    spec = build_spec(VOCABULARY, [], ["<s>"], postprocessor=Template((256, "A"), ("A", "B")))
    out = np.zeros(3, dtype=np.uint16)
    ids = Tokenizer.from_spec(spec).encode_array("ab", add_special_tokens=True, out=out)
    assert ids.tolist() == out.tolist() == [256, 97, 98]


def test_a_part_of_an_array_is_filled_where_it_is() -> None:
    out = np.zeros((3, 4), dtype=np.uint32)
    BYTES.encode_array("xy", out=out[1, 1:])
    assert out.tolist() == [[0] * 4, [0, 120, 121, 0], [0] * 4]


def test_an_array_that_fits_exactly_and_an_empty_one_are_enough() -> None:
    assert BYTES.encode_array("ab", out=np.zeros(2, dtype=np.uint16)).tolist() == [97, 98]
    assert BYTES.encode_array("", out=np.zeros(0, dtype=np.uint32)).tolist() == []


def unaligned(dtype: Any) -> "np.ndarray[Any, Any]":
    return np.frombuffer(bytearray(41), dtype=np.uint8)[1:].view(dtype)


def read_only() -> "np.ndarray[Any, Any]":
    out = np.zeros(9, dtype=np.uint32)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    ("out", "said"),
    [
        (np.full(3, 9, dtype=np.uint32), "out: has room for 3, and the ids are 4. Pass a longer array; see `count`"),
        (np.full(3, 9, dtype=np.uint16), "out: has room for 3, and the ids are 4"),
        (read_only(), "out: is read-only. Pass an array that may be written to"),
        (bytes(16), "out: is read-only"),
        (np.full(9, 9, dtype=np.int64), r"out: has int64 \(format .l.\). Pass an array of uint32 or uint16; of bytes"),
        (np.full(9, 9, dtype=np.int32), "out: has int32 "),
        (np.full(9, 9, dtype=np.float32), "out: has float32 "),
        (np.full(9, 9, dtype=">u4"), "out: has uint32 in another order of bytes "),
        (bytearray(16), r"out: has uint8 .*memoryview\(them\).cast\('I'\)"),
        ((ctypes.c_int64 * 9)(*[9] * 9), "out: has int64 "),
        ((ctypes.c_uint32.__ctype_be__ * 9)(), "out: has uint32 in another order of bytes "),
        (unaligned(np.uint32), "out: begins at an address that is no multiple of 4, .* Pass a new array"),
        (unaligned(np.uint16), "out: begins at an address that is no multiple of 2, .* Pass a new array"),
        (np.array(9, dtype=np.uint32), "out: is of type ndarray, which has no row of numbers"),
        (
            np.full((3, 3), 9, dtype=np.uint32),
            "out: has shape .3, 3. and strides .12, 4.*Pass an array of one dimension",
        ),
        (np.full(9, 9, dtype=np.uint32)[::2], "out: has shape .5. and strides .8., and ids go into one row"),
        ([0] * 9, "out: is of type list, which has no row of numbers to write to. Pass an array of uint32"),
    ],
)
def test_what_cannot_be_filled_is_refused_and_stays_as_it_was(out: Any, said: str) -> None:
    before = bytes(memoryview(out)) if not isinstance(out, list) else out
    with pytest.raises(EncodeError, match=said):
        BYTES.encode_array("abcd", out=out)
    assert (bytes(memoryview(out)) if not isinstance(out, list) else out) == before


def test_an_id_that_does_not_fit_is_named_and_nothing_is_written() -> None:
    out = np.zeros(9, dtype=np.uint16)
    assert WIDE.encode_array("at", out=out).tolist() == [97, 116]
    out[:] = 7
    with pytest.raises(EncodeError, match=r"out: id 70000 at position 2 does not fit uint16. Pass an array of uint32"):
        WIDE.encode_array("a the", out=out)
    assert out.tolist() == [7] * 9


def test_a_text_that_is_refused_leaves_the_array_as_it_was() -> None:
    out = np.full(9, 7, dtype=np.uint32)
    with pytest.raises(EncodeError, match="special token"):
        BYTES.encode_array("ab<e>", disallowed_special="all", out=out)
    assert out.tolist() == [7] * 9
