"""`run.toml` read back is what was written."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.cli.run_file import render_toml, write_run_file
from tokenloom.errors import TokenloomWarning
from tokenloom.storage.manifest import RUN_FILE

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
ITEMS = st.one_of(TEXTS, st.integers(-(2**63), 2**63 - 1), st.booleans())
KEYS = st.text("abcdefghijklmnopqrstuvwxyz-_0123456789", min_size=1)


@given(st.dictionaries(KEYS, st.one_of(ITEMS, st.lists(ITEMS))))
def test_values_come_back(values: dict[str, Any]) -> None:
    assert tomllib.loads(render_toml(values)) == values


def test_every_control_character_comes_back() -> None:
    text = "".join(map(chr, [*range(0x20), 0x7F, 0x80, 0x9F])) + '"\\'
    assert tomllib.loads(render_toml({"key": text})) == {"key": text}


def test_paths_are_kept_as_they_were_given() -> None:
    assert render_toml({"out": Path("a/b"), "corpus": ["../c d"]}) == 'out = "a/b"\ncorpus = ["../c d"]\n'


def test_the_file_names_its_verb_and_holds_a_table_of_it(tmp_path: Path) -> None:
    write_run_file(tmp_path, "train", {"vocab-size": 300})
    content = (tmp_path / RUN_FILE).read_text("utf-8")
    assert "tokenloom train --config OUT/run.toml" in content
    assert tomllib.loads(content) == {"train": {"vocab-size": 300}}


def test_a_value_that_is_no_utf8_is_a_warning_and_no_file(tmp_path: Path) -> None:
    with pytest.warns(TokenloomWarning, match="no UTF-8. Keep the command line"):
        write_run_file(tmp_path, "train", {"corpus": ["\udcff"]})
    assert list(tmp_path.iterdir()) == []
