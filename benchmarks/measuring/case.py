"""What a benchmark case is: a task that several libraries, here called peers, do on the same text.

A case is prepared once. Then every run, each in its own process, does the task for one peer and says what came out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from measuring.corpora import Corpus
from measuring.sections import Section

__all__ = ["WHOLE", "Case", "Outcome", "Prepared", "Setup"]

WHOLE: Final = "all"
"""The only part of a case that is not divided."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a case is prepared from.

    Args:
        corpus: the text.
        folder: where files for the runs may be written.
        gpt2: the folder of GPT-2's two files.
        vocabularies: the folder of published vocabularies; `peers/files.py` says how it is laid out.
        encoding: the name of one of these.
        n_threads: threads for each peer, where a case lets one choose.
        n_bytes: bytes of text for each section, or None for what the case takes by itself.
        n_batches: batches, for the case that counts in these.
    """

    corpus: Corpus
    folder: Path
    gpt2: Path | None = None
    vocabularies: Path | None = None
    encoding: str = "cl100k_base"
    n_threads: int = 1
    n_bytes: int | None = None
    n_batches: int = 20_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """A case made ready to run.

    Args:
        inputs: what the runs need, as JSON: paths of files and numbers.
        settings: what a reader of the results needs: the text as cut, vocabulary sizes, threads.
        section_bytes: the bytes of text that each measured section reads.
        absent: peers that cannot take part here, and why: results name them.
        parts: what of the task each run does; every peer runs once for each part, in a process of its own.
        n_threads: threads for each peer; None lets each use all cores.
        limit_seconds: after which a run is ended; None waits.
        kept: rivals that have rounds in a contest even if they are far behind.
        packages: distributions whose versions belong to this result, if not all of the case take part.
    """

    inputs: Mapping[str, Any]
    settings: Mapping[str, Any]
    section_bytes: Mapping[str, int]
    absent: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = (WHOLE,)
    n_threads: int | None = None
    limit_seconds: float | None = None
    kept: tuple[str, ...] = ()
    packages: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of one peer.

    Args:
        sections: the measured sections, in the order in which they ran.
        fingerprint: short, and the same in every run of a peer, or else the peer did different work.
        answer: the whole result, for the comparison of peers; called in warm-up runs only, after all measuring.
        figures: other numbers of the run, of which less is better, such as the microseconds of one call.
    """

    sections: Mapping[str, Section]
    fingerprint: str
    answer: Callable[[], bytes]
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """A benchmark.

    Args:
        summary: one line for people.
        peers: their names, in the order of each round.
        baseline: the peer to which the others are compared; in a contest ours.
        packages: distributions whose versions belong to the result.
        prepare: makes a setup ready to run.
        run: does the task for one peer; called in a process of its own.
        compare: takes the file of each peer's answer and says whether they are equal; in a contest, for each peer,
            `"equal"` or how it differs.
        is_contest: whether the peers are all that there are, some absent, slow or wrong; see `contest.py`.
        needs_vocabularies: whether it cannot run without published vocabularies.
    """

    summary: str
    peers: tuple[str, ...]
    baseline: str
    packages: tuple[str, ...]
    prepare: Callable[[Setup], Prepared]
    run: Callable[[str, Mapping[str, Any]], Outcome]
    compare: Callable[[Mapping[str, Path]], dict[str, Any]]
    is_contest: bool = False
    needs_vocabularies: bool = False
