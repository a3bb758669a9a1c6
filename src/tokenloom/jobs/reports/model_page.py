"""The report on the training of a model that is no BPE."""

import time
from pathlib import Path

import tokenloom
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.reports.counted_text import left_out_facts, memory_blocks, read_blocks
from tokenloom.jobs.reports.files import write_report
from tokenloom.jobs.reports.normalizing import normalizer_sections
from tokenloom.jobs.reports.sources import sampled_bytes_per_token, skipped_blocks, source_blocks
from tokenloom.jobs.reports.speed import peak_bytes, speed_section, total_seconds
from tokenloom.jobs.reports.training import growth_blocks
from tokenloom.jobs.reports.vocabulary import vocabulary_section
from tokenloom.jobs.train_model_corpus import ModelRun
from tokenloom.report import Block, Column, Fact, Facts, Note, Page, Section, Table, Text
from tokenloom.trainers import UnigramTraining, WordpieceTraining, WordTraining
from tokenloom.trainers.models import model_name
from tokenloom.wording import counted, format_bytes, format_seconds

__all__ = ["model_page", "write_model_report"]

_FIRST_MERGES = 30


def write_model_report(run: ModelRun, documents: DocumentOptions) -> Path:
    """Write the report of a training into its folder, see `write_train_report`."""
    return write_report(model_page(run, documents), run.folder)


def model_page(run: ModelRun, documents: DocumentOptions) -> Page:
    """A report on a training.

    Args:
        run: what was trained.
        documents: how its files were cut into documents, of which samples are encoded.
    """
    sampled = sampled_bytes_per_token(run.tokenizer, run.sources, documents)
    read = read_blocks(run.counts) if run.counts else []
    growth = growth_blocks(run.counts.growth, n_splits=run.counts.n_splits) if run.counts else []
    text = [*(source_blocks(sampled) if sampled else []), *growth, *read, *skipped_blocks(run.skipped)]
    name = model_name(run.training.options)
    sections = [
        Section("Summary", [_facts(run)]),
        *([Section("Text", text)] if text else []),
        *normalizer_sections(run.header),
        vocabulary_section(run.tokenizer),
        *_training_sections(run),
        speed_section(run.stages, memory_blocks(run.resources, run.stages, estimated_bytes=run.estimated_bytes)),
    ]
    origin = counted(len(run.sources), "file") if run.counts else "counts"
    subtitle = f"Model {name}, trained on {origin}, {format_bytes(run.header.n_corpus_bytes)} of text"
    footer = f"Made by tokenloom {tokenloom.__version__}, {time.strftime('%Y-%m-%d %H:%M')}."
    return Page("Tokenizer training", subtitle, sections, footer)


def _facts(run: ModelRun) -> Facts:
    special = counted(len(run.tokenizer.special_tokens), "special token")
    peak = peak_bytes(run.stages)
    return Facts(
        [
            Fact("Vocabulary", f"{len(run.tokenizer):,}", special),
            Fact("Text", format_bytes(run.header.n_corpus_bytes)),
            Fact("Distinct pretokens", f"{run.header.n_pretokens:,}"),
            *left_out_facts(run.header),
            Fact(
                "Time",
                format_seconds(total_seconds(run.stages)),
                f"at most {format_bytes(peak)} of memory" if peak is not None else "",
            ),
        ]
    )


def _training_sections(run: ModelRun) -> list[Section]:
    training = run.training
    if isinstance(training, UnigramTraining):
        return [Section("Rounds", _round_blocks(training))]
    if isinstance(training, WordpieceTraining):
        return [Section("Merges", _merge_blocks(training))]
    if isinstance(training, WordTraining):
        return [Section("Words", [_word_facts(training)])]
    return []


def _round_blocks(training: UnigramTraining) -> list[Block]:
    columns = [Column("Round"), *(Column(name, is_number=True) for name in ("Pieces", "Bits per byte", "Tokens"))]
    bits = 1 / (0.693147 * max(1, training.n_bytes))
    rows = [
        (str(number), each.n_pieces, f"{each.loss * bits:.4f}", round(each.n_tokens))
        for number, each in enumerate(training.rounds, start=1)
    ]
    words = (
        "Training begins with many pieces and leaves out in each round those that the text would miss least. The bits "
        "are those of the text over all ways to cut it, and the tokens are those expected of it."
    )
    return [Text(words), Table(f"{counted(training.n_seeds, 'piece')} to begin with", columns, rows)]


def _merge_blocks(training: WordpieceTraining) -> list[Block]:
    if not training.steps:
        return [Note("No merge was made: no pair occurs often enough.")]
    names = ("Pair", "Left part", "Right part")
    columns = [Column("Merge"), Column("Token"), *(Column(name, is_number=True) for name in (*names, "Score"))]
    rows = [
        (str(number), step.token.encode(), step.n_pairs, step.n_left, step.n_right, f"{step.score:.3g}")
        for number, step in enumerate(training.steps[:_FIRST_MERGES], start=1)
    ]
    words = (
        "The pair with the highest score is merged, of those that occur often enough: how often the pair occurs, over "
        "the product of how often its parts do."
    )
    return [Text(words), Table(f"First {counted(len(rows), 'merge')}", columns, rows)]


def _word_facts(training: WordTraining) -> Facts:
    return Facts(
        [
            Fact("Words", f"{training.n_words:,}", f"{training.n_left_out:,} have no token"),
            Fact("Unknown", f"{training.n_unknown:,}", f"of {training.n_occurrences:,} words of the text"),
        ]
    )
