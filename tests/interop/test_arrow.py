"""Batches of Arrow's arrays have the ids of the same texts as list."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import hard_texts
from tokenloom import EncodeError, train

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

pytestmark = pytest.mark.interop

TOKENIZER: Final = train(["the cat in the hat, the café 漢字"], 270, ["<e>"])
TYPES: Final = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "binary_view": pa.binary_view(),
}
WAYS: Final[dict[str, Callable[[list[Any], Any], Any]]] = {
    "whole": lambda texts, kind: pa.array(texts, kind),
    "slice": lambda texts, kind: pa.array(["before", "é", *texts, "behind"], kind)[2 : 2 + len(texts)],
    "chunks": lambda texts, kind: pa.chunked_array([texts[:1], [], texts[1:]], kind),
    "slice of chunks": lambda texts, kind: pa.chunked_array([["x", *texts[:2]], [*texts[2:], "y"]], kind)[
        1 : 1 + len(texts)
    ],
    "slice behind a null": lambda texts, kind: pa.array([None, *texts], kind)[1:],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", TYPES)
@given(texts=st.lists(hard_texts | st.sampled_from(["", "a", "the twelve b", "thirteen byte", "x" * 5000]), max_size=6))
@settings(max_examples=15)
def test_arrays_have_the_ids_of_lists(way: str, kind: str, texts: list[str]) -> None:
    batch = TOKENIZER.encode_batch(WAYS[way](texts, TYPES[kind]), allowed_special="all", n_threads=1)
    expected = TOKENIZER.encode_batch(texts, allowed_special="all", n_threads=1)
    assert (batch.ids.tolist(), batch.starts.tolist()) == (expected.ids.tolist(), expected.starts.tolist())


def test_bytes_that_are_no_utf8_are_texts_too() -> None:
    texts = [b"\xff\xfe", b"caf\xc3"]
    assert TOKENIZER.encode_batch(pa.array(texts)).ids.tolist() == TOKENIZER.encode_batch(texts).ids.tolist()


def test_an_array_is_not_copied_and_not_freed_too_early() -> None:
    """Arrow's pool neither grows nor shrinks."""
    texts = pa.chunked_array([["the cat " * 1000] * 50] * 3)
    before = pa.total_allocated_bytes()
    for _ in range(20):
        batch = TOKENIZER.encode_batch(texts)
    assert pa.total_allocated_bytes() == before
    assert batch[149].tolist() == TOKENIZER.encode("the cat " * 1000)
    assert texts[149].as_py() == "the cat " * 1000


@pytest.mark.parametrize("array", [pa.array(["a", None, "b"]), pa.chunked_array([["a"], [None, "b"]])])
def test_nulls_are_refused_with_their_row(array: Any) -> None:
    with pytest.raises(EncodeError, match=r"texts: row 1 is null, which is no text. Drop such rows, or fill them with"):
        TOKENIZER.encode_batch(array)


def test_a_null_at_the_end_of_an_array_of_many_rows_is_found() -> None:
    with pytest.raises(EncodeError, match="row 19 is null"):
        TOKENIZER.encode_batch(pa.array(["x"] * 20 + ["a"] * 19 + [None], pa.string_view())[20:])


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (pa.array([1, 2]), "texts: Int64Array of Arrow's format .l. is no array of strings. Pass one column"),
        (pa.table({"text": ["a"]}), "is no array of strings. Pass one column, cast to a string type"),
        (pa.array(["a", "b"]).dictionary_encode(), "is an array of dictionary codes"),
        (pa.array([["a"]]), "is no array of strings"),
    ],
)
def test_other_arrays_are_refused(array: Any, said: str) -> None:
    with pytest.raises(EncodeError, match=said):
        TOKENIZER.encode_batch(array)


@pytest.mark.parametrize("offsets", [[0, 3, 2], [0, -1, 3], [2, 1, 3]])
def test_offsets_that_fall_are_refused(offsets: list[int]) -> None:
    import numpy as np

    for kind, dtype in ((pa.string(), np.int32), (pa.large_string(), np.int64)):
        buffers = [None, pa.py_buffer(np.array(offsets, dtype=dtype)), pa.py_buffer(b"abc")]
        with pytest.raises(EncodeError, match=r"texts: row \d lies outside its buffer, so the array is damaged"):
            TOKENIZER.encode_batch(pa.Array.from_buffers(kind, 2, buffers))


@pytest.mark.parametrize("words", [(20, 0, 0, 81), (20, 0, 1, 0), (20, 0, -1, 0), (20, 0, 0, -1), (-1, 0, 0, 0)])
def test_views_outside_of_their_buffers_are_refused(words: tuple[int, int, int, int]) -> None:
    import numpy as np

    buffers = [None, pa.py_buffer(np.array(words, dtype=np.int32)), pa.py_buffer(b"x" * 100)]
    with pytest.raises(EncodeError, match=r"texts: row 0 lies outside its buffer"):
        TOKENIZER.encode_batch(pa.Array.from_buffers(pa.string_view(), 1, buffers))
