"""The numbers in README.md are those of the stored results, and nobody types them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SCRIPT: Final = ROOT / "benchmarks" / "readme.py"
MARKERS: Final = "<!-- numbers: written by benchmarks/readme.py -->\n{}<!-- end of numbers -->\n"


def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)


def peer_numbers(seconds: float) -> dict[str, float]:
    return {"wall_seconds": seconds, "cpu_seconds": seconds, "peak_rss_bytes": 71_600_000}


RESULT: Final[dict[str, Any]] = {
    "case": "train_bpe",
    "summary": "a task",
    "date": "2026-11-30",
    "machine": {"cpu": "A | B", "cores": 2},
    "versions": {"python": "3.11.7", "tokenloom commit": "0123456789abcdef"},
    "corpus": {"name": "text.txt", "bytes": 30_000_000},
    "section_bytes": {"train": 20_000_000},
    "baseline": "theirs",
    "n_rounds": 5,
    "medians": {"train": {"ours": peer_numbers(4.0), "theirs": peer_numbers(3.0)}},
    "ratios": {"train": {"ours": {"wall_seconds": {"median": 0.7512, "rounds": [0.7512]}}}},
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str | Path, ...]:
    """Options that name a README with an empty block and a folder with one result."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "train_bpe.json").write_text(json.dumps(RESULT))
    (tmp_path / "README.md").write_text("before\n" + MARKERS.format("old\n") + "after\n")
    return "--results", tmp_path / "results", "--readme", tmp_path / "README.md"


def test_readme_has_the_numbers_of_the_stored_results() -> None:
    checked = run("--check")
    assert (checked.returncode, checked.stderr) == (0, "")


def test_block_without_results_is_empty(tmp_path: Path, files: tuple[str | Path, ...]) -> None:
    assert run("--readme", tmp_path / "README.md", "--results", tmp_path / "none").returncode == 0
    assert (tmp_path / "README.md").read_text() == "before\n" + MARKERS.format("") + "after\n"


def test_rows_that_are_lost_are_shown(tmp_path: Path, files: tuple[str | Path, ...]) -> None:
    assert run(*files).returncode == 0
    text = (tmp_path / "README.md").read_text()
    assert "| peer | seconds | × theirs | peak memory |" in text
    assert "| ours | 4.00 | 0.75 | 72 MB |\n| theirs | 3.00 | 1 | 72 MB |\n" in text
    assert "text.txt (30.0 MB, of which 20.0 MB were used)" in text
    assert "A | B, 2 cores. 5 rounds on 2026-11-30;\npython 3.11.7, tokenloom commit 0123456789ab.\n" in text
    assert text.startswith("before\n<!--")
    assert text.endswith("-->\nafter\n")


def test_encoding_is_shown_in_bytes_a_second_by_section(tmp_path: Path, files: tuple[str | Path, ...]) -> None:
    sections = {
        "section_bytes": {"first pass": 20_000_000, "second pass": 10_000_000},
        "medians": dict.fromkeys(("first pass", "second pass"), RESULT["medians"]["train"]),
        "ratios": dict.fromkeys(("first pass", "second pass"), RESULT["ratios"]["train"]),
    }
    result = RESULT | sections | {"case": "encode_gpt2"}
    (tmp_path / "results" / "encode_gpt2.json").write_text(json.dumps(result))
    assert run(*files).returncode == 0
    text = (tmp_path / "README.md").read_text()
    assert "| ours, first pass | 5.0 | 0.75 | 72 MB |" in text
    assert "| theirs, second pass | 3.3 | 1 | 72 MB |" in text
    assert text.index("train_bpe: a task.") < text.index("encode_gpt2: a task.")


def test_check_finds_a_difference_and_writes_nothing(tmp_path: Path, files: tuple[str | Path, ...]) -> None:
    before = (tmp_path / "README.md").read_text()
    checked = run("--check", *files)
    assert checked.returncode == 1
    assert "Run benchmarks/readme.py" in checked.stderr
    assert (tmp_path / "README.md").read_text() == before
    run(*files)
    assert run("--check", *files).returncode == 0


@pytest.mark.parametrize("text", ["no markers\n", MARKERS.format("") * 2])
def test_readme_without_its_markers_is_refused(tmp_path: Path, files: tuple[str | Path, ...], text: str) -> None:
    (tmp_path / "README.md").write_text(text)
    checked = run(*files)
    assert checked.returncode == 1
    assert "Restore these lines" in checked.stderr


def test_file_that_is_no_result_is_refused(tmp_path: Path, files: tuple[str | Path, ...]) -> None:
    (tmp_path / "results" / "notes.json").write_text("{}")
    assert "notes.json: is no result of train_bpe, encode_gpt2" in run(*files).stderr
