import json
from dataclasses import replace
from pathlib import Path

import pytest

import tokenloom
from tokenloom import CorpusError, TrainingError, TrainingWarning
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.train_corpus import train_corpus
from tokenloom.jobs.training import TrainingPlan
from tokenloom.trainers import BpeOptions

END = "<|end|>"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("the cat|in the hat|")
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": "the hat sat"}) + "\n" + json.dumps({"text": ""}))
    return tmp_path


def test_documents_of_all_files_are_trained_on(corpus: Path) -> None:
    documents = DocumentOptions(document_separator=b"|")
    run = train_corpus(
        [corpus / "a.txt", corpus / "b.jsonl"], options=BpeOptions(262, [END]), out=corpus / "out", documents=documents
    )
    direct = tokenloom.train(["the cat", "in the hat", "", "the hat sat", ""], 262, [END])
    assert run.tokenizer.spec == direct.spec
    assert tokenloom.Tokenizer.load(corpus / "out").spec == direct.spec
    assert (run.n_docs, run.n_text_bytes) == (5, len("the catin the hatthe hat sat"))
    assert run.growth[-1] == (run.n_text_bytes, run.n_pretokens)


def test_reserved_tokens_are_part_of_the_vocabulary_size(corpus: Path) -> None:
    run = train_corpus([corpus / "a.txt"], options=BpeOptions(264, [END]), out=corpus / "out", n_reserved=3)
    assert len(run.tokenizer) == 264
    assert len(run.tokenizer.merges) == 264 - 256 - 1 - 3
    assert list(run.tokenizer.special_tokens)[1:] == [f"<|reserved_special_token_{i}|>" for i in range(3)]


def test_padding_comes_on_top_and_makes_a_multiple(corpus: Path) -> None:
    with pytest.warns(TrainingWarning):
        run = train_corpus([corpus / "a.txt"], options=BpeOptions(1000, [END]), out=corpus / "out", pad_multiple=64)
    assert len(run.tokenizer) == 320


@pytest.mark.parametrize("n_reserved", [-1, 8, True])
def test_impossible_number_of_reserved_tokens_is_refused(corpus: Path, n_reserved: int) -> None:
    with pytest.raises(TrainingError, match=r"n_reserved|no room for 8 reserved tokens"):
        train_corpus([corpus / "a.txt"], options=BpeOptions(264, [END]), out=corpus / "out", n_reserved=n_reserved)
    assert not (corpus / "out").exists()


def test_reserved_tokens_need_room_beside_must_have_tokens(corpus: Path) -> None:
    options = BpeOptions(264, [END], must_have=["lower"])
    with pytest.raises(TrainingError, match=r"for 4 reserved tokens beside bytes, must-have tokens.* at least 265\.$"):
        TrainingPlan(options, n_reserved=4)
    run = train_corpus([corpus / "a.txt"], options=options, out=corpus / "out", n_reserved=3)
    assert run.tokenizer.count("lower") == 1


def test_runs_with_other_limits_or_must_have_tokens_are_other_runs() -> None:
    plain = BpeOptions(300)
    others = {
        "min_pair_count": replace(plain, min_pair_count=2),
        "max_token_bytes": replace(plain, max_token_bytes=9),
        "whole_characters": replace(plain, whole_characters=True),
        "must_have": replace(plain, must_have=["the"]),
    }
    run = TrainingPlan(plain).run()
    for name, options in others.items():
        other = TrainingPlan(options).run()
        assert {key for key in run if run[key] != other[key]} == {name}
        assert name in TrainingPlan.FREE


def test_corpus_without_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": ""}\n')
    with pytest.raises(CorpusError, match=r"a\.jsonl': 1 file without text"):
        train_corpus([tmp_path / "a.jsonl"], options=BpeOptions(264), out=tmp_path / "out")


def test_progress_goes_to_the_end_of_the_text(corpus: Path) -> None:
    calls: list[tuple[str, int, int | None]] = []
    run = train_corpus(
        [corpus / "a.txt", corpus / "b.jsonl"],
        options=BpeOptions(260),
        out=corpus / "out",
        progress=lambda *call: calls.append(call),
    )
    counts = [call for call in calls if call[0] == "count"]
    assert counts[-1] == ("count", run.n_text_bytes, run.n_text_bytes)
    assert calls[-1] == ("merge", 4, 4)
