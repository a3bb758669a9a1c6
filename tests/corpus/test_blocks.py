from collections.abc import Iterator

import pytest

from tokenloom import train
from tokenloom.corpus import Block, DocumentParts, SkippedRecords, documents
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import count_pretokens


def block(*texts: bytes, is_open: bool = False) -> Block:
    return Block(list(texts), is_open, sum(map(len, texts)), 0)


def over_three_blocks() -> Iterator[Block]:
    yield block(b"whole", b"the", is_open=True)
    yield block(b" cat", is_open=True)
    yield block(b" sat", b"next", b"la", is_open=True)
    yield block(b"st")


def test_documents_are_whole_or_in_parts() -> None:
    found = [[item] if isinstance(item, bytes) else list(item) for item in documents(over_three_blocks())]
    assert found == [[b"whole"], [b"the", b" cat", b" sat"], [b"next"], [b"la", b"st"]]


@pytest.mark.parametrize("n_taken", [0, 1, 2])
def test_parts_that_are_not_taken_are_passed_over(n_taken: int) -> None:
    found = []
    for item in documents(over_three_blocks()):
        found.append([item] if isinstance(item, bytes) else [next(item) for _ in range(n_taken)])
    assert found == [[b"whole"], [b"the", b" cat", b" sat"][:n_taken], [b"next"], [b"la", b"st"][:n_taken]]


def test_blocks_are_read_when_they_are_needed() -> None:
    blocks = over_three_blocks()
    found = documents(blocks)
    assert next(found) == b"whole"
    parts = next(found)
    assert isinstance(parts, DocumentParts)
    assert next(parts) == b"the"
    assert next(blocks).texts == [b" cat"]


def test_no_blocks_have_no_documents() -> None:
    assert list(documents([])) == []


def test_pretokens_are_counted_over_blocks_and_never_over_documents() -> None:
    counts = count_pretokens(documents(over_three_blocks()), pretokenizer=Pretokenizer("none"))
    assert sorted(counts.items()) == [(b"last", 1), (b"next", 1), (b"the cat sat", 1), (b"whole", 1)]


def test_training_takes_documents_of_blocks() -> None:
    whole = ["whole", "the cat sat", "next", "last"]
    assert train(documents(over_three_blocks()), 260).merges == train(whole, 260).merges


def test_the_first_hundred_skipped_records_are_kept_and_all_are_counted() -> None:
    skipped = SkippedRecords()
    for number in range(250):
        skipped.add(f"a, line {number}: is broken")
    assert skipped.n_skipped == 250
    assert (len(skipped.examples), skipped.examples[-1]) == (100, "a, line 99: is broken")
