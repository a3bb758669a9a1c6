"""Threads and processes that share a tokenizer."""

import os
import subprocess
import sys
import textwrap

import pytest

SCRIPT = """
import os, signal, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads, which is what is tried here
import numpy  # Python itself hangs in a child that was forked while a thread imported what the child imports
from tokenloom import train

tokenizer = train(["the cat in the hat don't " * 9], 270, pattern="gpt2")
text = "the cat in the hat 12 " * 40
long = text * 700
expected, expected_long, stop = tokenizer.encode(text), tokenizer.count(long), []

def work():
    while not stop:
        assert tokenizer.encode(text) == expected
        assert tokenizer.count(long) == expected_long
        tokenizer.encode_batch([long, text, long], n_threads=2)

def child():
    signal.alarm(20)  # a child that hangs dies of it
    assert tokenizer.encode(text) == expected
    assert tokenizer.encode_array(long).size == expected_long
    batch = tokenizer.encode_batch([text] * 3 + [long], n_threads=2)
    assert batch[1].tolist() == expected

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
codes = []
for _ in range(N_FORKS):
    pid = os.fork()
    if not pid:
        code = 1
        try:
            child()
            code = 0
        finally:
            os._exit(code)
    codes.append(os.waitpid(pid, 0)[1])
stop.append(True)
for thread in threads:
    thread.join()
print(codes.count(0), [code for code in codes if code])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("n_forks", [8, pytest.param(50, marks=pytest.mark.slow)])
def test_a_child_encodes_that_was_forked_while_four_threads_did(n_forks: int) -> None:
    """No lock that another thread held is waited for, and no thread that is not there."""
    script = textwrap.dedent(SCRIPT).replace("N_FORKS", str(n_forks))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout.strip(), done.stderr) == (f"{n_forks} []", "")
