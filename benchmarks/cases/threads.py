"""tokenloom on one thread and on two, from memory and from a file: seconds by the clock on the wall.

In memory are documents. A file is one text to `encode_file`, so its ids may be others where documents meet.
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from cases.encode_rivals import DOCUMENT_BYTES, vocabulary_of
from measuring.case import Case, Outcome, Prepared, Setup
from measuring.corpora import MEBIBYTE, MEGABYTE, documents, facts, take
from measuring.sections import measured
from peers.files import SEPARATOR, Documents
from peers.ours import encode_documents

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
    (setup.folder / "plain").write_bytes(text)
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
            "a file is read by": "encode_file" if hasattr(Tokenizer, "encode_file") else "read, split, encode_batch",
        },
        section_bytes={"cold": len(text), "warm": len(text)},
    )


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    from tokenloom import Tokenizer

    import_module("numpy")  # the first call would import it, which is no part of encoding
    folder = Path(inputs["folder"])
    is_file, n_threads = PEERS[peer]
    tokenizer = Tokenizer.load(folder / "tokenizer", special_text="plain")
    if is_file:
        work = _from_file(tokenizer, folder, n_threads)
    else:
        encode = partial(tokenizer.encode_batch, Documents.read(folder / "text").texts, n_threads=n_threads)
        work = partial(_ids_of, encode)
    sections = {}
    for label in ("cold", "warm"):
        sections[label], ids = measured(work)
    return Outcome(sections, f"{len(ids)} ids", lambda: bytes(ids.tobytes()))


def _ids_of(encode: Callable[[], Any]) -> Any:
    return encode().ids


def _from_file(tokenizer: Any, folder: Path, n_threads: int) -> Callable[[], Any]:
    """The ids of a file by the method for it, or in a version without one as one would do it by hand."""
    encode_file = getattr(tokenizer, "encode_file", None)
    if encode_file:
        return partial(encode_file, folder / "plain", n_threads=n_threads)
    return lambda: encode_documents(tokenizer, folder / "text", n_threads).ids


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    """Threads may change nothing. Ids are four bytes each."""
    ids = {peer: path.read_bytes() for peer, path in answers.items()}
    return {
        "two threads give the same": all(ids[f"{x}, 1 thread"] == ids[f"{x}, 2 threads"] for x in ("memory", "file")),
        "ids from memory": len(ids["memory, 1 thread"]) // 4,
        "ids from a file": len(ids["file, 1 thread"]) // 4,
    }


CASE: Final = Case(
    summary="tokenloom on one thread and on two, from memory and from a file",
    peers=tuple(PEERS),
    baseline="memory, 1 thread",
    packages=("tokenloom", "numpy"),
    prepare=_prepare,
    run=_run,
    compare=_compare,
)
