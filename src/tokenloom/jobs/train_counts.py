"""Training on counts that are there already: count files of ours, and word counts that were made elsewhere."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tokenloom.corpus import refuse_output
from tokenloom.engine import claimed_work
from tokenloom.errors import CorpusError, TrainingError
from tokenloom.formats import native
from tokenloom.jobs.cuts import other_cuts
from tokenloom.jobs.measure import Stage, measured
from tokenloom.jobs.record import checked_record_path
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.run_identity import file_values
from tokenloom.jobs.train_corpus import TrainPlace, TrainRun, finish_training
from tokenloom.jobs.training import TrainingPlan, estimated_memory, ready_counts
from tokenloom.spec import TokenizerSpec
from tokenloom.storage import input_bytes, read_manifest
from tokenloom.trainers import (
    COUNTS_KIND,
    BpeOptions,
    CountHeader,
    CountOptions,
    Progress,
    read_count_header,
    read_word_counts,
)
from tokenloom.trainers.count_files import write_count_file
from tokenloom.trainers.start_alphabets import init_cuts

__all__ = [
    "COUNTS_FILE",
    "CountsEstimate",
    "check_counted_for",
    "counted_words",
    "counts_file_of",
    "estimate_count_file",
    "estimate_word_counts",
    "refuse_input_in",
    "train_count_file",
    "train_word_counts",
]

COUNTS_FILE = "pretokens.counts"
"""The count file in a folder that `tokenloom count-pretokens` has written."""


def counts_file_of(path: str | os.PathLike[str]) -> Path:
    """The count file that a path stands for: itself, or the one in a folder of counts.

    Raises: StorageError for a folder that holds no counts, or is not complete; CorpusError for what is not there;
        FormatError for a file that holds no counts.
    """
    place = Path(path)
    if place.is_dir():
        read_manifest(place, kind=COUNTS_KIND)
        return place / COUNTS_FILE
    read_count_header(place)
    return place


def check_counted_for(init: TokenizerSpec, file: Path) -> None:
    """Refuse counts that a tokenizer cannot grow on, since their text was cut in another way than it cuts.

    Raises: TrainingError naming the file and what to count again with.
    """
    options, (pretokenizer, own) = read_count_header(file).options, init_cuts(init)
    missing = [token for token in own if token not in options.special_tokens]
    others = [token for token in options.special_tokens if token not in own]
    if options.pretokenizer != pretokenizer:
        what = f"cut by another pattern than {pretokenizer.type!r}, with which the tokenizer of init cuts"
        remedy = "Count again with that one"
    elif missing:
        what = f"counted without the special token {missing[0]!r}, which the tokenizer of init has"
        remedy = f"Count again with {'it' if len(own) == 1 else f'all its {len(own):,} special tokens'}"
    elif others:
        what = f"counted with the special token {others[0]!r}, which the tokenizer of init does not have"
        remedy = "Count again without it, or add it to the tokenizer before"
    else:
        return
    raise TrainingError(f"{str(file)!r}: was {what}. {remedy}.")


def refuse_input_in(folder: Path, file: Path) -> None:
    """Refuse a file that lies in the output folder, where it may be replaced. Raises: CorpusError."""
    if Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder)):
        raise CorpusError(f"{str(file)!r}: lies in the output folder {str(folder)!r}. Choose another output folder.")


def train_count_file(
    path: str | os.PathLike[str],
    plan: TrainingPlan,
    *,
    out: str | os.PathLike[str],
    resources: Resources = Resources(),  # noqa: B008 - a frozen value
    record: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> TrainRun:
    """Train on a count file and save the tokenizer; a run that was stopped goes on with the same call.

    Args:
        path: a count file, or the folder that `tokenloom count-pretokens` wrote.
        plan: what is made of the counts; `counted_options` gives options that fit them.
        out: the folder for the tokenizer.
        resources: what may be taken of the machine.
        record: the file for a record of every merge, see `tokenloom.open_record`; None writes none.
        progress: called with `"merge"`, merges made and merges wanted.
    Raises: FormatError if the file is damaged; TrainingError if its text was cut in another way than the options say,
        naming what differs, or has no first positions and the tie rule needs them; MemoryLimitError if the limit is too
        small, before any merge.
    """
    file = counts_file_of(path)
    header = read_count_header(file)
    _refuse_other_cuts(file, header, plan.options)
    record_path = checked_record_path(record, out)
    folder = _claimed(out, file)
    run = {"counts": file_values(file), **header.options.values(), **plan.run()}
    stages: list[Stage] = []
    with claimed_work(folder, run) as work, _named(file):
        return finish_training(
            file,
            header,
            plan,
            TrainPlace(folder, work, resources, record_path),
            stages=stages,
            progress=progress,
        )


def train_word_counts(
    path: str | os.PathLike[str],
    plan: TrainingPlan,
    *,
    out: str | os.PathLike[str],
    resources: Resources = Resources(),  # noqa: B008 - a frozen value
    record: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> TrainRun:
    """Train on a file of word counts, see `read_word_counts`, and save the tokenizer.

    Args:
        path: lines of a word, a tab and a count. Each word is one pretoken, whatever the pattern of the options, which
            the tokenizer gets.
        plan: what is made of the counts.
        out: the folder for the tokenizer.
        resources: what may be taken of the machine. The file itself is read into memory.
        record: as for `train_count_file`.
        progress: called with `"merge"`, merges made and merges wanted.
    Raises: TrainingError for a line that is no word with its count; the rest as `train_count_file`.
    """
    options = plan.options
    _refuse_normalizer(options)
    file = Path(path)
    record_path = checked_record_path(record, out)
    folder = _claimed(out, file)
    count_options = CountOptions(options.pretokenizer, options.special_tokens, has_positions=True)
    stages: list[Stage] = []
    run = {"words": file_values(file), **count_options.values(), **plan.run()}
    with claimed_work(folder, run) as work:
        with measured(stages, "count") as stage:
            header = counted_words(file, work / COUNTS_FILE, count_options)
            stage.n_bytes = input_bytes(file)
        with _named(file):
            return finish_training(
                work / COUNTS_FILE,
                header,
                plan,
                TrainPlace(folder, work, resources, record_path),
                stages=stages,
                progress=progress,
            )


@dataclass(frozen=True, slots=True)
class CountsEstimate:
    """What a training on counts would read, and what it would need.

    Args:
        n_pretokens: distinct pretokens, also those that are too rare.
        n_text_bytes: the text that they stand for.
        estimated_bytes: the memory that merging needs.
    """

    n_pretokens: int
    n_text_bytes: int
    estimated_bytes: int


def estimate_count_file(
    path: str | os.PathLike[str], plan: TrainingPlan, *, memory_limit: int | None = None
) -> CountsEstimate:
    """See what `train_count_file` would need; writes nothing.

    Args:
        path: as there.
        plan: as there.
        memory_limit: where merging needs more, that is told, and the counts are not looked at.
    Raises: as there, before any merge, but for the limit.
    """
    file = counts_file_of(path)
    header = read_count_header(file)
    _refuse_other_cuts(file, header, plan.options)
    with _named(file):
        return _estimated(file, header, plan, memory_limit)


def estimate_word_counts(
    path: str | os.PathLike[str], plan: TrainingPlan, *, memory_limit: int | None = None
) -> CountsEstimate:
    """See what `train_word_counts` would need, as `estimate_count_file` does, with counts in a temporary file."""
    file, options = Path(path), plan.options
    _refuse_normalizer(options)
    count_options = CountOptions(options.pretokenizer, options.special_tokens, has_positions=True)
    with TemporaryDirectory() as work:
        counts = Path(work, COUNTS_FILE)
        header = counted_words(file, counts, count_options)
        with _named(file):
            return _estimated(counts, header, plan, memory_limit)


def _estimated(path: Path, header: CountHeader, plan: TrainingPlan, memory_limit: int | None) -> CountsEstimate:
    """Only the counts tell whether the characters have room, and whether a pretoken occurs often enough."""
    need = estimated_memory(path, plan)
    if memory_limit is None or need <= memory_limit:
        ready_counts(path, header, plan)
    return CountsEstimate(header.n_pretokens, header.n_corpus_bytes, need)


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Say of which file the counts cannot be trained on; what is raised in the block does not know."""
    try:
        yield
    except TrainingError as error:
        raise TrainingError(f"{str(file)!r}: {error}") from error


def counted_words(file: Path, target: Path, options: CountOptions) -> CountHeader:
    """Word counts as a count file, so that there is one way to train."""
    counts = read_word_counts(file)
    write_run = partial(counts.write_run, has_positions=True)
    return write_count_file(target, write_run, options=options, n_corpus_bytes=counts.n_bytes, n_cut_pretokens=0)


def _refuse_other_cuts(file: Path, header: CountHeader, options: BpeOptions) -> None:
    others = other_cuts(
        header.options,
        pretokenizer=options.pretokenizer,
        special_tokens=options.special_tokens,
        normalizer=options.normalizer,
    )
    if others:
        option, asked, found = others
        raise TrainingError(
            f"{option} {asked}: {str(file)!r} was counted with {found}. Leave it out to train with that, or "
            "count again."
        )


def _refuse_normalizer(options: BpeOptions) -> None:
    """Words that were counted elsewhere are taken as they stand."""
    if options.normalizer is not None:
        raise TrainingError(
            "normalizer: words that were counted elsewhere are taken as they stand. Leave it out, or train on text."
        )


def _claimed(out: str | os.PathLike[str], file: Path) -> Path:
    refuse_output((), out)
    folder = Path(out)
    native.claim(folder)
    refuse_input_in(folder, file)
    return folder
