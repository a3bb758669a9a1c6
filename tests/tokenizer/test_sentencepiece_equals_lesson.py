"""The core's SentencePiece is its definition, `lessons.sentencepiece`: normalizing, joining, cutting, decoding."""

from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.charsmaps import charsmap_of
from tests.strategies import HARD_PARTS, hard_texts
from tokenloom import Tokenizer
from tokenloom.formats.sentencepiece import parse_sentencepiece
from tokenloom.formats.sentencepiece_proto import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    WORD,
    ModelFile,
    Piece,
    render_model_file,
)
from tokenloom.lessons import sentencepiece as lesson

CHANGES: Mapping[str, str] = {
    "ﬁ": "fi",
    "e\u0301": "é",
    "e\u0301\u0301": "ê",
    "\u3000": " ",
    "\u200b": "",
    "\n": " ",
    "ab": "ba",
    "a\u0301b": "xyz",
    "½": "1⁄2",
}
ALPHABET = (
    "a",
    "b",
    "c",
    "fi",
    "▁",
    "▁▁",
    " ",
    "  ",
    "é",
    "e\u0301",
    "e",
    "ﬁ",
    "漢",
    "字",
    ",",
    "1",
    "\n",
    "ab",
    "abc",
    "<n>",
)

RANDOM = st.randoms(use_true_random=False)


def random_pieces(random: Random, *, byte_fallback: bool) -> list[Piece]:
    """Pieces of a small alphabet, with the same score for some of them."""
    letters = [letter for letter in "abcdef▁é漢字,1<n>" if random.random() < 0.85]
    known = dict.fromkeys(letters)
    for _ in range(30):
        left, right = random.choice(list(known) or ["a"]), random.choice([*known, "z"])
        if len(left + right) < 9:
            known[left + right] = None
    kinds = random.choices(
        (NORMAL, UNUSED, USER_DEFINED), (20, random.choice((0, 3)), random.choice((0, 2))), k=len(known)
    )
    pieces = [Piece("<unk>", 0, UNKNOWN), Piece("<s>", 0, CONTROL)]
    pieces += [Piece(f"<0x{byte:02X}>", 0, BYTE) for byte in range(256) if byte_fallback]
    return pieces + [Piece(text, float(-random.randrange(12)), kind) for text, kind in zip(known, kinds, strict=True)]


def random_file(random: Random, model_type: int = BPE) -> tuple[ModelFile, lesson.Model, lesson.Rules]:
    byte_fallback = random.random() < 0.5
    pieces = random_pieces(random, byte_fallback=byte_fallback)
    changes = CHANGES if random.random() < 0.5 else {}
    flags = [random.random() < 0.5 for _ in range(4)]
    texts = {kind: [piece.text for piece in pieces if piece.type == kind] for kind in (USER_DEFINED, UNUSED)}
    file = ModelFile(
        pieces,
        model_type,
        byte_fallback,
        charsmap=charsmap_of(changes) if changes else b"",
        add_dummy_prefix=flags[0],
        remove_extra_whitespaces=flags[1],
        escape_whitespaces=flags[2] or random.random() < 0.5,
        treat_whitespace_as_suffix=flags[3],
    )
    rules = lesson.Rules(
        changes,
        texts[USER_DEFINED],
        file.add_dummy_prefix,
        file.remove_extra_whitespaces,
        file.escape_whitespaces,
        file.treat_whitespace_as_suffix,
    )
    scores = {piece.text: piece.score for piece in pieces if piece.type in (NORMAL, UNUSED, USER_DEFINED)}
    return file, lesson.Model(scores, "<unk>", byte_fallback, texts[USER_DEFINED], texts[UNUSED]), rules


def tokenizer_of(file: ModelFile) -> Tokenizer:
    spec = parse_sentencepiece(render_model_file(file, place="x"), place="x")
    return Tokenizer.from_spec(spec, special_text="plain")


def pieces_of(file: ModelFile, ids: list[int]) -> list[str]:
    return [file.pieces[token_id].text for token_id in ids]


@given(
    st.randoms(use_true_random=False), st.lists(st.sampled_from(ALPHABET) | st.sampled_from(HARD_PARTS), max_size=20)
)
def test_core_encodes_and_counts_as_the_lesson(random: Random, parts: list[str]) -> None:
    file, model, rules = random_file(random)
    tokenizer, text = tokenizer_of(file), "".join(parts)
    expected = lesson.encode(lesson.normalize(text, rules), model)
    ids = tokenizer.encode(text)
    assert pieces_of(file, ids) == expected
    assert pieces_of(file, tokenizer.encode(text)) == expected, "when it comes again"
    assert tokenizer.count(text) == len(expected)
    assert list(tokenizer.encode_with_offsets(text).ids) == ids


@given(RANDOM, st.lists(st.integers(0, 400), max_size=12))
def test_core_decodes_as_the_lesson(random: Random, numbers: list[int]) -> None:
    file, model, rules = random_file(random)
    tokenizer = tokenizer_of(file)
    ids = [number % len(file.pieces) for number in numbers]
    drops = "all" if rules.remove_extra_whitespaces else "first" if rules.add_dummy_prefix else "none"
    expected = lesson.decode(pieces_of(file, ids), model, control=["<s>"], drops=drops)
    assert tokenizer.decode(ids) == expected


@given(RANDOM, hard_texts)
def test_core_normalizes_as_the_lesson(random: Random, text: str) -> None:
    """A model that joins nothing and knows nothing shows what it was given, by what its bytes decode to."""
    file, _, rules = random_file(random)
    shown = ModelFile(
        [Piece("<unk>", 0, UNKNOWN), *(Piece(f"<0x{byte:02X}>", 0, BYTE) for byte in range(256))],
        BPE,
        byte_fallback=True,
        charsmap=file.charsmap,
        add_dummy_prefix=file.add_dummy_prefix,
        remove_extra_whitespaces=file.remove_extra_whitespaces,
        escape_whitespaces=file.escape_whitespaces,
        treat_whitespace_as_suffix=file.treat_whitespace_as_suffix,
    )
    given_bytes = bytes(token_id - 1 for token_id in tokenizer_of(shown).encode(text))
    assert given_bytes.decode() == lesson.normalize(text, rules._replace(symbols=()))


@pytest.mark.parametrize("seed", range(60))
def test_pieces_that_are_cut_are_those_of_the_whole(seed: int) -> None:
    """Behind the cuts lie ties, unknown characters, bytes and user-defined symbols; the lesson cuts nowhere."""
    random = Random(seed)
    file, model, rules = random_file(random)
    tokenizer = tokenizer_of(file)
    for _ in range(5):
        text = "".join(random.choice(ALPHABET) for _ in range(random.choice((3, 30, 120))))
        expected = lesson.encode(lesson.normalize(text, rules), model)
        assert pieces_of(file, tokenizer.encode(text)) == expected, text
        parts = [text[at : at + 7] for at in range(0, len(text), 7)]
        assert pieces_of(file, list(tokenizer.encode_iterable(parts))) == expected, text


def test_words_are_looked_up_whole() -> None:
    pieces = [Piece("<unk>", 0, UNKNOWN), Piece("▁the", 0), Piece("▁cat", 0), Piece("▁", 0)]
    tokenizer = tokenizer_of(ModelFile(pieces, WORD))
    assert tokenizer.encode("the cat the") == [1, 2, 1]
    assert tokenizer.encode("a b the c") == [0, 1, 0], "unknown words side by side are one"
    assert tokenizer.count("a b the c") == 3
