"""What is remembered as equal is not asked again, and anything else is."""

from pathlib import Path

import pytest

from tests import remembered
from tests.remembered import differences_from


@pytest.fixture(autouse=True)
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of its own, and nothing remembered unless a test says so."""
    monkeypatch.setattr(remembered, "MEMORY", tmp_path / "memory.json")
    monkeypatch.setattr(remembered, "REMEMBER", False)
    return tmp_path / "memory.json"


def asked(*ours: bytes, key: str = "ids", found: tuple[str, ...] = ()) -> bool:
    """Whether a comparison asks the library."""
    calls = []

    def find() -> list[str]:
        calls.append(key)
        return list(found)

    assert differences_from("pytest", key=key, ours=ours, find=find) == (list(found) if calls else [])
    return bool(calls)


def test_equal_results_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(b"text", b"ids")
    monkeypatch.setattr(remembered, "REMEMBER", True)
    assert asked(b"text", b"ids")
    assert asked(b"text", b"ids")
    monkeypatch.setattr(remembered, "REMEMBER", False)
    assert not asked(b"text", b"ids")


@pytest.mark.parametrize("changed", [(b"text", b"idt"), (b"tex", b"tids"), (b"text",), (b"text", b"ids", b"")])
def test_any_change_is_asked_about(monkeypatch: pytest.MonkeyPatch, changed: tuple[bytes, ...]) -> None:
    monkeypatch.setattr(remembered, "REMEMBER", True)
    asked(b"text", b"ids")
    monkeypatch.setattr(remembered, "REMEMBER", False)
    assert asked(*changed)
    assert asked(b"text", b"ids", key="other ids")
    monkeypatch.setattr(remembered, "version", lambda _: "another")
    assert asked(b"text", b"ids")


def test_differences_are_not_remembered(monkeypatch: pytest.MonkeyPatch, memory: Path) -> None:
    monkeypatch.setattr(remembered, "REMEMBER", True)
    assert asked(b"text", b"ids", found=("text",))
    assert not memory.exists()
