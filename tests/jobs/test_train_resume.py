"""Trainings and countings that are killed anywhere go on with the same command and end with the same bytes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.jobs import killed_runs


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four files of words, the later ones with more of them."""
    folder = tmp_path_factory.mktemp("killed")
    random = Random(7)
    (folder / "corpus").mkdir()
    for number in range(4):
        words = ["".join(random.choices("abcdeé你", k=random.randrange(1, 9))) for _ in range(300 + 300 * number)]
        text = " ".join(random.choices([*words, "<|end|>"], k=6000))
        (folder / "corpus" / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks before threads are")
@pytest.mark.parametrize("act", killed_runs.ACTS)
def test_run_killed_at_random_moments_ends_with_the_same_bytes(corpus: Path, act: str, tmp_path: Path) -> None:
    (tmp_path / "corpus").symlink_to(corpus / "corpus")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, killed_runs.__file__, str(tmp_path), act]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["n_wrong"] == 0
    assert facts["left"] == []
    assert facts["n_steps"] > 30
    assert facts["n_resumed"] >= facts["n_killed"] // 2
