"""SentencePiece's own library on Mistral's model and on models that it trains here: ids, text, spans."""

import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import sentencepiece

from tests.hostile import hostile_texts
from tests.interop.published import CORPORA, documents
from tests.interop.sentencepiece_training import TEXTS, Pair, pair_of, trained
from tests.strategies import HARD_PARTS
from tokenloom import Tokenizer, train_unigram
from tokenloom.errors import EncodeError
from tokenloom.formats.protobuf import read_message
from tokenloom.formats.sentencepiece import parse_sentencepiece, render_sentencepiece, write_sentencepiece
from tokenloom.formats.sentencepiece_proto import BPE, UNKNOWN, Piece, read_model_file, render_model_file

pytestmark = pytest.mark.interop

SYMBOLS: Final = {"user_defined_symbols": ("ab", "abc", "<n>"), "control_symbols": ("<c>",)}
OPTIONS: Final[tuple[dict[str, Any], ...]] = (
    {},
    SYMBOLS,
    {"remove_extra_whitespaces": False},
    {"add_dummy_prefix": False},
    {"treat_whitespace_as_suffix": True},
    {"split_by_whitespace": False, "user_defined_symbols": ("▁▁", " x", "ing")},
    {"split_by_whitespace": False, "remove_extra_whitespaces": False, "treat_whitespace_as_suffix": True},
)
PIECES: Final = (Piece("<unk>", 0, UNKNOWN), *(Piece(letter, -9.0) for letter in "▁ab1"))
NORMALIZATIONS: Final = ("identity", "nfkc", "nmt_nfkc", "nmt_nfkc_cf")


def assert_alike(pair: Pair, random: Random, n: int) -> None:
    """Both give the same ids for texts that are made of hard parts, and the same text for any ids."""
    size = pair.theirs.get_piece_size()
    parts = [*HARD_PARTS, " ", "▁", "ab", "abc", "<n>", "<c>", "<s>", "<0x41>", "ﬁ", "①", "…", "ﷺ"]
    for text in hostile_texts(random.randrange(10**6), n):
        mixed = "".join(random.choice((text, random.choice(TEXTS)[:20], random.choice(parts))) for _ in range(3))
        for given in (text, mixed):
            ids = pair.ours.encode(given)
            assert ids == pair.theirs.encode(given), given
            assert pair.ours.count(given) == len(ids)
        ids = [random.randrange(random.choice((size, 262))) % size for _ in range(random.randrange(12))]
        assert pair.ours.decode(ids) == pair.theirs.decode(ids), ids


@pytest.mark.parametrize("model_type", ["bpe", "unigram", "char", "word"])
@pytest.mark.parametrize(("normalization", "byte_fallback"), list(product(NORMALIZATIONS, (False, True))))
def test_trained_models_give_the_ids_and_texts_of_the_library(
    model_type: str, normalization: str, byte_fallback: bool
) -> None:
    random = Random(f"{model_type} {normalization} {byte_fallback}")
    for options in OPTIONS:
        data = trained(
            model_type=model_type, normalization_rule_name=normalization, byte_fallback=byte_fallback, **options
        )
        pair = pair_of(data)
        assert_alike(pair, random, 60)
        again = render_sentencepiece(pair.ours.spec)
        assert parse_sentencepiece(again, place="again") == pair.ours.spec
        assert_alike(Pair(sentencepiece.SentencePieceProcessor(model_proto=again), pair.ours), random, 20)


@pytest.mark.parametrize("corpus", CORPORA)
def test_ids_and_text_of_two_megabytes_are_those_of_mistral(shared: Path, corpus: str, mistral: Pair) -> None:
    texts = list(documents(shared, corpus))
    ids = list(map(mistral.ours.encode, texts))
    assert ids == mistral.theirs.encode(texts)
    assert [mistral.ours.decode(part) for part in ids] == mistral.theirs.decode(ids)
    assert list(map(mistral.ours.count, texts)) == list(map(len, ids))


def test_hostile_texts_are_those_of_mistral(mistral: Pair) -> None:
    texts = list(hostile_texts(11, 20_000))
    assert [mistral.ours.encode(text) for text in texts] == mistral.theirs.encode(texts)


def test_parts_of_a_text_give_the_ids_of_the_whole(shared: Path, mistral: Pair) -> None:
    text = "".join(documents(shared, "multi"))[:300_000]
    random, parts, at = Random(3), [], 0
    while at < len(text):
        parts.append(text[at : at + random.choice((1, 10, 1_000, 20_000))])
        at += len(parts[-1])
    assert list(mistral.ours.encode_iterable(parts)) == mistral.theirs.encode(text)


def test_threads_and_documents_give_the_same_ids(shared: Path, mistral: Pair) -> None:
    text = "".join(documents(shared, "code"))
    batch = mistral.ours.encode_batch([text, "", " a", text[:1000]])
    assert [list(batch[at]) for at in range(4)] == mistral.theirs.encode([text, "", " a", text[:1000]])


@pytest.fixture(scope="module")
def mistral(shared: Path) -> Pair:
    return pair_of((shared / "vocabs" / "mistral_v1" / "tokenizer.model").read_bytes())


def test_special_tokens_are_text_as_in_the_library_or_refused_or_one_id(mistral: Pair) -> None:
    """SP-11: the library knows only the first."""
    assert mistral.ours.encode("a<s>b") == [264, 28789, 28713, 28767, 28726] == mistral.theirs.encode("a<s>b")
    tokenizer = Tokenizer.from_spec(mistral.ours.spec)
    with pytest.raises(EncodeError, match="'<s>' found at byte 1"):
        tokenizer.encode("a<s>b")
    assert tokenizer.encode("a<s>b", allowed_special={"<s>"}) == [264, 1, 287]


def test_a_mark_in_a_text_comes_back_as_a_blank(mistral: Pair) -> None:
    """UN-14: so the round trip is not exact."""
    ids = mistral.ours.encode("a▁b")
    assert ids == mistral.theirs.encode("a▁b")
    assert mistral.ours.decode(ids) == "a b"


def test_long_text_without_a_pretokenizer_is_fast(mistral: Pair) -> None:
    """PF-03."""
    start = time.process_time()
    assert mistral.ours.count("the cat sat. " * 100_000) == 400_001
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("\ufe30", ".."),
        ("\u2026", "..."),
        ("\u0149", "\u02bcn"),
        ("\u00bd", "1\u20442"),
        ("\u2460", "1"),
        ("\u0dc1\u0dca\u200d\u0dbb\u0dd3", "\u0dc1\u0dca\u200d\u0dbb\u0dd3"),
        ("a\u200cb", "a b"),
        ("a\u200bb", "a b"),
        ("  a  b  ", "a b"),
    ],
)
def test_the_map_in_the_file_changes_text(text: str, changed: str) -> None:
    """UN-03, UN-04 and UN-15: with the identity, and blanks kept, all is as it was."""
    options: dict[str, Any] = {"model_type": "bpe", "byte_fallback": True}
    pair = pair_of(trained(normalization_rule_name="nmt_nfkc", **options))
    assert pair.ours.decode(pair.ours.encode(text)) == changed == pair.theirs.decode(pair.theirs.encode(text))
    same = pair_of(trained(normalization_rule_name="identity", remove_extra_whitespaces=False, **options))
    assert same.ours.decode(same.ours.encode(text)) == text


def test_user_defined_symbols_come_first_and_the_longest_of_them() -> None:
    """FM-18: the blank before the text stands before them."""
    pair = pair_of(trained(model_type="char", normalization_rule_name="identity", byte_fallback=False, **SYMBOLS))
    for text, pieces in (("abcab", ["▁", "abc", "ab"]), ("xabcx", ["▁", "x", "abc", "x"])):
        ids = pair.ours.encode(text)
        assert pair.theirs.encode(text) == ids
        assert [pair.theirs.id_to_piece(token_id) for token_id in ids] == pieces


def test_control_symbols_are_never_made_of_text_and_have_none() -> None:
    """FM-19."""
    pair = pair_of(trained(model_type="bpe", normalization_rule_name="identity", byte_fallback=True, **SYMBOLS))
    control = pair.theirs.piece_to_id("<c>")
    assert control not in pair.ours.encode("a<c>b")
    assert pair.ours.encode("a<c>b") == pair.theirs.encode("a<c>b")
    assert pair.ours.decode([control]) == "" == pair.theirs.decode([control])


def test_the_unknown_piece_has_a_text_of_its_own() -> None:
    """DE-12: so the round trip is not exact."""
    pair = pair_of(trained(model_type="bpe", normalization_rule_name="identity", byte_fallback=False))
    assert pair.ours.decode([0]) == " \u2047 " == pair.theirs.decode([0])
    assert pair.ours.decode(pair.ours.encode("a\u2604")) == "a \u2047 "


@pytest.mark.parametrize(
    ("text", "spans"), [("a\u200bb", [(0, 1), (1, 3)]), ("\u2460a", [(0, 1), (1, 2)]), ("  a   b", [(2, 3), (3, 7)])]
)
def test_spans_are_in_characters_of_the_text_as_it_came(text: str, spans: list[tuple[int, int]]) -> None:
    """OF-07: where the library gives bytes."""
    pieces = [*PIECES, *(Piece(piece, -1.0 - place) for place, piece in enumerate(("▁a", "▁b", "▁1")))]
    settings = read_model_file(trained(model_type="char", normalization_rule_name="nmt_nfkc"), place="x")
    pair = pair_of(render_model_file(replace(settings, pieces=pieces, model_type=BPE), place="x"))
    found = pair.ours.encode_with_offsets(text)
    assert [tuple(span) for span in found.char_offsets.tolist()] == spans
    assert their_spans(pair, text) == [tuple(span) for span in found.byte_offsets.tolist()]


def their_spans(pair: Pair, text: str) -> list[tuple[int, int]]:
    """Begin and end of each piece, in bytes: fields 4 and 5 of each field 2."""
    message = read_message(pair.theirs.encode(text, return_type="serialized_proto"), place="x", name="the text")
    found = [{part.number: part.value for part in item.fields("piece")} for item in message if item.number == 2]
    return [(int(piece[4]), int(piece[5])) for piece in found]


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_spans_begin_where_those_of_the_library_do(normalization: str) -> None:
    """Theirs end where the next one begins, so blanks that are dropped belong to the token before."""
    for options in OPTIONS:
        pair = pair_of(trained(model_type="bpe", normalization_rule_name=normalization, **options))
        for text in hostile_texts(17, 200):
            found = pair.ours.encode_with_offsets(text).byte_offsets.tolist()
            assert [start for start, _ in found] == [start for start, _ in their_spans(pair, text)], text


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_trained_unigram_model_is_a_file_that_the_library_reads_alike(tmp_path: Path, byte_fallback: bool) -> None:
    corpus, size = ["the cat in the hat sat on the mat"] * 3, 276 if byte_fallback else 20
    tokenizer = train_unigram(corpus, size, byte_fallback=byte_fallback)
    write_sentencepiece(tokenizer.spec, tmp_path / "m.model")
    library = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    for text in ("the  cat", " hat é𝄞 中", "", "matthe\nsat "):
        ids = tokenizer.encode(text)
        assert library.encode(text) == ids
        assert library.decode(ids) == tokenizer.decode(ids)
