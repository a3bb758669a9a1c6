"""Ids of published tokenizers equal those of the libraries that define them, on every kind of text."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer as TheirTokenizer

from tests.interop.published import (
    CORPORA,
    HF,
    NAMES,
    TIKTOKEN,
    documents,
    fuzzed,
    hf,
    ours,
    parallel,
    their_ids,
    tiktoken_encoding,
)
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json

pytestmark = pytest.mark.interop

every = pytest.mark.parametrize("name", NAMES)


@every
@pytest.mark.parametrize("corpus", CORPORA)
def test_ids_of_two_megabytes_are_theirs(shared: Path, name: str, corpus: str) -> None:
    texts, expected = documents(shared, corpus), their_ids(shared, name)
    batch = ours(shared, name).encode_batch(texts)
    different = [at for at, text in enumerate(texts) if batch[at].tolist() != expected(text)]
    assert different == []


@every
def test_ids_of_parallel_sentences_are_theirs(shared: Path, name: str) -> None:
    texts, expected = parallel(shared), their_ids(shared, name)
    assert len(texts) == 44 * 997
    batch = ours(shared, name).encode_batch(texts)
    assert [text for at, text in enumerate(texts) if batch[at].tolist() != expected(text)] == []


def comparable(shared: Path, name: str, texts: list[str]) -> list[str]:
    """Texts that both normalize alike: the library orders marks by older tables than Unicode 16 (UN-06), we do not."""
    if name != "qwen3":
        return texts
    normalizer, tokenizer = hf(shared, name).normalizer, ours(shared, name)
    assert normalizer is not None
    alike = [text for text in texts if normalizer.normalize_str(text) == tokenizer.decode(tokenizer.encode(text))]
    assert len(alike) > 0.97 * len(texts)
    return alike


@every
def test_ids_of_fuzzed_texts_are_theirs(shared: Path, name: str) -> None:
    tokenizer, expected = ours(shared, name), their_ids(shared, name)
    texts = comparable(shared, name, list(fuzzed(seed=20261130)))
    assert [text for text in texts if tokenizer.encode(text) != expected(text)] == []


@every
def test_decoding_ids_gives_the_text_or_what_the_normalizer_makes_of_it(shared: Path, name: str) -> None:
    tokenizer = ours(shared, name)
    for text in fuzzed(seed=3, n=2000):
        decoded = tokenizer.decode(tokenizer.encode(text))
        if name in HF:
            assert decoded == hf(shared, name).decode(tokenizer.encode(text), skip_special_tokens=False)
        if name != "qwen3":
            assert decoded == text


@pytest.mark.parametrize("name", TIKTOKEN)
def test_vocabulary_is_tiktokens(shared: Path, name: str) -> None:
    tokenizer, theirs = ours(shared, name), tiktoken_encoding(shared, name)
    assert len(tokenizer) == theirs.n_vocab
    assert set(tokenizer.vocabulary.values()) == {
        *theirs.token_byte_values(),
        *map(str.encode, theirs.special_tokens_set),
    }
    assert all(theirs.encode_single_token(token) == i for i, token in tokenizer.vocabulary.items())


@pytest.mark.parametrize("name", TIKTOKEN)
def test_special_tokens_are_parsed_as_by_tiktoken(shared: Path, name: str) -> None:
    tokenizer, theirs = ours(shared, name), tiktoken_encoding(shared, name)
    for text in fuzzed(seed=4, n=2000):
        assert tokenizer.encode(text, allowed_special="all") == theirs.encode(text, allowed_special="all")


@pytest.mark.parametrize("name", HF)
def test_vocabulary_is_that_of_tokenizers(shared: Path, name: str) -> None:
    tokenizer, theirs = ours(shared, name), hf(shared, name)
    assert len(tokenizer) == theirs.get_vocab_size() == len(tokenizer.vocabulary)
    for token_id in range(0, len(tokenizer), 37):
        assert tokenizer.decode([token_id]) == theirs.decode([token_id], skip_special_tokens=False)
    added = {i: (t.content, t.special, t.normalized) for i, t in theirs.get_added_tokens_decoder().items()}
    assert added == {t.id: (t.content, t.special, t.normalized) for t in tokenizer.spec.added_tokens}


@pytest.mark.parametrize("name", HF)
def test_templates_are_those_of_tokenizers(shared: Path, name: str) -> None:
    for text in ("", "the cat", "<|im_end|>x"):
        expected = hf(shared, name).encode(text, add_special_tokens=True).ids
        assert ours(shared, name).encode(text, add_special_tokens=True) == expected


@every
def test_a_tokenizer_written_for_tokenizers_gives_the_same_ids_there(shared: Path, name: str) -> None:
    """FM-20, and save -> load -> save."""
    spec = ours(shared, name).spec
    data = render_hf_json(spec)
    theirs = TheirTokenizer.from_str(data.decode())
    theirs.encode_special_tokens = name not in HF
    tokenizer = ours(shared, name)
    for text in comparable(shared, name, ["  ", "   x", "end \n ", *fuzzed(seed=5, n=2000)]):
        assert theirs.encode(text, add_special_tokens=False).ids == tokenizer.encode(text), text
    again, _ = parse_hf_json(data, place="x")
    assert render_hf_json(again) == data
