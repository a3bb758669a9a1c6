"""A run that is killed anywhere goes on with the same command and ends with the same bytes."""

import gzip
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Final

import pytest

import tokenloom
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.encode import EncodeOptions, encode_corpus
from tokenloom.jobs.verify import verify
from tokenloom.tokenizer import Tokenizer

N_KILLS: Final = 30
MOST_STEPS: Final = 150
SHARD_TOKENS: Final = 60_000
END: Final = "<|end|>"

SCRIPT: Final = f"""
import itertools, os, signal, sys
import tokenloom
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.encode import EncodeOptions, encode_corpus
tokenizer = tokenloom.Tokenizer.load("tokenizer")
last, steps, fsync = int(sys.argv[1]), itertools.count(1), os.fsync

def step():
    if next(steps) == last:
        os.kill(os.getpid(), signal.SIGKILL)

def watch(event, arguments):
    if event in ("open", "os.rename", "os.remove", "os.truncate") and str(arguments[0]).startswith("out"):
        step()

def watched_fsync(descriptor):
    step()
    fsync(descriptor)

sys.addaudithook(watch)
os.fsync = watched_fsync
encode_corpus(
    ["corpus"],
    tokenizer=tokenizer,
    out="out",
    documents=DocumentOptions(on_error="skip"),
    options=EncodeOptions(shard_tokens={SHARD_TOKENS}, end_of_document="{END}"),
)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer and a corpus: a large document, many small ones, broken records, special tokens, an empty file."""
    folder = tmp_path_factory.mktemp("resume")
    random = Random(7)
    words = ["the", "cat", "in", "hat", "h\u00e4t", "\u4f60\u597d", END, "1234", "  ", "\n"]
    (folder / "corpus").mkdir()
    large = " ".join(random.choices(words, k=900_000))
    (folder / "corpus" / "a.txt").write_text(large, encoding="utf-8", newline="")
    (folder / "corpus" / "b.txt").write_bytes(b"")
    lines = [json.dumps({"text": " ".join(random.choices(words, k=random.randrange(60)))}) for _ in range(20_000)]
    lines[::1000] = ['{"text": 1}'] * 20
    with gzip.open(folder / "corpus" / "c.jsonl.gz", "wt", encoding="utf-8", newline="") as file:
        file.write("\n".join(lines))
    for number in range(300):
        (folder / "corpus" / f"d{number}.txt").write_bytes(b"\xff" + large[number * 99 : number * 100].encode())
    tokenloom.train([large[:20_000]], 280, [END]).save(folder / "tokenizer")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name[0] != "."}


@pytest.fixture(scope="module")
def undisturbed(place: Path) -> dict[str, bytes]:
    run = encode_corpus(
        [place / "corpus"],
        tokenizer=Tokenizer.load(place / "tokenizer"),
        out=place / "undisturbed",
        documents=DocumentOptions(on_error="skip"),
        options=EncodeOptions(shard_tokens=SHARD_TOKENS, end_of_document=END),
    )
    assert len(run.shards.arrays) > 20
    assert run.skipped.n_skipped == 20
    return contents(place / "undisturbed")


def run_until(place: Path, last_step: int) -> int:
    """Run in a process that is killed before this step; returns the exit code.

    Steps are files of the folder that are opened, renamed, removed or brought to the disk: a slow machine sees the same
    moments as a fast one.
    """
    return subprocess.run([sys.executable, "-c", SCRIPT, str(last_step)], cwd=place, check=False).returncode


def test_run_killed_at_random_moments_ends_with_the_same_bytes(place: Path, undisturbed: dict[str, bytes]) -> None:
    random = Random(2026)
    out = place / "out"
    n_killed = n_resumed = 0
    while n_killed < N_KILLS:
        n_resumed += (out / ".progress.jsonl").exists()
        n_killed += run_until(place, random.randrange(1, MOST_STEPS)) == -signal.SIGKILL
        broken = [path for path in out.glob("tokens-*.npy") if path.read_bytes() != undisturbed[path.name]]
        assert broken == []
        if (out / "manifest.json").exists():
            assert contents(out) == undisturbed
            shutil.rmtree(out)
    assert run_until(place, 0) == 0
    assert contents(out) == undisturbed
    assert verify(out).kind == "shards"
    assert n_resumed >= 10


def test_run_stopped_at_every_shard_ends_with_the_same_bytes(
    place: Path, undisturbed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every checkpoint once: the process goes on, so that this is quick."""
    from tokenloom.shards.journal import Journal

    tokenizer = Tokenizer.load(place / "tokenizer")
    options = EncodeOptions(shard_tokens=SHARD_TOKENS, end_of_document=END)
    finish_shard, out = Journal.finish_shard, place / "stopped"

    def stop(journal: Journal, *arguments: object) -> None:
        finish_shard(journal, *arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    n_stops = 0
    monkeypatch.setattr(Journal, "finish_shard", stop)
    while not (out / "manifest.json").exists():
        try:
            encode_corpus(
                [place / "corpus"],
                tokenizer=tokenizer,
                out=out,
                documents=DocumentOptions(on_error="skip"),
                options=options,
            )
        except KeyboardInterrupt:
            n_stops += 1
    assert n_stops > 20
    assert contents(out) == undisturbed
