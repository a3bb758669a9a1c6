"""Encoding: documents of about 8 KB, one call each, on one core, by tokenloom and by tiktoken.

Both start from the same two files, GPT-2's `vocab.json` and `merges.txt`; tiktoken gets the ranks that these imply.
The first pass meets a tokenizer that has seen no text, the second pass new text in the same process.
"""

import json
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from measuring.case import Case, Outcome, Prepared, Setup
from measuring.corpora import MEGABYTE, Corpus, document_lengths, facts, take
from measuring.sections import measured, pin_to_one_core

__all__ = ["CASE"]

MOST_BYTES: Final = 32 * MEGABYTE
"""Of each pass; a smaller corpus gives each pass half of it."""
DOCUMENT_BYTES: Final = 8_000
TRAINED_SIZE: Final = 32_000
PASSES: Final = ("first pass", "second pass")

Encode = Callable[[str], Collection[Any]]


def _prepare(setup: Setup) -> Prepared:
    corpus, folder, gpt2 = setup.corpus, setup.folder, setup.gpt2
    half = min(MOST_BYTES, len(corpus.data) // 2)
    first = take(corpus.data, half)
    texts = dict(zip(PASSES, (first, take(corpus.data[len(first) :], half)), strict=True))
    passes = {}
    for number, (label, text) in enumerate(texts.items()):
        path = folder / f"pass-{number}.txt"
        path.write_bytes(text)
        passes[label] = {"path": str(path), "lengths": document_lengths(text, least_bytes=DOCUMENT_BYTES)}
    files = gpt2 or _trained_files(corpus, folder)
    return Prepared(
        inputs={"passes": passes, "vocab": str(files / "vocab.json"), "merges": str(files / "merges.txt")},
        settings={
            "texts": {x: facts(text) | {"documents": len(passes[x]["lengths"])} for x, text in texts.items()},
            "vocabulary": "GPT-2's files" if gpt2 else f"trained on the corpus, {TRAINED_SIZE} tokens",
            "vocab.json": facts((files / "vocab.json").read_bytes()),
            "merges.txt": facts((files / "merges.txt").read_bytes()),
            "threads": 1,
            "pinned to one core": True,
        },
        section_bytes={label: len(text) for label, text in texts.items()},
    )


def _trained_files(corpus: Corpus, folder: Path) -> Path:
    """GPT-2's two files with a vocabulary of this corpus."""
    from tokenloom import train

    tokenizer = train([take(corpus.data, MOST_BYTES)], TRAINED_SIZE, tie_break="lowest-id", alphabet="gpt2")
    tokenizer.save_files(folder / "vocab.json", folder / "merges.txt")
    return folder


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    pin_to_one_core()
    passes = {label: _documents(Path(text["path"]), text["lengths"]) for label, text in inputs["passes"].items()}
    encode = ENCODERS[peer](inputs["vocab"], inputs["merges"])
    sections, n_tokens = {}, []
    for label, documents in passes.items():
        sections[label], n = measured(partial(_count_all, encode, documents))
        n_tokens.append(n)
    everything = [document for documents in passes.values() for document in documents]
    return Outcome(sections, f"{n_tokens} tokens", lambda: _ids_of_all(encode, everything))


def _count_all(encode: Encode, documents: Sequence[str]) -> int:
    """The measured loop. Ids are dropped after each document, so memory for keeping them is not measured."""
    n_tokens = 0
    for document in documents:
        n_tokens += len(encode(document))
    return n_tokens


def _ids_of_all(encode: Encode, documents: Sequence[str]) -> bytes:
    """For each document the number of its ids, then the ids, all in four bytes each."""
    answer = array("I")
    for document in documents:
        ids = encode(document)
        answer.append(len(ids))
        answer.extend(int(token_id) for token_id in ids)
    return answer.tobytes()


def _documents(path: Path, lengths: Sequence[int]) -> list[str]:
    with path.open("rb") as file:
        return [file.read(length).decode() for length in lengths]


def _tokenloom_array(vocab: str, merges: str) -> Encode:
    from tokenloom import Tokenizer

    import_module("numpy")  # encode_array would import it when first called, which is no part of encoding
    return Tokenizer.from_files(vocab, merges).encode_array


def _tokenloom_list(vocab: str, merges: str) -> Encode:
    from tokenloom import Tokenizer

    return Tokenizer.from_files(vocab, merges).encode


def _tiktoken(vocab: str, merges: str) -> Encode:
    """The encoding with tiktoken's own pattern for GPT-2. A special token is ordinary text for both libraries here."""
    import tiktoken
    from tiktoken_ext.openai_public import r50k_pat_str  # type: ignore[import-untyped]

    ranks = _ranks(vocab, merges)
    return tiktoken.Encoding("gpt2", pat_str=r50k_pat_str, mergeable_ranks=ranks, special_tokens={}).encode_ordinary


def _ranks(vocab: str, merges: str) -> dict[bytes, int]:
    """Ranks, which are ids, of the single bytes and of what the merges make; special tokens are neither.

    Merging by lowest rank equals merging by the list where ids follow the order of the list, as GPT-2's do.
    """
    from tokenloom.spec.alphabets import BYTE_TO_CHARACTER, from_characters

    lines = Path(merges).read_text(encoding="utf-8").split("\n")
    made = {"".join(line.split(" ")) for line in lines if line and not line.startswith("#version")}
    ids = json.loads(Path(vocab).read_text(encoding="utf-8"))
    reachable = made.union(BYTE_TO_CHARACTER.values())
    return {from_characters(spelling): token_id for spelling, token_id in ids.items() if spelling in reachable}


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    theirs = _split(answers[CASE.baseline])
    check: dict[str, Any] = {"documents": len(theirs), "tokens": sum(map(len, theirs))}
    for peer in CASE.peers:
        if peer != CASE.baseline:
            n_differing = sum(a != b for a, b in zip(_split(answers[peer]), theirs, strict=True))
            check[f"documents where {peer} differs"] = n_differing
    return check


def _split(path: Path) -> "list[array[int]]":  # quoted: Python 3.11 cannot subscript array
    answer = array("I", path.read_bytes())
    documents, position = [], 0
    while position < len(answer):
        end = position + 1 + answer[position]
        documents.append(answer[position + 1 : end])
        position = end
    return documents


ENCODERS: Final[dict[str, Callable[[str, str], Encode]]] = {
    "tokenloom encode_array": _tokenloom_array,
    "tokenloom encode": _tokenloom_list,
    "tiktoken encode_ordinary": _tiktoken,
}

CASE: Final = Case(
    summary="GPT-2's kind of vocabulary, document by document, one core",
    peers=tuple(ENCODERS),
    baseline="tiktoken encode_ordinary",
    packages=("tokenloom", "tiktoken", "numpy"),
    prepare=_prepare,
    run=_run,
    compare=_compare,
)
