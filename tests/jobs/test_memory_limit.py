"""A limit of memory is kept, measured on whole processes; what cannot keep to it stops before it begins."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import pytest

from tokenloom.errors import MemoryLimitError, TrainingError
from tokenloom.jobs.count_pretokens import count_corpus
from tokenloom.jobs.counting import CountPlan
from tokenloom.jobs.resources import PROGRAM_BYTES, Resources
from tokenloom.jobs.train_corpus import train_corpus
from tokenloom.jobs.train_counts import train_count_file
from tokenloom.jobs.training import TrainingPlan
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import BpeOptions, CountOptions, read_count_header

LIMIT: Final = 32_000_000
N_WORDS: Final = 2_500_000


class Ended(NamedTuple):
    status: int
    err: str
    peak_bytes: int


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Words of ten letters, nearly all of which occur once, and some that occur often."""
    path = tmp_path_factory.mktemp("large") / "corpus.txt"
    random, letters = Random(5), bytes.maketrans(b"0123456789abcdef", b"abcdefghijklmnop")
    with open(path, "wb") as file:
        for _ in range(N_WORDS // 10_000):
            block = random.randbytes(50_000).hex().encode().translate(letters)
            file.write(b" ".join(block[at : at + 10] for at in range(0, len(block), 10)) + b" the cat sat\n" * 10)
    return path


SCRIPT: Final = """
import sys
from pathlib import Path
from tokenloom.cli.main import run
status = run(sys.argv[1:])
lines = Path("/proc/self/status").read_text().splitlines()
print(next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), file=sys.stderr)
sys.exit(status)
"""
"""Asks for its own peak: what the system says of a child takes in what its parent held when it was begun."""


def run(*arguments: object) -> Ended:
    command = [sys.executable, "-c", SCRIPT, *map(str, arguments), "--quiet", "--no-report"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    err, _, peak = done.stderr.rstrip().rpartition("\n")
    return Ended(done.returncode, err, int(peak))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory needs /proc")
def test_counting_keeps_to_the_limit_and_counts_the_same(corpus: Path, tmp_path: Path) -> None:
    free = run("count-pretokens", corpus, "--out", tmp_path / "free")
    kept = run("count-pretokens", corpus, "--out", tmp_path / "kept", "--memory-limit", LIMIT)
    assert (free.status, kept.status) == (0, 0), (free.err, kept.err)
    assert kept.peak_bytes <= LIMIT + PROGRAM_BYTES < free.peak_bytes
    counts = [(tmp_path / name / "pretokens.counts").read_bytes() for name in ("free", "kept")]
    assert counts[0] == counts[1]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory needs /proc")
def test_text_without_a_blank_keeps_to_the_limit_where_pretokens_are_cut(tmp_path: Path) -> None:
    """As a pretoken it would be longer than the limit."""
    bases = bytes(b"ACGT"[byte % 4] for byte in range(256))
    (tmp_path / "dna.txt").write_bytes(Random(5).randbytes(LIMIT).translate(bases))
    more = ("--memory-limit", LIMIT, "--max-pretoken-bytes", 1024)
    ended = run("count-pretokens", tmp_path / "dna.txt", "--out", tmp_path / "counts", *more)
    header = read_count_header(tmp_path / "counts" / "pretokens.counts")
    assert ended.status == 0, ended.err
    assert ended.peak_bytes <= LIMIT + PROGRAM_BYTES
    assert (header.n_bytes, header.n_cut_pretokens) == (LIMIT, 1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory needs /proc")
def test_training_stops_before_a_merge_and_names_what_would_fit(corpus: Path, tmp_path: Path) -> None:
    arguments = ("train", corpus, "--vocab-size", 260, "--out", tmp_path / "out", "--memory-limit", LIMIT)
    stopped = run(*arguments)
    assert stopped.status == 1
    assert "memory limit 32.0 MB: merging " in stopped.err
    assert "nothing was merged" in stopped.err
    assert "--min-count " in stopped.err
    assert stopped.peak_bytes <= LIMIT + PROGRAM_BYTES
    assert not (tmp_path / "out" / "manifest.json").exists()


@pytest.fixture
def zipf_texts(tmp_path: Path) -> list[str]:
    """Two groups of words whose ranks follow a law like Zipf's, with so heavy a tail that tables grow fast."""
    letters = bytes.maketrans(b"0123456789abcdef", b"abcdefghijklmnop")
    for group in "ab":
        draw = Random(group).random
        with open(tmp_path / f"{group}.txt", "wb") as file:
            for _ in range(160):
                words = (b"%x" % int(30 * (1 - draw()) ** (-1 / 0.12)) for _ in range(10_000))
                file.write(b" ".join(words).translate(letters) + b"\n")
    return [f"{group}={tmp_path / group}.txt" for group in "ab"]


def peak_of_tree(*arguments: object) -> int:
    """The most that all processes of a command had together, each at its own peak up to then."""
    command = [sys.executable, "-m", "tokenloom", *map(str, arguments), "--quiet", "--no-report"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    peak_bytes = 0
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak_bytes = max(peak_bytes, sum(map(peak_of, tree_of(process.pid))))
            time.sleep(0.005)
    assert process.returncode == 0
    return peak_bytes


def peak_of(process_id: int) -> int:
    with suppress(OSError):
        lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
    return 0


def tree_of(process_id: int) -> list[int]:
    """A process and what it has begun; what has ended meanwhile is left out."""
    found = [process_id]
    for one in found:
        with suppress(OSError):
            for thread in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (thread / "children").read_text().split())
    return found


@pytest.mark.skipif(
    not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="peak memory of all processes needs /proc"
)
def test_all_processes_together_keep_to_the_limit(zipf_texts: list[str], tmp_path: Path) -> None:
    arguments = ("count-pretokens", *zipf_texts, "--processes", 2, "--threads", 2)
    free = peak_of_tree(*arguments, "--out", tmp_path / "free")
    kept = peak_of_tree(*arguments, "--out", tmp_path / "kept", "--memory-limit", 2 * LIMIT)
    assert kept <= 2 * LIMIT + PROGRAM_BYTES < free
    counts = [(tmp_path / name / "pretokens.counts").read_bytes() for name in ("free", "kept")]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("reads_tables", [False, True])
def test_programs_of_many_processes_are_taken_off_the_limit(reads_tables: bool) -> None:
    def shares(n_processes: int) -> int:
        resources = Resources(10**10, n_processes=n_processes)
        return n_processes * (resources.process_memory(10**6, reads_tables=reads_tables) or 0)

    assert shares(1) == 10**10
    assert shares(4) - shares(8) == 4 * (140 if reads_tables else 50) * 10**6
    resources = Resources(10**10, n_processes=8)
    assert [resources.process_memory(n, reads_tables=reads_tables) for n in (0, 1)] == [10**10] * 2


def test_limit_too_small_for_so_many_processes_is_refused_before_counting(tmp_path: Path) -> None:
    texts = [f"{group}={tmp_path / group}.txt" for group in "ab"]
    for group in "ab":
        (tmp_path / f"{group}.txt").write_text("the cat")
    plan, resources = CountPlan(CountOptions(Pretokenizer("gpt2"))), Resources(40_000_000, n_processes=2)
    with pytest.raises(MemoryLimitError, match=r"40\.0 MB: 2 processes need 64\.0 MB\. Raise .*use fewer --processes"):
        count_corpus(texts, plan, out=tmp_path / "out", resources=resources)
    assert count_corpus(texts[:1], plan, out=tmp_path / "one", resources=resources).counts


def test_what_programs_take_of_a_limit_that_is_too_small_is_told() -> None:
    with pytest.raises(MemoryLimitError, match=r"8 processes need 556 MB, of which 300 MB for the program itself\."):
        Resources(550_000_000, n_processes=8).process_memory(8, reads_tables=False)


@pytest.mark.parametrize("reads_tables", [False, True])
@pytest.mark.parametrize("n_processes", [1, 2, 8])
def test_limit_for_a_share_is_the_smallest_that_gives_it(n_processes: int, reads_tables: bool) -> None:
    limit = Resources(n_processes=n_processes).limit_for(50_000_000, 10, reads_tables=reads_tables)
    shares = [
        Resources(n_bytes, n_processes=n_processes).process_memory(10, reads_tables=reads_tables)
        for n_bytes in (limit - 1, limit)
    ]
    assert shares == [50_000_000 - 1, 50_000_000]


def small_counts(folder: Path) -> Path:
    """Ten thousand words that occur once or twice, and one that occurs often."""
    words = [f"w{number} " * (1 + number % 2) for number in range(10_000)]
    (folder / "a.txt").write_text("".join(words) + "the " * 5000)
    return count_corpus([folder / "a.txt"], CountPlan(CountOptions(Pretokenizer("gpt2"))), out=folder / "counts").folder


def need(counts: Path, folder: Path, min_count: int) -> int:
    plan = TrainingPlan(BpeOptions(258), min_count=min_count)
    return train_count_file(counts, plan, out=folder / f"out{min_count}").estimated_bytes


def test_smallest_minimum_that_fits_is_named_and_does_fit(tmp_path: Path) -> None:
    counts = small_counts(tmp_path)
    needs = {min_count: need(counts, tmp_path, min_count) for min_count in (1, 2, 3)}
    assert needs[1] > needs[2] > needs[3]
    for min_count in (2, 3):
        resources = Resources(max(32_000_000, needs[min_count]))
        object.__setattr__(resources, "memory_limit", needs[min_count])  # below what the command line takes
        with pytest.raises(MemoryLimitError, match=rf"--min-count {min_count}, the smallest that fits"):
            train_count_file(counts, TrainingPlan(BpeOptions(258)), out=tmp_path / "out", resources=resources)
        plan = TrainingPlan(BpeOptions(258), min_count=min_count)
        run = train_count_file(counts, plan, out=tmp_path / "out", resources=resources)
        assert run.dropped.n_pretokens >= (5000 if min_count == 2 else 10_000)
        assert run.dropped.n_bytes == run.header.n_bytes - run.training.n_bytes > 0


def test_minimum_above_what_the_histogram_tells_apart_hides_no_need(tmp_path: Path) -> None:
    counts = small_counts(tmp_path)
    assert need(counts, tmp_path, 4000) == need(counts, tmp_path, 1001)


def test_limit_that_no_minimum_meets_says_so(tmp_path: Path) -> None:
    counts = small_counts(tmp_path)
    resources = Resources(32_000_000)
    object.__setattr__(resources, "memory_limit", 1)
    with pytest.raises(MemoryLimitError, match=r"Raise --memory-limit, or train on a sample\."):
        train_count_file(counts, TrainingPlan(BpeOptions(258)), out=tmp_path / "out", resources=resources)


def test_minimum_that_leaves_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat")
    with pytest.raises(TrainingError, match="min_count 9: no pretoken occurs so often"):
        train_corpus([tmp_path / "a.txt"], options=BpeOptions(258), out=tmp_path / "out", min_count=9)


@pytest.mark.parametrize(
    "arguments",
    [
        {"memory_limit": 1000},
        {"memory_limit": True},
        {"n_processes": 0},
    ],
)
def test_impossible_resources_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(TrainingError, match=r"memory_limit|n_processes"):
        Resources(**arguments)
