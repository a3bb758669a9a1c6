"""What a text may be: str, bytes, bytearray and memoryview, for whatever takes texts."""

from collections.abc import Callable
from threading import Thread
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import bytes_texts
from tokenloom import EncodeError, train
from tokenloom.tokenizer import DocumentEncoder

TOKENIZER: Final = train(["the cat in the hat, the café"], 270, ["<e>"])

KINDS: Final[dict[str, Callable[[bytes], Any]]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "view of bytes": memoryview,
    "part of bytes": lambda data: memoryview(b"<" + data + b">")[1:-1],
    "view of bytearray": lambda data: memoryview(bytearray(data)),
    "read-only view of bytearray": lambda data: memoryview(bytearray(data)).toreadonly(),
    "signed bytes": lambda data: memoryview(data).cast("b").cast("B"),
    "backwards": lambda data: memoryview(data[::-1])[::-1],
    "array": lambda data: np.frombuffer(data + b"x", dtype=np.uint8).copy().data[: len(data)],
}
CALLS: Final[dict[str, Callable[[Any], Any]]] = {
    "encode": TOKENIZER.encode,
    "encode_array": lambda text: TOKENIZER.encode_array(text).tolist(),
    "encode_with_offsets": lambda text: TOKENIZER.encode_with_offsets(text).char_offsets.tolist(),
    "encode_batch": lambda text: TOKENIZER.encode_batch([text, text]).ids.tolist(),
    "encode_iterable": lambda text: list(TOKENIZER.encode_iterable([text, text])),
    "count": TOKENIZER.count,
    "pretokens": TOKENIZER.pretokens,
    "DocumentEncoder": lambda text: DocumentEncoder(TOKENIZER, dtype="uint16").feed([text])[0].tolist(),
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=bytes_texts | st.binary(max_size=40))
@settings(max_examples=30)
def test_the_ids_of_bytes_do_not_depend_on_what_holds_them(kind: str, data: bytes) -> None:
    assert TOKENIZER.encode(KINDS[kind](data)) == TOKENIZER.encode(data)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_takes_texts_takes_them_in_all_kinds(call: str, kind: str) -> None:
    data = b"the caf\xc3\xa9 \xff " * 3
    assert CALLS[call](KINDS[kind](data)) == CALLS[call](data)


@pytest.mark.parametrize("n_bytes", [10, 5000])
def test_a_bytearray_may_change_while_it_is_encoded(n_bytes: int) -> None:
    """What is encoded was copied: nothing reads memory that another thread has freed."""
    text = bytearray(b"the cat " * n_bytes)
    stop: list[bool] = []

    def change() -> None:
        while not stop:
            text.clear()
            text.extend(b"the cat " * n_bytes)

    changer = Thread(target=change)
    changer.start()
    try:
        seen = {TOKENIZER.count(text) for _ in range(300)}
    finally:
        stop.append(True)
        changer.join()
    assert seen <= {0, TOKENIZER.count(b"the cat " * n_bytes)}


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (memoryview(b"abcd").cast("I"), r"a memoryview has format 'I' and shape \(1,\).*Pass view.cast\('B'\)"),
        (memoryview(b"abcd").cast("B", (2, 2)), r"a memoryview has format 'B' and shape \(2, 2\)"),
    ],
)
def test_a_view_of_other_numbers_or_shapes_is_refused(view: memoryview, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        TOKENIZER.encode(view)


@pytest.mark.parametrize("text", [None, 5, ["a"], np.zeros(3, dtype=np.uint8)])
def test_what_is_no_text_is_a_type_error_that_names_what_is(text: Any) -> None:
    with pytest.raises(TypeError, match="a text must be str, bytes, bytearray or memoryview, not "):
        TOKENIZER.encode(text)


def test_a_released_view_is_refused() -> None:
    view = memoryview(b"abc")
    view.release()
    with pytest.raises((TypeError, ValueError)):
        TOKENIZER.encode(view)


@pytest.mark.parametrize("texts", [bytearray(b"ab"), memoryview(b"ab")])
def test_one_text_in_the_place_of_many_is_refused(texts: Any) -> None:
    with pytest.raises(EncodeError, match="is one "):
        TOKENIZER.encode_batch(texts)
