"""The table of published vocabularies, beside the files that are at hand."""

import json
from pathlib import Path

import pytest

from tokenloom import Tokenizer
from tokenloom.cost import VOCABULARIES, VOCABULARIES_DATE, published_vocabulary
from tokenloom.errors import CostError

FILES = {
    "gpt2": "gpt2.tiktoken",
    "cl100k_base": "cl100k_base.tiktoken",
    "o200k_base": "o200k_base.tiktoken",
    "llama-3": "llama3_1/tokenizer.json",
    "qwen3": "qwen3/tokenizer.json",
    "deepseek-v3": "deepseek_v3/tokenizer.json",
    "tekken": "tekken/tekken.json",
}


def test_table_is_dated_and_every_row_has_source_and_year() -> None:
    assert VOCABULARIES_DATE.startswith("20")
    assert all(row.source and 2015 < row.year < 2030 for row in VOCABULARIES.values())
    assert [row.year for row in VOCABULARIES.values()] == sorted(row.year for row in VOCABULARIES.values())


def test_tokenizers_have_no_more_ids_than_models_have_rows() -> None:
    assert all(row.n_ids is None or row.n_ids <= row.size for row in VOCABULARIES.values())


@pytest.mark.parametrize("name", FILES)
def test_size_is_that_of_the_file(name: str, shared: Path) -> None:
    row = published_vocabulary(name)
    assert len(Tokenizer.load(shared / "vocabs" / FILES[name])) == (row.n_ids or row.size)


def test_size_of_bert_is_that_of_its_file(shared: Path) -> None:
    content = json.loads((shared / "vocabs" / "minilm" / "tokenizer.json").read_text("utf-8"))
    assert len(content["model"]["vocab"]) == published_vocabulary("bert-base-uncased").size


def test_sizes_that_are_often_quoted() -> None:
    sizes = {"gpt2": 50_257, "llama-3": 128_256, "deepseek-v3": 129_280, "qwen3": 151_936, "glm-5.3": 154_880}
    sizes |= {"kimi-k3": 163_840, "qwen3.8": 248_320, "llama-2": 32_000}
    assert {name: VOCABULARIES[name].size for name in sizes} == sizes


def test_code_points_would_take_more_rows_than_any_vocabulary() -> None:
    assert round(0x110000 / max(row.size for row in VOCABULARIES.values() if row.name == "qwen3.8"), 1) == 4.5


def test_unknown_vocabulary_is_refused_with_the_nearest() -> None:
    with pytest.raises(CostError, match="Did you mean 'cl100k_base'"):
        published_vocabulary("cl100kbase")
