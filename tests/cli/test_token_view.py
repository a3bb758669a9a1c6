"""Tokens as a person can read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.cli.token_view import ASCII_MARKS, MARKS, TokenView, character_name, view_tokens

PIECES = st.lists(st.binary(min_size=1, max_size=5) | st.text(min_size=1, max_size=3).map(lambda s: s.encode()))


def views(*tokens: bytes, pretokens: list[bytes] | None = None) -> list[TokenView]:
    text = b"".join(tokens)
    return list(view_tokens(text, range(len(tokens)), tokens, [text] if pretokens is None else pretokens))


def shown(*tokens: bytes) -> list[str]:
    return [view.shown for view in views(*tokens)]


def test_blanks_are_visible() -> None:
    assert shown(b" a", b"\n\n", b"\t", b"\r\n") == ["·a", "⏎\n⏎\n", "⇥", "␍⏎\n"]


def test_parts_of_a_character_show_their_bytes_and_the_first_one_names_it() -> None:
    first, second, third = views(" 你".encode()[:3], "你".encode()[2:], b"!")
    assert [first.shown, second.shown, third.shown] == ["·‹e4 bd›", "‹a0›", "!"]
    assert first.split is not None
    assert (first.split.character, first.split.parts) == ("你", (b"\xe4\xbd", b"\xa0"))
    assert second.split is third.split is None


def test_a_character_over_three_tokens_has_three_parts() -> None:
    first, *others = views(*(bytes([byte]) for byte in "你".encode()))
    assert first.split is not None
    assert first.split.parts == (b"\xe4", b"\xbd", b"\xa0")
    assert [other.split for other in others] == [None, None]


def test_bytes_that_are_no_utf8_are_marked_and_name_no_character() -> None:
    assert shown(b"a\xff", b"\xe4\xbd") == ["a‹ff›", "‹e4›‹bd›"]
    assert [view.split for view in views(b"a\xff", b"\xe4\xbd")] == [None, None]


@pytest.mark.parametrize("character", ["\x1b", "\x07", "\x7f", "\u202e", "\u200d", "\u00a0", "\u2028", "\ufeff"])
def test_nothing_that_a_terminal_would_obey_is_printed(character: str) -> None:
    assert shown(character.encode()) == [f"‹U+{ord(character):04X}›"]


def test_an_accent_without_a_letter_stands_on_a_circle() -> None:
    assert shown(b"e", "\u0301x".encode()) == ["e", "◌\u0301x"]


def test_pretokens_are_numbered_and_begin_once() -> None:
    rows = views(b"a", b"b", b" c", b"d", pretokens=[b"ab", b" cd"])
    assert [(row.pretoken, row.is_first) for row in rows] == [(0, True), (0, False), (1, True), (1, False)]
    assert [row.start for row in rows] == [0, 1, 2, 4]


def test_ascii_marks_are_ascii() -> None:
    text = " \n\t\r\xa0".encode()
    (view,) = view_tokens(text, [0], [text], [text], marks=ASCII_MARKS)
    assert view.shown == "_\\n\n\\t\\r<U+00A0>"


def test_a_name_is_given_where_there_is_one() -> None:
    assert (character_name("🙂"), character_name("\ue000")) == ("U+1F642 SLIGHTLY SMILING FACE", "U+E000")


@given(PIECES)
def test_every_byte_is_shown_once(tokens: list[bytes]) -> None:
    rows = views(*tokens)
    assert [row.data for row in rows] == tokens
    assert [row.start for row in rows] == [len(b"".join(tokens[:n])) for n in range(len(tokens))]
    assert all(row.shown for row in rows)


@given(st.text(st.characters(categories=["L", "N"], exclude_characters="‹›◌"), min_size=1), st.integers(1, 3))
def test_split_characters_are_those_of_the_text(text: str, size: int) -> None:
    data = text.encode()
    rows = views(*(data[start : start + size] for start in range(0, len(data), size)))
    split = [row.split for row in rows if row.split]
    assert all(b"".join(one.parts).decode() == one.character and len(one.parts) > 1 for one in split)
    assert sum(len(one.character.encode()) for one in split) == sum(
        row.shown.count("‹") and len(bytes.fromhex(part.partition("›")[0]))
        for row in rows
        for part in row.shown.split("‹")[1:]
    )


def test_marks_can_be_told_from_each_other() -> None:
    for marks in (MARKS, ASCII_MARKS):
        assert len({*marks.shown.values(), marks.opening, marks.closing}) == len(marks.shown) + 2
