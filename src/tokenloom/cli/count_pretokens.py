"""`tokenloom count-pretokens`: from files to a folder of counts that trainings can use."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from tokenloom.cli import options as shared
from tokenloom.cli.config import run_settings
from tokenloom.cli.count_dry_run import dry_facts, dry_rows
from tokenloom.cli.normalizing import NormalizerOption, change_facts, change_rows
from tokenloom.cli.output import print_facts, print_json, stage_facts, stage_rows, warn_of_skipped
from tokenloom.cli.progress import reported
from tokenloom.cli.run_file import write_run_file
from tokenloom.spec import PatternName
from tokenloom.wording import counted, format_bytes

if TYPE_CHECKING:
    from tokenloom.corpus import Mixture
    from tokenloom.jobs.count_pretokens import CountRun
    from tokenloom.jobs.counting import CountPlan
    from tokenloom.jobs.resources import Resources

__all__ = ["EXAMPLE", "count_facts", "count_pretokens", "count_rows", "mixture_facts", "mixture_rows"]

EXAMPLE: Final = "tokenloom count-pretokens data/ --special-token '<|endoftext|>' --memory-limit 2GB --out counts"

_Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the counts: new, empty, or that of this run.")]
_SpecialTokens = Annotated[
    list[str] | None,
    typer.Option(
        "--special-token",
        metavar="TOKEN",
        help="A special token, which cuts text and is not counted. Repeat it for more.",
        rich_help_panel=shared.COUNTING_PANEL,
    ),
]
_Pattern = Annotated[
    Literal[PatternName, "none"],
    typer.Option(help="How text is cut into pretokens.", rich_help_panel=shared.COUNTING_PANEL),
]
_Positions = Annotated[
    bool,
    typer.Option(
        "--positions",
        help="Keep where each pretoken occurs first: --tie-break first-seen needs it.",
        rich_help_panel=shared.COUNTING_PANEL,
    ),
]


def count_pretokens(
    ctx: typer.Context,
    corpus: shared.Corpus,
    out: _Out,
    pattern: _Pattern = "gpt2",
    normalizer: NormalizerOption = None,
    special_token: _SpecialTokens = None,
    max_pretoken_bytes: shared.MaxPretokenBytes = None,
    positions: _Positions = False,
    mix: shared.Mix = None,
    sample: shared.Sample = 1.0,
    seed: shared.Seed = 0,
    limit: shared.Limit = None,
    document_format: shared.DocumentFormat = "auto",
    document_separator: shared.DocumentSeparator = None,
    text_field: shared.TextField = "text",
    compression: shared.Compression = "auto",
    storage_option: shared.StorageOption = None,
    on_error: shared.OnError = "stop",
    report: shared.WithReport = True,
    memory_limit: shared.MemoryLimit = None,
    threads: shared.Threads = None,
    processes: shared.Processes = 1,
    as_json: shared.AsJson = False,
    quiet: shared.Quiet = False,
    dry_run: shared.DryRun = False,
    config: shared.Config = None,
) -> None:
    """Count the pretokens of a corpus, for trainings to come.

    A run that was stopped goes on where it was when the same command is given again. The counts do not depend on
    memory, threads or processes.
    """
    del config
    from tokenloom.jobs.counting import CountPlan
    from tokenloom.spec import normalizer_of, pretokenizer_of
    from tokenloom.trainers import CountOptions

    documents = shared.document_options(
        document_format=document_format,
        document_separator=document_separator,
        text_field=text_field,
        compression=compression,
        storage_option=storage_option,
        on_error=on_error,
    )
    pretokenizer = pretokenizer_of(None if pattern == "none" else pattern)
    plan = CountPlan(
        CountOptions(pretokenizer, special_token or (), max_pretoken_bytes, positions, normalizer_of(normalizer)),
        documents,
        shared.selection_of(sample=sample, seed=seed, limit=limit),
        shared.weights_of(mix),
    )
    resources = shared.resources_of(memory_limit=memory_limit, threads=threads, processes=processes)
    if dry_run:
        facts = dry_facts(corpus, plan, resources, folder=out)
    else:
        facts = _count(corpus, plan, out, resources, has_report=report, is_quiet=quiet)
        write_run_file(out, "count-pretokens", run_settings(ctx))
    _print(facts, as_json=as_json)


def _print(facts: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(facts)
    else:
        print_facts(dry_rows(facts) if "dry_run" in facts else count_rows(facts))


def _count(
    corpus: list[str], plan: "CountPlan", out: Path, resources: "Resources", *, has_report: bool, is_quiet: bool
) -> dict[str, Any]:
    from tokenloom.jobs.count_pretokens import count_corpus
    from tokenloom.jobs.reports import write_count_report

    with reported(is_quiet=is_quiet) as progress:
        run = count_corpus(corpus, plan, out=out, resources=resources, progress=progress)
    if run.counts:
        warn_of_skipped(run.counts.skipped)
    return count_facts(run, write_count_report(run) if has_report else None)


def count_facts(run: "CountRun", report: Path | None = None) -> dict[str, Any]:
    """What a folder of counts holds, for JSON."""
    header, counts = run.header, run.counts
    return {
        "folder": str(run.folder),
        "n_pretokens": header.n_pretokens,
        "n_occurrences": header.n_occurrences,
        "n_counted_bytes": header.n_bytes,
        "n_corpus_bytes": header.n_corpus_bytes,
        "n_cut_pretokens": header.n_cut_pretokens,
        "normalizer": change_facts(header),
        "has_positions": header.options.has_positions,
        "n_sources": len(run.sources) or None,
        "n_docs": counts.n_docs if counts else None,
        "n_skipped": counts.skipped.n_skipped if counts else None,
        "mixture": mixture_facts(counts.mixture) if counts else None,
        "n_splits": counts.n_splits if counts else None,
        "n_resumed_splits": counts.n_resumed_splits if counts else None,
        "was_complete": run.was_complete,
        "stages": stage_facts(run.stages),
        "report": None if report is None else str(report),
    }


def count_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The same for people."""
    text = [format_bytes(facts["n_corpus_bytes"])]
    if facts["n_docs"] is not None:
        text.append(f"{counted(facts['n_docs'], 'document')} in {counted(facts['n_sources'], 'file')}")
    rows = [
        ("counts", f"{facts['folder']}{_history(facts)}"),
        ("text", ", ".join(text)),
        ("pretokens", f"{facts['n_pretokens']:,} distinct, {facts['n_occurrences']:,} in all"),
    ]
    if facts["n_cut_pretokens"]:
        rows.append(("cut", f"{counted(facts['n_cut_pretokens'], 'pretoken')} longer than --max-pretoken-bytes"))
    rows += change_rows(facts["normalizer"])
    rows += mixture_rows(facts["mixture"])
    rows += stage_rows(facts["stages"])
    return rows + ([("report", facts["report"])] if facts["report"] else [])


def mixture_facts(mixture: "Mixture | None") -> dict[str, Any] | None:
    """A mixture, for JSON."""
    if mixture is None:
        return None
    return {
        "multipliers": dict(mixture.multipliers),
        "shares": dict(mixture.shares),
        "largest_error": mixture.largest_error,
    }


def mixture_rows(mixture: dict[str, Any] | None) -> list[tuple[str, str]]:
    """The same for people."""
    if mixture is None:
        return []
    parts = [
        f"{group or 'others'} {counted(times, 'time')}, {mixture['shares'][group]:.1%}"
        for group, times in mixture["multipliers"].items()
    ]
    return [("mixture", f"{'; '.join(parts)}; at most {mixture['largest_error']:.2%} off")]


def _history(facts: dict[str, Any]) -> str:
    if facts["was_complete"]:
        return ": complete already, nothing was left to do"
    n_resumed = facts["n_resumed_splits"]
    return f": {n_resumed:,} of {counted(facts['n_splits'], 'split')} from an earlier run" if n_resumed else ""
