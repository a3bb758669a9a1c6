"""Parallel text from a folder: a file a language, a sentence a line, the same sentences in each."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tokenloom.corpus import DocumentOptions, list_sources, read_source
from tokenloom.errors import MetricError
from tokenloom.metrics import ParallelCosts, Resamples, check_parallel, parallel_costs
from tokenloom.tokenizer import Tokenizer

__all__ = ["measure_parallel", "read_parallel"]

_ENGLISH: Final = "eng"


def measure_parallel(
    tokenizers: Mapping[str, Tokenizer],
    folder: str | os.PathLike[str],
    *,
    reference: str | None = None,
    resamples: Callable[[int], Resamples] | None = None,
    n_threads: int | None = None,
) -> dict[str, ParallelCosts]:
    """What parallel text costs each tokenizer; see `parallel_costs`.

    Args:
        tokenizers: by name.
        folder: files of parallel text.
        reference: the language that premiums are over; None for the only one that begins with `eng`.
        resamples: the draws for so many sentences; None for no intervals.
        n_threads: threads that encode; None for one a core.
    Raises: MetricError if the files are not parallel or there is no such reference; CorpusError if one cannot be read.
    """
    languages = read_parallel(folder)
    name = _english(languages, folder) if reference is None else reference
    check_parallel(languages, name)
    draws = resamples(len(languages[name])) if resamples else None
    return {
        key: parallel_costs(tokenizer, languages, reference=name, resamples=draws, n_threads=n_threads)
        for key, tokenizer in tokenizers.items()
    }


def read_parallel(folder: str | os.PathLike[str]) -> dict[str, list[bytes]]:
    r"""The lines of each file of a folder by its name without endings; line feeds, and `\r` before them, are dropped.

    Files may be compressed. Raises: MetricError for two files of one language; CorpusError if one cannot be read.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "eng.txt").write_bytes(b"one\ntwo\n"), (folder / "fra.txt").write_bytes(b"un\r\ndeux")
    >>> read_parallel(folder)
    {'eng': [b'one', b'two'], 'fra': [b'un', b'deux']}
    """
    options = DocumentOptions(format="text")
    languages: dict[str, list[bytes]] = {}
    for source in list_sources([folder], options):
        text = b"".join(part for block in read_source(source, options) for part in block.texts)
        lines = text.split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        name = Path(source.name).name.partition(".")[0]
        if name in languages:
            raise MetricError(f"parallel text, {source.name!r}: is the second file of {name!r}. Keep one a language.")
        languages[name] = [line.removesuffix(b"\r") for line in lines]
    return languages


def _english(languages: Mapping[str, list[bytes]], folder: str | os.PathLike[str]) -> str:
    names = [name for name in languages if name.startswith(_ENGLISH)]
    if len(names) != 1:
        known = ", ".join(map(repr, sorted(languages)))
        raise MetricError(
            f"{os.fspath(folder)!r}: {len(names)} files begin with {_ENGLISH!r}, so the reference language is not "
            f"clear. Name it with --reference-language, one of {known}."
        )
    return names[0]
