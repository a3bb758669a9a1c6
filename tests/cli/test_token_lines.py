"""Tokens side by side, on lines that fit."""

import pytest

from tokenloom.cli.terminal import Terminal
from tokenloom.cli.token_lines import token_lines
from tokenloom.cli.token_view import view_tokens


def lines(*tokens: str, width: int = 80, n_colors: int = 0) -> list[str]:
    text = "".join(tokens).encode()
    views = view_tokens(text, range(len(tokens)), [token.encode() for token in tokens], [text])
    return list(token_lines(views, Terminal(width=width, n_colors=n_colors)))


def test_without_colour_a_bar_stands_between_tokens() -> None:
    assert lines("the", " cat", "\n", "sat") == ["the|·cat|⏎", "sat"]


def test_lines_break_between_tokens_and_say_so() -> None:
    assert lines("abcd", "efgh", "ij", width=9) == ["abcd|efgh", "|ij"]


def test_a_token_longer_than_a_line_is_folded() -> None:
    assert lines("abcdefgh", "x", width=3) == ["abc", "def", "gh", "|x"]


def test_wide_characters_count_twice() -> None:
    assert lines("你好", "你好", width=6) == ["你好", "|你好"]


def test_an_empty_line_of_the_text_is_kept() -> None:
    assert lines("a\n\n", "b") == ["a⏎", "⏎", "b"]


@pytest.mark.parametrize(("n_colors", "code"), [(256, "48;5;117"), (8, "46")])
def test_with_colours_neighbours_differ_and_there_is_no_bar(n_colors: int, code: str) -> None:
    (line,) = lines("ab", "cd", n_colors=n_colors)
    assert f"{code}mab" in line
    assert "|" not in line
    assert line.count("\x1b[0m") == 2


def test_no_token_gives_no_line() -> None:
    assert lines() == []
