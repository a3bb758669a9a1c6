"""Count files: how often each pretoken occurs in a text, sorted, on the disk, for corpora that outgrow memory.

A count file is an envelope of the kind "pretoken-counts" with one section, "records", a run of the core. Its header
says how the text was cut, since counts that were cut in different ways must not be added. No time, path or number of
threads is in it: the same documents and options give the same bytes, however they were split and in whatever order;
with first positions the order of the documents counts.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, Never

from tokenloom import _core
from tokenloom.errors import FormatError, TokenloomError, TrainingError
from tokenloom.spec.components import UNICODE_VERSION
from tokenloom.storage import open_section, read_header, write_sections
from tokenloom.trainers.count_options import MOST_COUNTED, CountOptions
from tokenloom.trainers.normalizing import NormalizerChanges
from tokenloom.trainers.runs import Read, Run, Write, merge_many

__all__ = [
    "COUNTS_KIND",
    "MOST_TOLD_COUNT",
    "CountHeader",
    "count_histogram",
    "load_counts",
    "merge_count_files",
    "read_count_header",
    "write_count_file",
]

COUNTS_KIND: Final = "pretoken-counts"
MOST_TOLD_COUNT: Final = 1001
"""The last row of a histogram: all counts from here on."""
_RECORDS: Final = "records"
_RESTORE: Final = "Restore the file from a copy, or count again"


@dataclass(frozen=True, slots=True)
class CountHeader:
    """What a count file says of its counts.

    Args:
        options: how the text was cut.
        n_pretokens: distinct pretokens.
        n_bytes: text that was counted: special tokens are left out, and what is merged with a multiplier counts so
            often.
        n_corpus_bytes: text that was read, each once: by how much the positions of a next file are shifted.
        n_occurrences: pretokens, each as often as it occurs.
        n_cut_pretokens: those that were cut because they were longer than `max_pretoken_bytes`.
        changes: what the normalizer changed in the text that was read; None without one.
    """

    options: CountOptions
    n_pretokens: int
    n_bytes: int
    n_corpus_bytes: int
    n_occurrences: int
    n_cut_pretokens: int
    changes: NormalizerChanges | None = None

    def values(self) -> dict[str, Any]:
        """The header as JSON values."""
        sums = {name: getattr(self, name) for name in _SUMS}
        changes = {} if self.changes is None else {"changes": self.changes.values()}
        return {**self.options.values(), "unicode": UNICODE_VERSION, **sums, **changes}

    @classmethod
    def from_values(cls, values: Mapping[str, Any], *, source: str) -> "CountHeader":
        """The inverse of `values`; `source` names the file in errors. Raises: FormatError."""
        if (unicode := values.get("unicode", UNICODE_VERSION)) != UNICODE_VERSION:
            _refuse(
                source, f"its unicode is {unicode!r}, and this tokenloom counts with {UNICODE_VERSION!r}", "Upgrade it"
            )
        try:
            sums = {name: values[name] for name in _SUMS}
            for name, value in sums.items():
                if type(value) is not int or value < 0:
                    _refuse(source, f"its {name} is {value!r}, no number", _RESTORE)
            changes = NormalizerChanges.from_values(values["changes"]) if "changes" in values else None
            return cls(CountOptions.from_values(values), **sums, changes=changes)
        except KeyError as error:
            _refuse(source, f"its header has no {error.args[0]!r}", _RESTORE)
        except FormatError:
            raise
        except (TokenloomError, TypeError, ValueError) as error:
            _refuse(source, f"its header is not what tokenloom writes ({error})", _RESTORE)


_SUMS: Final = ("n_pretokens", "n_bytes", "n_corpus_bytes", "n_occurrences", "n_cut_pretokens")


def read_count_header(path: str | os.PathLike[str]) -> CountHeader:
    """The header of a count file; its counts are not read.

    Raises: CorpusError if there is no such file; FormatError if it is no count file, or was cut.
    """
    return CountHeader.from_values(read_header(path, kind=COUNTS_KIND), source=os.fspath(path))


def load_counts(
    path: str | os.PathLike[str], *, min_count: int = 1, progress: Callable[[int], object] | None = None
) -> _core.PretokenCounts:
    """Read a count file into memory.

    Args:
        path: the file.
        min_count: pretokens that occur less often are passed over.
        progress: called now and then with the bytes read.
    Raises: CorpusError if there is no such file; FormatError if it is no count file, or any byte of it was changed.
    """
    header = read_count_header(path)
    with _opened(path, progress=progress) as read, _named(path):
        counts = _core.PretokenCounts.from_run(read, has_positions=header.options.has_positions, min_count=min_count)
    if min_count == 1 and len(counts) != header.n_pretokens:
        what = f"its header announces {header.n_pretokens:,} pretokens, and it holds {len(counts):,}"
        _refuse(os.fspath(path), what, _RESTORE)
    return counts


def count_histogram(path: str | os.PathLike[str]) -> list[tuple[int, int, int]]:
    """How many distinct pretokens of a count file have each count, and their bytes; nothing is held in memory.

    Returns: count, distinct pretokens, bytes of these, each taken once; ascending, counts from `MOST_TOLD_COUNT` on in
        one row.
    Raises: as `load_counts`.
    """
    header = read_count_header(path)
    with _opened(path) as read, _named(path):
        return _core.run_histogram(read, has_positions=header.options.has_positions)


def write_count_file(
    path: str | os.PathLike[str],
    write_run: Callable[[Write], _core.WrittenRun],
    *,
    options: CountOptions,
    n_corpus_bytes: int,
    n_cut_pretokens: int,
    changes: Callable[[], NormalizerChanges | None] = lambda: None,
) -> CountHeader:
    """Write a count file, which appears when all of its run was written.

    Args:
        path: the file, replaced if it exists.
        write_run: writes the run.
        options: how it was counted.
        n_corpus_bytes: the text that was counted.
        n_cut_pretokens: what was cut in it.
        changes: tells what the normalizer changed, when the run was written.
    Raises: TrainingError if a count does not fit in 64 bits, naming the pretoken; StorageError for a full disk.
    """
    with write_sections(path, kind=COUNTS_KIND) as writer:
        writer.begin(_RECORDS)
        run = write_run(writer.write)
        sums = (run.n_pretokens, run.n_bytes, n_corpus_bytes, run.n_occurrences, n_cut_pretokens)
        header = CountHeader(options, *sums, changes())
        writer.header = header.values()
    return header


def merge_count_files(
    paths: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    multipliers: Sequence[int] | None = None,
    progress: Callable[[int], object] | None = None,
) -> CountHeader:
    """Add count files: the result is that of counting their texts one after the other.

    Args:
        paths: the files; their order counts if they have first positions.
        out: the file that is written.
        multipliers: how often the text of each file counts, from 1; None is once.
        progress: called now and then with the bytes read.
    Raises: FormatError for a file that is no count file or was changed, and for two files that were counted in
        different ways, naming what differs; TrainingError if a count does not fit in 64 bits.
    """
    if not paths:
        raise TrainingError("paths []: is empty, so there is nothing to merge. Name count files.")
    times = list(multipliers or [1] * len(paths))
    if len(times) != len(paths) or any(type(one) is not int or not 1 <= one <= MOST_COUNTED for one in times):
        raise TrainingError(
            f"multipliers {times!r}: must be a whole number from 1 to {MOST_COUNTED:,} for each of {len(paths):,} "
            "files. Use 1 for once."
        )
    headers = [read_count_header(path) for path in paths]
    for path, header in zip(paths[1:], headers[1:], strict=True):
        _refuse_different(path, header.options, paths[0], headers[0].options)
    ends = list(accumulate(header.n_corpus_bytes for header in headers))
    if ends[-1] > MOST_COUNTED:
        raise TrainingError(f"paths: their {ends[-1]:,} bytes of text are too many to count. Merge fewer files.")
    runs = [
        Run(partial(_opened, path), end - header.n_corpus_bytes, multiplier)
        for path, end, header, multiplier in zip(paths, ends, headers, times, strict=True)
    ]
    options = headers[0].options
    merge = partial(merge_many, runs, folder=Path(out).parent, has_positions=options.has_positions, progress=progress)
    try:
        return write_count_file(
            out,
            merge,
            options=options,
            n_corpus_bytes=ends[-1],
            n_cut_pretokens=sum(one * header.n_cut_pretokens for one, header in zip(times, headers, strict=True)),
            changes=partial(_joined_changes, headers),
        )
    except FormatError:
        for path in paths:
            count_histogram(path)  # says which of them it is
        raise


def _joined_changes(headers: Sequence[CountHeader]) -> NormalizerChanges | None:
    """What the normalizer changed in all texts, each once."""
    known = [header.changes for header in headers if header.changes is not None]
    return NormalizerChanges.joined(known) if known else None


def _refuse_different(
    path: str | os.PathLike[str], options: CountOptions, other: str | os.PathLike[str], other_options: CountOptions
) -> None:
    values, other_values = options.values(), other_options.values()
    for name, value in values.items():
        if value != other_values[name]:
            what = f"its {name} is {value!r}, and that of {os.fspath(other)!r} is {other_values[name]!r}"
            _refuse(os.fspath(path), what, "Merge files that were counted alike")


@contextmanager
def _opened(path: str | os.PathLike[str], *, progress: Callable[[int], object] | None = None) -> Iterator[Read]:
    """The records of a count file; the block ends with an error unless every byte of them is right."""
    with open_section(path, kind=COUNTS_KIND, name=_RECORDS) as section:
        n_read = 0

        def read(n_bytes: int) -> bytes:
            nonlocal n_read
            data = section.read(n_bytes)
            n_read += len(data)
            if progress:
                progress(n_read)
            return data

        yield read


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say in which file a record is wrong."""
    try:
        yield
    except FormatError as error:
        if repr(os.fspath(path)) in str(error):
            raise
        raise FormatError(f"{os.fspath(path)!r}: {error}") from error


def _refuse(source: str, what: str, remedy: str) -> Never:
    raise FormatError(f"{source!r}: {what}. {remedy}.")
