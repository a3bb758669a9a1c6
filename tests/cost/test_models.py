"""The table of published models: a count from the shape is the published one."""

import pytest

from tokenloom.cost import MODELS, VOCABULARIES, model_shape
from tokenloom.errors import CostError

PUBLISHED = {
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
    "llama-3-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "tinyllama-1.1b": 1_100_048_384,
    "mistral-7b": 7_241_732_096,
    "mixtral-8x7b": 46_702_792_704,
    "gemma-2b": 2_506_172_416,
    "qwen2.5-0.5b": 494_032_768,
    "qwen2.5-7b": 7_615_616_512,
    "qwen3-0.6b": 596_049_920,
    "qwen3-1.7b": 1_720_574_976,
    "qwen3-4b": 4_022_468_096,
    "qwen3-8b": 8_190_735_360,
    "qwen3-14b": 14_768_307_200,
    "qwen3-32b": 32_762_123_264,
    "qwen3-30b-a3b": 30_532_122_624,
}
"""Numbers in the published weights."""
ROUNDED = {"gpt-3": 175, "qwen3.8-27b": 28}
"""Billions, of models whose weights are not published, or that are no plain decoder."""


def test_every_model_is_checked() -> None:
    assert PUBLISHED.keys() | ROUNDED.keys() == MODELS.keys()


@pytest.mark.parametrize("name", PUBLISHED)
def test_count_of_parameters_is_the_published_one(name: str) -> None:
    assert model_shape(name).total_parameters == PUBLISHED[name]


@pytest.mark.parametrize("name", ROUNDED)
def test_count_of_parameters_rounds_to_the_published_one(name: str) -> None:
    assert round(model_shape(name).total_parameters / 1e9) == ROUNDED[name]


def test_every_model_has_a_source_with_its_year() -> None:
    assert all("20" in shape.source and shape.name == name for name, shape in MODELS.items())


def test_share_of_the_vocabulary_falls_with_the_size_of_the_model() -> None:
    assert f"{model_shape('gpt2').vocabulary_share:.0%}" == "31%"
    assert f"{model_shape('llama-3-8b').vocabulary_share:.1%}" == "13.1%"
    assert model_shape("llama-3-8b").vocabulary_parameters == 2 * 525_336_576 == 1_050_673_152


def test_llama_3_has_more_parameters_than_llama_2_because_of_its_vocabulary() -> None:
    old, new = model_shape("llama-2-7b"), model_shape("llama-3-8b")
    assert round((new.total_parameters - old.total_parameters) / 1e9, 1) == 1.3
    assert round((new.vocabulary_parameters - old.vocabulary_parameters) / 1e9, 1) == 0.8


def test_qwen_has_two_tables_of_a_quarter_million_rows() -> None:
    qwen = model_shape("qwen3.8-27b")
    assert qwen.vocabulary_parameters == 2 * 248_320 * 5120 == 2_542_796_800
    assert f"{qwen.vocabulary_share:.1%}" == "9.2%"


@pytest.mark.parametrize("name", ["lama-3-8b", "", "x" * 10_000, 5, None])
def test_unknown_model_is_refused_with_all_known(name: str) -> None:
    with pytest.raises(CostError, match=r"model .* is not in the table.* Known are: gpt2, ") as caught:
        model_shape(name)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("llama-3", "'llama-3-8b' or 'llama-3-70b'"),
        ("gpt2-small", "'gpt2'"),
        ("GPT3", "'gpt-3'"),
        ("quen3-8b", "'qwen3-8b'"),
    ],
)
def test_unknown_model_is_refused_with_its_family_or_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(CostError, match=f"Did you mean .*{hint}"):
        model_shape(name)


def test_models_have_the_vocabulary_that_was_published() -> None:
    assert MODELS["gpt2"].vocabulary_size == VOCABULARIES["gpt2"].size
    assert MODELS["llama-3-8b"].vocabulary_size == VOCABULARIES["llama-3"].size
    assert MODELS["qwen3-8b"].vocabulary_size == VOCABULARIES["qwen3"].size
    assert MODELS["qwen3.8-27b"].vocabulary_size == VOCABULARIES["qwen3.8"].size
