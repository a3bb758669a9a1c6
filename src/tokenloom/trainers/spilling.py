"""Counting in bounded memory: a counter that writes down what it holds, sorted, when it has grown to its limit."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Final

from tokenloom import _core
from tokenloom.errors import MemoryLimitError
from tokenloom.trainers.count_files import CountHeader, write_count_file
from tokenloom.trainers.count_options import CountOptions
from tokenloom.trainers.counts import Document, feed
from tokenloom.trainers.normalizing import NormalizerChanges
from tokenloom.trainers.runs import Run, Write, merge_many, temporary_run
from tokenloom.wording import format_bytes

__all__ = ["LEAST_MEMORY_BYTES", "count_to_file"]

LEAST_MEMORY_BYTES: Final = 32_000_000
"""Text that is being counted and the smallest tables of a thread fit into this."""

_CHECKED_BYTES: Final = 1 << 20
"""How often the memory is looked at; the core answers for the next megabyte."""
_LEAST_GROWTH: Final = 2
_HELD_BYTES: Final = 8 << 20
"""Text that is held because it is not sure how it is cut; more is a single pretoken."""
_MOST_SPILLS: Final = 64
"""Runs that lie beside the counter before they are merged into one: each takes a file descriptor."""


def count_to_file(
    documents: Iterable[Document],
    path: Path,
    *,
    options: CountOptions,
    memory_limit: int | None = None,
    n_threads: int | None = None,
    growth: list[tuple[int, int]] | None = None,
) -> CountHeader:
    """Count the pretokens of documents into a count file; no pretoken goes over the end of a document.

    Args:
        documents: read once, one block at a time.
        path: the file; nameless files lie beside it meanwhile.
        options: how documents are cut.
        memory_limit: bytes that the counter may take; None for as many as it needs. The file does not depend on it.
        n_threads: threads to use, fewer if the limit has no room for tables of each; None for one a core. The file does
            not depend on it.
        growth: as for `count_pretokens`, without the point for all of the text; it ends where the limit was first
            reached.
    Raises: MemoryLimitError if a single pretoken outgrows the limit; StorageError if the folder is full.
    """
    with closing(_SpillingCounter(options, path.parent, memory_limit=memory_limit, n_threads=n_threads)) as counter:
        n_corpus_bytes = feed(counter, documents)
        counter.finish()
        header = write_count_file(
            path,
            counter.write_run,
            options=options,
            n_corpus_bytes=n_corpus_bytes,
            n_cut_pretokens=counter.n_cut_pretokens,
            changes=counter.changes,
        )
        if growth is not None:
            growth += counter.growth
        return header


def _fitting_threads(n_threads: int | None, memory_limit: int | None) -> int | None:
    """As many threads as were asked for and have room for tables of their own; a limit never makes them more."""
    most = None if memory_limit is None else max(1, memory_limit // LEAST_MEMORY_BYTES)
    return n_threads if most is None or (n_threads or _core.available_cores()) <= most else most


class _SpillingCounter:
    """What `feed` takes for a counter. Its runs live until it is closed."""

    def __init__(self, options: CountOptions, folder: Path, *, memory_limit: int | None, n_threads: int | None) -> None:
        self._counter = options.counter(n_threads=_fitting_threads(n_threads, memory_limit))
        self._options = options
        self._folder = folder
        self._limit = memory_limit
        self._runs: list[Run] = []
        self._open = ExitStack()  # holds the files of these runs
        self._n_unchecked = self._n_bytes = 0
        self._least = self._counter.memory_bytes

    @property
    def n_cut_pretokens(self) -> int:
        """Pretokens that were cut."""
        return self._counter.n_cut_pretokens

    def changes(self) -> NormalizerChanges | None:
        """What the normalizer changed, once all is counted; None without one."""
        return None if self._options.normalizer is None else NormalizerChanges.of(self._counter)

    @property
    def growth(self) -> list[tuple[int, int]]:
        """The curve of distinct pretokens, up to where the first run was written."""
        return self._counter.growth or []

    def push(self, block: bytes | str, progress: Callable[[int], object] | None = None) -> int:
        """Take the next block of a document; returns the bytes taken so far."""
        if isinstance(block, str) or len(block) <= _CHECKED_BYTES:
            return self._push(block, progress)
        view, n_bytes = memoryview(block), 0
        for start in range(0, len(view), _CHECKED_BYTES):
            n_bytes = self._push(view[start : start + _CHECKED_BYTES], progress)
        return n_bytes

    def end_document(self) -> None:
        """No pretoken goes on in the next document."""
        self._counter.end_document()

    def finish(self) -> None:
        """End the last document and count all that is held."""
        self._counter.end_document()
        self._counter.count_held()

    def write_run(self, write: Write) -> _core.WrittenRun:
        """Write the run of all documents, once."""
        has_positions = self._options.has_positions
        if not self._runs:
            return self._counter.finish_run(write, has_positions=has_positions)
        finish = partial(self._counter.finish_run, has_positions=has_positions)
        with temporary_run(self._folder, finish) as last:
            return merge_many([*self._runs, last], write, folder=self._folder, has_positions=has_positions)

    def close(self) -> None:
        """Let go of all runs."""
        self._open.close()

    def _push(self, block: bytes | str | memoryview, progress: Callable[[int], object] | None) -> int:
        if self._limit is not None and self._n_unchecked + len(block) > _CHECKED_BYTES:
            self._n_unchecked = 0
            self._keep_to(self._limit)
        self._n_unchecked += len(block)
        self._n_bytes = self._counter.push(block, progress)
        return self._n_bytes

    def _keep_to(self, limit: int) -> None:
        """Write down what is held if the core may go over the limit before it is asked again.

        It answers with an upper bound that is never small, so a counter that was just emptied must have doubled it,
        unless it is a pretoken that has no end that takes the memory.
        """
        n_held = self._n_bytes - self._counter.n_counted_bytes
        allowed = limit if n_held > _HELD_BYTES else max(limit, _LEAST_GROWTH * self._least)
        if self._counter.memory_bytes <= allowed:
            return
        if len(self._runs) == _MOST_SPILLS:
            self._join_runs()
        spill = partial(self._counter.spill, has_positions=self._options.has_positions)
        self._runs.append(self._open.enter_context(temporary_run(self._folder, spill)))
        need, n_counted = self._counter.memory_bytes, self._counter.n_counted_bytes
        if need > limit and self._n_bytes - n_counted > _HELD_BYTES:
            raise MemoryLimitError(
                f"memory limit {format_bytes(limit)}: counting needs {format_bytes(need)} at byte {n_counted:,} of the "
                "text, for one pretoken that has no end there. Cut it with --max-pretoken-bytes, much less than this "
                "limit, raise --memory-limit, or choose another pattern."
            )
        self._least = need

    def _join_runs(self) -> None:
        """Make one run of all, and let go of their files, of which a process may have but so many."""
        with self._open:
            joined = ExitStack()
            merge = partial(merge_many, self._runs, folder=self._folder, has_positions=self._options.has_positions)
            self._runs = [joined.enter_context(temporary_run(self._folder, merge))]
        self._open = joined
