import subprocess
import sys
from pathlib import Path
from typing import Final

BENCHMARKS: Final = Path(__file__).parents[2] / "benchmarks"
SCRIPT: Final = """
from cases.flat_memory import grown_bytes
from tokenloom import Tokenizer
tokenizer = Tokenizer({i: bytes([i]) for i in range(256)}, [], cache_bytes=2**18)
print(*grown_bytes({encode}, 2000))
"""


def grown(encode: str) -> tuple[int, int]:
    script = f"import sys\nsys.path.insert(0, {str(BENCHMARKS)!r})\n" + SCRIPT.replace("{encode}", encode)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    n_bytes, n_ids = map(int, done.stdout.split())
    return n_bytes, n_ids


def test_memory_stays_flat_over_new_words_beyond_the_cache() -> None:
    n_bytes, n_ids = grown("lambda texts: len(tokenizer.encode_batch(texts).ids)")
    assert n_ids == 2000 * 400
    assert n_bytes < 2_000_000


def test_words_that_are_kept_are_seen() -> None:
    kept = "lambda texts, kept=[]: len(kept.extend(texts[0].split()) or texts[0])"
    assert grown(kept)[0] > 4_000_000
