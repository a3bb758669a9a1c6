"""Sums over blocks are those of whole documents, whatever the blocks; words that are cut are those a reader finds."""

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tokenloom
from tests.strategies import bytes_texts, hard_texts
from tokenloom.metrics import SPLITTERS, Measurement, Meters, Subject, WordSplitter, measure_documents
from tokenloom.metrics.word_cuts import joins_text
from tokenloom.spec import Normalizer, UnicodeForm, build_spec
from tokenloom.tokenizer import Tokenizer

TOKENIZER = tokenloom.train(["the cat in the hat, the then 你好 你们"] * 3, 276, pattern="gpt2")
WHITESPACE = SPLITTERS["whitespace"]

documents = st.lists(hard_texts.map(str.encode) | bytes_texts, min_size=1, max_size=5)
cuts = st.lists(st.integers(0, 400), max_size=6)


def blockwise(texts: list[bytes], places: list[int], splitter: WordSplitter | None) -> Measurement:
    """Measure documents in blocks that end at these bytes of the corpus."""
    meters = Meters([Subject(TOKENIZER)], splitter=splitter)
    block: list[bytes] = []
    begin = 0
    for text in texts:
        inner = sorted({place - begin for place in places if 0 < place - begin < len(text)})
        for start, stop in zip([0, *inner], [*inner, len(text)], strict=True):
            block.append(text[start:stop])
            if stop < len(text):
                meters.feed(block, is_open=True)
                block = []
        begin += len(text)
    meters.feed(block)
    return meters.measurements()[0]


def words_by_hand(text: str) -> list[tuple[int, int]]:
    """Spans of `str.split` in bytes."""
    spans, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        start = len(text[:place].encode("utf-8", "surrogateescape"))
        spans.append((start, start + len(word.encode("utf-8", "surrogateescape"))))
        place += len(word)
    return spans


def continued_by_hand(tokenizer: Tokenizer, text: bytes) -> int:
    spans = tokenizer.encode_with_offsets(text, allowed_special=(), disallowed_special=()).byte_offsets.tolist()
    words = words_by_hand(text.decode("utf-8", "surrogateescape"))
    return sum(sum(first < stop and start < last for first, last in spans) >= 2 for start, stop in words)


@given(documents, cuts)
def test_blocks_change_no_sum(texts: list[bytes], places: list[int]) -> None:
    if not any(texts):
        return
    found = blockwise(texts, places, WHITESPACE)
    decoded = [text.decode("utf-8", "surrogateescape") for text in texts]
    assert found.text.n_bytes.tolist() == [len(text) for text in texts]
    assert found.text.n_chars.tolist() == [len(text) for text in decoded]
    assert found.text.n_words is not None
    assert found.text.n_words.tolist() == [len(text.split()) for text in decoded]
    assert found.tokens.n_tokens.tolist() == [TOKENIZER.count(text) for text in texts]
    assert found.n_continued_words.tolist() == [continued_by_hand(TOKENIZER, text) for text in texts]
    assert found.tokens.round_trip.n_exact == found.tokens.round_trip.n_docs == len(texts)


def test_fingerprint_of_a_corpus_is_that_of_its_text_and_lengths() -> None:
    [found] = measure_documents([Subject(TOKENIZER)], ["the", "cat"])
    lengths = np.array([3, 3], dtype="<i8").tobytes()
    both = hashlib.sha256(b"thecat").digest() + hashlib.sha256(lengths).digest()
    assert found.text.fingerprint == hashlib.sha256(both).hexdigest()
    [other] = measure_documents([Subject(TOKENIZER)], ["thec", "at"])
    assert other.text.fingerprint != found.text.fingerprint


def test_counts_by_id_are_those_of_the_ids() -> None:
    [found] = measure_documents([Subject(TOKENIZER)], ["the cat", "the hat"])
    ids = TOKENIZER.encode("the cat") + TOKENIZER.encode("the hat")
    assert found.tokens.counts.tolist() == np.bincount(ids, minlength=len(TOKENIZER)).tolist()


@given(documents)
def test_borders_and_spans_agree_on_words_that_are_cut(texts: list[bytes]) -> None:
    """The quick way for tokens that join to the text, and the way by offsets for all others."""
    if not any(texts):
        return
    from tokenloom.metrics.text_meter import TextMeter
    from tokenloom.metrics.word_cuts import BoundaryCuts, SpanCuts

    words = TextMeter(WHITESPACE).feed(texts)
    ids = TOKENIZER.encode_batch(texts, allowed_special=(), disallowed_special=()).ids
    quick, by_spans = BoundaryCuts(TOKENIZER), SpanCuts(TOKENIZER)
    quick.feed(texts, ids, words, is_open=False)
    by_spans.feed(texts, ids, words, is_open=False)
    assert quick.by_document().tolist() == by_spans.by_document().tolist()


def test_tokenizer_with_a_normalizer_is_measured_by_spans() -> None:
    normalizer = Normalizer((UnicodeForm("nfc"),))
    spec = build_spec(TOKENIZER.vocabulary, TOKENIZER.merges, normalizer=normalizer)
    assert not joins_text(spec)
    text = "the cafe\u0301 cat"
    [found] = measure_documents([Subject(Tokenizer.from_spec(spec))], [text], splitter=WHITESPACE)
    assert found.n_continued_words.tolist() == [1]  # é is two bytes, which have no token together
    assert found.tokens.round_trip.n_exact == 0
    assert found.tokens.round_trip.first is not None
    assert found.tokens.round_trip.first.byte == 7


def test_first_difference_of_a_text_that_does_not_come_back() -> None:
    alphabet = tokenloom.CharacterAlphabet(unk_token="<unk>")
    tokenizer = tokenloom.train(["abc"] * 3, 6, pattern=None, characters=alphabet)
    [found] = measure_documents([Subject(tokenizer)], ["abc", "abxc"])
    trip = found.tokens.round_trip
    assert (trip.n_docs, trip.n_exact) == (2, 1)
    assert trip.first is not None
    assert (trip.first.document, trip.first.byte, trip.first.text) == (1, 2, b"xc")
