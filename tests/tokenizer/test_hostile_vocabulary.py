"""Vocabularies made to be slow to load, or to encode with."""

import signal
import time
from collections.abc import Iterator

import pytest

from tokenloom import Tokenizer
from tokenloom.spec import Pretokenizer, TokenizerSpec, build_spec


def runs(longest: int) -> TokenizerSpec:
    """All runs of one letter up to a length: each of their borders is a cut."""
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {254 + n: b"a" * n for n in range(2, longest + 1)}
    return build_spec(vocabulary, [], pretokenizer=Pretokenizer("none"), semantics="ranks")


def test_time_to_load_runs_of_one_letter_follows_the_bytes_of_the_vocabulary() -> None:
    spec = runs(1500)
    before = time.process_time()
    tokenizer = Tokenizer.from_spec(spec)
    assert time.process_time() - before < 5
    assert tokenizer.encode(b"a" * 1500) == [1754]
    assert tokenizer.encode("aab") == [256, ord("b")]


@pytest.mark.parametrize("n_bytes", [751, 3001, 100_001])
def test_time_to_encode_a_run_follows_its_bytes_where_long_tokens_do_not_get_on(n_bytes: int) -> None:
    """Merging doubles tokens up to 128 letters; longer ones are tried by the search for the longest all the time."""
    tokenizer = Tokenizer.from_spec(runs(250))
    before = time.process_time()
    ids = tokenizer.encode(b"a" * n_bytes)
    assert time.process_time() - before < 1
    assert set(ids[:-1]) == {254 + 128}
    assert tokenizer.decode_bytes(ids) == b"a" * n_bytes


@pytest.fixture
def interrupted() -> Iterator[None]:
    """The alarm raises an exception, as Ctrl-C does."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_loading_can_be_interrupted(interrupted: None) -> None:
    spec = runs(3000)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    with pytest.raises(KeyboardInterrupt):
        Tokenizer.from_spec(spec)
