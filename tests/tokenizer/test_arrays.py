"""Arrays that the core makes: their memory, and how long it lives."""

import gc
from typing import Final

import numpy as np
import pytest

from tokenloom import Tokenizer, train

TOKENIZER: Final = train(["the cat in the hat"], 263)


@pytest.mark.parametrize("n_words", [0, 1, 10, 4000, 20_000, 200_000])
def test_an_array_of_any_size_holds_the_ids_of_the_list(n_words: int) -> None:
    """Above 16 KiB the array lies over memory of the core, below it has its own."""
    text = "the cat " * n_words
    ids = TOKENIZER.encode_array(text)
    assert ids.tolist() == TOKENIZER.encode(text)
    assert (ids.dtype.name, ids.ndim, ids.flags.c_contiguous, ids.flags.writeable) == ("uint32", 1, True, True)


@pytest.mark.parametrize("n_words", [10, 100_000])
def test_memory_of_an_array_lives_as_long_as_its_last_view(n_words: int) -> None:
    text = "the hat " * n_words
    expected = TOKENIZER.encode(text)[-5:]
    tail = TOKENIZER.encode_array(text)[-5:]
    spans = TOKENIZER.encode_with_offsets(text).char_offsets[-1:]
    gc.collect()
    others = [np.full(n_words, 7, dtype=np.uint32) for _ in range(20)]
    assert tail.tolist() == expected
    assert spans.tolist() == [[len(text) - 1, len(text)]]
    assert len(others) == 20


@pytest.mark.parametrize("n_words", [10, 100_000])
def test_an_array_may_be_written_to_and_is_nobody_elses(n_words: int) -> None:
    first = TOKENIZER.encode_array("the hat " * n_words)
    second = TOKENIZER.encode_array("the hat " * n_words)
    first[:] = 0
    assert not first.any()
    assert second.all()


def test_spans_may_not_be_written_to() -> None:
    encoding = Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).encode_with_offsets("ab é")
    assert not encoding.byte_offsets.flags.writeable
    assert not encoding.char_offsets.flags.writeable
    assert encoding.byte_offsets.shape == (5, 2)
