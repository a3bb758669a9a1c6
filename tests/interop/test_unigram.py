"""Unigram against `tokenizers` and `sentencepiece`: models that they train, and random ones."""

import json
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sentencepiece
from tokenizers import AddedToken, decoders, models, pre_tokenizers
from tokenizers import Tokenizer as TheirTokenizer
from tokenizers.trainers import UnigramTrainer

from tests.interop.published import CORPORA, documents
from tests.strategies import HARD_PARTS
from tests.unigrams import random_pieces
from tokenloom import Tokenizer
from tokenloom.formats import read_sentencepiece
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json

pytestmark = pytest.mark.interop

WORDS = (
    *("the", "then", "there", "other", "cat", "cats", "caterpillar", "sat", "sits", "on", "a", "mat", "naïve", "café"),
    *("北京", "北海", "東京", "12", "2024,", "don't!", "▁", "x"),
)


def lines(random: Random, n: int) -> list[str]:
    return [" ".join(random.choices(WORDS, k=random.randint(1, 30))) for _ in range(n)]


def texts_of(random: Random, n: int = 150) -> list[str]:
    parts = [*WORDS, *HARD_PARTS, " ", "  ", "<unk>", "<s>", "|x|", "е", "\U0001f30d", "cat", "he"]
    return ["".join(random.choices(parts, k=random.randint(0, 25))) for _ in range(n)]


def ours_of(theirs: TheirTokenizer) -> Tokenizer:
    """The same tokenizer, read from its file; written it is that file again.

    The library reads some numbers one unit in the last place off, so what it writes of what it has read may differ.
    """
    data = theirs.to_str(pretty=True).encode()
    spec, settings = parse_hf_json(data, place="x.json")
    written = render_hf_json(spec, settings=settings)
    assert json.loads(written)["model"] == json.loads(data)["model"]
    assert TheirTokenizer.from_str(written.decode()).get_vocab() == theirs.get_vocab()
    return Tokenizer.from_spec(spec, special_text="parse")


def assert_equal(ours: Tokenizer, theirs: TheirTokenizer, texts: list[str]) -> None:
    for text in texts:
        their = theirs.encode(text, add_special_tokens=False)
        found = ours.encode_with_offsets(text)
        assert (text, found.ids.tolist()) == (text, their.ids)
        assert (text, ours.encode(text)) == (text, their.ids)
        assert (text, [tuple(span) for span in found.char_offsets.tolist()]) == (text, their.offsets)
        assert ours.decode(their.ids) == theirs.decode(their.ids, skip_special_tokens=False)


@pytest.mark.parametrize("scheme", ["always", "first", "never"])
@pytest.mark.parametrize("split", [True, False])
def test_what_tokenizers_trains(scheme: Any, split: bool) -> None:
    theirs = TheirTokenizer(models.Unigram())
    theirs.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
    theirs.decoder = decoders.Metaspace(prepend_scheme=scheme, split=split)
    trainer = UnigramTrainer(vocab_size=90, special_tokens=["<unk>", "<s>"], unk_token="<unk>", show_progress=False)
    theirs.train_from_iterator(lines(Random(1), 300), trainer)
    theirs.add_tokens([AddedToken("|x|", normalized=False)])
    assert_equal(ours_of(theirs), theirs, texts_of(Random(2)))


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("digits", [0, 1, 6])
def test_random_models_of_tokenizers(byte_fallback: bool, digits: int) -> None:
    random = Random(digits)
    for alphabet in ("ab", "abc", "abé字▁", "ab▁") * 6:
        pieces = random_pieces(random, alphabet, byte_pieces=byte_fallback, digits=digits)
        theirs = TheirTokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=byte_fallback))
        theirs.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
        parts = [*alphabet * 8, "x", "é", "<unk>", "\U0001f30d"]
        texts = ["".join(random.choices(parts, k=random.choice((3, 10, 40, 200)))) for _ in range(20)]
        assert_equal(ours_of(theirs), theirs, texts)


def trained(text: list[str], **options: Any) -> tuple[sentencepiece.SentencePieceProcessor, bytes]:
    model = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for line in "\n".join(text).replace("▁", " ").split("\n") if line.strip()]),
        model_writer=model,
        model_type="unigram",
        minloglevel=2,
        hard_vocab_limit=False,
        max_sentence_length=100_000,
        **options,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()), model.getvalue()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"byte_fallback": True, "vocab_size": 400},
        {"user_defined_symbols": ["th", "  ", "at", "cat", "北"]},
        {"normalization_rule_name": "identity", "remove_extra_whitespaces": False},
        {"character_coverage": 0.98, "normalization_rule_name": "nmt_nfkc_cf"},
    ],
)
def test_what_sentencepiece_trains(tmp_path: Path, options: dict[str, Any]) -> None:
    theirs, data = trained(lines(Random(3), 300), **({"vocab_size": 100} | options))
    path = tmp_path / "m.model"
    path.write_bytes(data)
    ours = Tokenizer.from_spec(read_sentencepiece(path), special_text="plain")
    for text in texts_of(Random(4), 400):
        assert (text, ours.encode(text)) == (text, theirs.encode(text))
        assert ours.decode(theirs.encode(text)) == theirs.decode(theirs.encode(text))


def test_a_long_text_is_counted_anew_as_in_sentencepiece(tmp_path: Path) -> None:
    """Its sums come to -100,000 many times over."""
    text = lines(Random(5), 300)
    theirs, data = trained(text, vocab_size=100)
    path = tmp_path / "m.model"
    path.write_bytes(data)
    long = " ".join(lines(Random(6), 6000) + texts_of(Random(7)))
    expected = theirs.encode(long)
    assert sum(map(theirs.get_score, expected)) < -300_000
    assert Tokenizer.from_spec(read_sentencepiece(path), special_text="plain").encode(long) == expected


@pytest.mark.parametrize("corpus", CORPORA)
def test_corpora_have_the_ids_of_sentencepiece(shared: Path, tmp_path: Path, corpus: str) -> None:
    texts = documents(shared, corpus)[:25]
    theirs, data = trained(texts, vocab_size=5000, byte_fallback=True, character_coverage=0.98)
    path = tmp_path / "m.model"
    path.write_bytes(data)
    ours = Tokenizer.from_spec(read_sentencepiece(path), special_text="plain")
    for text, ids in zip(texts, ours.encode_batch(texts), strict=True):
        assert (text[:80], ids.tolist()) == (text[:80], theirs.encode(text))
