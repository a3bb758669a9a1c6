import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.errors import SpecError
from tokenloom.spec.alphabets import (
    BYTE_TO_CHARACTER,
    CHARACTER_TO_BYTE,
    byte_order,
    from_characters,
    to_characters,
)


def test_map_is_a_bijection_of_256_visible_characters() -> None:
    assert list(BYTE_TO_CHARACTER) == list(range(256))
    assert len(CHARACTER_TO_BYTE) == 256
    assert all(character.isprintable() and not character.isspace() for character in CHARACTER_TO_BYTE)


@pytest.mark.parametrize(("byte", "character"), [(0, "Ā"), (10, "Ċ"), (32, "Ġ"), (0x41, "A"), (0x7F, "ġ"), (0xAD, "Ń")])
def test_map_has_the_values_of_gpt2(byte: int, character: str) -> None:
    assert BYTE_TO_CHARACTER[byte] == character


def test_letter_in_a_file_is_a_byte_and_not_the_letter() -> None:
    assert from_characters("é") == b"\xe9"
    assert from_characters("Ã©") == "é".encode()


@given(st.binary())
def test_spelling_and_reading_are_inverse(token: bytes) -> None:
    assert from_characters(to_characters(token)) == token


def test_gpt2_order_begins_with_the_visible_bytes() -> None:
    order = byte_order("gpt2")
    assert sorted(order) == list(range(256))
    assert order[:94] == bytes(range(0x21, 0x7F))
    assert order[188:] == bytes([*range(0x21), *range(0x7F, 0xA1), 0xAD])


def test_unknown_alphabet_is_refused() -> None:
    with pytest.raises(SpecError, match="'utf8' is not an alphabet"):
        byte_order("utf8")  # type: ignore[arg-type]
