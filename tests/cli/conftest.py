"""The command line in this process: what it prints, and its exit code."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import tokenloom
from tokenloom.cli.main import run


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `tokenloom` with some arguments; standard output and error are no terminals and 80 columns wide."""
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)

    def ended(*arguments: str | Path) -> Ended:
        status = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ended(status, captured.out, captured.err)

    return ended


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer folder: ids 256 `he`, 257 ` the`-like merges, and the special token `<|end|>`, id 262."""
    folder = tmp_path_factory.mktemp("saved") / "tokenizer"
    tokenloom.train(["the then 你你 the"] * 3, 263, ["<|end|>"]).save(folder)
    return folder
