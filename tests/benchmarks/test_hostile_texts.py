import pytest

from measuring.hostile_texts import FEWEST_HAN, KINDS, han_of, hostile_text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_bytes", [1, 50, 1001])
def test_string_is_as_long_as_asked_but_for_a_cut_character(kind: str, n_bytes: int) -> None:
    assert n_bytes - 3 <= len(hostile_text(kind, n_bytes, han="你好").encode()) <= n_bytes


@pytest.mark.parametrize("kind", KINDS)
def test_string_has_no_place_to_cut_but_those_of_its_kind(kind: str) -> None:
    blanks = {char for char in hostile_text(kind, 5000, han="你好") if char == " "}
    assert blanks == ({" "} if kind in ("spaces", "latin-1 noise") else set())


def test_han_are_drawn_as_a_text_has_them() -> None:
    text = "我爱你。" * FEWEST_HAN
    assert set(han_of(text.encode())) == set("我爱你")


def test_text_without_han_gives_the_basic_block() -> None:
    assert len(han_of(b"plain")) == 20_902
