"""Ids and texts of published tokenizers equal those of the libraries that define them, on every kind of text.

`python -m tests.interop.fuzz` compares as many more texts as you like.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer as TheirTokenizer

from tests.interop.fuzz import Report, compare, differences, fuzz, main
from tests.interop.published import (
    CORPORA,
    HF,
    NAMES,
    TIKTOKEN,
    definition,
    documents,
    fuzzed,
    hf,
    library,
    ours,
    parallel,
    plain_ids,
    rendered,
    tiktoken_encoding,
)
from tests.remembered import differences_from
from tokenloom import TokenBatch
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json

pytestmark = pytest.mark.interop

every = pytest.mark.parametrize("name", NAMES)


def differing(shared: Path, name: str, kind: str, texts: list[str]) -> list[str]:
    """Texts of which the plain ids are others than those of the library, which is asked only if it has to be."""
    batch = plain_ids(shared, name, texts)

    def asked() -> list[str]:
        return [*differences(texts, batch, library(shared, name).plain(texts))]

    parts = (definition(shared, name), json.dumps(texts).encode(), batch.ids.data, batch.starts.data)
    return differences_from("tokenizers" if name in HF else "tiktoken", key=f"{name} {kind}", ours=parts, find=asked)


@every
@pytest.mark.parametrize("corpus", CORPORA)
def test_ids_of_two_megabytes_are_theirs(shared: Path, name: str, corpus: str) -> None:
    assert differing(shared, name, corpus, documents(shared, corpus)) == []


@every
def test_ids_of_parallel_sentences_are_theirs(shared: Path, name: str) -> None:
    texts = parallel(shared)
    assert len(texts) == 44 * 997
    assert differing(shared, name, "parallel", texts) == []


@every
def test_ids_and_texts_of_hostile_texts_are_theirs(shared: Path, name: str) -> None:
    """With special tokens as plain text, and as one id each."""
    report = fuzz(shared, name, n_texts=10_000, seed=20261130)
    assert (report.n_texts, report.first) == (10_000, [])
    assert report.n_left_out < (400 if name == "qwen3" else 1)


def test_differences_are_found_and_counted(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: a comparison that cannot fail would say nothing."""
    batch = TokenBatch(np.array([64, 65, 66], dtype=np.uint32), np.array([0, 1, 3], dtype=np.int64))
    assert [*differences(["a", "bc"], batch, [[64], [65, 67]])] == ["bc"]
    monkeypatch.setattr("tests.interop.fuzz.library", lambda shared, _: library(shared, "cl100k_base"))
    report = Report()
    compare(shared, "gpt2", ["a", "hello"], report)
    assert report.counts == {"plain ids": 1, "parsed ids": 1, "decoded text": 1}
    assert report.first[0] == ("plain ids", "hello")


def test_tool_prints_what_it_found(
    shared: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--encoding", "gpt2", "--n", "50", "--seed", "3", "--shared", str(shared)]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("gpt2: 0 differences in 50 texts of seed 3, 0 left out; ")
    monkeypatch.setattr("tests.interop.fuzz.hostile_texts", lambda *_: iter(["a", "hello"]))
    monkeypatch.setattr("tests.interop.fuzz.library", lambda shared, _: library(shared, "cl100k_base"))
    assert main(arguments) == 1
    assert "gpt2: 3 differences in 2 texts" in (printed := capsys.readouterr().out)
    assert "    plain ids: 'hello'\n" in printed


@pytest.mark.parametrize("name", TIKTOKEN)
def test_vocabulary_is_tiktokens(shared: Path, name: str) -> None:
    tokenizer, theirs = ours(shared, name), tiktoken_encoding(shared, name)
    assert len(tokenizer) == theirs.n_vocab
    assert set(tokenizer.vocabulary.values()) == {
        *theirs.token_byte_values(),
        *map(str.encode, theirs.special_tokens_set),
    }
    assert all(theirs.encode_single_token(token) == i for i, token in tokenizer.vocabulary.items())


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
    """And save -> load -> save gives the same bytes."""
    data = rendered(shared, name)
    theirs = TheirTokenizer.from_str(data.decode())
    theirs.encode_special_tokens = True
    texts = ["end \n ", *(text for text in fuzzed(5, 2000) if name != "qwen3" or text.isascii())]
    expected = [found.ids for found in theirs.encode_batch_fast(texts, add_special_tokens=False)]
    assert [*differences(texts, plain_ids(shared, name, texts), expected)] == []
    assert render_hf_json(parse_hf_json(data, place="x")[0]) == data
