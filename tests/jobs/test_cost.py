"""Costs of tokenizers from their files and a text."""

from pathlib import Path

import pytest

import tokenloom
from tokenloom.cost import CostPlan, model_shape, plain_decoder
from tokenloom.errors import CorpusError, CostError
from tokenloom.jobs.cost import CostRun, compare_costs

SHAPE = plain_decoder(n_layers=2, width=64, vocabulary_size=1)


def values(run: CostRun, key: str) -> list[float | None]:
    return next(list(line.values) for line in run.lines if line.key == key)


@pytest.fixture
def pair(tmp_path: Path) -> list[Path]:
    """Tokenizers of 257 and of 261 rows."""
    paths = [tmp_path / "bytes", tmp_path / "merged"]
    tokenloom.Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], ["<|end|>"]).save(paths[0])
    tokenloom.train(["the then the"] * 3, 261, ["<|end|>"]).save(paths[1])
    return paths


def test_each_tokenizer_brings_its_rows_and_its_tokens(pair: list[Path], tmp_path: Path) -> None:
    text = "the then the " * 50
    (tmp_path / "a.txt").write_text(text)
    run = compare_costs(SHAPE, tokenizers=pair, texts=[tmp_path / "a.txt"])
    n_tokens = tokenloom.Tokenizer.load(pair[1]).count(text)
    assert [one.text.name for one in run.tokenizers] == ["bytes", "merged"]
    assert values(run, "embedding_parameters") == [257 * 64, 261 * 64]
    assert values(run, "bytes_per_token") == [1.0, len(text) / n_tokens]
    assert values(run, "relative_length") == [1.0, n_tokens / len(text)]


def test_files_are_counted_apart(pair: list[Path], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the the ")
    (tmp_path / "b.jsonl").write_text('{"text": "zzzz"}\n')
    run = compare_costs(SHAPE, tokenizers=pair, texts=[tmp_path / "a.txt", tmp_path / "b.jsonl"])
    assert [(source.name, source.n_bytes) for source in run.tokenizers[1].sources] == [("a.txt", 8), ("b.jsonl", 4)]
    assert run.tokenizers[1].text.n_bytes == 12


def test_rows_are_filled_up_to_a_multiple(pair: list[Path]) -> None:
    run = compare_costs(SHAPE, tokenizers=pair, multiple_of=64)
    assert values(run, "vocabulary_size") == [320, 320]
    assert values(compare_costs(model_shape("gpt2"), multiple_of=64), "vocabulary_size") == [50_304]


def test_without_a_tokenizer_the_model_has_its_own_vocabulary() -> None:
    run = compare_costs(model_shape("gpt2"))
    assert values(run, "vocabulary_size") == [50_257]
    assert values(run, "bytes_per_token") == [None]


def test_same_names_become_whole_paths(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "tok", tmp_path / "b" / "tok"]
    for path in paths:
        tokenloom.train(["the the"], 257).save(path)
    run = compare_costs(SHAPE, tokenizers=paths)
    assert [one.text.name for one in run.tokenizers] == [str(path) for path in paths]


def test_special_tokens_in_a_text_are_ordinary_text(pair: list[Path], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("<|end|>")
    run = compare_costs(SHAPE, tokenizers=pair[:1], texts=[tmp_path / "a.txt"])
    assert run.tokenizers[0].text.n_tokens == 7


def test_text_that_is_missing_empty_or_for_nobody_is_refused(pair: list[Path], tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    with pytest.raises(CostError, match=r"text .*empty\.txt.*: it has no tokens"):
        compare_costs(SHAPE, tokenizers=pair, texts=[tmp_path / "empty.txt"])
    with pytest.raises(CorpusError, match=r"missing\.txt"):
        compare_costs(SHAPE, tokenizers=pair, texts=[tmp_path / "missing.txt"])
    with pytest.raises(CostError, match="there is no tokenizer to cut it"):
        compare_costs(model_shape("gpt2"), texts=[tmp_path / "empty.txt"])
    with pytest.raises(CostError, match="without a text to measure on"):
        compare_costs(SHAPE, tokenizers=pair, plan=CostPlan(training_bytes=1e9))
    with pytest.raises(CostError, match="multiple_of: 0 is no whole number"):
        compare_costs(SHAPE, tokenizers=pair, multiple_of=0)


def test_real_tokenizers_on_english_and_chinese(shared: Path) -> None:
    names = ["gpt2.tiktoken", "o200k_base.tiktoken"]
    texts = [shared / "corpora" / f"{language}-2MB.txt" for language in ("english", "chinese")]
    run = compare_costs(model_shape("llama-3-8b"), tokenizers=[shared / "vocabs" / name for name in names], texts=texts)
    assert [one.text.name for one in run.tokenizers] == ["gpt2", "o200k_base"]
    first, second = values(run, "flops_per_byte")
    assert first
    assert second
    assert second < first
    small, large = values(run, "vocabulary_share")
    assert small
    assert large
    assert large > 3 * small
