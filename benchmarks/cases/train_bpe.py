"""Training: 32,000 tokens from 20 MB of text, on all cores, by tokenloom and by `tokenizers`.

Both train byte-level BPE with GPT-2's pattern and merge, of pairs with equal counts, the one with the lower ids, so
their merges must be equal.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from measuring.case import Case, Outcome, Prepared, Setup
from measuring.corpora import MEGABYTE, facts, stripped_lines
from measuring.sections import Section, measured

__all__ = ["CASE"]

VOCABULARY_SIZE: Final = 32_000
MOST_BYTES: Final = 20 * MEGABYTE

Merges = list[tuple[str, str]]
"""Merges spelled with GPT-2's characters."""


def _prepare(setup: Setup) -> Prepared:
    text = stripped_lines(setup.corpus.data, MOST_BYTES)
    path = setup.folder / "train.txt"
    path.write_bytes(text)
    return Prepared(
        inputs={"path": str(path)},
        settings={
            "text": facts(text) | {"cut": "lines stripped, blank lines dropped"},
            "vocabulary_size": VOCABULARY_SIZE,
            "threads": len(os.sched_getaffinity(0)),
        },
        section_bytes={"train": len(text)},
    )


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    return {"tokenloom": _run_tokenloom, "tokenizers": _run_tokenizers}[peer](inputs["path"])


def _run_tokenloom(path: str) -> Outcome:
    from tokenloom import train_bpe
    from tokenloom.spec.alphabets import to_characters

    section, (_, merges) = measured(
        lambda: train_bpe(path, VOCABULARY_SIZE, [], tie_break="lowest-id", alphabet="gpt2")
    )
    return _outcome(section, [(to_characters(left), to_characters(right)) for left, right in merges])


def _run_tokenizers(path: str) -> Outcome:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY_SIZE, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    section, _ = measured(lambda: tokenizer.train([path], trainer))
    return _outcome(section, [(left, right) for left, right in json.loads(tokenizer.to_str())["model"]["merges"]])


def _outcome(section: Section, merges: Merges) -> Outcome:
    answer = json.dumps(merges).encode()
    return Outcome({"train": section}, hashlib.sha256(answer).hexdigest(), lambda: answer)


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    ours, theirs = (json.loads(answers[peer].read_bytes()) for peer in CASE.peers)
    pairs = enumerate(zip_longest(ours, theirs))
    return {
        "merges equal": ours == theirs,
        "merges": len(ours),
        "first differing merge": next((rank for rank, (left, right) in pairs if left != right), None),
    }


CASE: Final = Case(
    summary="byte-level BPE, GPT-2's pattern, 32,000 tokens, all cores",
    peers=("tokenloom", "tokenizers"),
    baseline="tokenizers",
    packages=("tokenloom", "tokenizers"),
    prepare=_prepare,
    run=_run,
    compare=_compare,
)
