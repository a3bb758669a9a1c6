"""The page on a counting."""

import time

import tokenloom
from tokenloom.jobs.count_pretokens import CountRun
from tokenloom.jobs.reports.counted_text import left_out_facts, memory_blocks, read_blocks
from tokenloom.jobs.reports.normalizing import normalizer_sections
from tokenloom.jobs.reports.sources import skipped_blocks
from tokenloom.jobs.reports.speed import speed_section
from tokenloom.jobs.reports.training import growth_blocks
from tokenloom.report import Fact, Facts, Note, Page, Section
from tokenloom.wording import counted, format_bytes

__all__ = ["count_page"]


def count_page(run: CountRun) -> Page:
    """A report on a counting."""
    header, counts = run.header, run.counts
    sections = [Section("Summary", [_facts(run), *_resumed(run)])]
    if counts:
        growth = growth_blocks(counts.growth, n_splits=counts.n_splits)
        blocks = [*growth, *read_blocks(counts), *skipped_blocks(counts.skipped)]
        sections.append(Section("Text", blocks))
    sections += normalizer_sections(header)
    if run.stages:
        sections.append(speed_section(run.stages, memory_blocks(run.resources, run.stages)))
    subtitle = f"{format_bytes(header.n_corpus_bytes)} of text"
    if run.sources:
        subtitle = f"{counted(len(run.sources), 'file')}, {subtitle}"
    footer = f"Made by tokenloom {tokenloom.__version__}, {time.strftime('%Y-%m-%d %H:%M')}."
    return Page("Pretoken counts", subtitle, sections, footer)


def _facts(run: CountRun) -> Facts:
    header, counts = run.header, run.counts
    facts = [
        Fact("Distinct pretokens", f"{header.n_pretokens:,}"),
        Fact("Occurrences", f"{header.n_occurrences:,}"),
        Fact("Text", format_bytes(header.n_corpus_bytes), counted(counts.n_docs, "document") if counts else ""),
        Fact("First positions", "kept" if header.options.has_positions else "not kept"),
        *left_out_facts(header),
    ]
    if counts and counts.skipped.n_skipped:
        facts.append(Fact("Records left out", f"{counts.skipped.n_skipped:,}", "because they are broken"))
    return Facts(facts)


def _resumed(run: CountRun) -> list[Note]:
    if run.was_complete:
        return [Note("The folder was complete already; nothing was counted in this run.")]
    if run.counts and run.counts.n_resumed_splits:
        n = counted(run.counts.n_splits, "split")
        return [
            Note(f"This run went on from an earlier one, which had counted {run.counts.n_resumed_splits:,} of {n}.")
        ]
    return []
