"""Counting the tokens of a corpus equals encoding its documents one by one."""

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenloom
from tokenloom.corpus import BLOCK_BYTES, DocumentOptions
from tokenloom.errors import CorpusError, EncodeError
from tokenloom.jobs.count import SourceCount, count_corpus, count_stream

TOKENIZER = tokenloom.train(["the cat in the hat"], 263, ["<|end|>"])


def rows(paths: list[Path], **options: str) -> list[SourceCount]:
    return list(count_corpus(paths, tokenizer=TOKENIZER, documents=DocumentOptions(**options)).sources)  # type: ignore[arg-type]


def test_every_file_has_its_counts_and_the_total_is_their_sum(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"the cat")
    (tmp_path / "b.txt").write_bytes(b"")
    result = count_corpus([tmp_path], tokenizer=TOKENIZER)
    assert result.sources == (
        SourceCount("a.txt", TOKENIZER.count(b"the cat"), 7, 1),
        SourceCount("b.txt", 0, 0, 1),
    )
    assert result.total == SourceCount("total", TOKENIZER.count(b"the cat"), 7, 2)


def test_documents_are_counted_apart_and_separators_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"the ca||t in|| ")
    n_tokens = sum(map(TOKENIZER.count, (b"the ca", b"t in", b" ")))
    assert rows([tmp_path / "a.txt"], document_separator="||") == [SourceCount("a.txt", n_tokens, 11, 3)]


def test_jsonl_and_compressed_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"text": "the"}\n{"text": "hat"}\n'))
    n_tokens = TOKENIZER.count("the") + TOKENIZER.count("hat")
    assert rows([tmp_path / "a.jsonl.gz"]) == [SourceCount("a.jsonl.gz", n_tokens, 6, 2)]


def test_broken_records_stop_or_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "the"}\n{"no": 1}\n')
    with pytest.raises(CorpusError, match="line 2"):
        rows([tmp_path / "a.jsonl"])
    result = count_corpus([tmp_path], tokenizer=TOKENIZER, documents=DocumentOptions(on_error="skip"))
    assert (result.total.n_docs, result.skipped.n_skipped) == (1, 1)


def test_special_tokens_follow_the_policy(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"<|end|>")
    counts = [
        count_corpus([tmp_path], tokenizer=TOKENIZER, special_text=policy).total.n_tokens
        for policy in ("plain", "parse")
    ]
    assert counts == [TOKENIZER.count("<|end|>", disallowed_special=()), 1]
    with pytest.raises(EncodeError, match="special token"):
        count_corpus([tmp_path], tokenizer=TOKENIZER, special_text="refuse")


def test_progress_ends_with_all_bytes_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"the cat")
    (tmp_path / "b.txt").write_bytes(b"in the hat")
    reports: list[tuple[str, int, int | None]] = []
    count_corpus([tmp_path], tokenizer=TOKENIZER, progress=lambda *report: reports.append(report))
    assert reports == [("count", 7, 17), ("count", 17, 17)]


@given(st.binary(max_size=40), st.sampled_from([None, b"a", b"ab"]))
def test_a_stream_counts_as_a_file_does(data: bytes, separator: bytes | None) -> None:
    options = DocumentOptions(document_separator=separator)
    total = count_stream(io.BytesIO(data), tokenizer=TOKENIZER, documents=options).total
    documents = data.split(separator) if separator else [data]
    assert (total.n_docs, total.n_bytes) == (len(documents), sum(map(len, documents)))
    assert total.n_tokens == sum(map(TOKENIZER.count, documents))


def test_a_stream_longer_than_a_block_is_one_document() -> None:
    data = b"the hat " * (BLOCK_BYTES // 8 + 10)
    total = count_stream(io.BytesIO(data), tokenizer=TOKENIZER).total
    assert total == SourceCount("total", TOKENIZER.count(data), len(data), 1)


def test_a_stream_may_be_jsonl_and_compressed() -> None:
    options = DocumentOptions(format="jsonl", compression="gzip")
    data = gzip.compress(b'{"text": "the"}\n')
    total = count_stream(io.BytesIO(data), tokenizer=TOKENIZER, documents=options).total
    assert (total.n_docs, total.n_bytes) == (1, 3)
    with pytest.raises(CorpusError, match="'standard input'"):
        count_stream(io.BytesIO(data[:-6]), tokenizer=TOKENIZER, documents=options)


def test_damaged_stream_is_counted_up_to_the_damage_where_broken_records_are_skipped() -> None:
    data = gzip.compress(b"the cat")[:-4]
    with pytest.raises(CorpusError, match=r"'standard input', byte 7 of the decompressed text: .*--on-error skip"):
        count_stream(io.BytesIO(data), tokenizer=TOKENIZER, documents=DocumentOptions(compression="gzip"))
    documents = DocumentOptions(compression="gzip", on_error="skip")
    result = count_stream(io.BytesIO(data), tokenizer=TOKENIZER, documents=documents)
    assert (result.total.n_bytes, result.skipped.n_skipped) == (7, 1)
