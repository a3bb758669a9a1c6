"""Training of models that are no BPE, from files to a folder."""

from pathlib import Path

import pytest

from tokenloom.corpus import DocumentOptions
from tokenloom.errors import CorpusError, MemoryLimitError, TrainingError
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.train_model_corpus import ModelPlan, ModelText, train_model
from tokenloom.trainers import WordOptions, WordpieceOptions
from tokenloom.trainers.models import memory_bytes

pytestmark = pytest.mark.filterwarnings("ignore::tokenloom.FormatWarning", "ignore::tokenloom.TrainingWarning")
PLAN = ModelPlan(WordpieceOptions(40))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for place in range(3):
        (folder / f"{place}.txt").write_text("the quick duck quacked at the cat that sat\n" * (place + 5))
    return folder


def stopping(stage: str, done: int, total: int | None) -> None:
    """Stop a run where it begins to merge, as Ctrl-C would."""
    if stage == "merge":
        raise KeyboardInterrupt


def test_a_run_that_was_stopped_goes_on_and_ends_the_same(corpus: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    with pytest.raises(KeyboardInterrupt):
        train_model(ModelText([corpus]), PLAN, out=out, progress=stopping)
    run = train_model(ModelText([corpus]), PLAN, out=out)
    assert run.counts is not None
    assert run.counts.n_resumed_splits == run.counts.n_splits > 0
    train_model(ModelText([corpus]), PLAN, out=other)
    assert (out / "manifest.json").read_bytes() == (other / "manifest.json").read_bytes()


def test_another_size_may_go_on_with_the_counts(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_model(ModelText([corpus]), PLAN, out=tmp_path / "out", progress=stopping)
    run = train_model(ModelText([corpus]), ModelPlan(WordpieceOptions(39)), out=tmp_path / "out")
    assert len(run.tokenizer) == 39


def test_rare_words_are_left_out_and_counted(corpus: Path, tmp_path: Path) -> None:
    (corpus / "rare.txt").write_text("xylophone")
    run = train_model(ModelText([corpus]), ModelPlan(WordpieceOptions(60), min_count=2), out=tmp_path / "out")
    assert run.n_dropped_pretokens == 1
    assert not any(b"x" in token for token in run.tokenizer.vocabulary.values())
    with pytest.raises(TrainingError, match="min_count 1,000: no pretoken occurs so often"):
        train_model(ModelText([corpus]), ModelPlan(WordpieceOptions(60), min_count=1000), out=tmp_path / "none")


def test_a_limit_that_training_outgrows_stops_it_before(corpus: Path, tmp_path: Path) -> None:
    (corpus / "large.txt").write_text(" ".join(f"word{n * 7919}" for n in range(150_000)))
    with pytest.raises(MemoryLimitError, match="nothing was learned"):
        train_model(ModelText([corpus]), PLAN, out=tmp_path / "out", resources=Resources(memory_limit=40_000_000))


def test_a_corpus_without_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(CorpusError, match="without text"):
        train_model(ModelText([tmp_path / "empty.txt"]), PLAN, out=tmp_path / "out")
    with pytest.raises(TrainingError, match="text: there is none"):
        train_model(ModelText(), PLAN, out=tmp_path / "out")


def test_documents_are_cut_as_asked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ab|ab|ab")
    text = ModelText([tmp_path / "a.txt"], documents=DocumentOptions(document_separator=b"|"))
    run = train_model(text, ModelPlan(WordOptions()), out=tmp_path / "out")
    assert run.tokenizer.vocabulary == {0: b"<unk>", 1: b"ab"}


def test_more_text_is_expected_to_take_more_memory() -> None:
    small, large = (memory_bytes(PLAN.options, n_pretokens=n, n_pretoken_bytes=8 * n) for n in (1000, 1_000_000))
    assert small < 5_000_000 < 300_000_000 < large
