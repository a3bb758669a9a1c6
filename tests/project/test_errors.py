"""Every error class is triggered here and its message has three parts: what was wrong, where, and what to do."""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

import tokenloom
from tests.engine.tasks import end_process
from tokenloom import errors
from tokenloom.corpus import list_sources
from tokenloom.cost import model_shape
from tokenloom.engine import Task, run_tasks
from tokenloom.formats import native, read_gpt2
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.train_counts import train_word_counts
from tokenloom.jobs.training import TrainingPlan
from tokenloom.metrics import METRICS, find_metric
from tokenloom.spec import build_spec
from tokenloom.storage import open_input
from tokenloom.tokenizer import Tokenizer

BYTES = {byte: bytes([byte]) for byte in range(256)}
ROOTS: Final = {"TokenloomError", "TokenloomWarning"}


@dataclass(frozen=True)
class Trigger:
    """Something that a user does wrong, and the three parts that the message must have; the remedy comes last."""

    act: Callable[[Path], object]
    what: str
    where: str
    remedy: str


def _broken_vocab(folder: Path) -> None:
    (folder / "vocab.json").write_text('{"a": 0,\n"a": 1}')
    (folder / "merges.txt").write_text("")
    read_gpt2(folder / "vocab.json", folder / "merges.txt")


def _cut_merges(folder: Path) -> None:
    tokenizer = tokenloom.train(["the cat in the hat"], 258)
    tokenizer.save_files(folder / "vocab.json", folder / "merges.txt")
    lines = (folder / "merges.txt").read_text().splitlines(keepends=True)
    (folder / "merges.txt").write_text("".join(lines[:2]))
    Tokenizer.from_files(folder / "vocab.json", folder / "merges.txt")


def _no_zstd(folder: Path) -> None:
    (folder / "corpus.txt.zst").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "compression.zstd", None)
        patch.setitem(sys.modules, "backports.zstd", None)
        list_sources([folder / "corpus.txt.zst"])


def _dead_process(folder: Path) -> None:
    run_tasks([Task(f"count-{n}", end_process, {"n": n}) for n in range(2)], folder=folder, n_processes=2)


def _small_limit(folder: Path) -> None:
    (folder / "words.tsv").write_text("".join(f"word{n:06d}\t1\n" for n in range(200_000)) + "the\t5\n")
    plan = TrainingPlan(tokenloom.BpeOptions(300))
    train_word_counts(folder / "words.tsv", plan, out=folder / "out", resources=Resources(32_000_000))


TRIGGERS: Final = {
    "CorpusError": Trigger(
        lambda folder: open_input(folder / "corpus.txt"),
        what="there is no such file",
        where="corpus.txt",
        remedy="Check the path",
    ),
    "SpecialTokenError": Trigger(
        lambda folder: build_spec(BYTES, [], ["<s>", "<s>"]),
        what="is listed twice",
        where="special token '<s>'",
        remedy="Keep one of the two",
    ),
    "FormatError": Trigger(
        _broken_vocab,
        what="token 'a' is there twice",
        where="vocab.json, line 2, column 1",
        remedy="Delete one of the two entries",
    ),
    "SpecError": Trigger(
        lambda folder: build_spec(BYTES, [(b"a", b"b")]),
        what="the result b'ab' of b'a' + b'b' is not in the vocabulary",
        where="merge 0",
        remedy="Add the token or drop the merge",
    ),
    "MissingExtraError": Trigger(
        _no_zstd,
        what="needs backports.zstd",
        where="reading zstd",
        remedy="Install tokenloom with the 'zstd' extra",
    ),
    "StorageError": Trigger(
        native.load,
        what="has no manifest.json, which is written last",
        where="'{folder}'",
        remedy="write it again",
    ),
    "EncodeError": Trigger(
        lambda folder: Tokenizer(BYTES, [], ["<|end|>"]).encode("the <|end|>"),
        what="special token '<|end|>' found",
        where="at byte 4",
        remedy="pass allowed_special",
    ),
    "DecodeError": Trigger(
        lambda folder: Tokenizer(BYTES, []).decode([97, 256]),
        what="id 256",
        where="at position 1",
        remedy="was the sequence made by another tokenizer?",
    ),
    "TrainingError": Trigger(
        lambda folder: tokenloom.train(["ab"], 256, ["<|end|>"]),
        what="must be a whole number from 257",
        where="vocab_size 256",
        remedy="Choose one in this range",
    ),
    "TaskError": Trigger(
        _dead_process,
        what="its process ended on its own (exit code 9)",
        where="task 'count-0'",
        remedy="Repeat the command",
    ),
    "CostError": Trigger(
        lambda folder: model_shape("lama-3-8b"),
        what="is not in the table",
        where="model 'lama-3-8b'",
        remedy="Did you mean 'llama-3-8b'",
    ),
    "MetricError": Trigger(
        lambda folder: find_metric("fertlity", METRICS),
        what="is unknown",
        where="metric 'fertlity'",
        remedy="Did you mean 'fertility'?",
    ),
    "MemoryLimitError": Trigger(
        _small_limit,
        what="merging 200,001 distinct pretokens needs about",
        where="memory limit 32.0 MB",
        remedy="--min-count 2, the smallest that fits",
    ),
    "FormatWarning": Trigger(
        _cut_merges,
        what="no merge makes 1 token of the vocabulary, such as b'the' (id 257)",
        where="merges.txt",
        remedy="Restore the file if lines are missing, or name these tokens in special_tokens",
    ),
    "TrainingWarning": Trigger(
        lambda folder: tokenloom.train(["ab"], 300),
        what="the corpus has only 1 merge,",
        where="vocab_size 300",
        remedy="Train on more text or ask for fewer",
    ),
}


def test_every_class_is_triggered() -> None:
    assert set(errors.__all__) - ROOTS == TRIGGERS.keys()


@pytest.mark.parametrize("name", TRIGGERS)
def test_message_says_what_where_and_what_to_do(name: str, tmp_path: Path) -> None:
    trigger = TRIGGERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(getattr(errors, name)) as caught:
            trigger.act(tmp_path)
    message = str(caught.value)
    assert trigger.what in message
    assert trigger.where.format(folder=tmp_path) in message
    assert trigger.remedy in message
    assert message.index(trigger.remedy) > message.index(trigger.what)
    assert message.endswith((".", ")", "?"))
