import io
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest

from tokenloom.shards.layout import EdgeToken, ShardHeader, SourceRow, npy_header, smallest_dtype

HEADER = ShardHeader(
    dtype="uint16",
    vocabulary_size=257,
    tokenizer_fingerprint="0" * 64,
    n_docs=3,
    n_tokens=10,
    n_text_bytes=12,
    shard_tokens=4,
    begin_of_document=None,
    end_of_document=EdgeToken("<|end|>", 256),
    document_separator="0a",
    text_field="text",
    special_text="plain",
    n_special_tokens={"<|end|>": 1},
    sources=(SourceRow("a.txt", "text", "none", 14, 12, 3, 0),),
)


@pytest.mark.parametrize(("vocabulary_size", "n_bits"), [(65_535, 16), (65_536, 16), (65_537, 32), (1, 16)])
def test_largest_id_decides_the_type(vocabulary_size: int, n_bits: int) -> None:
    assert np.dtype(smallest_dtype(vocabulary_size)).itemsize * 8 == n_bits


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "int64"])
@pytest.mark.parametrize("n_items", [0, 1, 3, 2**31, 2**40])
def test_numpy_reads_our_header(dtype: Literal["uint16", "uint32", "int64"], n_items: int) -> None:
    file = io.BytesIO(npy_header(dtype, n_items))
    assert np.lib.format.read_magic(file) == (1, 0)
    assert np.lib.format.read_array_header_1_0(file) == ((n_items,), False, np.dtype(dtype).newbyteorder("<"))
    assert file.tell() == 128


def test_ids_near_the_limits_of_two_bytes_come_back() -> None:
    ids = np.array([50_000, 65_535], dtype="<u2")
    assert np.load(io.BytesIO(npy_header("uint16", 2) + ids.tobytes())).tolist() == [50_000, 65_535]


def test_header_comes_back_from_its_values() -> None:
    assert ShardHeader.from_values(HEADER.values()) == HEADER


def test_last_shard_takes_what_is_left() -> None:
    assert HEADER.shards == {"tokens-00000.npy": 4, "tokens-00001.npy": 4, "tokens-00002.npy": 2}
    assert replace(HEADER, n_tokens=8).shards == {"tokens-00000.npy": 4, "tokens-00001.npy": 4}
    assert replace(HEADER, n_tokens=0).shards == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dtype": "int16"}, "dtype 'int16' is unknown"),
        ({"n_tokens": -1}, "n_tokens -1 is no count"),
        ({"n_tokens": True}, "n_tokens True is no count"),
        ({"shard_tokens": 0}, "shard_tokens is 0"),
        ({"document_separator": "zz"}, "document_separator 'zz' is no hex"),
        ({"end_of_document": {"content": "x"}}, "end_of_document {'content': 'x'} is no token"),
        ({"sources": [{}]}, "sources are no list of input files"),
        ({"n_docs": 4}, "n_docs 4 is not the sum of its sources"),
        ({"n_special_tokens": {"x": "y"}}, "n_special_tokens {'x': 'y'} are no counts"),
        ({"text_field": 3}, "text_field 3 is no text"),
        ({"more": 1}, "'more' is unknown"),
    ],
)
def test_header_that_no_run_writes_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}".replace("{", r"\{").replace("[", r"\[")):
        ShardHeader.from_values(HEADER.values() | change)


def test_header_that_lacks_a_value_is_refused() -> None:
    values = HEADER.values()
    del values["n_docs"]
    with pytest.raises(ValueError, match="'n_docs' is missing"):
        ShardHeader.from_values(values)
