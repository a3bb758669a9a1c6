"""What a benchmark case is: a task that several libraries, here called peers, do on the same text.

A case is prepared once. Then every run, each in its own process, does the task for one peer and says what came out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring.corpora import Corpus
from measuring.sections import Section

__all__ = ["Case", "Outcome", "Prepared"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A case made ready to run.

    Args:
        inputs: what the runs need, as JSON: paths of files and numbers.
        settings: what a reader of the results needs: the text as cut, vocabulary sizes, threads.
        section_bytes: the bytes of text that each measured section reads.
    """

    inputs: Mapping[str, Any]
    settings: Mapping[str, Any]
    section_bytes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of one peer.

    Args:
        sections: the measured sections, in the order in which they ran.
        fingerprint: short, and the same in every run of a peer, or else the peer did different work.
        answer: the whole result, for the comparison of peers; called in warm-up runs only, after all measuring.
    """

    sections: Mapping[str, Section]
    fingerprint: str
    answer: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Case:
    """A benchmark.

    Args:
        summary: one line for people.
        peers: their names, in the order of each round.
        baseline: the peer to which the others are compared.
        packages: distributions whose versions belong to the result.
        prepare: takes the corpus, a folder for files, and the folder of GPT-2's files or None.
        run: does the task for one peer; called in a process of its own.
        compare: takes the file of each peer's answer and says whether they are equal.
    """

    summary: str
    peers: tuple[str, ...]
    baseline: str
    packages: tuple[str, ...]
    prepare: Callable[[Corpus, Path, Path | None], Prepared]
    run: Callable[[str, Mapping[str, Any]], Outcome]
    compare: Callable[[Mapping[str, Path]], dict[str, Any]]
