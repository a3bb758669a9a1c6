"""What a counting would do, and what it would go on from."""

from pathlib import Path
from typing import Any

import pytest

from tokenloom.corpus import Selection, list_sources
from tokenloom.engine import claimed_work, run_tasks
from tokenloom.errors import CorpusError, MemoryLimitError, StorageError
from tokenloom.jobs.count_pretokens import count_corpus
from tokenloom.jobs.counting import CountPlan, count_tasks
from tokenloom.jobs.estimate_counting import CountedSample, CountingEstimate, estimate_counting
from tokenloom.jobs.resources import Resources
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import CountOptions, count_pretokens

PLAN = CountPlan(CountOptions(Pretokenizer("gpt2")))
TEXT = "the cat in the hat sat on the mat\n" * 100


@pytest.fixture
def corpus(tmp_path: Path) -> list[str]:
    """Two groups, so two splits."""
    for name in ("en", "zh"):
        (tmp_path / f"{name}.txt").write_text(TEXT)
    return [f"{name}={tmp_path / name}.txt" for name in ("en", "zh")]


def files_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def estimated(corpus: list[str], out: Path, plan: CountPlan = PLAN) -> CountingEstimate:
    """An estimate, which must leave all files as they are."""
    before = files_of(out.parent)
    result = estimate_counting(corpus, plan, out=out)
    assert files_of(out.parent) == before
    return result


def stop_after_one_split(corpus: list[str], out: Path) -> None:
    """Leave what a run leaves that is killed after its first split."""
    out.mkdir()
    sources = list_sources(corpus)
    with claimed_work(out, PLAN.run(sources)) as work:
        run_tasks(count_tasks(sources, PLAN, Resources())[1][:1], folder=work)


def test_a_new_counting_reads_all_and_has_nothing_to_go_on_from(corpus: list[str], tmp_path: Path) -> None:
    result = estimated(corpus, tmp_path / "counts")
    assert (result.n_file_bytes, result.n_text_bytes, result.n_sample_bytes) == (2 * len(TEXT),) * 3
    assert [split.group for split in result.splits] == ["en", "zh"]
    assert (result.resumed_splits, result.was_complete) == (frozenset(), False)
    assert result.seconds > 0
    assert not (tmp_path / "counts").exists()


def test_splits_of_an_earlier_run_are_told_and_take_no_time(
    corpus: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a rate that is fixed: 100 bytes a second."""
    sample = CountedSample(count_pretokens([], pretokenizer=Pretokenizer("gpt2")), 200, 200, 2.0)
    monkeypatch.setattr("tokenloom.jobs.estimate_counting.count_sample", lambda *_, **__: sample)
    assert estimated(corpus, tmp_path / "counts").seconds == pytest.approx(2 * len(TEXT) / 100)
    stop_after_one_split(corpus, tmp_path / "counts")
    result = estimated(corpus, tmp_path / "counts")
    assert result.resumed_splits == {result.splits[0].name}
    assert result.seconds == pytest.approx(len(TEXT) / 100)
    run = count_corpus(corpus, PLAN, out=tmp_path / "counts")
    assert run.counts
    assert run.counts.n_resumed_splits == 1


@pytest.mark.parametrize("limit", [None, 32_000_000])
def test_a_line_that_the_limit_has_no_room_for_is_refused_as_by_the_counting(limit: int | None, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text('{"text": "' + "a b " * (5 << 18) + '"}\n')
    arguments: dict[str, Any] = {"out": tmp_path / "counts", "resources": Resources(limit)}
    if limit is None:
        assert estimate_counting([str(path)], PLAN, **arguments).n_text_bytes == 5 << 20
        return
    said = []
    for job in (estimate_counting, count_corpus):
        with pytest.raises(MemoryLimitError) as refused:
            job([str(path)], PLAN, **arguments)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_a_corpus_without_text_is_refused_as_by_the_counting(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    for job in (estimate_counting, count_corpus):
        with pytest.raises(CorpusError, match="1 file without text"):
            job([str(tmp_path / "empty.txt")], PLAN, out=tmp_path / "counts")


def test_a_folder_that_cannot_be_made_is_refused(corpus: list[str], tmp_path: Path) -> None:
    for out in (tmp_path / "en.txt" / "counts", tmp_path / ("x" * 300)):
        with pytest.raises(StorageError, match="cannot be used as an output folder"):
            estimate_counting(corpus, PLAN, out=out)


def test_complete_counts_leave_nothing_to_do_or_to_read(
    corpus: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_corpus(corpus, PLAN, out=tmp_path / "counts")
    monkeypatch.setattr("tokenloom.jobs.estimate_counting.count_sample", None)  # which nothing calls
    result = estimated(corpus, tmp_path / "counts")
    assert (result.was_complete, result.seconds, result.n_sample_bytes) == (True, 0.0, 0)
    assert result.resumed_splits == {split.name for split in result.splits}
    assert result.n_text_bytes == 2 * len(TEXT)


@pytest.mark.parametrize("is_complete", [True, False])
def test_a_folder_of_another_run_is_refused_as_it_would_be(
    corpus: list[str], tmp_path: Path, is_complete: bool
) -> None:
    if is_complete:
        count_corpus(corpus, PLAN, out=tmp_path / "counts")
    else:
        stop_after_one_split(corpus, tmp_path / "counts")
    other = CountPlan(CountOptions(Pretokenizer("gpt2"), has_positions=True))
    with pytest.raises(StorageError, match="begun with has_positions False, and is now asked for True"):
        estimated(corpus, tmp_path / "counts", other)


def test_what_would_stop_the_counting_stops_its_dry_run(corpus: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("mine")
    with pytest.raises(StorageError, match="holds other files"):
        estimated(corpus, tmp_path / "mine")
    with pytest.raises(StorageError, match="Not a directory"):
        estimated(corpus, tmp_path / "mine" / "letter.txt")
    with pytest.raises(CorpusError, match="no group 'de'"):
        estimated(corpus, tmp_path / "counts", CountPlan(PLAN.options, weights={"en": 0.5, "de": 0.5}))
    with pytest.raises(CorpusError, match="no group 'de'"):
        estimated(corpus, tmp_path / "counts", CountPlan(PLAN.options, selection=Selection(limits={"de": 5})))
