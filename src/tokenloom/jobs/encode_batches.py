"""A corpus as batches of ids, with a checkpoint between any two.

A batch is a stretch of the corpus of some megabytes: thousands of small files, or a part of one large document. A
checkpoint says how far the corpus has been encoded: which files are done, how many documents of the next one, and how
many bytes of a document that is still open. To go on from there, that file is read again from its start, which is
quick, and what is done is passed over.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from tokenloom.corpus import Block, Source
from tokenloom.jobs.encode_plan import Plan
from tokenloom.jobs.reading import CorpusReading
from tokenloom.shards import ShardHeader
from tokenloom.shards.journal import Checkpoint
from tokenloom.shards.writer import EncodedBatch
from tokenloom.tokenizer import part_progress

if TYPE_CHECKING:
    from tokenloom.trainers import Progress

__all__ = ["CorpusEncoding"]

_BATCH_BYTES: Final = 8 << 20
"""Large enough that all threads have work, small enough that three batches are little memory."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a checkpoint lies.

    Args:
        skipped: what was left out of the files that are done, also with later entries.
        n_skipped: how many of them count.
        n_docs: whole documents of the file at hand that are done.
        n_bytes: bytes of the document behind those that are done.
        is_open: whether that document has begun.
        n_special_tokens: special tokens met.
    """

    skipped: Sequence[str] = ()
    n_skipped: int = 0
    n_docs: int = 0
    n_bytes: int = 0
    is_open: bool = False
    n_special_tokens: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "_Place":
        """The inverse of `values`."""
        return cls(**dict(values), n_skipped=len(values["skipped"]))

    def values(self) -> dict[str, Any]:
        """The place as JSON values."""
        return {
            "skipped": list(self.skipped[: self.n_skipped]),
            "n_docs": self.n_docs,
            "n_bytes": self.n_bytes,
            "is_open": self.is_open,
            "n_special_tokens": dict(self.n_special_tokens),
        }


@dataclass(slots=True)
class _Done:
    """What an earlier run has encoded of the file at hand: whole documents, and bytes of the one behind them."""

    n_docs: int
    n_bytes: int

    def rest(self, block: Block) -> list[bytes]:
        """The texts of a block that are still to be encoded. The blocks of a file are given in order."""
        texts = block.texts
        n_whole = min(self.n_docs, len(texts) - block.is_open)
        self.n_docs -= n_whole
        texts = texts[n_whole:]
        if self.n_docs or not self.n_bytes or not texts:
            return [] if self.n_docs else texts
        first = texts[0]
        n_passed = min(self.n_bytes, len(first))
        self.n_bytes -= n_passed
        if self.n_bytes:
            return []
        return [first[n_passed:], *texts[1:]]


class CorpusEncoding:
    """A corpus on its way to ids, and what is counted meanwhile.

    Args:
        plan: what decides the ids.
        sources: the files.
        checkpoint: where to go on; None at the beginning.
        n_threads: threads to use; None for one a core.
        progress: see `encode_corpus`.
    """

    def __init__(
        self,
        plan: Plan,
        sources: Sequence[Source],
        checkpoint: Checkpoint | None,
        *,
        n_threads: int | None = None,
        progress: "Progress | None" = None,
    ) -> None:
        self.plan = plan
        place = _Place.from_values(checkpoint.place()) if checkpoint else _Place()
        self.checkpoint = checkpoint or Checkpoint(0, 0, (), 0, place.values)
        self.reading = CorpusReading(sources, plan.documents, rows=self.checkpoint.sources, skipped=place.skipped)
        self.n_encoded_bytes = 0
        self._begun_at = place
        self._encoder = plan.encoder(is_continued=place.is_open, n_threads=n_threads)
        self._progress = progress

    @property
    def n_special_tokens(self) -> dict[str, int]:
        """Special tokens met in the text, those before the first checkpoint included."""
        now, before = self._encoder.n_special_tokens, self._begun_at.n_special_tokens
        counts = {name: now.get(name, 0) + before.get(name, 0) for name in {**before, **now}}
        return {name: n for name, n in sorted(counts.items()) if n}

    def header(self) -> ShardHeader:
        """The header of the manifest, when all batches have been taken."""
        plan = self.plan
        separator = plan.documents.document_separator
        return ShardHeader(
            dtype=plan.dtype,
            vocabulary_size=len(plan.tokenizer),
            tokenizer_fingerprint=plan.tokenizer.spec.fingerprint,
            n_docs=self.checkpoint.n_docs,
            n_tokens=self.checkpoint.n_tokens,
            n_text_bytes=self.reading.n_text_bytes,
            shard_tokens=plan.options.shard_tokens,
            begin_of_document=plan.begin,
            end_of_document=plan.end,
            document_separator=None if separator is None else separator.hex(),
            text_field=plan.documents.text_field,
            special_text=plan.options.special_text,
            n_special_tokens=self.n_special_tokens,
            sources=tuple(self.reading.rows),
        )

    def batches(self) -> Iterator[EncodedBatch]:
        """The ids of the corpus from the checkpoint on; taken once."""
        texts: list[bytes] = []
        n_bytes = 0
        for block in self._blocks():
            texts += block.texts
            n_bytes += sum(map(len, block.texts))
            if block.is_open or n_bytes >= _BATCH_BYTES:
                yield self._encode(texts, is_open=block.is_open)
                texts, n_bytes = [], 0
        if texts:
            yield self._encode(texts, is_open=False)

    def _encode(self, texts: Sequence[bytes], *, is_open: bool) -> EncodedBatch:
        n_bytes = sum(map(len, texts))
        n_before = self.reading.n_text_bytes - n_bytes
        report = part_progress(self._report, n_before=n_before, n_bytes=n_bytes)
        ids, starts = self._encoder.feed(texts, is_open=is_open, progress=report)
        self.n_encoded_bytes += n_bytes
        self._report(n_before + n_bytes)
        before = self.checkpoint
        n_tokens, n_docs = before.n_tokens + len(ids), before.n_docs + len(starts)
        rows = self.reading.rows
        self.checkpoint = Checkpoint(n_tokens, n_docs, rows, len(rows), self._place().values)
        return EncodedBatch(ids, starts, before)

    def _place(self) -> _Place:
        """The place behind the last batch."""
        reading, at = self.reading, self.reading.at
        return _Place(
            skipped=reading.skipped.examples,
            n_skipped=len(reading.skipped.examples),
            n_docs=at.n_docs - at.is_open,
            n_bytes=at.n_open_bytes - self._encoder.held_bytes if at.is_open else 0,
            is_open=at.is_open,
            n_special_tokens=self.n_special_tokens,
        )

    def _blocks(self) -> Iterator[Block]:
        """What is still to be encoded."""
        done = _Done(self._begun_at.n_docs, self._begun_at.n_bytes)
        for block in self.reading.blocks():
            texts = done.rest(block)
            if texts:
                yield replace(block, texts=texts)

    def _report(self, done: int) -> None:
        """Tell how far it is, in bytes of text."""
        if self._progress:
            self._progress("encode", done, max(done, self.reading.expected_text_bytes))
