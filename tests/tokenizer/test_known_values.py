"""Texts of which ids or pieces are known for GPT-2, and hostile sizes (PF-*)."""

import tracemalloc
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tokenloom import DecodeError, Tokenizer
from tokenloom.spec import build_spec

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
TALE: Final = (
    "Once upon a time, there was a little girl named Lily. She loved to play outside in the park with her friends."
)
PLAIN: Final = Tokenizer(BYTES, [])


@pytest.fixture(scope="session")
def gpt2(shared: Path) -> Tokenizer:
    folder = shared / "vocabs" / "gpt2"
    return Tokenizer.from_files(folder / "vocab.json", folder / "merges.txt", ["<|endoftext|>"], special_text="parse")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("hello", [31373]),
        (" hello", [23748]),
        ("Hello", [15496]),
        ("Hello world", [15496, 995]),
        (" SolidGoldMagikarp", [43453]),
    ],
)
def test_ids_of_gpt2(gpt2: Tokenizer, text: str, ids: list[int]) -> None:
    assert gpt2.encode(text) == ids
    assert gpt2.decode(ids) == text


def tokens(tokenizer: Tokenizer, text: str) -> list[str]:
    return [tokenizer.decode([token_id]) for token_id in tokenizer.encode(text)]


def test_tokens_of_gpt2(gpt2: Tokenizer) -> None:
    assert tokens(gpt2, "1000000") == ["1", "000000"]
    assert tokens(gpt2, "2026") == ["20", "26"]
    assert tokens(gpt2, "strawberry") == ["st", "raw", "berry"]
    assert gpt2.count("HELLO") == 3


def test_a_tale_of_109_bytes_is_25_tokens(gpt2: Tokenizer) -> None:
    assert (len(TALE.encode()), gpt2.count(TALE)) == (109, 25)


def test_a_short_text_in_three_scripts_is_12_tokens(gpt2: Tokenizer) -> None:
    text = "Hello, \U0001f30d! \u4f60\u597d!"
    assert (len(text.encode()), gpt2.count(text)) == (20, 12)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("I've got 3 cats!!  Yes", ["I", "'ve", " got", " 3", " cats", "!!", " ", " Yes"]),
        ("DON'T", ["DON", "'", "T"]),
        ("don't", ["don", "'t"]),
        ("a   b", ["a", "  ", " b"]),
        ("isn\u2019t", ["isn", "\u2019", "t"]),
        ("snake_case", ["snake", "_", "case"]),
        ("\u0928\u094d\u092f", ["\u0928", "\u094d", "\u092f"]),  # a mark ends a word
        ("4 \u00bd\u0663\u2167", ["4", " \u00bd\u0663\u2167"]),
    ],
)
def test_pieces_of_gpt2s_pattern(text: str, pieces: list[str]) -> None:
    assert PLAIN.pretokens(text) == [piece.encode() for piece in pieces]


@pytest.mark.parametrize("order", [[(b"a", b"b"), (b"b", b"c")], [(b"b", b"c"), (b"a", b"b")]])
def test_the_order_of_merges_decides(order: list[tuple[bytes, bytes]]) -> None:
    tokenizer = Tokenizer(BYTES | {256 + n: left + right for n, (left, right) in enumerate(order)}, order)
    assert tokens(tokenizer, "abc") == (["ab", "c"] if order[0] == (b"a", b"b") else ["a", "bc"])


@pytest.mark.parametrize("data", [b"a\xf0\x9f\x91b", b"\xff\xfe", b"\xed\xa0\x80"])
def test_bytes_that_are_no_text_come_back(gpt2: Tokenizer, data: bytes) -> None:
    assert gpt2.decode_bytes(gpt2.encode(data)) == data


def test_half_a_character_is_replaced_or_refused_as_asked() -> None:
    assert PLAIN.decode(list(b"\x96\x96\x96\xc2\xbb")) == "\ufffd\ufffd\ufffd\u00bb"
    assert PLAIN.decode(list(b"\xe2\x82 x")) == "\ufffd x"
    assert PLAIN.decode(list(b"\xe2\x82"), errors="ignore") == ""
    with pytest.raises(UnicodeDecodeError):
        PLAIN.decode(list(b"\xe2\x82"), errors="strict")


def test_every_id_of_gpt2_comes_back_from_its_bytes(gpt2: Tokenizer) -> None:
    """In text it could not, many tokens are no whole characters."""
    assert [gpt2.id_of(gpt2.token_bytes(token_id)) for token_id in range(len(gpt2))] == list(range(50_257))


@pytest.mark.parametrize("bad", [256, -1, 2**32, 2**64])
def test_an_id_without_a_token_is_refused_with_its_place(bad: int) -> None:
    with pytest.raises(DecodeError, match=rf"id {bad} at position 1 has no token\. .*another tokenizer\?"):
        PLAIN.decode([97, bad])
    with pytest.raises(DecodeError):
        PLAIN.token_bytes(bad)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_ids_of_any_array_are_decoded(dtype: type[np.integer]) -> None:
    ids = np.array([104, 105], dtype=dtype)
    assert PLAIN.decode(ids) == PLAIN.decode(ids[::-1][::-1]) == "hi"


@pytest.mark.parametrize("unit", ["a", "_", " ", "\n", "\u4f60", "ab", "the cat "])
def test_a_long_piece_finishes_and_comes_back(gpt2: Tokenizer, unit: str) -> None:
    """PF-01, PF-02: a million units; quadratic work would take hours."""
    text = unit * 1_000_000
    assert gpt2.decode(gpt2.encode_array(text)) == text


def test_an_array_of_ids_takes_four_bytes_each(gpt2: Tokenizer) -> None:
    """PF-07."""
    array = gpt2.encode_array("the cat " * 10_000)
    assert (array.itemsize, array.nbytes) == (4, 4 * len(array))


def test_a_high_id_among_holes_costs_no_int_for_each_of_them() -> None:
    """All ids together would take 32 MB."""
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {300: b"cd", 1_000_000: b"ab"}
    tokenizer = Tokenizer.from_spec(build_spec(vocabulary, [], semantics="ranks"))
    tracemalloc.start()
    assert tokenizer.encode("abcdab") == [1_000_000, 300, 1_000_000]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 << 20
