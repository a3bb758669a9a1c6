"""What may go wrong while a corpus is counted: one class each, what and where and what to do, and no half result."""

import gzip
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tokenloom.corpus import DocumentOptions
from tokenloom.errors import CorpusError, MemoryLimitError, StorageError, TokenloomError, TrainingError, TrainingWarning
from tokenloom.jobs.count_pretokens import CountRun, count_corpus, merge_counts
from tokenloom.jobs.counting import CountPlan
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.train_corpus import train_corpus
from tokenloom.jobs.train_counts import train_count_file, train_word_counts
from tokenloom.jobs.training import TrainingPlan
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import BpeOptions, CountOptions, load_counts

GPT2 = CountOptions(Pretokenizer("gpt2"))
LINE = json.dumps({"text": "the cat " * 600_000}) + "\n"
"""Nearly 5 MB."""


def counted(folder: Path, *names: str, resources: Resources = Resources(), **documents: Any) -> CountRun:  # noqa: B008
    plan = CountPlan(GPT2, DocumentOptions(**documents))
    return count_corpus(
        [f"g{n}={folder / name}" for n, name in enumerate(names)], plan, out=folder / "out", resources=resources
    )


def refused(error: type[TokenloomError], folder: Path, *names: str, **more: Any) -> str:
    """The message of a counting that fails with this class and leaves nothing that could be taken for its result."""
    with pytest.raises(error) as caught:
        counted(folder, *names, **more)
    assert type(caught.value) is error
    assert {path.name for path in (folder / "out").glob("*")} <= {".work"}
    return str(caught.value)


def write_parquet(path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"body": ["the cat"]}), path)


def test_parquet_without_the_column_names_those_it_has(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a.parquet")
    message = refused(CorpusError, tmp_path, "a.parquet")
    assert "a.parquet': has no column 'text'; its columns are 'body'. Name the column" in message


@pytest.mark.parametrize("n_processes", [1, 2])
def test_block_that_does_not_decompress_is_named_with_its_place(tmp_path: Path, n_processes: int) -> None:
    data = bytearray(gzip.compress(b"".join(b"%d the cat " % n for n in range(100_000))))
    data[len(data) // 2] ^= 255
    (tmp_path / "a.gz").write_bytes(data)
    (tmp_path / "b").write_text("the hat")
    message = refused(CorpusError, tmp_path, "a.gz", "b", resources=Resources(n_processes=n_processes))
    assert "a.gz', byte " in message
    assert "the gzip data is damaged" in message
    assert "--on-error skip" in message


def test_corpus_of_broken_records_alone_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{\n")
    message = refused(CorpusError, tmp_path, "a.jsonl", on_error="skip")
    assert "'a.jsonl': 1 file without text, 1 broken record left out. Name files" in message


@pytest.mark.parametrize("on_error", ["stop", "skip"])
@pytest.mark.parametrize("n_processes", [1, 2])
def test_line_too_long_for_the_memory_is_named_with_the_limit_that_is_enough(
    tmp_path: Path, on_error: str, n_processes: int
) -> None:
    """It is no broken record either way: what is counted does not depend on the memory."""
    (tmp_path / "a.jsonl").write_text('{"text": "the hat"}\n' + LINE)
    (tmp_path / "b.jsonl").write_text('{"text": "the mat"}\n')

    def resources(limit: int) -> dict[str, Any]:
        return {"resources": Resources(limit, n_processes=n_processes), "on_error": on_error}

    message = refused(MemoryLimitError, tmp_path, "a.jsonl", "b.jsonl", **resources(n_processes * 32_000_000))
    assert "a.jsonl', line 2: is 4.80 MB long, and the memory limit has room for lines of 4.19 MB" in message
    enough = int(message.partition("Raise --memory-limit to ")[2].partition("MB,")[0]) * 1_000_000
    refused(MemoryLimitError, tmp_path, "a.jsonl", "b.jsonl", **resources(enough - 1_500_000))
    assert counted(tmp_path, "a.jsonl", "b.jsonl", **resources(enough)).header.n_bytes == 4_800_014


def test_line_longer_than_is_allowed_is_left_out_whatever_the_memory(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "the hat"}\n' + LINE)
    allowed = {"on_error": "skip", "max_record_bytes": len(LINE) - 2}
    run = counted(tmp_path, "a.jsonl", resources=Resources(32_000_000), **allowed)
    assert run.header.n_bytes == 7
    assert run.counts
    assert run.counts.skipped.examples == [f"a.jsonl, line 2: is longer than {len(LINE) - 2:,} bytes"]


@contextmanager
def full_disk(n_bytes: int) -> Iterator[None]:
    """No file may grow over this length."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("n_processes", [1, 2])
def test_full_disk_is_named_and_the_same_command_goes_on(tmp_path: Path, n_processes: int) -> None:
    (tmp_path / "a").write_text("the hat")
    (tmp_path / "b").write_text(" ".join(map(str, range(100_000, 130_000))))
    with full_disk(100_000):
        message = refused(StorageError, tmp_path, "a", "b", resources=Resources(n_processes=n_processes))
    assert message.startswith(f"'{tmp_path / 'out' / '.work'}")
    assert ".counts': cannot be written (File too large). Check that its folder exists" in message
    run = counted(tmp_path, "a", "b", resources=Resources(n_processes=n_processes))
    assert run.counts
    assert run.counts.n_resumed_splits == 1
    assert run.header.n_occurrences == 30_002


def test_nul_bytes_are_text_and_come_back(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\0b a\0b\0\0")
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": "a\0b"}))
    run = counted(tmp_path, "a", "b.jsonl")
    assert run.header.n_bytes == 9 + 3
    assert sum(token.count(b"\0") * n for token, n in load_counts(run.folder / "pretokens.counts").items()) == 5
    tokenizer = train_corpus([tmp_path / "a"], options=BpeOptions(258, pattern=None), out=tmp_path / "t").tokenizer
    assert tokenizer.decode(tokenizer.encode("a\0b\0")) == "a\0b\0"
    assert any(b"\0" in left + right for left, right in tokenizer.merges)


@pytest.mark.parametrize("times", [0, -1, True, 2**64, 1.5])
def test_multiplier_that_cannot_be_is_named_with_its_counts(tmp_path: Path, times: Any) -> None:
    (tmp_path / "a").write_text("the cat")
    path = str(counted(tmp_path, "a").folder)
    with pytest.raises(TrainingError) as caught:
        merge_counts([path], out=tmp_path / "merged", multipliers={path: times})
    assert f"multiplier {times!r} of {path!r}: must be a whole number from 1 to 18,446,744" in str(caught.value)


def test_counts_that_outgrow_64_bits_are_named_with_their_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("the cat the hat")
    path = str(counted(tmp_path, "a").folder)
    with pytest.raises(TrainingError, match=r"^with b.* the counts outgrow 64 bits\. Divide"):
        merge_counts([path, path], out=tmp_path / "sum", multipliers={path: 2**63})
    assert list((tmp_path / "sum").iterdir()) == []
    many = merge_counts([path], out=tmp_path / "many", multipliers={path: 2**64 - 1}).folder
    with pytest.raises(TrainingError, match=r"many/pretokens\.counts': with b.* the counts outgrow 64 bits"):
        train_count_file(many, TrainingPlan(BpeOptions(260)), out=tmp_path / "t")
    (tmp_path / "words.tsv").write_text(f"aa\t{2**64 - 1}\naab\t{2**64 - 1}\n")
    with pytest.raises(TrainingError, match=r"^'[^']*words\.tsv': with b.* the counts outgrow 64 bits"):
        train_word_counts(tmp_path / "words.tsv", TrainingPlan(BpeOptions(260)), out=tmp_path / "t")
    assert not (tmp_path / "t" / "manifest.json").exists()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        train_count_file(path, TrainingPlan(BpeOptions(260)), out=tmp_path / "t")
