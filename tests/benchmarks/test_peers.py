import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from cases.encode_rivals import PLAIN_ENTRIES, verdict
from peers import absent
from peers.files import SEPARATOR, Documents, Vocabulary
from peers.peer import by_lengths, by_offsets, from_lists
from tokenloom import train

BENCHMARKS: Final = Path(__file__).parents[2] / "benchmarks"


def test_peer_that_is_not_installed_or_lacks_the_encoding_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peers.find_spec", lambda name: None if name == "gigatoken" else True)
    names = ["gigatoken batch", "tiktoken", "tokenizers", "tokenloom"]
    assert absent(names, "qwen3") == {"gigatoken batch": "not installed", "tiktoken": "does not have the encoding"}


def test_vocabulary_that_is_not_there_is_refused_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"gpt2\.tiktoken.*README"):
        Vocabulary(tmp_path, "gpt2").check()
    with pytest.raises(ValueError, match="no encoding 'gpt5'; there are gpt2"):
        Vocabulary(tmp_path, "gpt5").check()


def test_documents_of_a_file_are_counted_without_separators(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(f"é{SEPARATOR}bc", encoding="utf-8")
    documents = Documents.read(tmp_path / "text")
    assert (documents.texts, documents.n_bytes) == (["é", "bc"], 4)


@pytest.mark.parametrize(
    "flat",
    [
        from_lists([[1, 2], [], [3]]),
        by_offsets(([1, 2, 3], [0, 2, 2, 3])),
        by_lengths((np.array([1, 2, 3]), np.array([2, 0, 1]))),
    ],
)
def test_all_shapes_of_results_become_one(flat: Any) -> None:
    assert [part.tolist() for part in flat] == [[1, 2, 3], [2, 0, 1]]


def test_differing_documents_are_counted() -> None:
    right = [np.array([1, 2]), np.array([3])]
    assert verdict([np.array([1, 2]), np.array([3])], right) == "equal"
    assert verdict([np.array([1]), np.array([3])], right) == "1 of 2 documents differ"
    assert verdict([np.array([1, 2])], right) == "1 documents instead of 2"


def test_contest_runs_from_the_command_line_to_its_result(tmp_path: Path) -> None:
    text = "".join(f"the cat {i} sat on the mat.\n\n" * 40 for i in range(25))
    (tmp_path / "text.txt").write_text(text)
    train([text], 265, [SEPARATOR], pattern="qwen2").save(tmp_path / "trained")
    (tmp_path / "qwen3").mkdir()
    (tmp_path / "trained" / "tokenizer.json").rename(tmp_path / "qwen3" / "tokenizer.json")
    options = {"--encoding": "qwen3", "--vocabularies": tmp_path, "--corpus": tmp_path / "text.txt", "--runs": 1}
    command = ["run.py", "encode_fastest", "--out", str(tmp_path / "result.json")]
    arguments = [str(x) for item in options.items() for x in item]
    done = subprocess.run(
        [sys.executable, *command, *arguments], cwd=BENCHMARKS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "result.json").read_text())
    standing = result["parts"]["all"]
    assert standing["peers"]["tokenloom"]["ids"] == "equal"
    assert {*standing["peers"]} == {*PLAIN_ENTRIES}
    assert {"cold", "warm", "next"} <= {*standing["best"]}
