from pathlib import Path

import numpy as np
import pytest

from tests.jobs.reports.runs import END, encoded, words
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.encode import EncodeRun
from tokenloom.jobs.reports.shards import disk_bytes, documents_section, storage_section, usage_section
from tokenloom.jobs.train_corpus import TrainRun


def test_document_lengths_are_binned_by_powers_of_two(encoding: EncodeRun) -> None:
    lengths = np.diff(encoding.shards.starts).tolist()
    text = words(documents_section(encoding.shards))
    assert f"Longest | {max(lengths)} tokens |" in text
    assert "Documents | 4 | 1 without text |" in text
    assert "0 | 1 | 1 | 0 | 2 to 3 |" in text
    assert "edges" not in text


def test_document_of_nothing_but_its_edges_is_without_text(tmp_path: Path, training: TrainRun) -> None:
    run = encoded(tmp_path, {"a.txt": "||the"}, training.tokenizer, end_of_document=END)
    text = words(documents_section(run.shards))
    assert "Documents | 2 | 1 without text |" in text
    assert "Document length, 1 token at its edges included" in text


def test_unused_and_most_frequent_tokens_are_found(encoding: EncodeRun) -> None:
    ids = np.concatenate(encoding.shards.arrays).tolist()
    most = max(sorted(set(ids)), key=ids.count)
    text = words(usage_section(encoding.shards))
    n_bytes = len(set(range(256)) - set(ids))
    assert f"Tokens used | {len(set(ids))} |" in text
    assert f"Unused tokens | {289 - len(set(ids))} | {n_bytes} single bytes and 1 special token among them |" in text
    assert f"| {most} | " in text.partition("Most frequent tokens")[2][:80]
    assert END not in text.replace("&lt;", "<").replace("&gt;", ">")


@pytest.mark.parametrize(
    ("dtype", "why"),
    [
        ("auto", "which is enough for a vocabulary of at most 65,536 ids; this one has 289."),
        ("uint32", "as asked for: uint16, which takes half the disk, is enough"),
    ],
)
def test_type_of_the_ids_is_explained(tmp_path: Path, training: TrainRun, dtype: str, why: str) -> None:
    run = encoded(tmp_path, {"a.txt": "the cat"}, training.tokenizer, dtype=dtype)
    assert why in words(storage_section(run.shards))


def test_more_than_fifty_shards_are_put_together(tmp_path: Path, training: TrainRun) -> None:
    run = encoded(tmp_path, {"a.txt": "z" * 53}, training.tokenizer, shard_tokens=1)
    text = words(storage_section(run.shards))
    assert "tokens-00049.npy | 1 | 130 B | 3 further shards together | 3 | 390 B |" in text


def test_disk_bytes_are_those_of_what_a_folder_needs(encoding: EncodeRun) -> None:
    (encoding.folder / "report.html").write_text("no part of it")
    files = [path for path in encoding.folder.iterdir() if path.name[0] != "." and path.name != "report.html"]
    assert disk_bytes(encoding.shards) == sum(path.stat().st_size for path in files)


@pytest.mark.parametrize(("special_text", "how"), [("plain", "as ordinary text"), ("parse", "as one token each")])
def test_special_tokens_in_the_text_are_reported(
    tmp_path: Path, training: TrainRun, special_text: str, how: str
) -> None:
    run = encoded(tmp_path, {"a.txt": f"the{END}cat{END}"}, training.tokenizer, special_text=special_text)
    text = words(usage_section(run.shards))
    assert f"Special tokens in the text, read {how} |" in text
    assert "&lt;|end|&gt; | 2 |" in text


def test_documents_without_a_token_have_a_report(tmp_path: Path, training: TrainRun) -> None:
    run = encoded(tmp_path, {"a.jsonl": '{"text": ""}\n'}, training.tokenizer, documents=DocumentOptions())
    assert "Tokens used | 0 |" in words(usage_section(run.shards))
    assert "Documents | 1 | 1 without text |" in words(documents_section(run.shards))
