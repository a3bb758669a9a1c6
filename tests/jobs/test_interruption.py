"""Ctrl-C ends long work within a second, as KeyboardInterrupt, and nothing half-written is left."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Final

import pytest

import tokenloom
from tokenloom import Tokenizer, train

START: Final = """
import random, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job begins with SIGINT ignored
import tokenloom
from tokenloom import Tokenizer
text = "".join(random.Random(0).choices("abcdefgh ", k=300_000)) * 60
unbroken = text.replace(" ", "")
tokenizer = tokenloom.train([text[:300_000]], 2000)
whole = tokenloom.train([unbroken[:300_000]], 2000, pattern=None)
folder = sys.argv[1]
print("ready", flush=True)
while True:
    {work}
"""

WORK: Final = {
    "count": "tokenloom.train([text] * 99, 300).save(folder)",
    "count on one thread": "tokenloom.train([text] * 99, 300, n_threads=1).save(folder)",
    "merge": "tokenloom.train([unbroken], 200_000, pattern=None).save(folder)",
    "encode": "tokenizer.encode(text)",
    "encode one piece": "whole.encode(unbroken)",
    "encode a batch": "tokenizer.encode_batch([text] * 20)",
    "encode a batch of one piece": "whole.encode_batch([unbroken, 'a', unbroken])",
    "encode a stream": "sum(1 for _ in tokenizer.encode_iterable([text] * 20))",
    "encode with offsets": "tokenizer.encode_with_offsets(text)",
    "count tokens": "whole.count(unbroken)",
}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processor time of another process needs /proc")
@pytest.mark.parametrize("work", WORK)
def test_ctrl_c_ends_work_within_a_second(work: str, tmp_path: Path) -> None:
    """A second of processor time for each thread, so that a busy machine fails no test."""
    folder = tmp_path / "tokenizer"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", START.format(work=WORK[work]), str(folder)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        watchdog = Timer(60, process.kill)
        watchdog.start()
        try:
            assert process.stdout
            assert process.stderr
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.5)
            before = processor_seconds(process.pid)
            process.send_signal(signal.SIGINT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            complaint = process.stderr.read()
        finally:
            watchdog.cancel()
            if process.returncode is None:
                process.kill()
    assert usage.ru_utime + usage.ru_stime - before < 1.0 * (os.cpu_count() or 1)
    assert complaint.rstrip().endswith("KeyboardInterrupt"), complaint
    assert list(tmp_path.iterdir()) == []


def processor_seconds(process_id: int) -> float:
    """Processor time that a process has used so far, all threads together."""
    fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Stop(Exception):  # noqa: N818 - it is no error
    """What a progress callback raises to end the work."""


def stop(*_: object) -> None:
    raise Stop


@pytest.mark.parametrize(
    "act",
    [lambda: train(["the cat"] * 9, 260, progress=stop), lambda: encode_much(progress=stop)],
    ids=["train", "encode"],
)
def test_an_exception_of_the_callback_ends_the_work(act: Callable[[], object]) -> None:
    with pytest.raises(Stop):
        act()


def encode_much(progress: Callable[[int], object]) -> Tokenizer:
    tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    tokenizer.encode_batch(["the cat sat. " * 400_000] * 8, n_threads=1, progress=progress)
    return tokenizer


def test_a_batch_reports_bytes_that_only_rise() -> None:
    reports: list[int] = []
    encode_much(reports.append)
    assert reports == sorted(reports)
    assert len(reports) > 0
    assert reports[-1] <= 8 * 13 * 400_000


def test_a_training_reports_counting_then_merging() -> None:
    reports: list[tuple[str, int, int | None]] = []
    train(["low lower lowest "] * 3, 260, progress=lambda *report: reports.append(report))
    assert reports[:3] == [("count", 17, None), ("count", 34, None), ("count", 51, None)]
    assert reports[-1] == ("merge", 4, 4)


def test_a_tokenizer_works_after_an_interrupted_call() -> None:
    tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    with pytest.raises(Stop):
        tokenizer.encode_batch(["the cat sat. " * 1_600_000] * 8, progress=stop)
    assert tokenizer.encode("hi") == [104, 105]
    assert tokenloom.__all__


def test_a_daemon_thread_inside_the_core_ends_with_the_interpreter() -> None:
    script = (
        "import threading, time, tokenloom\n"
        "tokenizer = tokenloom.Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])\n"
        "def work():\n"
        "    while True: tokenizer.count('hello world ' * 1000)\n"
        "for _ in range(2): threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.2)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", script], env=environment, timeout=60, check=False).returncode == 0
