"""From a corpus to a folder of counts: what training needs to know of it, made once and used often.

pretokens.counts  the count file
provenance.json   what was read: sources, groups, what was left out
manifest.json     written last; the folder is complete if it verifies
.run.json         what was asked for, so that a repeated command is known; no part of the result
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from tokenloom.corpus import Source, list_sources, refuse_output
from tokenloom.engine import claimed_work, remove_work
from tokenloom.errors import StorageError, TrainingError
from tokenloom.jobs.counting import CorpusCounts, CountPlan, count_sources
from tokenloom.jobs.measure import Stage, measured
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.train_counts import COUNTS_FILE, counts_file_of, refuse_input_in
from tokenloom.storage import FileRow, atomic_write, measure_file, write_manifest
from tokenloom.storage.atomic import folder_errors, is_temporary, place_file
from tokenloom.storage.canonical import canonical_json
from tokenloom.storage.manifest import BESIDE, MANIFEST, WORK_FOLDER, manifest_kind
from tokenloom.storage.run_record import compare_runs, read_run, write_run
from tokenloom.trainers import (
    COUNTS_KIND,
    MOST_COUNTED,
    CountHeader,
    Progress,
    merge_count_files,
    read_count_header,
)

__all__ = ["CountRun", "count_corpus", "is_counted", "merge_counts"]

PROVENANCE_FILE: Final = "provenance.json"
_RUN: Final = ".run.json"


@dataclass(frozen=True, slots=True)
class CountRun:
    """What a counting or a merge did.

    Args:
        folder: where the counts lie.
        header: what their file says.
        stages: what took time; none if nothing was left to do.
        sources: the files of the corpus.
        counts: what was read of them; None if nothing was left to do, and for a merge.
        resources: what might be taken of the machine.
        was_complete: an earlier run with the same command had done all of it.
    """

    folder: Path
    header: CountHeader
    stages: tuple[Stage, ...] = ()
    sources: tuple[Source, ...] = ()
    counts: CorpusCounts | None = None
    resources: Resources = Resources()  # noqa: RUF009 - a frozen value
    was_complete: bool = False


def count_corpus(
    paths: Sequence[str | os.PathLike[str]],
    plan: CountPlan,
    *,
    out: str | os.PathLike[str],
    resources: Resources = Resources(),  # noqa: B008 - a frozen value
    progress: Progress | None = None,
) -> CountRun:
    """Count the pretokens of a corpus into a folder.

    The same call goes on where a run was stopped. The count file depends on the documents and the plan alone.

    Args:
        paths: files, folders and glob patterns, each also as `NAME=PATH` for a group.
        plan: how they are counted.
        out: the folder, new or empty, or that of the same run.
        resources: what may be taken of the machine.
        progress: called with the stage (`"count"`), how much text is done and how much there is.
    Raises: as `count_sources`; StorageError if the folder cannot be used, or was begun by another run.
    """
    sources = list_sources(paths, plan.documents)
    refuse_output(sources, out)
    folder = Path(out)
    run = plan.run(sources)
    if done := _done(folder, run, sources, resources):
        return done
    stages: list[Stage] = []
    with claimed_work(folder, run, free=plan.FREE) as work:
        if done := _done(folder, run, sources, resources):  # another process has just done it
            return done
        with measured(stages, "count") as stage:
            counts = count_sources(sources, plan, work=work, resources=resources, progress=progress)
            stage.n_bytes = counts.n_text_bytes
        rows = [
            {"name": row.name, "group": row.group, "n_documents": row.n_docs, "n_bytes": row.n_bytes}
            for row in counts.sources
        ]
        known = {COUNTS_FILE: counts.row}
        with _finished(folder, run, counts.provenance() | {"sources": rows}, known=known):
            place_file(counts.path, folder / COUNTS_FILE)
        remove_work(folder)
    return CountRun(folder, counts.header, tuple(stages), tuple(sources), counts, resources)


def merge_counts(
    paths: Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    multipliers: Mapping[str, int] | None = None,
    progress: Progress | None = None,
) -> CountRun:
    """Add counts: the result is that of counting all their texts, one after the other, in one run.

    Args:
        paths: count files, and folders that `tokenloom count-pretokens` wrote.
        out: the folder, new or empty, or that of the same merge.
        multipliers: for paths, as they are written in `paths`, how often their text counts; once for the others.
        progress: called with `"merge counts"`, bytes of count files read and how many there are.
    Raises: CorpusError for a file that lies in the output folder; FormatError for what is no count file, or two that
        were counted in different ways, naming what differs; StorageError as `count_corpus`; TrainingError for a
        multiplier that is out of its range or of what is not merged, or a count that outgrows 64 bits, naming the
        pretoken.
    """
    refuse_output((), out)
    names = [os.fspath(path) for path in paths]
    times = _times(names, multipliers or {})
    files = [counts_file_of(path) for path in paths]
    parts = [
        {"sha256": measure_file(file.parent, file.name).sha256, "multiplier": multiplier}
        for file, multiplier in zip(files, times, strict=True)
    ]
    folder = Path(out)
    for file in files:
        refuse_input_in(folder, file)
    run = {"sources": [{"name": f"counts {number}", **part} for number, part in enumerate(parts, 1)]}
    if done := _done(folder, run):
        return done
    stages: list[Stage] = []
    n_bytes = sum(file.stat().st_size for file in files)
    report = (lambda done: progress("merge counts", min(done, n_bytes), n_bytes)) if progress else None
    with claimed_work(folder, run) as work:
        if done := _done(folder, run):
            return done
        with measured(stages, "merge counts"):
            header = merge_count_files(files, work / COUNTS_FILE, multipliers=times, progress=report)
        with _finished(folder, run, {"merged": parts}):
            place_file(work / COUNTS_FILE, folder / COUNTS_FILE)
        remove_work(folder)
    return CountRun(folder, header, tuple(stages))


def _times(names: Sequence[str], multipliers: Mapping[str, int]) -> list[int]:
    """How often the text of each name counts."""
    for name, times in multipliers.items():
        if name not in names:
            raise TrainingError(
                f"multiplier of {name!r}: it is not among what is merged. Use one of {', '.join(map(repr, names))}."
            )
        if type(times) is not int or not 1 <= times <= MOST_COUNTED:
            raise TrainingError(
                f"multiplier {times!r} of {name!r}: must be a whole number from 1 to {MOST_COUNTED:,}. Use 1 for once."
            )
    return [multipliers.get(name, 1) for name in names]


def is_counted(folder: Path, run: Mapping[str, Any]) -> bool:
    """Whether a folder holds the complete counts of a run; nothing is written.

    Raises: StorageError if it is no folder, or holds anything else, naming what differs of another run.
    """
    with folder_errors(folder):
        names = {entry.name for entry in folder.iterdir()}
    ours = {COUNTS_FILE, PROVENANCE_FILE, MANIFEST, WORK_FOLDER, _RUN, *BESIDE}
    others = sorted(name for name in names - ours if not is_temporary(name))
    if others or manifest_kind(folder) not in {None, COUNTS_KIND}:
        what = f"the first is {others[0]!r}" if others else f"it holds a {manifest_kind(folder)!r}"
        raise StorageError(f"{str(folder)!r}: it holds other files ({what}). Choose a new or empty folder.")
    if MANIFEST not in names:
        return False
    compare_runs(folder, read_run(folder / _RUN) or {}, run)
    return True


def _done(
    folder: Path,
    run: Mapping[str, Any],
    sources: Sequence[Source] = (),
    resources: Resources = Resources(),  # noqa: B008 - a frozen value
) -> CountRun | None:
    """Make the folder, or see that it is this run's own; what it holds if it is complete.

    Raises: StorageError if it cannot be made or holds anything else.
    """
    with folder_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if not is_counted(folder, run):
        return None
    remove_work(folder)  # the run may have been killed before it came to that
    header = read_count_header(folder / COUNTS_FILE)
    return CountRun(folder, header, sources=tuple(sources), resources=resources, was_complete=True)


@contextmanager
def _finished(
    folder: Path,
    run: Mapping[str, Any],
    provenance: Mapping[str, Any],
    *,
    known: Mapping[str, FileRow] = MappingProxyType({}),
) -> Iterator[None]:
    """Complete the folder when the block has put the count file there; its row may be known."""
    yield
    write_run(folder / _RUN, run)
    with atomic_write(folder / PROVENANCE_FILE) as file:
        file.write(canonical_json(dict(provenance)))
    for entry in folder.iterdir():
        if is_temporary(entry.name):  # what a kill has left
            entry.unlink(missing_ok=True)
    write_manifest(folder, [COUNTS_FILE, PROVENANCE_FILE], kind=COUNTS_KIND, known=known)
