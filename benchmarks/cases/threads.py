"""tokenloom on one thread and on two, from memory and from a file: seconds by the clock on the wall."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from cases.encode_rivals import DOCUMENT_BYTES, vocabulary_of
from measuring.case import Case, Outcome, Prepared, Setup
from measuring.corpora import MEBIBYTE, MEGABYTE, documents, facts, take
from measuring.sections import measured
from peers.files import SEPARATOR, Documents
from peers.ours import encode_file, says_encode_file

__all__ = ["CASE"]

MOST_BYTES: Final = 32 * MEBIBYTE
TRAINED_SIZE: Final = 32_000
PEERS: Final = {
    "memory, 1 thread": (False, 1),
    "memory, 2 threads": (False, 2),
    "file, 1 thread": (True, 1),
    "file, 2 threads": (True, 2),
}
"""By name whether the text comes from a file, and the number of threads."""


def _prepare(setup: Setup) -> Prepared:
    from tokenloom import Tokenizer, train

    text = take(setup.corpus.data.replace(SEPARATOR.encode(), b""), setup.n_bytes or MOST_BYTES)
    (setup.folder / "text").write_bytes(SEPARATOR.encode().join(documents(text, least_bytes=DOCUMENT_BYTES)))
    if setup.vocabularies:
        tokenizer = Tokenizer.load(vocabulary_of(setup).file)
    else:
        tokenizer = train([take(text, 20 * MEGABYTE)], TRAINED_SIZE, [SEPARATOR])
    tokenizer.save(setup.folder / "tokenizer")
    return Prepared(
        inputs={"folder": str(setup.folder)},
        settings={
            "text": facts(text),
            "vocabulary": setup.encoding if setup.vocabularies else f"trained on the corpus, {TRAINED_SIZE} tokens",
            "a file is read by": says_encode_file(),
        },
        section_bytes={"cold": len(text), "warm": len(text)},
    )


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    from tokenloom import Tokenizer

    folder = Path(inputs["folder"])
    is_file, n_threads = PEERS[peer]
    tokenizer = Tokenizer.load(folder / "tokenizer", special_text="plain")
    encode = partial(tokenizer.encode_batch, n_threads=n_threads)
    texts = [] if is_file else Documents.read(folder / "text").texts
    work = partial(encode_file, tokenizer, folder / "text", n_threads) if is_file else partial(encode, texts)
    sections = {}
    for label in ("cold", "warm"):
        sections[label], batch = measured(work)
    return Outcome(sections, f"{len(batch.ids)} ids", lambda: bytes(batch.starts.tobytes() + batch.ids.tobytes()))


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    theirs = answers[CASE.baseline].read_bytes()
    return {f"{peer} gives the same": path.read_bytes() == theirs for peer, path in answers.items()}


CASE: Final = Case(
    summary="tokenloom on one thread and on two, from memory and from a file",
    peers=tuple(PEERS),
    baseline="memory, 1 thread",
    packages=("tokenloom", "numpy"),
    prepare=_prepare,
    run=_run,
    compare=_compare,
)
