import threading
from collections.abc import Iterator

import pytest

from tokenloom.engine import ahead


def n_reading() -> int:
    return sum(thread.name.startswith("tokenloom-ahead") for thread in threading.enumerate())


def test_items_come_in_order_and_the_thread_ends() -> None:
    assert list(ahead(iter(range(100)))) == list(range(100))
    assert n_reading() == 0


def test_no_items_are_none() -> None:
    assert list(ahead(iter(()))) == []


def test_next_item_is_read_while_the_caller_has_the_one_before() -> None:
    second_was_asked_for = threading.Event()

    def items() -> Iterator[str]:
        yield "first"
        second_was_asked_for.set()
        yield "second"

    coming = ahead(items())
    assert next(coming) == "first"
    assert second_was_asked_for.wait(timeout=60)
    coming.close()


def test_closed_early_it_leaves_no_thread() -> None:
    coming = ahead(iter(range(100)))
    next(coming)
    assert n_reading() == 1
    coming.close()
    assert n_reading() == 0


@pytest.mark.parametrize("error", [OSError("disk"), KeyboardInterrupt()])
def test_what_an_item_raises_reaches_the_caller_and_ends_the_thread(error: BaseException) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise error

    coming = ahead(items())
    assert next(coming) == 1
    with pytest.raises(type(error)):
        next(coming)
    assert n_reading() == 0


def test_what_the_caller_raises_ends_the_thread() -> None:
    def work() -> None:
        for _ in ahead(iter(range(100))):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert n_reading() == 0


def test_closed_early_it_closes_what_it_reads_from() -> None:
    is_closed = []

    def items() -> Iterator[int]:
        try:
            yield from range(100)
        finally:
            is_closed.append(True)

    source = items()
    coming = ahead(source)
    next(coming)
    coming.close()
    assert is_closed == [True]
