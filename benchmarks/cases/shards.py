"""Files to token shards: what reading, writing and checksums add to bare encoding. All peers are tokenloom.

The baseline encodes documents that lie in memory and drops nothing: one array of ids. The others read the same
documents from files and leave a folder that verifies, everything brought to the disk before they end.
"""

import json
import shutil
from array import array
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from measuring.case import Case, Outcome, Prepared, Setup
from measuring.corpora import MEGABYTE, document_lengths, facts, take
from measuring.sections import measured

__all__ = ["CASE"]

MOST_BYTES: Final = 100 * MEGABYTE
DOCUMENT_BYTES: Final = 4_000
TRAINED_SIZE: Final = 32_000
SEPARATOR: Final = b"<|endoftext|>"
SECTION: Final = "all documents"

Work = Callable[[], tuple[Any, Any]]


def _prepare(setup: Setup) -> Prepared:
    from backports import zstd

    from tokenloom import Tokenizer, train

    corpus, folder, gpt2 = setup.corpus, setup.folder, setup.gpt2
    text = take(corpus.data, MOST_BYTES)
    documents, start = [], 0
    for length in document_lengths(text, least_bytes=DOCUMENT_BYTES):
        documents.append(text[start : start + length])
        start += length
    (folder / "corpus.txt").write_bytes(SEPARATOR.join(documents))
    lines = b"".join(json.dumps({"text": text.decode()}).encode() + b"\n" for text in documents)
    (folder / "corpus.jsonl.zst").write_bytes(zstd.compress(lines))
    if gpt2:
        tokenizer = Tokenizer.from_files(gpt2 / "vocab.json", gpt2 / "merges.txt", [SEPARATOR.decode()])
    else:
        tokenizer = train([take(corpus.data, 20 * MEGABYTE)], TRAINED_SIZE, [SEPARATOR.decode()])
    tokenizer.save(folder / "tokenizer")
    return Prepared(
        inputs={"folder": str(folder)},
        settings={
            "text": facts(text) | {"documents": len(documents)},
            "vocabulary": "GPT-2's files" if gpt2 else f"trained on the corpus, {TRAINED_SIZE} tokens",
            "tokenizer": tokenizer.spec.fingerprint,
            "threads": "all cores",
        },
        section_bytes={SECTION: len(text)},
    )


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    folder = Path(inputs["folder"])
    import_module("numpy")
    work = PEERS[peer](folder)
    section, (ids, starts) = measured(work)
    return Outcome({SECTION: section}, f"{len(ids)} tokens", lambda: _answer(ids, starts))


def _answer(ids: Any, starts: Any) -> bytes:
    """The starts, and the ids, all in eight bytes each."""
    return array("q", [*starts.tolist(), *ids.tolist()]).tobytes()


def _bare(folder: Path) -> Work:
    from tokenloom import Tokenizer

    tokenizer = Tokenizer.load(folder / "tokenizer")
    documents = (folder / "corpus.txt").read_bytes().split(SEPARATOR)

    def work() -> tuple[Any, Any]:
        batch = tokenizer.encode_batch(documents)
        return batch.ids, batch.starts

    return work


def _shards(name: str, folder: Path) -> Work:
    from tokenloom import Tokenizer
    from tokenloom.corpus import DocumentOptions
    from tokenloom.jobs.encode import encode_corpus

    tokenizer = Tokenizer.load(folder / "tokenizer")
    documents = DocumentOptions(document_separator=SEPARATOR)
    out = folder / "shards"
    shutil.rmtree(out, ignore_errors=True)

    def work() -> tuple[Any, Any]:
        shards = encode_corpus([folder / name], tokenizer=tokenizer, out=out, documents=documents).shards
        return shards.tokens(), shards.starts

    return work


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    theirs = answers[CASE.baseline].read_bytes()
    check: dict[str, Any] = {"numbers": len(theirs) // 8}
    return check | {f"{peer} gives the same": answers[peer].read_bytes() == theirs for peer in CASE.peers}


PEERS: Final[dict[str, Callable[[Path], Work]]] = {
    "encode_batch, in memory": _bare,
    "shards from text": partial(_shards, "corpus.txt"),
    "shards from JSONL.zst": partial(_shards, "corpus.jsonl.zst"),
}

CASE: Final = Case(
    summary="from files to verified token shards, beside encoding alone, all cores",
    peers=tuple(PEERS),
    baseline="encode_batch, in memory",
    packages=("tokenloom", "numpy", "orjson", "backports.zstd"),
    prepare=_prepare,
    run=_run,
    compare=_compare,
)
