from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.reports.runs import END, trained, words
from tokenloom.corpus import SkippedRecords
from tokenloom.jobs.count_pretokens import CountRun, count_corpus
from tokenloom.jobs.counting import CountPlan
from tokenloom.jobs.measure import Stage
from tokenloom.jobs.reports import count_page, train_page, write_count_report
from tokenloom.jobs.resources import Resources
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import BpeOptions, CountOptions


@pytest.fixture
def counting(tmp_path: Path) -> CountRun:
    """Two groups, of which one shall have three times the text of the other."""
    (tmp_path / "a.txt").write_text("the cat in the hat " * 100)
    (tmp_path / "b.txt").write_text("der Hut der Katze! " * 100)
    plan = CountPlan(CountOptions(Pretokenizer("gpt2"), max_pretoken_bytes=4), weights={"en": 3, "de": 1})
    corpus = [f"en={tmp_path / 'a.txt'}", f"de={tmp_path / 'b.txt'}"]
    return count_corpus(corpus, plan, out=tmp_path / "counts", resources=Resources(100_000_000))


def test_page_has_groups_with_multipliers_and_shares(counting: CountRun) -> None:
    text = words(count_page(counting))
    assert "Groups | Group | Documents | Text | Counted | Share | Asked for |" in text
    assert "en | 1 | 1.90 kB | 3 times | 75.0 % | 75.0 % |" in text
    assert "de | 1 | 1.90 kB | once | 25.0 % | 25.0 % |" in text
    assert "at most 0.00 % off" in text


def test_page_has_sources_growth_and_what_was_cut(counting: CountRun) -> None:
    text = words(count_page(counting))
    assert "a.txt | en | 1 | 1.90 kB | 50.0 % |" in text
    assert "Pretokens cut | 100 | longer than 4 bytes |" in text
    assert counting.counts
    grown = replace(counting, counts=replace(counting.counts, growth=((1000, 10), (3800, 14))))
    assert "Distinct pretokens against bytes read" in words(count_page(grown))
    assert "The curve follows the first of 2 splits" in words(count_page(grown))


def test_page_compares_the_limit_with_what_was_measured(counting: CountRun) -> None:
    run = replace(counting, stages=(Stage("count", 3800, 0.5, 80_000_000),))
    text = words(count_page(run))
    assert "Memory limit | 100 MB |" in text
    assert "Measured while counting | 80.0 MB |" in text


def test_page_names_skipped_records_and_an_earlier_run(counting: CountRun) -> None:
    assert counting.counts
    counts = replace(counting.counts, skipped=SkippedRecords(1, ["a.jsonl, line 3: no JSON"]), n_resumed_splits=1)
    text = words(count_page(replace(counting, counts=counts)))
    assert "Records left out | 1 |" in text
    assert "a.jsonl, line 3: no JSON" in text
    assert "which had counted 1 of 2 splits." in text


def test_repeated_run_leaves_the_report_that_is_there(counting: CountRun) -> None:
    path = write_count_report(counting)
    before = path.read_bytes()
    write_count_report(replace(counting, counts=None, was_complete=True))
    assert path.read_bytes() == before
    path.unlink()
    assert "complete already" in words(count_page(replace(counting, counts=None, was_complete=True)))


def test_training_page_has_memory_and_what_was_left_out(tmp_path: Path) -> None:
    run = trained(tmp_path, f"the the the cat{END}" * 20 + "once", vocab_size=259, min_count=2, memory_limit=64_000_000)
    run = replace(run, stages=(Stage("count", 9, 0.5, 70_000_000), Stage("merge", 0, 0.25, 80_000_000)))
    text = words(train_page(run))
    assert "Rare pretokens left out | 1 | " in text
    assert "Memory limit | 64.0 MB |" in text
    assert "Expected for merging | " in text
    assert "Measured while merging | 80.0 MB |" in text
    assert "a.txt | – | 1 | " in text


def test_training_page_says_from_where_it_went_on(tmp_path: Path) -> None:
    run = trained(tmp_path, vocab_size=BpeOptions(270, [END]).vocab_size)
    assert run.counts
    run = replace(run, n_resumed_merges=3, counts=replace(run.counts, n_resumed_splits=1))
    assert "which had counted 1 of 1 split and made 3 merges." in words(train_page(run))
