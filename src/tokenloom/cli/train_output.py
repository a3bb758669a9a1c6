"""What `tokenloom train` prints: what was trained, or what would be."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenloom.cli.count_pretokens import mixture_facts, mixture_rows
from tokenloom.cli.normalizing import change_facts, change_rows
from tokenloom.cli.output import stage_facts, stage_rows
from tokenloom.wording import counted, format_bytes, format_seconds

if TYPE_CHECKING:
    from tokenloom.corpus import DocumentOptions, Selection
    from tokenloom.jobs.resources import Resources
    from tokenloom.jobs.train_corpus import TrainRun
    from tokenloom.jobs.training import TrainingPlan

__all__ = ["dry_facts", "dry_rows", "train_facts", "train_rows"]


def train_facts(run: "TrainRun", report: Path | None) -> dict[str, Any]:
    """What a training did, for JSON."""
    tokenizer, counts = run.tokenizer, run.counts
    return {
        "folder": str(run.folder),
        "fingerprint": tokenizer.spec.fingerprint,
        "vocabulary_size": len(tokenizer),
        "n_merges": len(run.training.steps),
        "unit": tokenizer.spec.bpe.unit,
        "n_init_ids": run.training.options.n_init_ids,
        "special_tokens": tokenizer.special_tokens,
        "n_pretokens": run.n_pretokens,
        "n_sources": len(run.sources),
        "n_docs": counts.n_docs if counts else None,
        "n_text_bytes": run.n_text_bytes,
        "n_trained_bytes": run.n_trained_bytes,
        "n_skipped": run.skipped.n_skipped,
        "n_cut_pretokens": run.header.n_cut_pretokens,
        "normalizer": change_facts(run.header),
        "n_dropped_pretokens": run.dropped.n_pretokens,
        "n_dropped_bytes": run.dropped.n_bytes,
        "mixture": mixture_facts(counts.mixture) if counts else None,
        "estimated_bytes": run.estimated_bytes,
        "memory_limit": run.resources.memory_limit,
        "n_splits": counts.n_splits if counts else None,
        "n_resumed_splits": counts.n_resumed_splits if counts else None,
        "n_resumed_merges": run.n_resumed_merges,
        "stages": stage_facts(run.stages),
        "record": None if run.record is None else str(run.record),
        "report": None if report is None else str(report),
    }


def train_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The same for people."""
    files = f" in {counted(facts['n_sources'], 'file')}" if facts["n_sources"] else ""
    text = f"{format_bytes(facts['n_text_bytes'])}{files}"
    return [
        ("tokenizer", facts["folder"]),
        ("vocabulary size", _size_row(facts)),
        ("text", f"{text}, {counted(facts['n_pretokens'], 'distinct pretoken')}"),
        *mixture_rows(facts["mixture"]),
        *change_rows(facts["normalizer"]),
        *_left_out(facts),
        *_resumed(facts),
        *stage_rows(facts["stages"]),
        *([("record", facts["record"])] if facts["record"] else []),
        *([("report", facts["report"])] if facts["report"] else []),
    ]


def _size_row(facts: dict[str, Any]) -> str:
    total, merges = f"{facts['vocabulary_size']:,}", counted(facts["n_merges"], "merge")
    if facts["n_init_ids"] is not None:
        return f"{total}: {merges} behind {counted(facts['n_init_ids'], 'id')} of --init"
    if facts["unit"] == "character":
        return f"{total}: {merges}, {counted(facts['vocabulary_size'] - facts['n_merges'], 'other token')}"
    return f"{total}: {merges}, 256 bytes, {counted(len(facts['special_tokens']), 'special token')}"


def _left_out(facts: dict[str, Any]) -> list[tuple[str, str]]:
    rows = []
    if facts["n_dropped_pretokens"]:
        dropped = counted(facts["n_dropped_pretokens"], "rare pretoken")
        rows.append(("left out", f"{dropped}, {format_bytes(facts['n_dropped_bytes'])} of the text"))
    if facts["n_cut_pretokens"]:
        rows.append(("cut", f"{counted(facts['n_cut_pretokens'], 'pretoken')} longer than --max-pretoken-bytes"))
    return rows


def _resumed(facts: dict[str, Any]) -> list[tuple[str, str]]:
    parts = []
    if facts["n_resumed_splits"]:
        parts.append(f"{facts['n_resumed_splits']:,} of {counted(facts['n_splits'], 'split')}")
    if facts["n_resumed_merges"]:
        parts.append(counted(facts["n_resumed_merges"], "merge"))
    return [("went on", f"from an earlier run: {', '.join(parts)}")] if parts else []


def dry_facts(
    corpus: list[str],
    counts_file: Path | None,
    word_counts: Path | None,
    plan: "TrainingPlan",
    documents: "DocumentOptions",
    selection: "Selection",
    resources: "Resources",
    *,
    folder: Path,
    record: Path | None,
    max_pretoken_bytes: int | None,
) -> dict[str, Any]:
    """What a training would do, for JSON."""
    facts: dict[str, Any] = {"dry_run": True, "folder": str(folder), "record": None if record is None else str(record)}
    if plan.options.n_init_ids is not None:
        facts |= {"n_init_ids": plan.options.n_init_ids, "vocabulary_size": plan.options.vocab_size}
    if file := counts_file or word_counts:
        return facts | _counts_facts(file, plan, resources.memory_limit, is_words=not counts_file)
    from tokenloom.jobs.estimate_training import estimate_training

    estimate = estimate_training(
        corpus,
        options=plan.options,
        documents=documents,
        selection=selection,
        max_pretoken_bytes=max_pretoken_bytes,
        n_threads=resources.n_threads,
    )
    return facts | {
        "n_sources": len(estimate.sources),
        "n_file_bytes": estimate.n_file_bytes,
        "n_text_bytes": estimate.n_text_bytes,
        "n_sample_bytes": estimate.n_sample_bytes,
        "count_seconds": estimate.count_seconds,
        "merge_seconds": estimate.merge_seconds,
        "seconds": estimate.seconds,
        "sources": [{"name": source.name, "n_file_bytes": source.n_file_bytes} for source in estimate.sources],
    }


def _counts_facts(file: Path, plan: "TrainingPlan", memory_limit: int | None, *, is_words: bool) -> dict[str, Any]:
    from tokenloom.jobs.train_counts import estimate_count_file, estimate_word_counts

    estimate = estimate_word_counts if is_words else estimate_count_file
    return asdict(estimate(file, plan, memory_limit=memory_limit)) | {"memory_limit": memory_limit, "counts": str(file)}


def dry_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The same for people."""
    record = f" and {facts['record']}" if facts["record"] else ""
    written = ("would write", f"{facts['folder']}{record}; nothing was written")
    return [*_growth(facts), *_dry_rows(facts), written]


def _growth(facts: dict[str, Any]) -> list[tuple[str, str]]:
    if "n_init_ids" not in facts:
        return []
    return [("would grow", f"from {facts['n_init_ids']:,} to {facts['vocabulary_size']:,} ids at most")]


def _dry_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    if "counts" in facts:
        limit = "" if facts["memory_limit"] is None else f" of {format_bytes(facts['memory_limit'])} allowed"
        return [
            (
                "would read",
                f"{facts['counts']}: {counted(facts['n_pretokens'], 'distinct pretoken')}, "
                f"{format_bytes(facts['n_text_bytes'])} of text",
            ),
            ("would need", f"about {format_bytes(facts['estimated_bytes'])} of memory{limit}"),
        ]
    if "seconds" not in facts:
        return []
    return [
        (
            "would read",
            f"{counted(facts['n_sources'], 'file')}, {format_bytes(facts['n_file_bytes'])} on the disk, "
            f"about {format_bytes(facts['n_text_bytes'])} of text",
        ),
        (
            "would take",
            f"about {format_seconds(facts['seconds'])}: {format_seconds(facts['count_seconds'])} counting, "
            f"{format_seconds(facts['merge_seconds'])} merging; judged by {format_bytes(facts['n_sample_bytes'])}",
        ),
    ]
