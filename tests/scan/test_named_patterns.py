r"""Every named pretokenizer cuts by the regular expression that it prints: in `regex`, and in the core as a custom one.

`crates/tokenloom-core/tests/scanners.rs` holds the scanners to the published patterns, and the chains of them, on every
scalar value in every context. Here it is the printed text that is held to the scanners.
"""

from array import array
from collections.abc import Sequence
from functools import cache
from itertools import chain, product, zip_longest
from random import Random
from typing import Final, get_args

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given, settings

from tests.remembered import differences_from
from tests.strategies import HARD_PARTS, bytes_texts, chunked, hard_texts
from tokenloom import EncodeError, Tokenizer
from tokenloom.spec import PatternName, Pretokenizer
from tokenloom.spec.patterns import KNOWN_PATTERNS

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
NAMED: Final = {
    **{name: Pretokenizer(name) for name in get_args(PatternName)},
    **{f"cl100k {digits}": Pretokenizer("cl100k", digits) for digits in (1, 2)},
    "llama3 2": Pretokenizer("llama3", 2),
}
TOKENIZERS: Final = {name: Tokenizer(BYTES, [], pattern=pretokenizer) for name, pretokenizer in NAMED.items()}
EVERY_SCALAR: Final = [chr(scalar) for scalar in chain(range(0xD800), range(0xE000, 0x110000))]
MORE_PARTS: Final = (
    *("camelCase", "HTTPServer", "'\u017f", "'LL", "'Ve", "1234567", "\u0663\u0664", "\u01c5a", "A\u02b0BC", "//\n/"),
    *(
        "\u4e2d\u3001\u6587",
        "\u30ab\u30fc\u30fb\u3099",
        "\u3097",
        "\u9fa6",
        "\u2581",
        "\u24b6",
        "\u061d",
        "\u166d",
        " \r\n\n ",
    ),
)

every_name = pytest.mark.parametrize("name", NAMED)


@cache
def custom(pattern: str) -> Tokenizer:
    """The core on fancy-regex. In a group, because the text of a named pattern is refused."""
    return Tokenizer(BYTES, [], pattern=Pretokenizer("custom", regex=f"(?:{pattern})"))


def cut_by_regex(name: str, text: str) -> list[bytes]:
    return list(map(str.encode, regex.findall(NAMED[name].pattern, text)))


def texts(parts: Sequence[str], *, n_texts: int, seed: int) -> list[str]:
    random = Random(seed)
    return ["".join(random.choices(parts, k=random.randint(1, 20))) for _ in range(n_texts)]


@every_name
@given(hard_texts)
@settings(max_examples=100)
def test_hard_text_is_cut_like_regex(name: str, text: str) -> None:
    assert TOKENIZERS[name].pretokens(text) == cut_by_regex(name, text)


@every_name
def test_two_thousand_texts_are_cut_like_regex(name: str) -> None:
    for text in texts([*HARD_PARTS, *MORE_PARTS], n_texts=2000, seed=5):
        assert TOKENIZERS[name].pretokens(text) == cut_by_regex(name, text), text


@every_name
def test_every_scalar_value_is_cut_like_regex(name: str) -> None:
    text = "a ".join(EVERY_SCALAR)
    pieces = TOKENIZERS[name].pretokens(text)
    parts = (NAMED[name].pattern.encode(), text.encode(), array("I", map(len, pieces)).tobytes())

    def asked() -> list[str]:
        pairs = zip_longest(pieces, cut_by_regex(name, text))
        return [f"{ours!r} instead of {theirs!r}" for ours, theirs in pairs if ours != theirs][:5]

    assert differences_from("regex", key=f"every scalar value, {name}", ours=parts, find=asked) == []


@every_name
def test_every_pair_of_parts_is_cut_like_the_same_pattern_as_a_custom_one(name: str) -> None:
    by_custom = custom(NAMED[name].pattern)
    for first, second in product([*HARD_PARTS, *MORE_PARTS], repeat=2):
        assert TOKENIZERS[name].pretokens(first + second) == by_custom.pretokens(first + second), (first, second)


@given(bytes_texts)
@settings(max_examples=100)
def test_damaged_text_is_cut_like_the_same_patterns_as_custom_ones(data: bytes) -> None:
    for name, pretokenizer in NAMED.items():
        assert TOKENIZERS[name].pretokens(data) == custom(pretokenizer.pattern).pretokens(data), name


@pytest.mark.parametrize("pattern", KNOWN_PATTERNS)
def test_a_known_text_cuts_like_its_name(pattern: str) -> None:
    named, by_custom = Tokenizer(BYTES, [], pattern=Pretokenizer.from_pattern(pattern)), custom(pattern)
    for text in texts([*HARD_PARTS, *MORE_PARTS], n_texts=500, seed=6):
        assert named.pretokens(text) == by_custom.pretokens(text), text


@every_name
@given(data=bytes_texts)
@settings(max_examples=50)
def test_parts_of_a_text_give_the_ids_of_the_whole(name: str, data: bytes) -> None:
    tokenizer = TOKENIZERS[name]
    assert list(tokenizer.encode_iterable(chunked(Random(len(data)), data, n_cuts=4))) == tokenizer.encode(data)


@pytest.mark.parametrize(
    ("name", "text", "pieces"),
    [
        ("cl100k", "WE'LL GO", ["WE", "'LL", " GO"]),
        ("cl100k", "isn\u2019t", ["isn", "\u2019t"]),
        ("cl100k", "k\r\n\r\nv", ["k", "\r\n\r\n", "v"]),
        ("cl100k", "foo  bar\n\n  baz", ["foo", " ", " bar", "\n\n", " ", " baz"]),
        (
            "deepseek_v3",
            "x1234567 \u4e2d\u6587abc !hello",
            ["x", "123", "456", "7", " ", "\u4e2d\u6587", "abc", " !", "hello"],
        ),
        ("qwen2", "987654", list("987654")),
        ("cl100k", "987654", ["987", "654"]),
        ("digits3_right", "1234567 12 1234", ["1", "234", "567", " ", "12", " ", "1", "234"]),
        ("llama3 2", "12345", ["12", "34", "5"]),
        ("cl100k", "a \n  ", ["a", " \n  "]),
        ("llama3", "a \n  ", ["a", " \n", "  "]),
        ("o200k", "HTTPServer camelCase", ["HTTPServer", " camel", "Case"]),
        ("o200k", "a//\n/b", ["a", "//\n/", "b"]),
        ("tekken", "it's 12", ["it", "'s", " ", "1", "2"]),
        ("starcoder", "ab  12 x's", ["ab", "  ", "1", "2", " x", "'s"]),
        ("whitespace", "a_1  b!?\n", ["a_1", "  ", "b", "!?", "\n"]),
        ("bert", "it's  so!?", ["it", "'", "s", "  ", "so", "!", "?"]),
        ("metaspace", "a  b\n\u2581c", ["a", " ", " b\n", "\u2581c"]),
    ],
)
def test_pieces_by_hand(name: str, text: str, pieces: list[str]) -> None:
    """For more see `tests/cases/test_split_patterns.py`."""
    assert TOKENIZERS[name].pretokens(text) == [piece.encode() for piece in pieces]


@every_name
@pytest.mark.parametrize(
    "unit", ["a", "A", "7", " ", "\n", "!", "\u0301", "\u4f60", "\u0e01\u0e34", "'s", " \n", "\x00"]
)
def test_a_million_bytes_of_one_unit_are_cut(name: str, unit: str) -> None:
    """Known fault PT-09 (stack overflow on a long run): all bytes are there, and it takes no second."""
    text = unit * (1_000_000 // len(unit.encode()))
    assert b"".join(TOKENIZERS[name].pretokens(text)) == text.encode()


def test_a_custom_pattern_keeps_what_it_does_not_match() -> None:
    tokenizer = Tokenizer(BYTES, [], ["<s>"], special_text="parse", pattern=Pretokenizer("custom", regex="[0-9]+|b*"))
    assert tokenizer.pretokens("ab12<s>c3") == [b"a", b"b", b"12", b"<s>", b"c", b"3"]


def test_a_custom_pattern_that_takes_too_many_steps_names_the_place() -> None:
    tokenizer = Tokenizer(
        BYTES, [], ["<s>"], special_text="parse", pattern=Pretokenizer("custom", regex="x|(?:a|aa)+(?=b)")
    )
    text = "x<s>xx" + "a" * 100
    for act in (tokenizer.encode, tokenizer.count, lambda text: list(tokenizer.encode_iterable([text[:9], text[9:]]))):
        with pytest.raises(EncodeError, match="takes too many steps at byte 6 of the text"):
            act(text)


def test_a_custom_pattern_may_look_behind_across_blocks() -> None:
    """The core works in blocks of 32 KiB; a pattern that looks behind sees the same text before and after a border."""
    text = "ab" * 50_000
    tokenizer = Tokenizer(BYTES, [], pattern=Pretokenizer("custom", regex="(?<=a)b|a"))
    assert tokenizer.pretokens(text) == [b"a", b"b"] * 50_000
