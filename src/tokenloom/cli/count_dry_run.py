"""What `tokenloom count-pretokens --dry-run` prints: what would be counted, how, and what is there already."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenloom.wording import counted, format_bytes, format_seconds

if TYPE_CHECKING:
    from tokenloom.corpus import Source
    from tokenloom.jobs.counting import CountPlan
    from tokenloom.jobs.resources import Resources

__all__ = ["dry_facts", "dry_rows"]


def dry_facts(corpus: list[str], plan: "CountPlan", resources: "Resources", *, folder: Path) -> dict[str, Any]:
    """What a counting would do, for JSON."""
    from tokenloom.jobs.estimate_counting import estimate_counting
    from tokenloom.jobs.run_identity import document_values
    from tokenloom.jobs.train_counts import COUNTS_FILE

    estimate = estimate_counting(corpus, plan, out=folder, resources=resources)
    return {
        "dry_run": True,
        "folder": str(folder),
        "file": str(folder / COUNTS_FILE),
        "was_complete": estimate.was_complete,
        "n_sources": len(estimate.sources),
        "n_file_bytes": estimate.n_file_bytes,
        "n_text_bytes": estimate.n_text_bytes,
        "n_sample_bytes": estimate.n_sample_bytes,
        "n_splits": len(estimate.splits),
        "n_resumed_splits": len(estimate.resumed_splits),
        "seconds": estimate.seconds,
        "memory_limit": resources.memory_limit,
        "n_threads": resources.n_threads,
        "n_processes": resources.n_processes,
        "options": {
            **plan.options.values(),
            **document_values(plan.documents),
            "on_error": plan.documents.on_error,
            **plan.selection.to_json(),
            "mix": None if plan.weights is None else dict(plan.weights),
        },
        "sources": [_source_facts(source) for source in estimate.sources],
        "splits": [
            {
                "name": split.name,
                "group": split.group,
                "n_sources": len(split.parts),
                "n_file_bytes": split.n_file_bytes,
                "was_counted": split.name in estimate.resumed_splits,
            }
            for split in estimate.splits
        ],
    }


def dry_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The same for people."""
    files, text = counted(facts["n_sources"], "file"), format_bytes(facts["n_text_bytes"])
    name, about = ("was read", "") if facts["was_complete"] else ("would read", "about ")
    return [
        (name, f"{files}, {format_bytes(facts['n_file_bytes'])} on the disk, {about}{text} of text"),
        ("formats", _formats(facts["sources"])),
        ("pretokens", _cuts(facts["options"])),
        ("documents", _documents(facts["options"])),
        ("splits", _splits(facts)),
        *_work(facts),
    ]


def _source_facts(source: "Source") -> dict[str, Any]:
    return {
        "name": source.name,
        "group": source.group,
        "format": source.format,
        "compression": source.compression,
        "n_file_bytes": source.n_file_bytes,
    }


def _formats(sources: list[dict[str, Any]]) -> str:
    """How many files there are of each group, format and compression, in the order of the corpus."""
    kinds = Counter((source["group"], source["format"], source["compression"]) for source in sources)
    return "\n".join(
        f"{f'{group}: ' if group else ''}{counted(n, 'file')} of {form}"
        + ("" if compression == "none" else f", {compression}")
        for (group, form, compression), n in kinds.items()
    )


def _cuts(options: dict[str, Any]) -> str:
    """How text is cut."""
    special, most = options["special_tokens"], options["max_pretoken_bytes"]
    parts = [f"pattern {options['pretokenizer']['type']}"]
    parts += (
        [f"special {'token' if len(special) == 1 else 'tokens'} {', '.join(map(repr, special))}"] if special else []
    )
    parts += [] if most is None else [f"at most {counted(most, 'byte')} each"]
    return ", ".join(parts + (["with first positions"] if options["has_positions"] else []))


def _documents(options: dict[str, Any]) -> str:
    """Which documents are taken."""
    parts = [
        "all" if options["sample"] == 1 else f"{100 * options['sample']:.4g}% of them at random, seed {options['seed']}"
    ]
    parts += [f"of {group or 'others'} at most {format_bytes(n)}" for group, n in options["limits"].items()]
    if options["mix"]:
        parts.append(f"mixed {', '.join(f'{group}={share:g}' for group, share in options['mix'].items())}")
    return ", ".join([*parts, "broken records left out"] if options["on_error"] == "skip" else parts)


def _splits(facts: dict[str, Any]) -> str:
    n, n_resumed = facts["n_splits"], facts["n_resumed_splits"]
    return f"{n:,}" + (f", of which an earlier run has counted {n_resumed:,}" if n_resumed else "")


def _work(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """What is left to do."""
    if facts["was_complete"]:
        return [("would do", f"nothing: {facts['file']} is complete already")]
    limit = "" if facts["memory_limit"] is None else f"; tables keep to {format_bytes(facts['memory_limit'])}"
    alone = " in one process" if facts["n_processes"] > 1 else ""
    judged = f"judged by {format_bytes(facts['n_sample_bytes'])}"
    return [
        ("would take", f"about {format_seconds(facts['seconds'])}{alone}, {judged}{limit}"),
        ("would write", f"{facts['file']}; nothing was written"),
    ]
