"""Whether texts come back, and what is lost."""

from hypothesis import given

from tests.strategies import hard_texts
from tokenloom import Tokenizer, byte_tokenizer, code_point_tokenizer, train, train_characters, train_words
from tokenloom.metrics import LossyPlace, losses_of


@given(hard_texts, hard_texts)
def test_bytes_and_code_points_lose_nothing(text: str, other: str) -> None:
    for tokenizer in (byte_tokenizer(), CODE_POINTS):
        assert losses_of(tokenizer, [text, other]).is_lossless


CODE_POINTS = code_point_tokenizer()


@given(hard_texts, hard_texts)
def test_documents_that_differ_are_lossy(text: str, other: str) -> None:
    tokenizer = train_words([text], unk_token="[UNK]")
    result = losses_of(tokenizer, [text, other])
    assert result.n_lossy_docs == (tokenizer.decode(tokenizer.encode(other)) != other)
    for place in result.examples:
        assert other[place.char_offset :].startswith(place.text)
        assert place.text != place.decoded


def test_lost_words_are_named() -> None:
    tokenizer = train_words(["I'll say"])
    result = losses_of(tokenizer, ["I'll say it, it!", "say"])
    assert (result.n_docs, result.n_lossy_docs, result.n_unknown) == (2, 1, 4)
    assert result.most_lost(2) == [("it", 2), ("!", 1)]
    assert result.examples == (LossyPlace(0, 9, "it, it!", "<unk><unk> <unk><unk>"[:20]),)


def test_lost_characters_are_named() -> None:
    result = losses_of(train_characters(["abc"]), ["abc", "abdd"])
    assert (result.n_lossy_docs, dict(result.lost)) == (1, {"d": 2})


def test_normalizer_is_lossy_without_unknown_tokens() -> None:
    tokenizer = train(["file"], 258, normalizer="nfkc")
    result = losses_of(tokenizer, ["file", "the ﬁle"])
    assert (result.n_lossy_docs, result.n_unknown, dict(result.lost)) == (1, 0, {})
    assert result.examples == (LossyPlace(1, 4, "ﬁle", "file"),)


def test_special_tokens_are_read_as_text() -> None:
    tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], ["<|end|>"])
    assert losses_of(tokenizer, ["a<|end|>b"]).is_lossless
