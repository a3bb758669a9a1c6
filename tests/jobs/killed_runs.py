"""Runs that are killed at random file operations and begun again: a program, so that it can fork before threads are.

    python killed_runs.py FOLDER train|count-pretokens|processes

FOLDER holds the corpus. Steps are files of the output that are opened, renamed, removed or brought to the disk: a slow
machine sees the same moments as a fast one. Prints what came of it, as JSON.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import tokenloom
from tokenloom.jobs.count_pretokens import count_corpus
from tokenloom.jobs.counting import CountPlan
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.train_corpus import train_corpus
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import BpeOptions, CountOptions

N_KILLS: Final = 30
FEW_KILLS: Final = 6
"""Where each run starts processes, which takes its time."""
CORPUS: Final = [f"g{number}=corpus/{number}.txt" for number in range(4)]
"""Each group is a split."""
RECORD: Final = "out.tlr"
"""Of the training, which is written before its folder is whole."""


def train(out: str, *, n_processes: int = 1) -> None:
    options = BpeOptions(1500, ["<|end|>"], tie_break="first-seen")
    train_corpus(CORPUS, options=options, out=out, record=RECORD, n_processes=n_processes, n_threads=1, weights=WEIGHTS)


def train_in_processes(out: str) -> None:
    train(out, n_processes=2)


def count(out: str) -> None:
    plan = CountPlan(CountOptions(Pretokenizer("gpt2"), ["<|end|>"]))
    count_corpus(CORPUS, plan, out=out, resources=Resources(n_threads=1))


WEIGHTS: Final = {"g0": 1.0, "g1": 1.0, "g2": 2.0, "g3": 2.0}
ACTS: Final[dict[str, Callable[[str], None]]] = {
    "train": train,
    "count-pretokens": count,
    "processes": train_in_processes,
}


def killed_at(step: int, act: Callable[[str], None]) -> bool:
    """Act in a fork that is killed at this step; returns whether it was, and did not end before.

    The fork writes down how many steps it has made when it ends.
    """
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    steps = Steps(step)
    sys.addaudithook(steps.hear)
    os.fsync = steps.take_for_fsync  # type: ignore[assignment]  # a kill loses nothing that was written, so the disk need not be waited for
    act("out")
    Path("n_steps").write_text(str(steps.n_made))
    os._exit(0)


class Steps:
    """Counts steps, and kills the process at the last one."""

    def __init__(self, last: int) -> None:
        self.n_made = 0
        self.last = last

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if event in ("open", "os.rename", "os.remove", "os.truncate", "os.link") and str(arguments[0])[:3] == "out":
            self.take_for_fsync(0)

    def take_for_fsync(self, _descriptor: object) -> None:
        self.n_made += 1
        if self.n_made == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


def contents(folder: str) -> dict[str, bytes]:
    """The files of a folder that are no state of a run, and the record beside it, which is taken away."""
    files = [*(path for path in Path(folder).iterdir() if path.name[0] != "."), *Path().glob(RECORD)]
    found = {path.name: path.read_bytes() for path in files}
    Path(RECORD).unlink(missing_ok=True)
    return found


def main(folder: str, name: str) -> None:
    os.chdir(folder)
    act, random = ACTS[name], Random(2026)
    assert tokenloom.__version__  # loads what the forks would each load
    killed_at(0, act)
    expected, n_all = contents("out"), int(Path("n_steps").read_text())
    shutil.rmtree("out")
    n_killed = n_resumed = n_whole = n_wrong = 0
    while n_killed < (FEW_KILLS if act is train_in_processes else N_KILLS):
        n_resumed += any(Path("out/.work").glob("*.done.json"))
        n_killed += killed_at(random.randrange(1, n_all // 2), act)
        if Path("out/manifest.json").exists():
            n_whole += 1
            n_wrong += contents("out") != expected
            shutil.rmtree("out")
    killed_at(0, act)
    n_wrong += contents("out") != expected
    left = sorted(path.name for path in Path("out").iterdir() if path.name[0] == "." and path.name != ".run.json")
    print(
        json.dumps(
            {
                "n_steps": n_all,
                "n_killed": n_killed,
                "n_resumed": n_resumed,
                "n_whole": n_whole,
                "n_wrong": n_wrong,
                "left": left,
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
