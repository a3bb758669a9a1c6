"""Working one item ahead: the next one is read, parsed or encoded while the caller works on this one."""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

__all__ = ["ahead"]

_T = TypeVar("_T")
_END: Final = object()


def ahead(items: Iterator[_T]) -> Generator[_T, None, None]:
    """The items of an iterator, each taken from it while the caller still has the one before.

    That saves time if both sides wait for the disk or release the interpreter, as decompression and the core do. The
    thread lives as long as the generator: it has ended when the items have, when one of them raises, and when the
    generator is closed or an exception such as that of Ctrl-C goes through it; at most one item is waited for.

    >>> list(ahead(iter(["a", "b"])))
    ['a', 'b']
    """
    try:
        with ThreadPoolExecutor(1, thread_name_prefix="tokenloom-ahead") as thread:
            coming = thread.submit(next, items, _END)
            while (item := coming.result()) is not _END:
                coming = thread.submit(next, items, _END)
                yield item  # type: ignore[misc]
    finally:
        if isinstance(items, Generator):
            items.close()  # closes the file that it reads
