from pathlib import Path

import pytest

import tokenloom
from tests.jobs.reports.runs import words
from tokenloom.cost import CostPlan, accelerator, model_shape
from tokenloom.jobs.cost import CostRun, compare_costs
from tokenloom.jobs.reports import cost_page


@pytest.fixture
def costed(tmp_path: Path) -> CostRun:
    (tmp_path / "a.txt").write_text("the cat in the hat " * 100)
    (tmp_path / "b.txt").write_text("der Hut der Katze! " * 100)
    for name, size in (("small <b>", 257), ("large", 266)):
        tokenloom.train(["the cat in the hat " * 100], size).save(tmp_path / name)
    plan = CostPlan(accelerator=accelerator("h100"), price_per_hour=2.0)
    tokenizers, texts = [tmp_path / "small <b>", tmp_path / "large"], [tmp_path / "a.txt", tmp_path / "b.txt"]
    return compare_costs(model_shape("gpt2"), tokenizers=tokenizers, texts=texts, plan=plan)


def test_page_has_tables_by_group_and_the_text_by_file(costed: CostRun) -> None:
    text = words(cost_page(costed))
    assert "2 tokenizers on gpt2: 12 layers, width 768" in text
    assert "small &lt;b&gt; | 257 | 197,376 |" in text
    assert "Bytes per token by file" in text
    assert "a.txt | 1.90 kB |" in text
    assert "1 x h100" in text
    assert "Training by tokenizer" in text
    assert "Price by tokenizer" not in text


def test_page_draws_how_costs_grow_with_length(costed: CostRun) -> None:
    page = cost_page(costed).html()
    assert page.count('<polyline class="curve') == 4
    assert "FLOPs a byte, forward, with attention" in page
    assert "<b>" not in page
    assert "<script" not in page


def test_page_without_a_text_has_no_curves_and_no_zeros() -> None:
    page = cost_page(compare_costs(model_shape("gpt2")))
    assert "Length" not in [section.title for section in page.sections]
    assert "gpt2 | – | – | – | – |" in words(page)


def test_page_says_that_formulas_are_no_measurement(costed: CostRun) -> None:
    text = words(cost_page(costed))
    assert "none is measured but bytes per token" in text
    assert "Radford et al. 2019" in text
