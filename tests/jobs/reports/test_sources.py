from pathlib import Path

from tests.jobs.reports.runs import END, encoded, words, write_corpus
from tokenloom.corpus import DocumentOptions, SkippedRecords, list_sources
from tokenloom.jobs.encode import EncodeRun
from tokenloom.jobs.reports import SourceTokens, sampled_bytes_per_token
from tokenloom.jobs.reports.sources import encoded_sources, skipped_blocks, source_blocks
from tokenloom.jobs.train_corpus import TrainRun
from tokenloom.report import Section

OPTIONS = DocumentOptions()


def test_sample_of_a_source_is_its_beginning(tmp_path: Path, training: TrainRun) -> None:
    sources = list_sources([write_corpus(tmp_path, {"a.txt": "the hat " * 1000 + "z" * 1000})])
    (sample,) = sampled_bytes_per_token(training.tokenizer, sources, OPTIONS, sample_bytes=800)
    assert sample.n_bytes == 800
    assert 200 <= sample.n_tokens < 210  # "the hat " has two tokens, and four pieces may cut some


def test_small_source_is_sampled_whole_as_its_documents_are_cut(tmp_path: Path, training: TrainRun) -> None:
    sources = list_sources([write_corpus(tmp_path, {"a.txt": "the||cat||in"})])
    tokenizer = training.tokenizer
    (sample,) = sampled_bytes_per_token(tokenizer, sources, DocumentOptions(document_separator=b"||"))
    assert sample == SourceTokens("a.txt", 8, sum(len(tokenizer.encode(text)) for text in ("the", "cat", "in")))


def test_largest_sources_are_sampled_in_their_order(tmp_path: Path, training: TrainRun) -> None:
    sources = list_sources([write_corpus(tmp_path, {f"{n:02}.txt": "x" * n for n in range(30)})])
    sampled = sampled_bytes_per_token(training.tokenizer, sources, OPTIONS)
    assert [row.name for row in sampled] == [f"{n:02}.txt" for n in range(10, 30)]


def test_special_token_in_a_sample_is_one_token(tmp_path: Path, training: TrainRun) -> None:
    sources = list_sources([write_corpus(tmp_path, {"a.txt": END})])
    assert sampled_bytes_per_token(training.tokenizer, sources, OPTIONS) == [SourceTokens("a.txt", len(END), 1)]


def test_tokens_of_a_source_are_those_between_its_document_borders(encoding: EncodeRun, training: TrainRun) -> None:
    n_tokens = sum(len(training.tokenizer.encode(text)) for text in ("the cat", "in the hat"))
    assert encoded_sources(encoding.shards)[0] == SourceTokens("a.txt", 17, n_tokens)


def test_tokens_at_edges_count_for_their_source(tmp_path: Path, training: TrainRun) -> None:
    run = encoded(tmp_path, {"a.txt": "the||the", "b.txt": "the"}, training.tokenizer, end_of_document=END)
    n_tokens = len(training.tokenizer.encode("the")) + 1
    assert [row.n_tokens for row in encoded_sources(run.shards)] == [2 * n_tokens, n_tokens]


def test_more_than_twenty_sources_are_put_together() -> None:
    rows = [SourceTokens(f"{n:02}.txt", 1000 + n, 100) for n in range(25)]
    text = words(Section("Text", source_blocks(rows)))
    assert "| 24.txt |" in text
    assert "04.txt |" not in text
    assert "5 smaller sources together | 10.0 | 5.01 kB | 500 |" in text


def test_skipped_records_are_listed() -> None:
    skipped = SkippedRecords(30, [f"a.jsonl, line {n}: no JSON" for n in range(25)])
    assert "a.jsonl, line 19: no JSON | and 10 more |" in words(Section("Text", skipped_blocks(skipped)))


def test_skipped_records_whose_places_are_not_known_are_not_listed() -> None:
    assert skipped_blocks(SkippedRecords(30, [])) == []
