"""Every metric stands in the page on metrics, and every splitter."""

from pathlib import Path

import pytest

from tokenloom.metrics import METRICS, SPLITTERS

PAGE = (Path(__file__).parents[2] / "docs" / "concepts" / "metrics.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", METRICS)
def test_metric_is_documented_with_its_unit(name: str) -> None:
    row = next((line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line), None)
    assert row is not None
    assert METRICS[name].unit in row


@pytest.mark.parametrize("name", SPLITTERS)
def test_splitter_is_documented(name: str) -> None:
    assert name in PAGE
