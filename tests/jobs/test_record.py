"""Records of trainings on files: the same however they were made, and never in the place of something else."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.golden.make_record_v1 import FILE as GOLDEN
from tokenloom import BpeOptions, StorageError, Tokenizer, open_record
from tokenloom.jobs.count_pretokens import count_corpus
from tokenloom.jobs.counting import CountPlan
from tokenloom.jobs.replay import replay_step
from tokenloom.jobs.train_corpus import train_corpus
from tokenloom.jobs.train_counts import COUNTS_FILE, train_count_file, train_word_counts
from tokenloom.jobs.training import TrainingPlan
from tokenloom.trainers import CountOptions

TEXT = "the cat in the hat sat on the mat\nthe dog ate the cat<|end|>" * 20
OPTIONS = BpeOptions(280, ["<|end|>"])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(TEXT + f" and number {number}" * 9)
    return folder


def test_threads_and_processes_do_not_change_a_record(corpus: Path, tmp_path: Path) -> None:
    options = BpeOptions(280, ["<|end|>"], tie_break="first-seen")
    for name, n_threads, n_processes in (("a", 1, 1), ("b", 3, 1), ("c", 1, 2)):
        record = tmp_path / f"{name}.tlr"
        out = tmp_path / name
        run = train_corpus(
            [corpus], options=options, out=out, record=record, n_threads=n_threads, n_processes=n_processes
        )
        assert run.record == record
    first, *others = ((tmp_path / f"{name}.tlr").read_bytes() for name in "abc")
    assert others == [first, first]


def test_a_record_names_its_tokenizer_reserved_tokens_included(corpus: Path, tmp_path: Path) -> None:
    run = train_corpus(
        [corpus], options=OPTIONS, out=tmp_path / "out", record=tmp_path / "run.tlr", n_reserved=3, pad_multiple=64
    )
    record = open_record(tmp_path / "run.tlr")
    assert record.header.tokenizer_fingerprint == Tokenizer.load(tmp_path / "out").spec.fingerprint
    assert record.header.training == run.tokenizer.provenance
    assert record.spec_at(record.n_merges) == run.tokenizer.spec
    assert list(record.merges()) == list(run.training.steps)
    assert record.n_tokens_at(0) == record.header.n_bytes == run.n_trained_bytes


@pytest.mark.parametrize(("n_reserved", "pad_multiple"), [(3, None), (0, 64), (2, 8), (0, None)])
def test_the_tokenizer_at_a_step_has_the_reserved_tokens_of_a_training_which_ends_there(
    corpus: Path, tmp_path: Path, n_reserved: int, pad_multiple: int | None
) -> None:
    def trained(n_merges: int) -> Tokenizer:
        options = replace(OPTIONS, vocab_size=256 + n_merges + 1 + n_reserved)
        plan = TrainingPlan(options, n_reserved, pad_multiple)
        return train_count_file(tmp_path / "counts", plan, out=tmp_path / "out", record=tmp_path / "run.tlr").tokenizer

    counting = CountOptions(OPTIONS.pretokenizer, OPTIONS.special_tokens)
    count_corpus([corpus], CountPlan(counting), out=tmp_path / "counts")
    last = trained(6)
    record = open_record(tmp_path / "run.tlr")
    assert record.spec_at(6).fingerprint == record.header.tokenizer_fingerprint == last.spec.fingerprint
    for step in (0, 1, 5):
        assert record.spec_at(step) == trained(step).spec
        assert replay_step(record, step).vocabulary_size == len(trained(step))


def test_a_corpus_and_its_counts_have_the_same_checksum_in_their_records(corpus: Path, tmp_path: Path) -> None:
    train_corpus([corpus], options=OPTIONS, out=tmp_path / "a", record=tmp_path / "a.tlr")
    for has_positions in (False, True):
        counting = CountOptions(OPTIONS.pretokenizer, OPTIONS.special_tokens, has_positions=has_positions)
        count_corpus([corpus], CountPlan(counting), out=tmp_path / f"counts-{has_positions}")
        train_count_file(
            tmp_path / f"counts-{has_positions}", TrainingPlan(OPTIONS), out=tmp_path / "b", record=tmp_path / "b.tlr"
        )
        one, other = open_record(tmp_path / "a.tlr"), open_record(tmp_path / "b.tlr")
        assert (one.header.counts_sha256, one.columns) == (other.header.counts_sha256, other.columns)


def test_word_counts_are_recorded_too(tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("low\t5\nlower\t2\nnewest\t6\nwidest\t3\n")
    plan = TrainingPlan(BpeOptions(265, pattern=None, tie_break="first-seen"))
    train_word_counts(tmp_path / "words.tsv", plan, out=tmp_path / "out", record=tmp_path / "run.tlr")
    assert open_record(tmp_path / "run.tlr").columns == open_record(GOLDEN).columns


def test_an_older_record_is_replaced_and_nothing_else_is(corpus: Path, tmp_path: Path) -> None:
    record = tmp_path / "run.tlr"
    record.write_bytes(GOLDEN.read_bytes())
    train_corpus([corpus], options=OPTIONS, out=tmp_path / "out", record=record)
    assert open_record(record).n_merges > 9
    text = corpus / "0.txt"
    with pytest.raises(StorageError, match=r"0\.txt': is there and is no record of a training\. Choose another file"):
        train_corpus([corpus], options=OPTIONS, out=tmp_path / "new", record=text)
    assert text.read_text().startswith(TEXT)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("n_kept", [300, 1000, len(GOLDEN.read_bytes()) - 1])
def test_a_record_that_was_cut_makes_room_for_its_own_replacement(corpus: Path, tmp_path: Path, n_kept: int) -> None:
    record = tmp_path / "run.tlr"
    record.write_bytes(GOLDEN.read_bytes()[:n_kept])
    train_corpus([corpus], options=OPTIONS, out=tmp_path / "out", record=record)
    assert open_record(record).n_merges > 9


def test_files_of_other_kinds_of_ours_are_not_replaced(corpus: Path, tmp_path: Path) -> None:
    counting = CountOptions(OPTIONS.pretokenizer, OPTIONS.special_tokens)
    counts = count_corpus([corpus], CountPlan(counting), out=tmp_path / "counts").folder / COUNTS_FILE
    train_corpus([corpus], options=OPTIONS, out=tmp_path / "out")
    for path in (counts, *sorted((tmp_path / "out").glob("*.tloom"))):
        before = path.read_bytes()
        with pytest.raises(StorageError, match="is there and is no record of a training"):
            train_corpus([corpus], options=OPTIONS, out=tmp_path / "new", record=path)
        assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["", "-", "."])
def test_a_record_without_a_file_s_name_is_refused(corpus: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(StorageError, match=f"record '{name}': names no file. Name one"):
        train_corpus([corpus], options=OPTIONS, out=tmp_path / "out", record=name)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("out/run.tlr", "lies in the output folder .*, which is for the tokenizer alone"),
        ("none/run.tlr", r"there is no folder '.*none'\. Make it"),
        ("corpus", "is there and is no record of a training"),
    ],
)
def test_a_place_where_no_record_can_be_is_refused_before_any_work(
    corpus: Path, tmp_path: Path, place: str, message: str
) -> None:
    with pytest.raises(StorageError, match=message):
        train_corpus([corpus], options=OPTIONS, out=tmp_path / "out", record=tmp_path / place)
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_a_link_into_the_output_folder_is_seen(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "out")
    with pytest.raises(StorageError, match="lies in the output folder"):
        train_corpus([corpus], options=OPTIONS, out=tmp_path / "out", record=tmp_path / "link" / "run.tlr")
