"""WordPiece and BERT's text against `tokenizers`: the tokenizer of MiniLM, and small random models."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from tokenizers import BertWordPieceTokenizer
from tokenizers import Tokenizer as TheirTokenizer
from tokenizers.normalizers import BertNormalizer

from tests.hostile import hostile_texts
from tests.interop.published import CORPORA, documents
from tests.strategies import HARD_PARTS
from tests.wordpieces import WORDS, wordpiece_json, wordpiece_tokenizer
from tokenloom import Tokenizer
from tokenloom.formats import read_vocab_txt, write_vocab_txt
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.spec import BertText

pytestmark = pytest.mark.interop

MARKERS: Final = ("[CLS]", "[SEP]", "[UNK]", "[MASK]", "[PAD]")
ORDERED: Final = ("\u302e", "\u302f", "\U0001d165", "\U0001d16d", "\U0001d15e", "\U0001d160", "\u1b44", "\u1dfb")
"""Marks that are left without accents and ordered: their spans are ours, see `BertText`."""
OTHERS: Final = (
    *("\u0344", "\u0f73", "\u0c48", "\u0345", "\x00", "\x01", "\u200d", "\ufffd", "\xad", "가", "각", "\uf900"),
    *("\U0002f800", "\u2260", "\u037e", "\u1fef", "\u0130", "\u1e9e", "\u01c5", "aÉ", " ", ".", "!", "中"),
)
"""What decomposes to marks, signs or syllables, and what is gone before marks are ordered."""


@cache
def minilm(shared: Path) -> tuple[Tokenizer, TheirTokenizer]:
    """Ours and theirs, which neither cuts nor fills up."""
    path = shared / "vocabs" / "minilm" / "tokenizer.json"
    theirs = TheirTokenizer.from_file(str(path))
    theirs.no_truncation()
    theirs.no_padding()
    return Tokenizer.load(path, special_text="parse"), theirs


def assert_equal(ours: Tokenizer, theirs: TheirTokenizer, texts: list[str]) -> None:
    expected = theirs.encode_batch(texts, add_special_tokens=False)
    for text, ids, their in zip(texts, ours.encode_batch(texts), expected, strict=True):
        assert (text, ids.tolist()) == (text, their.ids)
        found = ours.encode_with_offsets(text)
        assert (text, found.ids.tolist()) == (text, their.ids)
        assert (text, [tuple(span) for span in found.char_offsets.tolist()]) == (text, their.offsets)
        assert ours.decode(their.ids) == theirs.decode(their.ids, skip_special_tokens=False)


@pytest.mark.parametrize("corpus", CORPORA)
def test_corpora_have_their_ids_and_texts(shared: Path, corpus: str) -> None:
    ours, theirs = minilm(shared)
    texts = documents(shared, corpus)
    expected = [their.ids for their in theirs.encode_batch_fast(texts, add_special_tokens=False)]
    assert [ids.tolist() for ids in ours.encode_batch(texts)] == expected
    assert [ours.decode(ids) for ids in expected] == theirs.decode_batch(expected, skip_special_tokens=False)


@pytest.mark.parametrize("corpus", ["english", "chinese"])
def test_a_corpus_in_parts_has_the_ids_of_the_whole(shared: Path, corpus: str) -> None:
    ours, theirs = minilm(shared)
    data = (shared / "corpora" / f"{corpus}-2MB.txt").read_bytes()[:500_000]
    data = data.decode(errors="ignore").encode()
    expected = theirs.encode(data.decode(), add_special_tokens=False).ids
    assert list(ours.encode_iterable([data[at : at + 997] for at in range(0, len(data), 997)])) == expected
    assert ours.encode_array(data).tolist() == expected
    assert ours.count(data) == len(expected)


def odd_texts(seed: int, n_texts: int, parts: Sequence[str]) -> list[str]:
    random = Random(seed)
    return ["".join(random.choices(parts, k=random.randint(1, 13))) for _ in range(n_texts)]


def fuzz(shared: Path, seed: int, n_texts: int) -> None:
    ours, theirs = minilm(shared)
    assert_equal(ours, theirs, [*hostile_texts(seed, n_texts, MARKERS), *odd_texts(seed, n_texts // 4, OTHERS)])
    texts = odd_texts(seed, n_texts // 4, (*ORDERED, *OTHERS))
    expected = [their.ids for their in theirs.encode_batch_fast(texts, add_special_tokens=False)]
    assert [ids.tolist() for ids in ours.encode_batch(texts)] == expected
    assert [ours.encode_with_offsets(text).ids.tolist() for text in texts] == expected


def test_hostile_texts_have_their_ids_spans_and_texts(shared: Path) -> None:
    fuzz(shared, 1, 4_000)


@pytest.mark.slow
def test_a_hundred_thousand_hostile_texts_have_their_ids_spans_and_texts(shared: Path) -> None:
    fuzz(shared, 2, 100_000)


def test_text_that_is_not_parsed_has_their_ids(shared: Path) -> None:
    ours, theirs = minilm(shared)
    texts = list(hostile_texts(3, 2_000, MARKERS))
    theirs.encode_special_tokens = True
    try:
        expected = [their.ids for their in theirs.encode_batch_fast(texts, add_special_tokens=False)]
    finally:
        theirs.encode_special_tokens = False
    plain = Tokenizer.from_spec(ours.spec, special_text="plain")
    assert [ids.tolist() for ids in plain.encode_batch(texts)] == expected


def test_with_truncation_and_padding_as_in_the_file_the_ids_are_theirs(shared: Path) -> None:
    """The settings are kept as provenance; who applies them gets what the library gives."""
    path = shared / "vocabs" / "minilm" / "tokenizer.json"
    theirs, ours = TheirTokenizer.from_file(str(path)), Tokenizer.load(path, special_text="parse")
    truncation, padding = ours.provenance["truncation"], ours.provenance["padding"]
    for text in ("", "Hello, world!", "unable " * 200):
        ids = ours.encode(text, add_special_tokens=True)
        ids = [*ids[: truncation["max_length"] - 1], ids[-1]] if len(ids) > truncation["max_length"] else ids
        ids += [padding["pad_id"]] * (padding["strategy"]["Fixed"] - len(ids))
        assert ids == theirs.encode(text).ids


def test_what_we_write_gives_them_the_same_ids(shared: Path) -> None:
    ours, theirs = minilm(shared)
    again = TheirTokenizer.from_str(render_hf_json(ours.spec).decode())
    texts = list(hostile_texts(4, 1_000, MARKERS))
    for text in texts:
        assert again.encode(text).ids == theirs.encode(text).ids == ours.encode(text, add_special_tokens=True)
    assert json.loads(again.to_str()) == json.loads(render_hf_json(ours.spec))


@pytest.mark.parametrize("lowercase", [False, True])
def test_a_plain_vocabulary_is_read_as_their_bert_reads_it(lowercase: bool, tmp_path: Path) -> None:
    write_vocab_txt(wordpiece_tokenizer().spec, tmp_path / "vocab.txt")
    ours = Tokenizer.from_spec(read_vocab_txt(tmp_path / "vocab.txt", lowercase=lowercase), special_text="parse")
    theirs = BertWordPieceTokenizer(str(tmp_path / "vocab.txt"), lowercase=lowercase)
    for text in (*HARD_PARTS, "The CATS, un-able: Café 中文 [CLS] kyoto nu"):
        ids = theirs.encode(text).ids
        assert ours.encode(text, add_special_tokens=True) == ids
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


def random_model(random: Random) -> dict[str, Any]:
    prefix = random.choice(("##", "##", "", "#", "a", "ab", "中"))
    tokens = set()
    for _ in range(random.randint(0, 40)):
        part = "".join(random.choices("ab#cé中", k=random.randint(1, 6)))
        tokens.add(random.choice(("", prefix)) + part)
    if prefix and random.random() < 0.3:
        tokens.add(prefix)  # alone it goes on with nothing
    top = wordpiece_json(
        ["[UNK]", "[CLS]", "[SEP]", *sorted(tokens)],
        continuing_subword_prefix=prefix,
        max_input_chars_per_word=random.choice((0, 1, 3, 100, 2**32 - 1)),
    )
    for option in ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"):
        top["normalizer"][option] = random.random() < 0.5
    top["pre_tokenizer"] = {"type": random.choice(("BertPreTokenizer", "WhitespaceSplit", "Whitespace"))}
    top["decoder"] |= {"prefix": random.choice((prefix, "##")), "cleanup": random.random() < 0.5}
    return top


@pytest.mark.parametrize("seed", range(60))
def test_small_models_have_their_ids_spans_and_texts(seed: int) -> None:
    random = Random(seed)
    data = json.dumps(random_model(random)).encode()
    spec = parse_hf_json(data, place="x")[0]
    assert parse_hf_json(render_hf_json(spec), place="x")[0] == spec
    texts = ["".join(random.choices("ab#cé中ab#cé中 .ÉB\x00\u302e", k=random.randint(0, 24))) for _ in range(40)]
    assert_equal(Tokenizer.from_spec(spec, special_text="parse"), TheirTokenizer.from_str(data.decode()), texts)


@pytest.mark.parametrize("number", range(1, 16))
def test_every_character_becomes_what_it_does_there(number: int) -> None:
    """Each scalar value alone, with every choice of options, against the library's own normalizer."""
    options = [bool(number >> bit & 1) for bit in range(4)]
    their = BertNormalizer(options[0], options[1], options[2], options[3])
    spec = wordpiece_tokenizer(BertText(*options)).spec
    tokenizer = Tokenizer.from_spec(spec, special_text="plain")
    characters = [chr(point) for point in range(0x33480) if not 0xD800 <= point < 0xE000]
    for start in range(0, len(characters), 997):
        text = "x\n".join(characters[start : start + 997])
        words = "".join(their.normalize_str(text))
        assert [piece.decode() for piece in tokenizer.pretokens(text)] == their_words(words)


def their_words(text: str) -> list[str]:
    """What is left of a text when their pretokenizer has cut it."""
    return [word for word, _ in _BERT.pre_tokenizer.pre_tokenize_str(text)]


_BERT: Final = TheirTokenizer.from_str(json.dumps(wordpiece_json(WORDS)))
