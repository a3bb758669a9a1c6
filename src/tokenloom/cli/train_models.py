"""`tokenloom train --model`: which options belong to which model, and training of those that are no BPE."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_args

import typer

from tokenloom.cli.normalizing import change_facts, change_rows
from tokenloom.cli.output import print_facts, print_json, stage_facts, stage_rows, warn_of_skipped
from tokenloom.cli.progress import reported
from tokenloom.wording import counted, format_bytes, format_seconds

if TYPE_CHECKING:
    from tokenloom.jobs.resources import Resources
    from tokenloom.jobs.train_model_corpus import ModelPlan, ModelRun, ModelText
    from tokenloom.trainers.models import ModelOptions

__all__ = [
    "Lowercase",
    "MaxPieceChars",
    "Model",
    "ModelName",
    "VocabularyLimit",
    "model_options",
    "model_results",
    "print_model",
    "refuse_others",
]

_PANEL: Final = "Tokenizer"

ModelName = Literal["bpe", "wordpiece", "unigram", "char", "word"]

Model = Annotated[
    ModelName,
    typer.Option(
        help="What kind of tokenizer: merges by count, merges by score, pieces with probabilities, single characters, "
        "or whole words.",
        rich_help_panel=_PANEL,
    ),
]
VocabularyLimit = Annotated[
    Literal["soft", "hard"],
    typer.Option(help="If the text has fewer tokens: take them and warn, or fail.", rich_help_panel=_PANEL),
]
Lowercase = Annotated[
    bool,
    typer.Option(
        "--lowercase", help="wordpiece: lower case without accents, as BERT's uncased.", rich_help_panel=_PANEL
    ),
]
MaxPieceChars = Annotated[
    int, typer.Option(min=1, metavar="N", help="unigram: make no longer piece.", rich_help_panel=_PANEL)
]

_BPE: Final = frozenset({"bpe"})
_ALL: Final = frozenset(get_args(ModelName))
_MODELS_OF: Final[dict[str, frozenset[str]]] = {
    "reserve_special": _BPE,
    "pad_multiple": _BPE,
    "pattern": frozenset({"bpe", "wordpiece", "unigram"}),
    "normalizer": frozenset({"bpe", "unigram"}),
    "tie_break": _BPE,
    "alphabet": _BPE,
    "min_pair_count": frozenset({"bpe", "wordpiece"}),
    "max_token_bytes": _BPE,
    "whole_characters": _BPE,
    "must_have": _BPE,
    "init": _BPE,
    "unit": _BPE,
    "character_coverage": _ALL - {"word"},
    "byte_fallback": frozenset({"bpe", "unigram", "char"}),
    "end_of_word_suffix": _BPE,
    "end_of_word": _BPE,
    "record": _BPE,
    "vocabulary_limit": _ALL - {"word"},
    "lowercase": frozenset({"wordpiece"}),
    "max_piece_chars": frozenset({"unigram"}),
}
"""Parameters that some models do not have, and the models that have them."""

_WORDPIECE_PATTERNS: Final = ("bert", "whitespace")


def refuse_others(ctx: typer.Context, model: ModelName) -> None:
    """Refuse options that were given and play no part for a model. Raises: BadParameter, by name."""
    defaults = {parameter.name: parameter.default for parameter in ctx.command.params}
    for name, models in _MODELS_OF.items():
        given = ctx.params.get(name)
        if model not in models and given not in (None, (), [], defaults.get(name)):
            option = "--pad-vocabulary-to-multiple-of" if name == "pad_multiple" else f"--{name.replace('_', '-')}"
            known = ", ".join(one for one in get_args(ModelName) if one in models)
            raise typer.BadParameter(f"{option} plays no part with --model {model}, but with {known}. Leave it out.")


def model_options(ctx: typer.Context, model: ModelName) -> "ModelOptions":
    """What the tokenizer shall be. Raises: TrainingError for a value that it cannot have."""
    from tokenloom.trainers import CharacterAlphabet, WordOptions
    from tokenloom.trainers.models import CharacterOptions

    given = ctx.params
    size, special, unk = given["vocab_size"], given["special_token"] or (), given["unk_token"]
    if model == "wordpiece":
        return _wordpiece_options(given)
    if model == "unigram":
        return _unigram_options(given)
    if model == "char":
        fallback = given["byte_fallback"]
        unk = unk if fallback else unk or "<unk>"
        alphabet = CharacterAlphabet(given["character_coverage"], byte_fallback=fallback, unk_token=unk)
        return CharacterOptions(size, special, alphabet, given["vocabulary_limit"])
    return WordOptions(size, unk or "<unk>", special_tokens=special)


def _wordpiece_options(given: dict[str, Any]) -> "ModelOptions":
    from tokenloom.trainers import BERT_TOKENS, WordpieceOptions

    pattern: Any = given["pattern"] or "bert"
    if pattern not in _WORDPIECE_PATTERNS:
        raise typer.BadParameter(f"--pattern {pattern} is none for --model wordpiece. Use bert or whitespace.")
    least = given["min_pair_count"]
    return WordpieceOptions(
        given["vocab_size"],
        given["special_token"] or BERT_TOKENS,
        pattern,
        given["lowercase"],
        given["unk_token"] or "[UNK]",
        min_pair_count=None if least == 1 else least,
        character_coverage=given["character_coverage"],
        vocabulary_limit=given["vocabulary_limit"],
    )


def _unigram_options(given: dict[str, Any]) -> "ModelOptions":
    from tokenloom.spec import normalizer_of
    from tokenloom.trainers import UnigramOptions

    pattern: Any = given["pattern"] or ("none" if given["word_counts"] else "gpt2")
    return UnigramOptions(
        given["vocab_size"],
        given["special_token"] or (),
        None if pattern == "none" else pattern,
        given["unk_token"] or "<unk>",
        given["byte_fallback"],
        given["character_coverage"],
        given["max_piece_chars"],
        vocabulary_limit=given["vocabulary_limit"],
        normalizer=normalizer_of(given["normalizer"]),
    )


def model_results(
    text: "ModelText",
    plan: "ModelPlan",
    out: Path,
    resources: "Resources",
    *,
    has_report: bool,
    is_quiet: bool,
    is_dry: bool,
) -> dict[str, Any]:
    """Train, or see how long it would take: the facts, for JSON."""
    from tokenloom.jobs.reports import write_model_report
    from tokenloom.jobs.train_model_corpus import train_model

    if is_dry:
        return _dry_facts(text, plan, out, resources)
    with reported(is_quiet=is_quiet) as progress:
        run = train_model(text, plan, out=out, resources=resources, progress=progress)
    warn_of_skipped(run.skipped)
    return _facts(run, write_model_report(run, text.documents) if has_report else None)


def _facts(run: "ModelRun", report: Path | None) -> dict[str, Any]:
    from tokenloom.trainers.models import model_name

    return {
        "folder": str(run.folder),
        "model": model_name(run.training.options),
        "fingerprint": run.tokenizer.spec.fingerprint,
        "vocabulary_size": len(run.tokenizer),
        "special_tokens": run.tokenizer.special_tokens,
        "n_pretokens": run.header.n_pretokens,
        "n_sources": len(run.sources),
        "n_docs": run.counts.n_docs if run.counts else None,
        "n_text_bytes": run.header.n_corpus_bytes,
        "normalizer": change_facts(run.header),
        "n_skipped": run.skipped.n_skipped,
        "n_cut_pretokens": run.header.n_cut_pretokens,
        "n_dropped_pretokens": run.n_dropped_pretokens,
        "n_resumed_splits": run.counts.n_resumed_splits if run.counts else None,
        "estimated_bytes": run.estimated_bytes,
        "memory_limit": run.resources.memory_limit,
        "stages": stage_facts(run.stages),
        "report": None if report is None else str(report),
    }


def _dry_facts(text: "ModelText", plan: "ModelPlan", out: Path, resources: "Resources") -> dict[str, Any]:
    from tokenloom.jobs.train_model_corpus import estimate_model, needed_memory
    from tokenloom.trainers.models import model_name

    facts = {"dry_run": True, "folder": str(out), "model": model_name(plan.options)}
    if not text.corpus:
        return facts | {"estimated_bytes": needed_memory(text, plan, memory_limit=resources.memory_limit)}
    estimate = estimate_model(text, plan, n_threads=resources.n_threads)
    return facts | {
        "n_sources": len(estimate.sources),
        "n_text_bytes": estimate.n_text_bytes,
        "n_sample_bytes": estimate.n_sample_bytes,
        "count_seconds": estimate.count_seconds,
        "train_seconds": estimate.train_seconds,
        "seconds": estimate.count_seconds + estimate.train_seconds,
    }


def print_model(facts: dict[str, Any], *, as_json: bool) -> None:
    """Print the facts, as JSON or for people."""
    if as_json:
        print_json(facts)
    elif "dry_run" in facts:
        print_facts(_dry_rows(facts))
    else:
        print_facts(_rows(facts))


def _rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    files = f" in {counted(facts['n_sources'], 'file')}" if facts["n_sources"] else ""
    text = f"{format_bytes(facts['n_text_bytes'])}{files}, {counted(facts['n_pretokens'], 'distinct pretoken')}"
    size = f"{facts['vocabulary_size']:,}, {counted(len(facts['special_tokens']), 'special token')} among them"
    dropped, resumed = facts["n_dropped_pretokens"], facts["n_resumed_splits"]
    return [
        ("tokenizer", facts["folder"]),
        ("model", facts["model"]),
        ("vocabulary size", size),
        ("text", text),
        *change_rows(facts["normalizer"]),
        *([("left out", counted(dropped, "rare pretoken"))] if dropped else []),
        *([("went on", f"from an earlier run: {counted(resumed, 'split')}")] if resumed else []),
        *stage_rows(facts["stages"]),
        *([("report", facts["report"])] if facts["report"] else []),
    ]


def _dry_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    written = ("would write", f"{facts['folder']}, a tokenizer of model {facts['model']}; nothing was written")
    if "estimated_bytes" in facts:
        return [("would need", f"about {format_bytes(facts['estimated_bytes'])} of memory"), written]
    text = f"{counted(facts['n_sources'], 'file')}, about {format_bytes(facts['n_text_bytes'])} of text"
    parts = f"{format_seconds(facts['count_seconds'])} counting, {format_seconds(facts['train_seconds'])} training"
    judged = f"judged by {format_bytes(facts['n_sample_bytes'])}"
    return [
        ("would read", text),
        ("would take", f"about {format_seconds(facts['seconds'])}: {parts}; {judged}"),
        written,
    ]
