"""What counting and training say of their memory, held against what the system has given."""

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Final

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs /proc")

MEASURE: Final = """
import sys
from pathlib import Path
from tokenloom import _core

def memory(name):
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith(name))

folder, run = Path(sys.argv[1]), []
counter = _core.PretokenCounter('{"type":"gpt2","unicode":"16.0"}', [], n_threads=int(sys.argv[2]))
before = memory("VmRSS")
with (folder / "text").open("rb") as file:
    while block := file.read(1 << 20):
        said = counter.memory_bytes
        counter.push(block)
        print("counting", memory("VmHWM") - before - len(block), said)
said = counter.memory_bytes
with (folder / "run").open("wb") as file:
    counter.finish_run(file.write, has_positions=True)
print("writing", memory("VmHWM") - before, said)
del counter
Path("/proc/self/clear_refs").write_text("5")
before = memory("VmRSS")
with (folder / "run").open("rb") as file:
    counts = _core.PretokenCounts.from_run(file.read, has_positions=True)
said = _core.Trainer.memory_bytes(len(counts), counts.n_symbols, 4000, sys.argv[3])
_core.Trainer(counts, bytes(range(256)), sys.argv[3]).advance(4000)
print("training", memory("VmHWM") - before, said)
"""


def words(random: Random, n_bytes: int) -> bytes:
    """Words of which some come often and most hardly ever."""
    stems = ["".join(random.choices("etaoinshrdlu", k=random.randrange(2, 9))) for _ in range(2000)]
    endings = ["", "", "s", "ed", "ing", "ness", "日本語の文", "12"]
    out: list[str] = []
    while len(out) * 5 < n_bytes:
        place = min(int(random.paretovariate(0.6)), len(stems)) - 1
        out += [stems[place], random.choice(endings), random.choice(stems) if random.random() < 0.2 else "", " "]
    return "".join(out).encode()


@pytest.mark.parametrize(("n_threads", "tie_break"), [(1, "lexicographic"), (2, "first-seen")])
def test_memory_stays_below_what_was_said(tmp_path: Path, n_threads: int, tie_break: str) -> None:
    (tmp_path / "text").write_bytes(words(Random(1), 4 << 20))
    command = [sys.executable, "-c", MEASURE, str(tmp_path), str(n_threads), tie_break]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split() for line in result.stdout.splitlines()]
    assert {name for name, _, _ in rows} == {"counting", "writing", "training"}
    assert [row for row in rows if int(row[1]) > int(row[2])] == []
    _, took, said = rows[-1]
    assert int(said) < 2.5 * int(took)
