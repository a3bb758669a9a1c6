"""The examples in docstrings and in README.md run, and print what they say."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import tokenloom

README = Path(__file__).parents[2] / "README.md"
MODULES = [info.name for info in pkgutil.walk_packages(tokenloom.__path__, "tokenloom.") if "_core" not in info.name]


@pytest.mark.parametrize("name", ["tokenloom", *MODULES])
def test_examples_of_module(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_of_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0
