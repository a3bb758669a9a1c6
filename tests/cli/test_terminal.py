"""What an output can show."""

import io

import pytest

from tokenloom.cli.terminal import Terminal


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "n_colors"),
    [
        ({"TERM": "xterm"}, 8),
        ({"TERM": "xterm-256color"}, 256),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, 256),
        ({"TERM": "dumb"}, 0),
        ({"TERM": "xterm", "NO_COLOR": "1"}, 0),
        ({"TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "1"}, 0),
        ({"TERM": "xterm", "NO_COLOR": ""}, 8),
    ],
)
def test_colours_of_a_terminal_are_those_that_it_names(environment: dict[str, str], n_colors: int) -> None:
    assert Terminal.of(Screen(), environment=environment).n_colors == n_colors


def test_a_file_has_colours_only_when_they_are_forced() -> None:
    assert Terminal.of(io.StringIO(), environment={"TERM": "xterm"}).n_colors == 0
    assert Terminal.of(io.StringIO(), environment={"TERM": "xterm", "FORCE_COLOR": "1"}).n_colors == 8
    assert Terminal.of(io.StringIO(), environment={"TERM": "xterm", "FORCE_COLOR": "0"}).n_colors == 0


def test_the_width_is_that_of_the_environment_or_80(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert Terminal.of(io.StringIO()).width == 40


def test_an_unknown_encoding_shows_nothing_special() -> None:
    assert not Terminal(encoding="no such").can_show("a")
