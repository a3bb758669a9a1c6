"""Faults that other tools had in writing token files, with the ids of real vocabularies."""

from pathlib import Path

import pytest

from tokenloom import EncodeOptions, Tokenizer, encode_corpus

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def cl100k(shared: Path) -> Tokenizer:
    return Tokenizer.load(shared / "vocabs" / "cl100k_base.tiktoken")


def encoded(tokenizer: Tokenizer, folder: Path, text: bytes, options: EncodeOptions | None = None) -> list[int]:
    """The ids of a file with this text, read back from its shards."""
    (folder / "a.txt").write_bytes(text)
    run = encode_corpus([folder / "a.txt"], tokenizer=tokenizer, out=folder / "out", options=options or EncodeOptions())
    ids: list[int] = run.shards[0].tolist()
    return ids


@pytest.mark.parametrize(("text", "ids"), [(b"hello world", [15339, 1917]), (b"hello world\n", [15339, 1917, 198])])
def test_last_line_without_its_end_is_whole(cl100k: Tokenizer, tmp_path: Path, text: bytes, ids: list[int]) -> None:
    assert encoded(cl100k, tmp_path, text) == ids


def test_ids_above_two_bytes_do_not_wrap(cl100k: Tokenizer, tmp_path: Path) -> None:
    ids = [65_535, 65_536, 100_255]
    text = b" ".join(map(cl100k.token_bytes, ids))
    assert encoded(cl100k, tmp_path, text) == cl100k.encode(text)
    assert max(cl100k.encode(text)) > 65_535


def test_begin_and_end_tokens_are_both_there(shared: Path, tmp_path: Path) -> None:
    tokenizer = Tokenizer.load(shared / "vocabs" / "llama3_1")
    edges = EncodeOptions(begin_of_document="<|begin_of_text|>", end_of_document="<|end_of_text|>")
    assert encoded(tokenizer, tmp_path, b"hi", edges) == [128_000, 6151, 128_001]
