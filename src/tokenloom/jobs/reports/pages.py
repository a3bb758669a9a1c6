"""The pages: which sections a report has, and the figures at its top."""

import time
from collections.abc import Sequence

import tokenloom
from tokenloom import _core
from tokenloom.jobs.encode import EncodeRun
from tokenloom.jobs.measure import Stage
from tokenloom.jobs.reports.counted_text import left_out_facts, memory_blocks, read_blocks
from tokenloom.jobs.reports.normalizing import normalizer_sections
from tokenloom.jobs.reports.shards import disk_bytes, documents_section, n_edge_tokens, storage_section, usage_section
from tokenloom.jobs.reports.sources import SourceTokens, encoded_sources, skipped_blocks, source_blocks
from tokenloom.jobs.reports.speed import estimate_blocks, peak_bytes, speed_section, total_seconds
from tokenloom.jobs.reports.training import growth_blocks, merges_section, ties_section
from tokenloom.jobs.reports.vocabulary import vocabulary_section
from tokenloom.jobs.train_corpus import TrainRun
from tokenloom.report import (
    Block,
    Fact,
    Facts,
    Note,
    Page,
    Section,
    format_number,
)
from tokenloom.wording import counted, format_bytes, format_seconds

__all__ = ["demo_page", "encode_page", "train_page"]


def train_page(run: TrainRun, *, sampled: Sequence[SourceTokens] = ()) -> Page:
    """A report on a training.

    Args:
        run: what was trained.
        sampled: bytes and tokens of samples of its sources, from `sampled_bytes_per_token`; empty for no such table.
    """
    steps = run.training.steps
    n_fixed = len(run.tokenizer) - len(steps)
    read = read_blocks(run.counts) if run.counts else []
    growth = _growth_blocks(run)
    text = Section("Text", [*_sampled_blocks(run, sampled), *growth, *read, *skipped_blocks(run.skipped)])
    memory = memory_blocks(run.resources, run.stages, estimated_bytes=run.estimated_bytes)
    sections = [
        Section("Summary", [_training_facts(run), *_went_on_blocks(run)]),
        *([text] if text.blocks else []),
        *normalizer_sections(run.header),
        vocabulary_section(run.tokenizer),
        merges_section(run.training, n_fixed=n_fixed),
        ties_section(run.training),
        speed_section(run.stages, memory),
    ]
    origin = counted(len(run.sources), "file") if run.counts else "counts"
    subtitle = f"Trained on {origin}, {format_bytes(run.n_text_bytes)} of text"
    return Page("Tokenizer training", subtitle, sections, _footer())


def encode_page(run: EncodeRun, *, n_threads: int | None = None) -> Page:
    """A report on an encoding.

    Args:
        run: what was encoded.
        n_threads: threads that encoded; None for one a core.
    """
    sections = [
        Section("Summary", [_encoding_facts(run), *_resumed_blocks(run)]),
        *_encoding_sections(run),
        *([speed_section(run.stages, _estimates(run, n_threads))] if run.stages else []),
    ]
    header = run.shards.header
    subtitle = f"{counted(len(header.sources), 'file')}, {format_bytes(header.n_text_bytes)} of text, as token shards"
    return Page("Encoded corpus", subtitle, sections, _footer())


def demo_page(
    training: TrainRun, encoding: EncodeRun, decoding: Stage, *, source: str, n_threads: int | None = None
) -> Page:
    """A report on a demonstration: a training, the encoding of the same text, and its comparison with what comes back.

    Args:
        training: what was trained.
        encoding: what was encoded with it.
        decoding: time and memory of decoding all of it and comparing.
        source: where the text comes from, in words.
        n_threads: threads that encoded; None for one a core.
    """
    n_fixed = len(training.tokenizer) - len(training.training.steps)
    stages = [*training.stages, *encoding.stages, decoding]
    sections = [
        Section("Tokenizer", [_training_facts(training)]),
        Section("Token shards", [_encoding_facts(encoding), *_resumed_blocks(encoding)]),
        *_encoding_sections(encoding, _growth_blocks(training)),
        vocabulary_section(training.tokenizer),
        merges_section(training.training, n_fixed=n_fixed),
        ties_section(training.training),
        speed_section(stages, _estimates(encoding, n_threads)),
    ]
    return Page("Tokenloom demonstration", f"A tokenizer and token shards from {source}", sections, _footer())


def _training_facts(run: TrainRun) -> Facts:
    steps, special = run.training.steps, run.tokenizer.special_tokens
    parts = f"256 bytes, {counted(len(steps), 'merge')}, {counted(len(special), 'special token')}"
    facts = [
        Fact("Vocabulary", f"{len(run.tokenizer):,}", parts),
        Fact("Text", format_bytes(run.n_text_bytes), _contents(len(run.sources), run.n_docs) if run.counts else ""),
        Fact("Distinct pretokens", f"{run.n_pretokens:,}"),
        *left_out_facts(run.header, run.dropped),
    ]
    if steps and steps[-1].n_tokens:
        ratio = run.training.n_bytes / steps[-1].n_tokens
        facts.append(Fact("Bytes per token", format_number(ratio), "on the training text"))
    return Facts([*facts, *_effort(run)])


def _encoding_facts(run: EncodeRun) -> Facts:
    header = run.shards.header
    ratio = header.n_text_bytes / header.n_tokens if header.n_tokens else float("nan")
    facts = [
        Fact("Documents", f"{header.n_docs:,}"),
        Fact("Tokens", f"{header.n_tokens:,}", f"as {header.dtype}"),
        Fact("Text", format_bytes(header.n_text_bytes), counted(len(header.sources), "file")),
        Fact("Bytes per token", format_number(ratio), "tokens at edges counted" if n_edge_tokens(header) else ""),
        Fact("On the disk", format_bytes(disk_bytes(run.shards)), counted(len(header.shards), "shard")),
    ]
    return Facts([*facts, *_effort(run)])


def _contents(n_files: int, n_docs: int) -> str:
    files = counted(n_files, "file")
    return files if n_docs == n_files else f"{files}, {counted(n_docs, 'document')}"


def _effort(run: TrainRun | EncodeRun) -> list[Fact]:
    facts = []
    if run.stages:
        peak = peak_bytes(run.stages)
        detail = f"at most {format_bytes(peak)} of memory" if peak is not None else ""
        facts.append(Fact("Time", format_seconds(total_seconds(run.stages)), detail))
    if run.skipped.n_skipped:
        facts.append(Fact("Records left out", f"{run.skipped.n_skipped:,}", "because they are broken"))
    return facts


def _encoding_sections(run: EncodeRun, more: Sequence[Block] = ()) -> list[Section]:
    text = [*source_blocks(encoded_sources(run.shards)), *more, *skipped_blocks(run.skipped)]
    return [
        *([Section("Text", text)] if text else []),
        documents_section(run.shards),
        usage_section(run.shards),
        storage_section(run.shards),
    ]


def _sampled_blocks(run: TrainRun, sampled: Sequence[SourceTokens]) -> list[Block]:
    if not sampled:
        return []
    n_others = len(run.sources) - len(sampled)
    others = f" {counted(n_others, 'smaller source')} not sampled." if n_others else ""
    note = f"Of each, the beginning was encoded with the finished tokenizer: text that it was trained on.{others}"
    return [*source_blocks(sampled), Note(note)]


def _growth_blocks(run: TrainRun) -> list[Block]:
    return growth_blocks(run.growth, n_splits=run.counts.n_splits if run.counts else 1)


def _went_on_blocks(run: TrainRun) -> list[Block]:
    parts = []
    if run.counts and run.counts.n_resumed_splits:
        parts.append(f"counted {run.counts.n_resumed_splits:,} of {counted(run.counts.n_splits, 'split')}")
    if run.n_resumed_merges:
        parts.append(f"made {counted(run.n_resumed_merges, 'merge')}")
    return [Note(f"This run went on from an earlier one, which had {' and '.join(parts)}.")] if parts else []


def _resumed_blocks(run: EncodeRun) -> list[Block]:
    if run.was_complete:
        return [Note("The folder was complete already; nothing was encoded in this run.")]
    if run.n_resumed_tokens:
        return [Note(f"This run went on from an interrupted one, which had written {run.n_resumed_tokens:,} tokens.")]
    return []


def _estimates(run: EncodeRun, n_threads: int | None) -> list[Block]:
    found = [stage for stage in run.stages if stage.name == "encode"]
    return estimate_blocks(found[0], n_threads=n_threads or _core.available_cores()) if found else []


def _footer() -> str:
    return f"Made by tokenloom {tokenloom.__version__}, {time.strftime('%Y-%m-%d %H:%M')}."
