"""Chains of pretokenizers give the pieces and ids of `tokenizers`, whatever the chain, the normalizer and the text.

`python -m tests.interop.test_pretokenizer_chains SEED N` tries N chains with twelve texts each.
"""

import json
import sys
from random import Random
from typing import Any, Final

import pytest
from tokenizers import Tokenizer as TheirTokenizer

from tokenloom import Tokenizer
from tokenloom.errors import FormatWarning
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.spec.alphabets import to_characters

pytestmark = pytest.mark.interop

BEHAVIORS: Final = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
PATTERNS: Final = (
    *(r"[0-9][0-9][0-9]", r"\p{L}+", r" ?\p{L}+|\p{N}", r"\s+", "x*", "(?=b)", "(?<=a)b", "[a-z]", r"\p{N}{1,3}"),
    *(r"(?!\d).", "\u0120", r"[\r\n]", "", r"\s?\p{P}+", "a|b|é", "\u2581", r"(?<!b)a|\s(?=\S)"),
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
)
FIXED: Final = ("a", " ", "", "é", "ab", "\u2581", "(", "\n", "12")
PARTS: Final = (
    *("a", "b", "ab", "x", "xx", "é", "e\u0301", "\u4e2d", "\u2581", "_", "\u0120", "ß", "ſ", "İ"),
    *(" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u0085", "\u2028", "\u180e", "\u200d", "\x00"),
    *("1", "12", "123", "½", "\u0663", "\u2167", "!", "?", "'s", "'", "(", "-", "«", "$", "+", "\u3002", "\ufffd"),
    *("\U0001f44d\U0001f3fd", "\u306e"),
)
NORMALIZERS: Final = (
    *(
        None,
        None,
        None,
        {"type": "NFC"},
        {"type": "NFKC"},
        {"type": "Lowercase"},
        {"type": "Prepend", "prepend": "\u2581"},
    ),
    {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
)
PAIRS: Final = (("a", "b"), ("\u0120", "a"), ("1", "2"), ("Ã", "©"), ("\u0120", "\u0120"), ("x", "x"), ("ab", "12"))


def step(random: Random) -> dict[str, Any]:
    """A pretokenizer of theirs."""
    match random.randrange(9):
        case 0 | 1:
            pattern = {"Regex": random.choice(PATTERNS)} if random.random() < 0.7 else {"String": random.choice(FIXED)}
            rest = {"behavior": random.choice(BEHAVIORS), "invert": random.random() < 0.3}
            return {"type": "Split", "pattern": pattern, **rest}
        case 2:
            return byte_level(random)
        case 3:
            return {"type": "Digits", "individual_digits": random.random() < 0.5}
        case 4:
            return {"type": "Punctuation", "behavior": random.choice(BEHAVIORS)}
        case 5:
            scheme = random.choice(("always", "first", "never"))
            rest = {"prepend_scheme": scheme, "split": random.random() < 0.6}
            return {"type": "Metaspace", "replacement": random.choice("\u2581_\u0120"), **rest}
        case 6:
            return {"type": "CharDelimiterSplit", "delimiter": random.choice(" aé1")}
        case _:
            return {"type": random.choice(("Whitespace", "WhitespaceSplit", "BertPreTokenizer"))}


def byte_level(random: Random) -> dict[str, Any]:
    flags = {"add_prefix_space": random.random() < 0.4, "trim_offsets": True, "use_regex": random.random() < 0.5}
    return {"type": "ByteLevel", **flags}


def chain(random: Random) -> list[dict[str, Any]]:
    """Steps with ByteLevel among them, behind which no mark comes that stands for no byte."""
    steps = [step(random) for _ in range(random.randrange(4))]
    steps += [byte_level(random), *(step(random) for _ in range(random.choice((0, 0, 1, 2))))]
    n_before = next(place for place, item in enumerate(steps) if item["type"] == "ByteLevel")
    return [item for place, item in enumerate(steps) if place < n_before or item.get("replacement") != "\u2581"]


def document(random: Random) -> tuple[str, bool]:
    """A file of theirs, and whether pieces can be compared: no normalizer and no added tokens."""
    vocabulary = {to_characters(bytes([byte])): byte for byte in range(256)}
    for left, right in PAIRS:
        vocabulary[left + right] = len(vocabulary)
    added = []
    for content, special in (("<s>", True), ("ab1", False)) if random.random() < 0.5 else ():
        flags = {flag: random.random() < 0.4 for flag in ("single_word", "lstrip", "rstrip", "normalized")}
        added.append({"id": len(vocabulary), "content": content, "special": special, **flags})
        vocabulary[content] = len(vocabulary)
    normalizer = random.choice(NORMALIZERS)
    top = {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": chain(random)},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "vocab": vocabulary, "merges": PAIRS},
    }
    return json.dumps(top), not added and normalizer is None


def compare(random: Random) -> None:
    """One chain, twelve texts."""
    text_of_file, has_pieces = document(random)
    theirs = TheirTokenizer.from_str(text_of_file)
    spec, _ = parse_hf_json(text_of_file.encode(), place="x")
    again = render_hf_json(spec)
    assert render_hf_json(parse_hf_json(again, place="x")[0]) == again
    ours, rewritten = Tokenizer.from_spec(spec, special_text="parse"), TheirTokenizer.from_str(again.decode())
    parts = (*PARTS, "<s>", "ab1")
    for _ in range(12):
        text = "".join(random.choices(parts, k=random.randrange(14)))
        ids = ours.encode(text)
        told = json.dumps([json.loads(text_of_file)["pre_tokenizer"], text])
        assert ids == theirs.encode(text).ids == rewritten.encode(text).ids, told
        if has_pieces:
            pieces = [piece for piece, _ in theirs.pre_tokenizer.pre_tokenize_str(text)]
            assert list(map(to_characters, ours.pretokens(text))) == pieces, told


@pytest.mark.filterwarnings(f"ignore::{FormatWarning.__module__}.{FormatWarning.__name__}")
@pytest.mark.parametrize("seed", range(10))
def test_chains_have_their_pieces_and_ids(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        compare(random)


FIRST_STEPS: Final[tuple[dict[str, Any], ...]] = (
    *({"type": kind} for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase")),
    *({"type": "Replace", "pattern": {"String": a}, "content": b} for a, b in (("ab", "x"), ("ab", ""), ("ab", "ab"))),
    {"type": "Replace", "pattern": {"String": "a"}, "content": "xy"},
    *({"type": "Replace", "pattern": {"Regex": a}, "content": b} for a, b in (("a+", "x"), ("a(?=b)", ""))),
    {"type": "Replace", "pattern": {"String": "e\u0301"}, "content": "z"},
    {"type": "Prepend", "prepend": "qa"},
    {"type": "Strip", "strip_left": True, "strip_right": False},
)
FIRST_PARTS: Final = (
    *("a", "b", "ab", "A", " ", "  ", "é", "e\u0301", "\u0323", "\u0301", "x", "\ufb01", "\u4e2d"),
    *("\uac01", "\u1100", "\u1161", "\u11a8", "İ", "\u1e9b\u0323"),
)


@pytest.mark.parametrize("seed", range(4))
def test_what_came_from_the_first_character_gets_the_mark_as_theirs(seed: int) -> None:
    """Their `prepend_scheme` "first" asks where a piece came from: what took the place of several, from the last."""
    random = Random(seed)
    mark = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": False}
    top = json.loads(document(random)[0]) | {"added_tokens": []}
    top["pre_tokenizer"]["pretokenizers"] = [mark, byte_level(random) | {"add_prefix_space": False}]
    for _ in range(60):
        top["normalizer"] = {"type": "Sequence", "normalizers": random.choices(FIRST_STEPS, k=random.randint(1, 4))}
        theirs = TheirTokenizer.from_str(json.dumps(top))
        ours = Tokenizer.from_spec(parse_hf_json(json.dumps(top).encode(), place="x")[0])
        for _ in range(12):
            text = "".join(random.choices(FIRST_PARTS, k=random.randint(1, 5)))
            assert ours.encode(text) == theirs.encode(text).ids, (top["normalizer"], text)


def test_numbers_are_theirs() -> None:
    """UN-12, and the numbers that are younger than our tables."""
    text_of_file = json.loads(document(Random(0))[0])
    text_of_file |= {"added_tokens": [], "normalizer": None}
    steps = [{"type": "Digits", "individual_digits": True}, byte_level(Random(0)) | {"add_prefix_space": True}]
    text_of_file["pre_tokenizer"]["pretokenizers"] = steps
    spec, _ = parse_hf_json(json.dumps(text_of_file).encode(), place="x")
    theirs, ours = TheirTokenizer.from_str(json.dumps(text_of_file)), Tokenizer.from_spec(spec)
    everything = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for start in range(0, len(everything), 5000):
        text = "a" + "a".join(everything[start : start + 5000])
        assert list(map(to_characters, ours.pretokens(text))) == [
            p for p, _ in theirs.pre_tokenizer.pre_tokenize_str(text)
        ]
    assert len(ours.pretokens("4 \u00bd \u0663\u2167x\u00b2")) == 8


if __name__ == "__main__":
    source = Random(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        compare(source)
