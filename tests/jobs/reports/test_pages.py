"""Pages of small runs say what happened in them: counts are checked against the run, not against the page."""

import re
from dataclasses import replace
from pathlib import Path

from tests.jobs.reports.runs import END, encoded, trained, words
from tokenloom.corpus import SkippedRecords
from tokenloom.jobs.encode import EncodeRun
from tokenloom.jobs.measure import Stage
from tokenloom.jobs.reports import SourceTokens, demo_page, encode_page, train_page
from tokenloom.jobs.train_corpus import TrainRun


def titles(html: str) -> list[str]:
    return re.findall(r"<h2[^>]*>([^<]+)<", html)


def test_training_report_has_the_parts_that_the_user_asks_about(training: TrainRun) -> None:
    assert training.counts
    html = train_page(replace(training, counts=replace(training.counts, growth=((500, 10), (1160, 16))))).html()
    assert titles(html) == ["Summary", "Text", "Vocabulary", "Merges", "Ties", "Time and memory"]
    for title in ("Longest tokens", "Token length in bytes", "half-character tokens", "cross-class tokens"):
        assert title in html


def test_training_report_counts_vocabulary_and_text(tmp_path: Path) -> None:
    run = trained(tmp_path, f"the cat in the hat{END}" * 10, vocab_size=262, n_reserved=2)
    text = words(train_page(run))
    assert "Vocabulary | 262 | 256 bytes, 3 merges, 3 special tokens |" in text
    assert f"Text | {10 * (18 + len(END))} B | 1 file |" in text
    assert f"Distinct pretokens | {run.n_pretokens} |" in text
    assert f"Bytes per token | {180 / run.training.steps[-1].n_tokens:.2f} |" in text


def test_time_of_a_run_is_that_of_its_stages_together(training: TrainRun) -> None:
    stages = (Stage("count", 1000, 0.5, 50_000_000), Stage("merge", 0, 0.25, 80_000_000))
    assert "Time | 0.750 s | at most 80.0 MB of memory |" in words(train_page(replace(training, stages=stages)))


def test_tokens_of_a_hostile_corpus_stay_text(tmp_path: Path) -> None:
    run = trained(tmp_path, "</script><script>alert(1)</script> \u202e\x00 " * 50, vocab_size=274)
    html = train_page(run).html()
    assert "<script" not in html
    assert "\u202e" not in html
    assert "&lt;/" in html


def test_sampled_sources_are_listed_and_others_counted(training: TrainRun) -> None:
    run = replace(training, sources=training.sources * 3)
    text = words(train_page(run, sampled=[SourceTokens("a.txt", 1000, 250), SourceTokens("b.txt", 3000, 1000)]))
    assert "b.txt | 3.00 | 3.00 kB | 1,000 | a.txt | 4.00 | 1.00 kB | 250 |" in text
    assert "1 smaller source not sampled." in text


def test_encoding_report_counts_documents_and_tokens(encoding: EncodeRun) -> None:
    header = encoding.shards.header
    text = words(encode_page(encoding, n_threads=2))
    assert f"Documents | 4 | Tokens | {header.n_tokens:,} | as uint16 |" in text
    assert f"Bytes per token | {header.n_text_bytes / header.n_tokens:.2f} |" in text
    assert "The Pile" not in text  # as the run was too short to tell


def test_tokens_at_the_edges_are_said_to_be_counted(tmp_path: Path, training: TrainRun) -> None:
    run = encoded(tmp_path, {"a.txt": "the hat"}, training.tokenizer, begin_of_document=END)
    n_tokens = len(training.tokenizer.encode("the hat")) + 1
    assert f"Bytes per token | {7 / n_tokens:.2f} | tokens at edges counted |" in words(encode_page(run))


def test_records_left_out_are_counted(encoding: EncodeRun) -> None:
    run = replace(encoding, skipped=SkippedRecords(30, ["a.jsonl, line 3: no JSON"]))
    assert "Records left out | 30 | because they are broken |" in words(encode_page(run))


def test_resumed_run_names_what_was_there(encoding: EncodeRun) -> None:
    assert "which had written 1,234 tokens" in words(encode_page(replace(encoding, n_resumed_tokens=1234)))


def test_run_that_had_nothing_to_do_tells_no_times(encoding: EncodeRun) -> None:
    text = words(encode_page(replace(encoding, was_complete=True, stages=())))
    assert "nothing was encoded in this run" in text
    assert "Time" not in text


def test_demonstration_shows_training_encoding_and_all_stages(training: TrainRun, encoding: EncodeRun) -> None:
    page = demo_page(training, encoding, Stage("decode", 1000, 0.5), source="a test")
    assert titles(page.html()) == [
        "Tokenizer", "Token shards", "Text", "Documents", "Use of the vocabulary", "Files", "Vocabulary", "Merges",
        "Ties", "Time and memory",
    ]  # fmt: skip
    text = words(page)
    assert "A tokenizer and token shards from a test" in text
    assert re.search(r"\| count \|.*\| merge \|.*\| encode \|.*\| decode \| 0\.500 s \| 2\.00 kB/s \|", text)
