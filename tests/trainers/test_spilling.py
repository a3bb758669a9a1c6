"""How many threads count where memory is limited."""

import os
from pathlib import Path

import pytest

from tokenloom import _core
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import CountOptions, count_to_file
from tokenloom.trainers.spilling import LEAST_MEMORY_BYTES

OPTIONS = CountOptions(Pretokenizer("gpt2"))


def test_cores_are_those_that_the_core_would_use() -> None:
    n_cores = _core.available_cores()
    assert 1 <= n_cores <= (os.cpu_count() or 1)
    least = OPTIONS.counter(n_threads=n_cores).memory_bytes
    assert OPTIONS.counter(n_threads=None).memory_bytes == least


@pytest.mark.parametrize(("asked", "room", "used"), [(None, 4, None), (None, 2, 2), (8, 4, 4), (2, 4, 2)])
def test_limit_takes_threads_away_and_never_adds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: int | None, room: int, used: int | None
) -> None:
    """In a container that may use three cores of many, which the system's list of cores does not tell."""
    given: list[int | None] = []
    make = CountOptions.counter

    def counter(options: CountOptions, *, n_threads: int | None) -> _core.PretokenCounter:
        given.append(n_threads)
        return make(options, n_threads=1)

    monkeypatch.setattr(CountOptions, "counter", counter)
    monkeypatch.setattr(_core, "available_cores", lambda: 3)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    limit = room * LEAST_MEMORY_BYTES
    count_to_file([b"the cat"], tmp_path / "counts", options=OPTIONS, memory_limit=limit, n_threads=asked)
    assert given == [used]
