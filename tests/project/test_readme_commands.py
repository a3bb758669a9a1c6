"""The commands that README.md shows run, one after the other, as a reader would type them."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_commands_of_readme_run_in_order(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("tokenloom ")]
    assert {shlex.split(line)[1] for line in lines} >= {
        "train",
        "replay",
        "count-pretokens",
        "merge-counts",
        "encode",
        "decode",
        "verify",
        "count",
        "show",
        "inspect",
        "pack",
        "convert",
        "cost",
        "measure",
        "compare",
        "oov",
        "round-trip",
    }
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "one.txt").write_text("the cat in the hat sat on the mat\n" * 50)
    (tmp_path / "corpus" / "two.jsonl").write_text('{"text": "the quick brown fox jumps over the lazy dog"}\n' * 20)
    for line in lines:
        command = [sys.executable, "-W", "ignore", "-m", *shlex.split(line)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    assert (tmp_path / "again" / "one.txt").read_bytes() == (tmp_path / "corpus" / "one.txt").read_bytes()
