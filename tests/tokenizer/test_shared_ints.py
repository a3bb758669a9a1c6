import gc
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tokenloom import Tokenizer

TEXT = "".join(chr(0x4E00 + place) for place in range(200)) * 3


@pytest.fixture
def tokenizer() -> Tokenizer:
    """One whose ids are no small ints, of which Python has one each anyway."""
    return Tokenizer({1000 + byte: bytes([byte]) for byte in range(256)}, [])


def test_lists_share_the_int_of_an_id(tokenizer: Tokenizer) -> None:
    first, second = tokenizer.encode("ab"), tokenizer.encode("ba")
    assert (first[0] is second[1], first[1] is second[0]) == (True, True)


def test_no_reference_is_lost_or_kept(tokenizer: Tokenizer) -> None:
    token_id = tokenizer.encode("a")[0]
    before = sys.getrefcount(token_id)
    for _ in range(100):
        tokenizer.encode("aaa")
    after = sys.getrefcount(token_id)
    assert after == before


def test_lists_outlive_their_tokenizer(tokenizer: Tokenizer) -> None:
    other = Tokenizer(tokenizer.vocabulary, [])
    ids = other.encode(TEXT)
    before = sys.getrefcount(ids[0])
    del other
    gc.collect()
    after = sys.getrefcount(ids[0])
    assert after == before - 1
    assert ids == [1000 + byte for byte in TEXT.encode()]


def test_the_first_lists_of_many_threads_are_right(tokenizer: Tokenizer) -> None:
    expected = [1000 + byte for byte in TEXT.encode()]
    for _ in range(20):
        fresh = Tokenizer(tokenizer.vocabulary, [])
        with ThreadPoolExecutor(4) as pool:
            assert all(ids == expected for ids in pool.map(fresh.encode, [TEXT] * 8))
