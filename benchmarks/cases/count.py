"""Counting the pretokens of files, beside encoding them and beside the preprocessing of other trainers.

What other trainers do before their first merge cannot be called by itself, so they train to a single merge.
"""

import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from measuring.case import Case, Outcome, Prepared, Setup
from measuring.corpora import MEGABYTE, facts, stripped_lines, take
from measuring.sections import measured, pin_to_one_core

__all__ = ["CASE"]

MOST_BYTES: Final = 100 * MEGABYTE
DOCUMENT_BYTES: Final = 4_000
TRAINED_SIZE: Final = 32_000
ONE_MERGE: Final = 257
SECTION: Final = "all text"


def _prepare(setup: Setup) -> Prepared:
    from backports import zstd

    from tokenloom import Tokenizer, train

    text, folder = stripped_lines(setup.corpus.data, setup.n_bytes or MOST_BYTES), setup.folder
    (folder / "text.txt").write_bytes(text)
    parts = _line_groups(text)
    lines = b"".join(json.dumps({"text": part.decode()}).encode() + b"\n" for part in parts)
    (folder / "text.jsonl.zst").write_bytes(zstd.compress(lines))
    if setup.gpt2:
        tokenizer = Tokenizer.from_files(setup.gpt2 / "vocab.json", setup.gpt2 / "merges.txt", [])
    else:
        tokenizer = train([take(setup.corpus.data, 20 * MEGABYTE)], TRAINED_SIZE, [])
    tokenizer.save(folder / "tokenizer")
    return Prepared(
        inputs={"folder": str(folder)},
        settings={
            "text": facts(text) | {"cut": "lines stripped, blank lines dropped", "documents of JSONL": len(parts)},
            "vocabulary of encoding": "GPT-2's files" if setup.gpt2 else f"trained, {TRAINED_SIZE} tokens",
            "threads": "one, pinned, where the name says no other number",
        },
        section_bytes={SECTION: len(text)},
    )


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    work, n_threads = PEERS[peer]
    os.environ |= {"RAYON_NUM_THREADS": str(n_threads), "TOKENIZERS_PARALLELISM": "false"}
    if n_threads == 1:
        pin_to_one_core()
    section, answer = measured(work(Path(inputs["folder"]), n_threads))
    return Outcome({SECTION: section}, answer, lambda: answer.encode())


def _line_groups(text: bytes) -> list[bytes]:
    """Documents of some whole lines each."""
    groups, start = [], 0
    while start < len(text):
        end = text.find(b"\n", start + DOCUMENT_BYTES) + 1 or len(text)
        groups.append(text[start:end])
        start = end
    return groups


def _encode_again(folder: Path, n_threads: int) -> Callable[[], str]:
    """Encode text that was encoded before."""
    from tokenloom import Tokenizer

    tokenizer = Tokenizer.load(folder / "tokenizer")
    texts = _line_groups((folder / "text.txt").read_bytes())
    encode = partial(tokenizer.encode_batch, texts, n_threads=n_threads)
    encode()
    return lambda: f"{len(encode().ids)} ids"


def _count(name: str, folder: Path, n_threads: int) -> Callable[[], str]:
    """All of `tokenloom count-pretokens` but its report: read, count, write down, check."""
    from tokenloom.jobs.count_pretokens import count_corpus
    from tokenloom.jobs.counting import CountPlan
    from tokenloom.jobs.resources import Resources
    from tokenloom.spec import pretokenizer_of
    from tokenloom.trainers import CountOptions

    plan, out = CountPlan(CountOptions(pretokenizer_of("gpt2"))), folder / f"counts-{os.getpid()}"

    def work() -> str:
        header = count_corpus([folder / name], plan, out=out, resources=Resources(n_threads=n_threads)).header
        return f"{header.n_pretokens} distinct pretokens in {header.n_bytes} bytes"

    return work


def _gigabpe(folder: Path, n_threads: int) -> Callable[[], str]:
    train = partial(import_module("gigabpe").train_bpe, [str(folder / "text.txt")], ONE_MERGE, pretokenizer="bytelevel")
    return lambda: f"{len(train(threads=n_threads, special_tokens=[])[1])} merge"


def _gigatoken(folder: Path, n_threads: int) -> Callable[[], str]:
    del n_threads  # it has no such argument
    train_bpe = import_module("gigatoken.gigatoken_rs").train_bpe
    return lambda: f"{len(train_bpe(str(folder / 'text.txt'), ONE_MERGE, [], 'huggingface')[1])} merge"


def _rustbpe(folder: Path, n_threads: int) -> Callable[[], str]:
    del n_threads  # as above
    rustbpe = import_module("rustbpe")

    def work() -> str:
        trainer = rustbpe.Tokenizer()
        with (folder / "text.txt").open(encoding="utf-8", newline="") as lines:
            trainer.train_from_iterator(lines, ONE_MERGE, pattern=GPT2_PATTERN)
        return f"{len(trainer.get_mergeable_ranks()) - ONE_MERGE + 1} merge"

    return work


def _tokenizers(folder: Path, n_threads: int) -> Callable[[], str]:
    del n_threads  # as above
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=ONE_MERGE, show_progress=False, initial_alphabet=alphabet)

    def work() -> str:
        tokenizer.train([str(folder / "text.txt")], trainer)
        return f"{tokenizer.get_vocab_size() - ONE_MERGE + 1} merge"

    return work


GPT2_PATTERN: Final = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

PEERS: Final[dict[str, tuple[Callable[[Path, int], Callable[[], str]], int]]] = {
    "encoding again": (_encode_again, 1),
    "tokenloom": (partial(_count, "text.txt"), 1),
    "tokenloom, 2 threads": (partial(_count, "text.txt"), 2),
    "tokenloom, JSONL in zstd": (partial(_count, "text.jsonl.zst"), 1),
    "tokenloom, JSONL in zstd, 2 threads": (partial(_count, "text.jsonl.zst"), 2),
    "gigabpe": (_gigabpe, 1),
    "gigatoken": (_gigatoken, 1),
    "rustbpe": (_rustbpe, 1),
    "tokenizers": (_tokenizers, 1),
}
"""By name what it does, and its threads."""

_OTHERS: Final = ("gigabpe", "gigatoken", "rustbpe", "tokenizers")


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    read = {peer: path.read_text() for peer, path in answers.items()}
    return {
        "threads and files count the same": read["tokenloom"] == read["tokenloom, 2 threads"],
        "counted": read["tokenloom"],
        "others made": {peer: read[peer] for peer in _OTHERS if peer in read},
    }


CASE: Final = Case(
    summary="counting pretokens with GPT-2's pattern, beside encoding again and other trainers up to one merge",
    peers=tuple(PEERS),
    baseline="encoding again",
    packages=("tokenloom", *_OTHERS),
    prepare=_prepare,
    run=_run,
    compare=_compare,
)
