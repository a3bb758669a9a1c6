"""KeyboardInterrupt at every point of saving: the old files or the new ones are there afterwards, whole."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from tokenloom.formats import native
from tokenloom.storage import atomic, replace_files
from tokenloom.tokenizer import Tokenizer

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
OLD: Final = Tokenizer(BYTES, [], ["<old>"])
NEW: Final = Tokenizer(BYTES | {256: b"th"}, [(b"t", b"h")], ["<new>"])
PACKAGE: Final = str(Path(atomic.__file__).parents[1])

pytestmark = [
    # An open file that nobody holds any longer is closed by Python, which says so.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


class Interruption:
    """Raises KeyboardInterrupt at one line of our code, or at one instruction, counted from 0.

    Python runs signal handlers between two of its instructions, so these are all the points where Ctrl-C can strike.
    """

    def __init__(self, point: int, *, unit: str) -> None:
        self.left = point
        self.unit = unit

    @property
    def happened(self) -> bool:
        return self.left < 0

    def run(self, act: Callable[[], object]) -> None:
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            act()
        except KeyboardInterrupt:
            assert self.happened
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        frame.f_trace_opcodes = self.unit == "opcode"
        return self._point if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _point(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == self.unit and not self.happened:
            self.left -= 1
            if self.happened:
                raise KeyboardInterrupt
        return self._point


def interrupted_states(
    unit: str, begin: Callable[[], object], act: Callable[[], object], state: Callable[[], Any]
) -> list[Any]:
    """The state after an interruption at each point in turn, and after none."""
    states: list[Any] = []
    happened = True
    while happened:
        begin()
        interruption = Interruption(len(states), unit=unit)
        interruption.run(act)
        states.append(state())
        happened = interruption.happened
    return states


def test_a_tokenizer_that_is_replaced_stays_or_is_replaced(tmp_path: Path) -> None:
    folder, copy = tmp_path / "tokenizer", tmp_path / "copy"
    OLD.save(copy)

    def begin() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(copy, folder)

    states = interrupted_states("line", begin, lambda: NEW.save(folder), lambda: native.load(folder))
    assert len(states) > 200
    n_old = states.count(OLD.spec)
    assert states == [OLD.spec] * n_old + [NEW.spec] * (len(states) - n_old)


def test_files_that_are_replaced_together_stay_or_are_replaced_together(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b", tmp_path / "c"]
    old, new = [b"old", b"old", None], [b"new", b"new", b"new"]

    def begin() -> None:
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        for path in paths[:2]:
            path.write_bytes(b"old")

    def state() -> list[bytes | None]:
        return [path.read_bytes() if path.exists() else None for path in paths]

    states = interrupted_states("opcode", begin, lambda: replace_files(dict.fromkeys(paths, b"new")), state)
    n_old = states.count(old)
    assert states == [old] * n_old + [new] * (len(states) - n_old)
    assert 300 < n_old < len(states)
