"""The whole of tokenloom in a few seconds: train on real text, encode all of it, decode it back, say how fast."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tokenloom.corpus import list_files, read_blocks, read_parts, standard_library_files, total_bytes
from tokenloom.errors import CorpusError, TokenloomError
from tokenloom.formats import native
from tokenloom.jobs.measure import Stage, measured
from tokenloom.jobs.train import training_provenance
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers import BpeOptions, BpeTraining, Progress, count_pretokens, train_on_counts

__all__ = ["DEMO_VOCABULARY_SIZE", "Demo", "demo"]

DEMO_VOCABULARY_SIZE: Final = 8192
END_OF_DOCUMENT: Final = "<|endoftext|>"

_PART_BYTES: Final = 4 << 20
"""A longer file is encoded in parts of about this size, cut behind a line end where there is one."""

_BATCH_BYTES: Final = 32 << 20
"""Parts are encoded in batches of about this size, so memory does not follow the corpus."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What a demonstration did.

    Args:
        source: the path, or "the standard library of Python" with its version.
        n_files: the files; each is one document of the training.
        n_bytes: their bytes.
        n_tokens: their tokens, special ones included.
        n_pretokens: distinct pretokens.
        tokenizer: what was trained.
        training: the record of its merges.
        stages: count, merge, encode, decode; every decoded part was equal to its part of the file.
        folder: where the tokenizer was saved.
    """

    source: str
    n_files: int
    n_bytes: int
    n_tokens: int
    n_pretokens: int
    tokenizer: Tokenizer
    training: BpeTraining
    stages: tuple[Stage, ...]
    folder: Path


def demo(
    path: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str],
    vocab_size: int = DEMO_VOCABULARY_SIZE,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Demo:
    """Train on a file or on all files of a folder, encode them and decode them back.

    Args:
        path: the text; None for the standard library of the running Python.
        out: folder for the tokenizer, made if needed.
        vocab_size: tokens in all.
        n_threads: threads to use; None for one a core.
        progress: called with the stage, the bytes or merges done, and how many there are.
    Raises: CorpusError if a file cannot be read or there is no text at all; TrainingError for an impossible vocabulary
        size or number of threads; StorageError if `out` cannot be written; TokenloomError if a file has changed under
        way and so does not come back.
    """
    options = BpeOptions(vocab_size, [END_OF_DOCUMENT])
    files = list_files(path) if path is not None else standard_library_files()
    n_corpus_bytes = total_bytes(files)
    if not n_corpus_bytes:
        raise CorpusError(f"{os.fspath(path or '')!r}: holds no text to train on. Name a file or a folder with text.")
    folder = Path(out)
    native.claim(folder)
    report = _with_total(progress, n_corpus_bytes)
    stages: list[Stage] = []
    with measured(stages, "count") as stage:
        counts = count_pretokens(
            map(read_blocks, files),
            pretokenizer=options.pretokenizer,
            special_tokens=options.special_tokens,
            n_threads=n_threads,
            progress=report,
        )
        stage.n_bytes = n_corpus_bytes
    with measured(stages, "merge"):
        training = train_on_counts(counts, options, progress=report)
    tokenizer = Tokenizer.from_spec(training.spec, special_text="parse", provenance=training_provenance(training))
    n_bytes, n_tokens = _round_trip(tokenizer, files, stages, n_threads, report)
    tokenizer.save(folder)
    return Demo(
        source=os.fspath(path) if path is not None else "the standard library of Python",
        n_files=len(files),
        n_bytes=n_bytes,
        n_tokens=n_tokens,
        n_pretokens=len(counts),
        tokenizer=tokenizer,
        training=training,
        stages=tuple(stages),
        folder=folder,
    )


def _round_trip(
    tokenizer: Tokenizer, files: Sequence[Path], stages: list[Stage], n_threads: int | None, report: Progress
) -> tuple[int, int]:
    """Encode and decode all files and compare; returns their bytes and tokens. Adds the stages encode and decode."""
    encode, decode = Stage("encode"), Stage("decode")
    n_tokens = len(tokenizer.encode_batch([]).ids)  # imports numpy, which is not to be measured
    for names, texts in _batches(files):
        parts: list[Stage] = []
        with measured(parts, "encode"):
            batch = tokenizer.encode_batch(
                texts, n_threads=n_threads, progress=partial(_report_encoded, report, encode.n_bytes)
            )
        encode.n_bytes += sum(map(len, texts))
        report("encode", encode.n_bytes, None)
        with measured(parts, "decode"):
            for name, text, ids in zip(names, texts, batch, strict=True):
                if tokenizer.decode_bytes(ids) != text:
                    raise TokenloomError(f"{str(name)!r}: did not come back byte for byte. Please report this file.")
                decode.n_bytes += len(text)
                report("decode", decode.n_bytes, None)
        n_tokens += len(batch.ids)
        for whole, part in zip((encode, decode), parts, strict=True):
            whole.seconds += part.seconds
            whole.peak_bytes = max(filter(None, (whole.peak_bytes, part.peak_bytes)), default=None)
    stages += [encode, decode]
    return encode.n_bytes, n_tokens


def _report_encoded(report: Progress, n_bytes_before: int, n_bytes: int) -> None:
    report("encode", n_bytes_before + n_bytes, None)


def _batches(files: Iterable[Path]) -> Iterator[tuple[list[Path], list[bytes]]]:
    """Parts of files with the files that they belong to."""
    names: list[Path] = []
    texts: list[bytes] = []
    n_bytes = 0
    for file in files:
        for part in read_parts(file, part_bytes=_PART_BYTES):
            names.append(file)
            texts.append(part)
            n_bytes += len(part)
            if n_bytes >= _BATCH_BYTES:
                yield names, texts
                names, texts, n_bytes = [], [], 0
    if names:
        yield names, texts


def _with_total(progress: Progress | None, n_corpus_bytes: int) -> Progress:
    """Report bytes of all files as the total where a stage does not know its own.

    Files that grow under way have more bytes than that; more than all is never reported.
    """

    def report(stage: str, done: int, total: int | None) -> None:
        if progress:
            whole = n_corpus_bytes if total is None else total
            progress(stage, min(done, whole), whole)

    return report
