"""UN: Unicode and normalization. Each test is a public report of a fault in other software; see its id.

UN-03, UN-04, UN-08, UN-09, UN-14 and UN-15 are about other kinds of vocabularies than byte-level BPE.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cases.vocabularies import BYTES, byte_tokenizer
from tests.interop.published import ours
from tests.wordpieces import wordpiece_tokenizer
from tokenloom import EncodeError, Tokenizer
from tokenloom.spec import Pretokenizer, UnicodeForm

ENTRIES: Final[dict[str, Callable[[Tokenizer, str], list[int]]]] = {
    "encode": lambda tokenizer, text: tokenizer.encode(text),
    "encode_array": lambda tokenizer, text: list(tokenizer.encode_array(text)),
    "encode_batch": lambda tokenizer, text: list(tokenizer.encode_batch([text])[0]),
    "encode_iterable": lambda tokenizer, text: list(tokenizer.encode_iterable([text])),
    "pretokens": lambda tokenizer, text: tokenizer.encode(b"".join(tokenizer.pretokens(text))),
    "count": lambda tokenizer, text: [0] * tokenizer.count(text),
}
entries = pytest.mark.parametrize("entry", ENTRIES)
PLAIN: Final = byte_tokenizer()


@entries
@pytest.mark.parametrize(("text", "ids"), [("ok \ud83d!", [564, 30433, 0]), ("\ud83d\ude80", [9468, 248, 222])])
def test_surrogates_are_replaced_and_joined_on_request(shared: Path, entry: str, text: str, ids: list[int]) -> None:
    """UN-01: in every entry point that takes text."""
    replacing = Tokenizer.from_spec(ours(shared, "cl100k_base").spec, surrogates="replace")
    found = ENTRIES[entry](replacing, text)
    assert len(found) == len(ids) if entry == "count" else found == ids


@entries
@pytest.mark.parametrize("text", ["ok \ud83d!", "\ud83d\ude80"])
def test_surrogates_are_refused_with_their_place(entry: str, text: str) -> None:
    """UN-01: where nobody asked for a replacement."""
    place = rf"lone surrogate '\\ud83d' at character {text.index(chr(0xD83D))}, .*surrogates='replace'"
    with pytest.raises(EncodeError, match=place):
        ENTRIES[entry](PLAIN, text)


@pytest.mark.parametrize(("data", "ids"), [(b"a\xf0\x9f\x91b", [64, 9468, 239, 65]), (b"\xff\xfe", [187, 186])])
def test_bytes_that_are_no_text_come_back(shared: Path, data: bytes, ids: list[int]) -> None:
    """UN-02."""
    tokenizer = ours(shared, "cl100k_base")
    assert tokenizer.encode(data) == ids
    assert tokenizer.decode_bytes(ids) == data


def test_marks_are_ordered_as_in_unicode_16(shared: Path) -> None:
    """UN-06: one version of Unicode for all files is our choice; `tokenizers` has older tables here."""
    assert ours(shared, "qwen3").encode("q\u0301\u08d3") == [80, 156, 96, 241, 53839]
    composed, compatible = (byte_tokenizer(steps=(UnicodeForm(form),)) for form in ("nfc", "nfkc"))
    assert composed.decode(composed.encode("q\u0301\u08d3")) == "q\u08d3\u0301"
    assert compatible.decode(compatible.encode("\u32ff")) == "\u4ee4\u548c"


def test_the_normalizer_of_the_file_is_applied(shared: Path) -> None:
    """UN-07: so the text that comes back from Qwen3 is the composed one."""
    qwen, llama = ours(shared, "qwen3"), ours(shared, "llama3_1")
    assert (qwen.encode("e\u0301"), qwen.encode("\u00e9"), llama.encode("e\u0301")) == ([963], [963], [68, 54939])
    assert (qwen.decode([963]), llama.decode([68, 54939])) == ("\u00e9", "e\u0301")


@pytest.mark.parametrize("character", ["\x1c", "\x1f", "\x85", "\u180e", "\u200b", "\ufeff"])
@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k", "llama3", Pretokenizer("custom", regex=r"\s+|\S+")])
def test_only_next_line_of_the_odd_ones_is_a_blank(pattern: Any, character: str) -> None:
    """UN-11: Python's `str.isspace` takes U+001C and U+001F too."""
    pieces = Tokenizer(BYTES, [], pattern=pattern).pretokens(f"!{character}!")
    assert len(pieces) == (3 if character == "\x85" else 1)


def test_numbers_are_more_than_digits(shared: Path) -> None:
    """UN-12."""
    tokenizer = ours(shared, "cl100k_base")
    assert tokenizer.encode("4 \u00bd") == [19, 220, 27154]
    pieces = Tokenizer(BYTES, [], pattern="starcoder").pretokens("4 \u00bd \u0663\u2167x\u00b2")
    assert [piece.decode() for piece in pieces] == ["4", " ", "\u00bd", " ", "\u0663", "\u2167", "x", "\u00b2"]


@pytest.mark.parametrize(
    ("character", "like"), [("\u1c89", "a"), ("\U00010d40", "1"), ("\U00010ec5", "!"), ("\U000323b0", "!")]
)
def test_characters_are_those_of_unicode_16(character: str, like: str) -> None:
    """UN-13: on every Python; the last two are letters only in Unicode 17."""
    assert [other for other in "a1!" if len(PLAIN.pretokens(character + other)) == 1] == [like]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("Ky\u014dto", ["kyoto"], id="UN-08"),
        pytest.param("n\u01dc", ["nu"], id="UN-08"),
        ("\uf059a", ["a"]),
        ("\u0378a", ["\u0378a"]),
        ("\u200da", ["a"]),
        ("a\x00b\ufffdc", ["abc"]),
    ],
)
def test_text_of_bert_loses_accents_and_what_is_not_seen(text: str, words: list[str]) -> None:
    """UN-08: no letter is lost with its accents. UN-09: private characters are, as in `tokenizers`."""
    pieces = wordpiece_tokenizer().pretokens(text)
    assert [piece.decode() for piece in pieces] == words
