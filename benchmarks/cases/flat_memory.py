"""Memory over many batches of text that was never seen: what a cache without bounds would show."""

import base64
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from cases.encode_rivals import vocabulary_of
from measuring.case import Case, Outcome, Prepared, Setup
from measuring.contest import verdicts
from measuring.sections import forget_peak, measured, memory_bytes, pin_to_one_core
from peers import PEERS, absent, packages
from peers.files import Documents, Vocabulary

__all__ = ["BATCH_BYTES", "CASE", "grown_bytes"]

BATCH_BYTES: Final = 400
ENTRIES: Final = ("tokenloom", "gigatoken batch", "fastokens")
_BLANKS: Final = str.maketrans("ABCDE", "     ", "=")


def grown_bytes(encode: Callable[[list[str]], Any], n_batches: int) -> tuple[int, int]:
    """Encode batches of random words. Returns: what the process grew by after the first tenth, and the ids' number."""
    draw = random.Random(5)
    start, n_ids = 0, 0
    for number in range(n_batches):
        if number == n_batches // 10:
            start = memory_bytes("VmRSS")
        n_ids += encode([_words(draw)])
    return memory_bytes("VmRSS") - start, n_ids


def _words(draw: random.Random) -> str:
    """Words of letters and digits, about six long, which no text repeats."""
    return base64.b32encode(draw.randbytes(BATCH_BYTES * 5 // 8)).decode().translate(_BLANKS)


def _prepare(setup: Setup) -> Prepared:
    vocabulary = vocabulary_of(setup)
    missing = absent(ENTRIES, vocabulary.encoding)
    return Prepared(
        inputs={
            "vocabularies": str(vocabulary.folder),
            "encoding": vocabulary.encoding,
            "n_batches": setup.n_batches,
        },
        settings={"encoding": vocabulary.encoding, "batches": setup.n_batches, "bytes of a batch": BATCH_BYTES},
        section_bytes={"batches": setup.n_batches * BATCH_BYTES},
        absent=missing,
        packages=tuple(dict.fromkeys(PEERS[name].package for name in ENTRIES if name not in missing)),
        kept=ENTRIES,
        n_threads=1,
    )


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    pin_to_one_core()
    start = forget_peak()
    tokenizer = PEERS[peer].load(Vocabulary(Path(inputs["vocabularies"]), inputs["encoding"]))

    def encode(texts: list[str]) -> Any:
        return tokenizer.flat(tokenizer.many(Documents(texts, Path(), 0), 1))[1].sum()

    section, (grown, n_ids) = measured(lambda: grown_bytes(encode, inputs["n_batches"]))
    figures = {"net peak bytes": float(memory_bytes("VmHWM") - start), "grown bytes": float(grown)}
    return Outcome({"batches": section}, f"{n_ids} ids", lambda: str(n_ids).encode(), figures)


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    return verdicts(answers, answers["tokenloom"], otherwise="other number of ids")


CASE: Final = Case(
    summary="memory over many batches of new words",
    peers=ENTRIES,
    baseline="tokenloom",
    packages=packages(ENTRIES),
    prepare=_prepare,
    run=_run,
    compare=_compare,
    is_contest=True,
    needs_vocabularies=True,
)
