"""Which alternative of a pattern took each pretoken."""

from random import Random
from typing import Final, get_args

import pytest

from tests.strategies import HARD_PARTS
from tokenloom import Tokenizer
from tokenloom.spec import (
    AddedToken,
    ByteLevelStep,
    DigitsStep,
    Lowercase,
    Normalizer,
    PatternName,
    Pretokenizer,
    PunctuationStep,
    SplitStep,
    build_spec,
)
from tokenloom.tokenizer import explain_pattern

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
MORE_PARTS: Final = (
    "\u4e2d\u3001\u6587",
    "\u30ab\u30fc\u3099",
    "\u3097",
    "\u9fa6",
    "\u2581",
    "1234567",
    "HTTPServer",
    "//\n/",
)
DAMAGE: Final = (b"\xff", b"\xe4\xbd", b"\xf0\x9f")
NAMED: Final = {
    **{name: Pretokenizer(name) for name in ("none", *get_args(PatternName))},
    "cl100k 2": Pretokenizer("cl100k", 2),
    "llama3 2": Pretokenizer("llama3", 2),
}


def explained(pattern: str | Pretokenizer, text: str | bytes) -> list[tuple[bytes, int | None, str]]:
    rows = explain_pattern(Tokenizer(BYTES, [], pattern=pattern), text)  # type: ignore[arg-type]
    return [(row.data, row.number, row.words) for row in rows]


def test_gpt2_takes_words_with_their_space() -> None:
    assert explained("gpt2", "I'm 12!  a ") == [
        (b"I", 2, "letters, with at most one space before them"),
        (b"'m", 1, "a contraction"),
        (b" 12", 3, "numbers, with at most one space before them"),
        (b"!", 4, "other characters, with at most one space before them"),
        (b" ", 5, "blanks but the last, which goes with what follows"),
        (b" a", 2, "letters, with at most one space before them"),
        (b" ", 5, "blanks but the last, which goes with what follows"),
    ]


@pytest.mark.parametrize("name", NAMED)
def test_some_alternative_takes_each_pretoken_of_a_named_pattern(name: str) -> None:
    """The core says nothing where the match of the winner is another stretch than the pretoken."""
    random, tokenizer = Random(5), Tokenizer(BYTES, [], pattern=NAMED[name])
    parts = [*map(str.encode, (*HARD_PARTS, *MORE_PARTS)), *DAMAGE]
    for _ in range(25):
        text = b"".join(random.choices(parts, k=random.randint(1, 80)))
        rows = explain_pattern(tokenizer, text)
        assert [row.data for row in rows] == tokenizer.pretokens(text)
        assert all(row.number for row in rows), (text, rows)


def test_bytes_that_are_no_utf8_are_named() -> None:
    assert explained("gpt2", b"\xff\xfe")[0][2] == "bytes that are no UTF-8"
    assert explained("none", b"a\xff")[0][2] == "the whole text; bytes that are no UTF-8"


def test_a_custom_pattern_has_gaps_and_alternatives_without_words() -> None:
    assert explained(Pretokenizer("custom", regex=r"[a-c]+|(?<=!)\d| ?\p{L}+"), "ab!1.2 d") == [
        (b"ab", 1, "an alternative of the custom pattern"),
        (b"!", None, "between two matches"),
        (b"1", 2, "an alternative of the custom pattern"),
        (b".2", None, "between two matches"),
        (b" d", 3, "letters, with at most one space before them"),
    ]


def test_alternatives_that_refer_to_others_are_one() -> None:
    rows = explained(Pretokenizer("custom", regex=r"(a)|b(?(1)c|d)"), "abd")
    assert [(data, number) for data, number, _ in rows] == [(b"a", 1), (b"bd", 1)]


def test_an_alternative_sees_no_added_token() -> None:
    spec = build_spec(BYTES, [], ["<s>"], pretokenizer=Pretokenizer("custom", regex=r"(?<=>)x|y(?=<)|\w"))
    rows = explain_pattern(Tokenizer.from_spec(spec, special_text="parse"), "y<s>x")
    assert [(row.data, row.number) for row in rows] == [(b"y", 3), (b"<s>", None), (b"x", 3)]
    assert rows[1].words == "an added token"


def test_the_text_is_the_normalized_one() -> None:
    spec = build_spec(
        BYTES, [], added_tokens=[AddedToken("<X>", 256, normalized=True)], normalizer=Normalizer((Lowercase(),))
    )
    rows = explain_pattern(Tokenizer.from_spec(spec, special_text="parse"), "AB<X>")
    assert [(row.data, row.number) for row in rows] == [(b"ab", 2), (b"<x>", None)]


def test_a_sequence_names_the_step_that_cut_last() -> None:
    steps = (PunctuationStep(), ByteLevelStep(), DigitsStep(), SplitStep("[0-9]{3}"))
    assert explained(Pretokenizer("sequence", steps=steps), "a!1234") == [
        (b"a", 1, "at punctuation: each is a piece"),
        (b"!", 1, "at punctuation: each is a piece"),
        (b"123", 4, "at [0-9]{3}: each is a piece"),
        (b"4", 4, "at [0-9]{3}: each is a piece"),
    ]
    assert explained(Pretokenizer("sequence", steps=(DigitsStep(),)), "ab") == [(b"ab", None, "cut by no step")]
