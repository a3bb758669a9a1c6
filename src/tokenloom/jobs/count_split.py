"""One split of a corpus to one count file: the task that counting consists of, on this machine or on others."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tokenloom.corpus import Block, DocumentOptions, Selection, SkippedRecords, Source, Split, read_split
from tokenloom.corpus import documents as documents_of
from tokenloom.corpus.json_lines import LineMemory
from tokenloom.engine import Outcome, Record, Report, Task, ahead
from tokenloom.jobs.reading import FileReading
from tokenloom.jobs.run_identity import document_values
from tokenloom.trainers import CountOptions, count_to_file

__all__ = ["SourceCount", "SplitCount", "line_memory_of", "split_task"]

_FREE_LINE_BYTES: Final = 4 << 20
"""A line of JSONL that may be as long whatever the limit: so much more is no news beside the blocks of a file."""
_LINE_SHARE: Final = 32
"""Of the limit of a process, the part that a line of JSONL may be long."""
_LINE_COPIES: Final = 6
"""Its pieces, the line, its text as str and as bytes, and the text before it, which is being counted; measured, 5.3."""


@dataclass(frozen=True, slots=True)
class SourceCount:
    """What was read of one source.

    Args:
        name: of the source.
        group: that it belongs to; `""` for none.
        n_docs: documents that were counted.
        n_bytes: their text.
    """

    name: str
    group: str
    n_docs: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class SplitCount:
    """What the task of a split has done.

    Args:
        path: its count file.
        group: of its sources.
        sources: what was read of each, in their order.
        skipped: the broken records that were left out.
        growth: distinct pretokens against bytes, from the beginning of the split.
    """

    path: Path
    group: str
    sources: tuple[SourceCount, ...]
    skipped: SkippedRecords
    growth: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, split: Split, record: Record, folder: Path) -> "SplitCount":
        """What a completion record says."""
        facts = record.facts
        (name,) = record.files
        return cls(
            folder / name,
            split.group,
            tuple(SourceCount(*row) for row in facts["sources"]),
            SkippedRecords(facts["n_skipped"], list(facts["skipped"])),
            tuple((n_bytes, n_distinct) for n_bytes, n_distinct in facts["growth"]),
        )


def split_task(
    split: Split,
    *,
    options: CountOptions,
    documents: DocumentOptions,
    selection: Selection,
    memory_limit: int | None,
    limit_for: Callable[[int], int],
    n_threads: int | None,
) -> Task:
    """The task that counts a split; see `count_sources` for the arguments.

    `memory_limit` is that of its process, and `limit_for` gives what `--memory-limit` must be for another one.
    """
    description = {
        "split": split.to_json(),
        "counting": options.values(),
        "documents": document_values(documents),
        "selection": selection.to_json(),
    }
    settings = {"memory_limit": memory_limit, "limit_for": limit_for, "n_threads": n_threads, "documents": documents}
    return Task(f"split-{split.name}", _count_split, description, settings)


def line_memory_of(task: Task) -> LineMemory | None:
    """What the task of a split has for a line of JSONL; None for any, and where it reads none."""
    split = Split.from_json(task.description["split"])
    return _shares_of(task.settings["memory_limit"], task.settings["limit_for"], split)[0]


def _count_split(task: Task, folder: Path, report: Report) -> Outcome:
    asked = task.description
    split = Split.from_json(asked["split"])
    selection = Selection.from_json(asked["selection"])
    line_memory, memory_limit = _shares_of(task.settings["memory_limit"], task.settings["limit_for"], split)
    reading = _SplitReading(split, task.settings["documents"], selection, report, line_memory)
    growth: list[tuple[int, int]] = []
    name = f"{task.name}.counts"
    with closing(ahead(reading.blocks())) as blocks:
        count_to_file(
            documents_of(blocks),
            folder / name,
            options=CountOptions.from_values(asked["counting"]),
            memory_limit=memory_limit,
            n_threads=task.settings["n_threads"],
            growth=growth,
        )
    report(reading.n_text_bytes, split.n_file_bytes)
    return Outcome({name: None}, {**reading.facts(), "growth": [list(point) for point in growth]})


def _shares_of(
    memory_limit: int | None, limit_for: Callable[[int], int], split: Split
) -> tuple[LineMemory | None, int | None]:
    """What there is for a line of JSONL, and what is left of the limit for tables beside it."""
    if memory_limit is None or all(part.source.format != "jsonl" for part in split.parts):
        return None, memory_limit
    most = max(_FREE_LINE_BYTES, memory_limit // _LINE_SHARE)
    memory = LineMemory(most, lambda n_line_bytes: limit_for(n_line_bytes * _LINE_SHARE))
    return memory, memory_limit - _LINE_COPIES * (most - _FREE_LINE_BYTES)


class _SplitReading:
    """The blocks of a split on their way, and account of them."""

    def __init__(
        self,
        split: Split,
        documents: DocumentOptions,
        selection: Selection,
        report: Report,
        line_memory: LineMemory | None,
    ) -> None:
        self._split = split
        self._documents = documents
        self._selection = selection
        self._report = report
        self._line_memory = line_memory
        self._read: dict[Source, FileReading] = {part.source: FileReading() for part in split.parts}
        self._skipped = SkippedRecords()
        self.n_text_bytes = 0

    def blocks(self) -> Iterator[Block]:
        """All blocks; a document that goes over several is followed by no other of them."""
        n_before, at = 0, None
        last_read = 0
        blocks = read_split(
            self._split,
            self._documents,
            selection=self._selection,
            skipped=self._skipped,
            line_memory=self._line_memory,
        )
        for source, block in blocks:
            if source is not at:
                n_before, at = n_before + last_read, source
            last_read = block.n_read_bytes
            self._read[source].add(block)
            self.n_text_bytes += block.n_text_bytes
            yield block
            self._report(self.n_text_bytes, min(n_before + last_read, self._split.n_file_bytes))

    def facts(self) -> Mapping[str, Any]:
        """What `SplitCount` is made of, as JSON values."""
        rows = [[source.name, source.group, row.n_docs, row.n_text_bytes] for source, row in self._read.items()]
        return {"sources": rows, "n_skipped": self._skipped.n_skipped, "skipped": self._skipped.examples}
