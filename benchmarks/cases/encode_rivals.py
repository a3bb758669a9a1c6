"""Encoding a published vocabulary, by every library that has it: documents of about 8 KB, all of them in one call.

*Cold* is the first pass of a fresh process, *warm* the same text again, *next* new text in the process that is now
warm. One thread is timed in seconds of the processor, pinned to one core; more are timed by the clock on the wall.
"""

import statistics
import time
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from measuring.case import Case, Outcome, Prepared, Setup
from measuring.corpora import MEBIBYTE, documents, facts, take
from measuring.sections import Section, forget_peak, measured, memory_bytes, pin_to_one_core
from peers import OURS, PEERS, absent, packages
from peers.definitions import definer, right_answer
from peers.files import SEPARATOR, Documents, Vocabulary
from peers.peer import Loaded

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import NDArray

    Ids = Sequence[NDArray[uint32]]

__all__ = ["CASE", "compared", "verdict", "vocabulary_of"]

MOST_BYTES: Final = 16 * MEBIBYTE
"""Of each text; a smaller corpus gives each text half of it."""
DOCUMENT_BYTES: Final = 8_000
CALL_BYTES: Final = {"call with 100 B": 100, "call with 4 KB": 4096}
CALLS: Final = 400
PATIENCE_SECONDS: Final = 2.5
"""Of the processor. A rival that needs more for the cold pass has no further passes, nor has it rounds."""

ENTRIES: Final = ("tokenloom", "tokenloom lists", "tokenloom file", *(name for name in PEERS if name not in OURS))
PLAIN_ENTRIES: Final = tuple(name for name in ENTRIES if not name.endswith(" lists") and name != "tokenloom file")
"""Without other ways of asking the same library, for the rows where only the fastest way is of interest."""


def vocabulary_of(setup: Setup) -> Vocabulary:
    """The vocabulary that a setup names.

    Raises: ValueError if there is none, or if its files or the library that defines it are not there.
    """
    if setup.vocabularies is None:
        raise ValueError("this case needs --vocabularies FOLDER; benchmarks/README.md says what the folder holds.")
    vocabulary = Vocabulary(setup.vocabularies, setup.encoding)
    vocabulary.check()
    if definer(setup.encoding) in absent([definer(setup.encoding)], setup.encoding):
        raise ValueError(f"{setup.encoding} is defined by {definer(setup.encoding)}, which is not installed.")
    return vocabulary


def _prepare(entries: Sequence[str], setup: Setup) -> Prepared:
    vocabulary = vocabulary_of(setup)
    data = setup.corpus.data.replace(SEPARATOR.encode(), b"")
    n_bytes = min(setup.n_bytes or MOST_BYTES, len(data) // 2)
    first = take(data, n_bytes)
    texts = {"first": first, "next": take(data[len(first) :], n_bytes)}
    settings = {}
    for label, text in texts.items():
        pieces = documents(text, least_bytes=DOCUMENT_BYTES)
        (setup.folder / label).write_bytes(SEPARATOR.encode().join(pieces))
        settings[label] = facts(text) | {"documents": len(pieces)}
    missing = absent(entries, vocabulary.encoding)
    if entries == PLAIN_ENTRIES and definer(vocabulary.encoding) != "tokenizers":
        missing["tokenizers"] = "left out, as the slower of the two that define encodings"
    return Prepared(
        inputs={
            "texts": str(setup.folder),
            "vocabularies": str(vocabulary.folder),
            "encoding": vocabulary.encoding,
            "n_threads": setup.n_threads,
        },
        settings={
            "encoding": vocabulary.encoding,
            "vocabulary": facts(vocabulary.file.read_bytes()),
            "texts": settings,
            "threads": setup.n_threads,
            "defined by": definer(vocabulary.encoding),
        },
        section_bytes={"cold": len(first), "warm": len(first), "next": len(texts["next"])},
        absent=missing,
        packages=tuple(dict.fromkeys(PEERS[name].package for name in entries if name not in missing)),
        n_threads=setup.n_threads,
        limit_seconds=300,
        kept=tuple(name for name in entries if name in ("gigatoken batch", "gigatoken lists")),
    )


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    n_threads = inputs["n_threads"]
    if n_threads == 1:
        pin_to_one_core()
    folder = Path(inputs["texts"])
    first = Documents.read(folder / "first")
    vocabulary = Vocabulary(Path(inputs["vocabularies"]), inputs["encoding"])
    start_bytes = forget_peak()
    sections: dict[str, Section] = {}
    sections["load"], tokenizer = measured(lambda: PEERS[peer].load(vocabulary))
    sections["cold"], cold = measured(lambda: tokenizer.many(first, n_threads))
    n_ids = [tokenizer.flat(cold)[1].sum()]
    again = {label: partial(_encoded, tokenizer, folder / label, n_threads) for label in ("first", "next")}
    if peer not in OURS and sections["cold"].cpu_seconds > PATIENCE_SECONDS:
        texts: list[Callable[[], Any]] = [
            lambda: cold,
            *([again["next"]] if peer == definer(vocabulary.encoding) else []),
        ]
        return Outcome(sections, f"{n_ids} ids", partial(_answer, tokenizer, texts))
    cold = None  # or its memory would be counted twice
    sections["warm"], _ = measured(lambda: len(tokenizer.many(first, n_threads)))
    figures = {"net peak bytes": float(memory_bytes("VmHWM") - start_bytes)}
    following = Documents.read(folder / "next")
    sections["next"], result = measured(lambda: tokenizer.many(following, n_threads))
    n_ids.append(tokenizer.flat(result)[1].sum())
    if n_threads == 1:
        figures |= _calls(tokenizer.one, first)
    answer = partial(_answer, tokenizer, [again["first"], lambda: result])
    return Outcome(sections, f"{n_ids} ids", answer, figures)


def _calls(encode: Callable[[str], Any], text: Documents) -> dict[str, float]:
    """Microseconds of one call: the median over different strings, each for the second time."""
    data = "".join(text.texts[:CALLS]).encode()
    figures = {}
    for label, n_bytes in CALL_BYTES.items():
        step = max(n_bytes, len(data) // CALLS)
        strings = [data[i : i + n_bytes].decode("utf-8", "ignore") for i in range(0, len(data) - n_bytes, step)]
        figures[label] = [1e6 * statistics.median(_walls(encode, strings)) for _ in range(2)][1]
    return figures


def _walls(encode: Callable[[str], Any], strings: Collection[str]) -> "array[float]":
    walls = array("d")
    for string in strings:
        start = time.perf_counter()
        encode(string)
        walls.append(time.perf_counter() - start)
    return walls


def _encoded(tokenizer: Loaded, path: Path, n_threads: int) -> Any:
    return tokenizer.many(Documents.read(path), n_threads)


def _answer(tokenizer: Loaded, texts: Sequence[Callable[[], Any]]) -> bytes:
    """For each text the number of documents, that of the ids of each, and the ids, all in four bytes."""
    import numpy as np

    parts = []
    for encoded in texts:
        ids, lengths = tokenizer.flat(encoded())
        parts += [np.array([len(lengths)], dtype=np.uint32), lengths, ids]
    return np.concatenate(parts).tobytes()


def compared(answers: Mapping[str, Path]) -> dict[str, Any]:
    """For each peer `"equal"`, or in how many documents its ids are not those of the library that defines them.

    A peer without patience left has told the first text only.
    """
    right = _split(right_answer(answers))
    return {peer: _joined_verdict(_split(path), right) for peer, path in answers.items()}


def _joined_verdict(texts: "Sequence[Ids]", right: "Sequence[Ids]") -> str:
    n_texts = min(len(texts), len(right))
    return verdict(*([document for text in x[:n_texts] for document in text] for x in (texts, right)))


def verdict(documents: "Ids", right: "Ids") -> str:
    """`"equal"` or how the ids of documents differ."""
    if len(documents) != len(right):
        return f"{len(documents)} documents instead of {len(right)}"
    n_differing = sum(not _equal(ours, theirs) for ours, theirs in zip(documents, right, strict=True))
    return f"{n_differing} of {len(right)} documents differ" if n_differing else "equal"


def _equal(left: "NDArray[uint32]", right: "NDArray[uint32]") -> bool:
    return len(left) == len(right) and bool((left == right).all())


def _split(path: Path) -> "list[Ids]":
    """The ids of each document of each text."""
    import numpy as np

    numbers = np.fromfile(path, dtype=np.uint32)
    found: list[Ids] = []
    position = 0
    while position < len(numbers):
        start = position + 1 + int(numbers[position])
        ends = np.cumsum(numbers[position + 1 : start], dtype=np.int64)
        position = start + (int(ends[-1]) if len(ends) else 0)
        found.append(np.split(numbers[start:position], ends[:-1]))
    return found


def _case(entries: Sequence[str]) -> Case:
    return Case(
        summary="a published vocabulary, by all libraries that have it",
        peers=tuple(entries),
        baseline="tokenloom",
        packages=packages(entries),
        prepare=partial(_prepare, entries),
        run=_run,
        compare=compared,
        is_contest=True,
        needs_vocabularies=True,
    )


CASE: Final = _case(ENTRIES)
PLAIN_CASE: Final = _case(PLAIN_ENTRIES)
