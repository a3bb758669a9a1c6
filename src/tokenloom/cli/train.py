"""`tokenloom train`: from files to a tokenizer folder."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import typer

from tokenloom.cli import options as shared
from tokenloom.cli import train_models as models
from tokenloom.cli import train_options as given
from tokenloom.cli import train_starts as starts
from tokenloom.cli.config import run_settings
from tokenloom.cli.normalizing import NormalizerOption
from tokenloom.cli.output import print_facts, print_json, warn_of_skipped
from tokenloom.cli.progress import reported
from tokenloom.cli.run_file import write_run_file
from tokenloom.cli.train_output import dry_facts, dry_rows, train_facts, train_rows

if TYPE_CHECKING:
    from tokenloom.corpus import DocumentOptions, Selection
    from tokenloom.jobs.resources import Resources
    from tokenloom.jobs.train_corpus import TrainRun
    from tokenloom.jobs.train_model_corpus import ModelText
    from tokenloom.jobs.training import TrainingPlan
    from tokenloom.spec import NormalizerName
    from tokenloom.trainers import Progress

__all__ = ["EXAMPLE", "train"]

EXAMPLE: Final = "tokenloom train data/ --vocab-size 32768 --special-token '<|endoftext|>' --out my-tokenizer"


def train(
    ctx: typer.Context,
    vocab_size: given.VocabularySize,
    out: given.Out,
    corpus: given.Corpus = None,
    model: models.Model = "bpe",
    counts: given.Counts = None,
    word_counts: given.WordCounts = None,
    special_token: given.SpecialTokens = None,
    reserve_special: given.Reserved = 0,
    pad_multiple: given.PadMultiple = None,
    vocabulary_limit: models.VocabularyLimit = "soft",
    pattern: given.Pattern = None,
    normalizer: NormalizerOption = None,
    tie_break: given.TieBreak = "lexicographic",
    alphabet: given.Alphabet = "bytes",
    min_pair_count: given.MinPairCount = 1,
    max_token_bytes: given.MaxTokenBytes = None,
    whole_characters: given.WholeCharacters = False,
    must_have: given.MustHave = None,
    lowercase: models.Lowercase = False,
    max_piece_chars: models.MaxPieceChars = 16,
    init: starts.Init = None,
    unit: starts.Unit = "byte",
    character_coverage: starts.CharacterCoverage = 1.0,
    byte_fallback: starts.ByteFallback = False,
    unk_token: starts.UnkToken = None,
    end_of_word_suffix: starts.EndOfWordSuffix = None,
    end_of_word: starts.EndOfWord = "symbol",
    min_count: given.MinCount = 1,
    max_pretoken_bytes: shared.MaxPretokenBytes = None,
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
    record: given.Record = None,
    report: shared.WithReport = True,
    memory_limit: shared.MemoryLimit = None,
    threads: shared.Threads = None,
    processes: shared.Processes = 1,
    as_json: shared.AsJson = False,
    quiet: shared.Quiet = False,
    dry_run: shared.DryRun = False,
    config: shared.Config = None,
) -> None:
    """Learn a tokenizer from text.

    A run that was stopped goes on with the same command. OUT/run.toml records the options, for --config.
    """
    del config, lowercase, max_piece_chars
    models.refuse_others(ctx, model)
    documents = shared.document_options(
        document_format=document_format,
        document_separator=document_separator,
        text_field=text_field,
        compression=compression,
        storage_option=storage_option,
        on_error=on_error,
    )
    selection, weights = shared.selection_of(sample=sample, seed=seed, limit=limit), shared.weights_of(mix)
    text = _Text(corpus, counts, word_counts, documents, selection, weights, max_pretoken_bytes, processes)
    resources = shared.resources_of(memory_limit=memory_limit, threads=threads, processes=processes)
    if model != "bpe":
        _train_model(ctx, text, model, min_count, out, resources)
        return
    begins = starts.Begins(
        init, unit, character_coverage, byte_fallback, unk_token, end_of_word_suffix, end_of_word, alphabet
    )
    limits = _Limits(min_pair_count, max_token_bytes, whole_characters, must_have or ())
    cuts = (special_token, pattern, normalizer)
    tokenizer = _Tokenizer(vocab_size, *cuts, tie_break, alphabet, limits, begins)
    plan = _plan(text, tokenizer, _Ends(reserve_special, pad_multiple, min_count, vocabulary_limit))
    if dry_run:
        facts = _estimate(text, plan, out, resources, record)
    else:
        facts = _train(text, plan, out, resources, record=record, has_report=report, is_quiet=quiet)
        write_run_file(out, "train", run_settings(ctx))
    _print(facts, as_json=as_json)


def _train_model(
    ctx: typer.Context, text: "_Text", model: models.ModelName, min_count: int, out: Path, resources: "Resources"
) -> None:
    """Train a model that is no BPE."""
    from tokenloom.jobs.train_model_corpus import ModelPlan

    given_options, is_dry = ctx.params, ctx.params["dry_run"]
    facts = models.model_results(
        text.of_model(),
        ModelPlan(models.model_options(ctx, model), min_count),
        out,
        resources,
        has_report=given_options["report"],
        is_quiet=given_options["quiet"],
        is_dry=is_dry,
    )
    if not is_dry:
        write_run_file(out, "train", run_settings(ctx))
    models.print_model(facts, as_json=given_options["as_json"])


def _estimate(
    text: "_Text", plan: "TrainingPlan", out: Path, resources: "Resources", record: Path | None
) -> dict[str, Any]:
    from tokenloom.jobs.record import checked_record_path

    record_path = checked_record_path(record, out)
    return dry_facts(
        text.corpus,
        text.counts_file,
        text.word_counts,
        plan,
        text.documents,
        text.selection,
        resources,
        folder=out,
        record=record_path,
        max_pretoken_bytes=text.max_pretoken_bytes,
    )


def _print(facts: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(facts)
    else:
        print_facts(dry_rows(facts) if "dry_run" in facts else train_rows(facts))


@dataclass(frozen=True, slots=True)
class _Text:
    """What is trained on: one of three, and how a corpus is read."""

    given_corpus: Sequence[str] | None
    counts: Path | None
    word_counts: Path | None
    documents: "DocumentOptions"
    selection: "Selection"
    weights: Mapping[str, float] | None
    max_pretoken_bytes: int | None
    n_processes: int

    def __post_init__(self) -> None:
        values = {"CORPUS": self.given_corpus, "--counts": self.counts, "--word-counts": self.word_counts}
        given = [name for name, value in values.items() if value]
        if len(given) != 1:
            what = f"{' and '.join(given)} cannot go together" if given else "there is nothing to train on"
            raise typer.BadParameter(f"{what}. Name a CORPUS, or --counts, or --word-counts.")
        unused = self._of_corpus()
        if unused and not self.given_corpus:
            raise typer.BadParameter(
                f"{unused[0]} plays no part with {given[0]}, which was counted already. Leave it out."
            )

    def _of_corpus(self) -> list[str]:
        """Options that were given and say how a corpus is read: those that differ from their defaults."""
        from tokenloom.corpus import DocumentOptions, Selection
        from tokenloom.jobs.resources import Resources

        documents, selection = DocumentOptions(), Selection()
        values = {
            "--mix": (self.weights, None),
            "--max-pretoken-bytes": (self.max_pretoken_bytes, None),
            "--sample": (self.selection.sample, selection.sample),
            "--seed": (self.selection.seed, selection.seed),
            "--limit": (self.selection.limits, selection.limits),
            "--format": (self.documents.format, documents.format),
            "--document-separator": (self.documents.document_separator, documents.document_separator),
            "--text-field": (self.documents.text_field, documents.text_field),
            "--compression": (self.documents.compression, documents.compression),
            "--storage-option": (self.documents.storage_options, documents.storage_options),
            "--on-error": (self.documents.on_error, documents.on_error),
            "--processes": (self.n_processes, Resources().n_processes),
        }
        return [name for name, (given, default) in values.items() if given != default]

    def of_model(self) -> "ModelText":
        """The same for a model that is no BPE."""
        from tokenloom.jobs.train_model_corpus import ModelText

        files = (self.counts_file, self.word_counts)
        return ModelText(self.corpus, *files, self.documents, self.selection, self.weights, self.max_pretoken_bytes)

    @property
    def corpus(self) -> list[str]:
        """The paths of the corpus; none for counts."""
        return list(self.given_corpus or ())

    @property
    def counts_file(self) -> Path | None:
        """The count file that is trained on, if there is one."""
        from tokenloom.jobs.train_counts import counts_file_of

        return counts_file_of(self.counts) if self.counts else None


@dataclass(frozen=True, slots=True)
class _Limits:
    """Which merges may be made, and which must; the names are those of `BpeOptions`."""

    min_pair_count: int
    max_token_bytes: int | None
    whole_characters: bool
    must_have: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Ends:
    """What is left out of the counts, and how the vocabulary ends; in the order of `TrainingPlan`."""

    n_reserved: int
    pad_multiple: int | None
    min_count: int
    vocabulary_limit: Literal["soft", "hard"]


@dataclass(frozen=True, slots=True)
class _Tokenizer:
    """What is asked for; None is not said."""

    vocab_size: int
    special_tokens: Sequence[str] | None
    pattern: Any
    normalizer: "NormalizerName | None"
    tie_break: Any
    alphabet: Any
    limits: _Limits
    begins: starts.Begins


def _plan(text: _Text, asked: _Tokenizer, ends: _Ends) -> "TrainingPlan":
    """What is trained; what was not said is that of the counts."""
    from tokenloom.jobs.training import TrainingPlan
    from tokenloom.spec import normalizer_of
    from tokenloom.trainers import BpeOptions, read_count_header

    pattern: Any
    normalizer = normalizer_of(asked.normalizer)
    init = asked.begins.init_spec()
    if text.counts_file:
        from tokenloom.jobs.train_counts import check_counted_for

        counted = read_count_header(text.counts_file).options
        if init is not None:
            check_counted_for(init, text.counts_file)
        pattern, special_tokens = counted.pretokenizer, counted.special_tokens
        normalizer = counted.normalizer if asked.normalizer is None else normalizer
    else:
        pattern, special_tokens = asked.begins.cuts(init, is_word_list=bool(text.word_counts))
    if asked.pattern is not None:
        pattern = None if asked.pattern == "none" else asked.pattern
    options = BpeOptions(
        asked.vocab_size,
        asked.special_tokens or special_tokens,
        pattern,
        asked.tie_break,
        asked.alphabet,
        **asdict(asked.limits),
        init=init,
        characters=asked.begins.characters(),
        normalizer=normalizer,
    )
    return TrainingPlan(options, *astuple(ends))


def _train(
    text: _Text,
    plan: "TrainingPlan",
    out: Path,
    resources: "Resources",
    *,
    record: Path | None,
    has_report: bool,
    is_quiet: bool,
) -> dict[str, Any]:
    from tokenloom.jobs.reports import write_train_report

    with reported(is_quiet=is_quiet) as progress:
        run = _run(text, plan, out, resources, record, progress)
    warn_of_skipped(run.skipped)
    return train_facts(run, write_train_report(run, text.documents) if has_report else None)


def _run(
    text: _Text,
    plan: "TrainingPlan",
    out: Path,
    resources: "Resources",
    record: Path | None,
    progress: "Progress | None",
) -> "TrainRun":
    from tokenloom.jobs.train_corpus import train_corpus
    from tokenloom.jobs.train_counts import train_count_file, train_word_counts

    if text.counts_file:
        return train_count_file(text.counts_file, plan, out=out, resources=resources, record=record, progress=progress)
    if text.word_counts:
        return train_word_counts(text.word_counts, plan, out=out, resources=resources, record=record, progress=progress)
    return train_corpus(
        text.corpus,
        options=plan.options,
        out=out,
        documents=text.documents,
        selection=text.selection,
        weights=text.weights,
        max_pretoken_bytes=text.max_pretoken_bytes,
        min_count=plan.min_count,
        n_reserved=plan.n_reserved,
        pad_multiple=plan.pad_multiple,
        memory_limit=resources.memory_limit,
        n_threads=resources.n_threads,
        n_processes=resources.n_processes,
        record=record,
        vocabulary_limit=plan.vocabulary_limit,
        progress=progress,
    )
