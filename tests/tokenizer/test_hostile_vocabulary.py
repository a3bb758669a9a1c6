"""Vocabularies made to be slow to load."""

import signal
import time
from collections.abc import Iterator

import pytest

from tokenloom import Tokenizer
from tokenloom.spec import TokenizerSpec, build_spec


def runs(longest: int) -> TokenizerSpec:
    """All runs of one letter up to a length: each of their borders is a cut."""
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {254 + n: b"a" * n for n in range(2, longest + 1)}
    return build_spec(vocabulary, [], semantics="ranks")


def test_time_to_load_runs_of_one_letter_follows_the_bytes_of_the_vocabulary() -> None:
    spec = runs(1500)
    before = time.process_time()
    tokenizer = Tokenizer.from_spec(spec)
    assert time.process_time() - before < 5
    assert tokenizer.encode(b"a" * 1500) == [1754]
    assert tokenizer.encode("aab") == [256, ord("b")]


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
