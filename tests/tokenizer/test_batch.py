from typing import Any, Final

import numpy as np
import pytest

from tokenloom.errors import EncodeError
from tokenloom.tokenizer import TokenBatch

DOCUMENTS: Final = [[5, 6], [], [7], [8, 9, 10]]
BATCH: Final = TokenBatch(np.array([5, 6, 7, 8, 9, 10], dtype=np.uint32), np.array([0, 2, 2, 3, 6], dtype=np.int64))


def lists(batch: TokenBatch) -> list[list[int]]:
    return [document.tolist() for document in batch]


@pytest.mark.parametrize("start", [None, 0, 1, 3, 9, -1, -9])
@pytest.mark.parametrize("stop", [None, 0, 2, 4, 9, -2])
@pytest.mark.parametrize("step", [None, 1, 2, -1, -3])
def test_slice_is_a_batch_of_its_documents(start: int | None, stop: int | None, step: int | None) -> None:
    part = BATCH[start:stop:step]
    assert lists(part) == DOCUMENTS[start:stop:step]
    assert (part.ids.dtype, part.starts.dtype) == (BATCH.ids.dtype, BATCH.starts.dtype)


def test_slice_of_neighbours_shares_the_ids() -> None:
    assert np.shares_memory(BATCH[1:].ids, BATCH.ids)


@pytest.mark.parametrize("number", [0, 3, -1, np.int64(2)])
def test_document_is_found_by_its_number(number: Any) -> None:
    assert BATCH[number].tolist() == DOCUMENTS[number]


@pytest.mark.parametrize("number", [4, -5])
def test_number_of_no_document_is_refused(number: int) -> None:
    with pytest.raises(IndexError, match=f"document {number}: this TokenBatch has 4 documents. Use a number"):
        BATCH[number]


@pytest.mark.parametrize("number", ["0", 1.0, None, (0, 1)])
def test_what_is_no_number_is_refused(number: Any) -> None:
    with pytest.raises(TypeError, match=r"is of type \w+\. Use a whole number or a slice"):
        BATCH[number]


def test_counts_read_well() -> None:
    assert repr(BATCH) == "TokenBatch(4 documents, 6 tokens)"
    assert repr(BATCH[2:3]) == "TokenBatch(1 document, 1 token)"


@pytest.mark.parametrize(
    ("ids", "starts", "message"),
    [
        (np.zeros(1, np.int64), np.array([0, 1]), "ids: has dtype int64"),
        (np.zeros(1, np.uint32), np.zeros(0, np.int64), r"starts: has dtype int64 and shape \(0,\)"),
        (np.zeros(1, np.uint32), np.array([0, 2]), "starts: does not rise from 0 to the 1 id"),
    ],
)
def test_arrays_that_are_no_batch_are_an_error_of_this_package(ids: Any, starts: Any, message: str) -> None:
    with pytest.raises(EncodeError, match=f"TokenBatch.{message}"):
        TokenBatch(ids, starts)
