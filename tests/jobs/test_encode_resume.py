"""A run that is killed anywhere goes on with the same command and ends with the same bytes."""

import gzip
import json
import shutil
import subprocess
import sys
import time
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
SHARD_TOKENS: Final = 60_000
END: Final = "<|end|>"

SCRIPT: Final = f"""
import tokenloom
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.encode import EncodeOptions, encode_corpus
tokenizer = tokenloom.Tokenizer.load("tokenizer")
print("ready", flush=True)
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


def killed_after(place: Path, *, n_shards: int, seconds: float) -> None:
    """Kill a run so many seconds after so many shards lie there, so that a slow machine sees the same moments."""
    process = subprocess.Popen([sys.executable, "-c", SCRIPT], cwd=place, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline().strip() == b"ready"
    while len(list((place / "out").glob("tokens-*.npy"))) < n_shards and process.poll() is None:
        time.sleep(0.001)
    time.sleep(seconds)
    process.kill()
    process.wait()
    process.stdout.close()


def test_run_killed_at_random_moments_ends_with_the_same_bytes(place: Path, undisturbed: dict[str, bytes]) -> None:
    random = Random(2026)
    n_shards = sum(name.startswith("tokens-") for name in undisturbed)
    out = place / "out"
    n_resumed = 0
    for _ in range(N_KILLS):
        killed_after(place, n_shards=random.randrange(n_shards), seconds=random.uniform(0, 0.05))
        if (out / "manifest.json").exists():
            assert contents(out) == undisturbed
            shutil.rmtree(out)
        elif out.exists():
            n_resumed += (out / ".progress.json").exists()
            broken = [path for path in out.glob("tokens-*.npy") if path.read_bytes() != undisturbed[path.name]]
            assert broken == []
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=place, check=True, stdout=subprocess.DEVNULL)
    assert contents(out) == undisturbed
    assert verify(out).kind == "shards"
    assert n_resumed >= 3


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
