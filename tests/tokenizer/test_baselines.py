"""Tokenizers that learn nothing, against the figures of the lecture and the methods of str."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from tests.strategies import hard_texts
from tokenloom import Tokenizer, byte_tokenizer, code_point_tokenizer

EXAMPLE = "Hello, 🌍! 你好!"
CODE_POINTS = code_point_tokenizer()


def test_ids_of_characters_are_their_code_points() -> None:
    ids = CODE_POINTS.encode(EXAMPLE)
    assert ids == [72, 101, 108, 108, 111, 44, 32, 127757, 33, 32, 20320, 22909, 33]
    assert (len(ids), len(EXAMPLE.encode())) == (13, 20)
    assert round(20 / 13, 2) == 1.54


def test_ids_of_bytes_are_the_bytes() -> None:
    hello, rest = [72, 101, 108, 108, 111, 44, 32], [33, 32, 228, 189, 160, 229, 165, 189, 33]
    assert byte_tokenizer().encode(EXAMPLE) == [*hello, 240, 159, 140, 141, *rest]
    assert byte_tokenizer().count(EXAMPLE) == len(EXAMPLE.encode()) == 20


@given(hard_texts)
def test_characters_are_those_of_ord_and_chr(text: str) -> None:
    assert CODE_POINTS.encode(text) == list(map(ord, text))
    assert CODE_POINTS.decode(list(map(ord, text))) == text


@given(hard_texts)
def test_bytes_are_those_of_utf_8(text: str) -> None:
    assert byte_tokenizer().encode(text) == list(text.encode())


def test_invalid_bytes_are_replacement_characters_each() -> None:
    assert CODE_POINTS.encode(b"a\xe4\xbd\xff") == [97, 0xFFFD, 0xFFFD, 0xFFFD]


def test_every_code_point_has_its_id() -> None:
    assert len(CODE_POINTS) == 0x110000
    assert [CODE_POINTS.token_bytes(point).decode() for point in (0, 0xD7FF, 0xE000, 0x10FFFF)] == [
        "\0",
        "\ud7ff",
        "\ue000",
        "\U0010ffff",
    ]


@pytest.mark.filterwarnings("ignore:.*saved without tokenizer.tiktoken")
@pytest.mark.parametrize("make", [byte_tokenizer, code_point_tokenizer])
def test_saved_baseline_comes_back(make: Callable[[], Tokenizer], tmp_path: Path) -> None:
    tokenizer = make()
    tokenizer.save(tmp_path / "saved")
    loaded = Tokenizer.load(tmp_path / "saved")
    assert loaded.spec.fingerprint == tokenizer.spec.fingerprint
    assert Tokenizer.load(tmp_path / "saved" / "tokenizer.json").encode(EXAMPLE) == tokenizer.encode(EXAMPLE)
