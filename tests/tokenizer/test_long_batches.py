"""Batches of long texts, which are cut and worked on by several threads."""

from random import Random
from typing import Final

import pytest

from tests.strategies import HARD_PARTS
from tokenloom import EncodeError, Tokenizer, train

PARTS: Final = (*HARD_PARTS, "the cat ", "\n\n", "1234567", "don't", "<|end|>", "漢字", " ")
TRAINED: Final = {
    pattern: train([" ".join(HARD_PARTS) + "the cat in the hat don't " * 9], 300, ["<|end|>"], pattern=pattern)
    for pattern in ("gpt2", "cl100k", "o200k", "deepseek_v3", None)
}
LONG: Final = 700_000


def mixed(n_chars: int, seed: int) -> str:
    random, parts = Random(seed), list[str]()
    length = 0
    while length < n_chars:
        parts.append(random.choice(PARTS) * random.choice((1, 1, 1, 40)))
        length += len(parts[-1])
    return "".join(parts)


@pytest.mark.parametrize("pattern", TRAINED)
def test_cuts_and_threads_change_no_id_of_long_texts(pattern: str | None) -> None:
    tokenizer = TRAINED[pattern]
    texts = ["", mixed(LONG, 1), "a", mixed(LONG // 8, 2), "", mixed(LONG, 3)]
    expected = [tokenizer.encode(text, allowed_special="all") for text in texts]
    for n_threads in (1, 2, 5):
        batch = tokenizer.encode_batch(texts, allowed_special="all", n_threads=n_threads)
        assert [document.tolist() for document in batch] == expected


@pytest.mark.parametrize("n_threads", [1, 3])
def test_texts_of_more_ids_than_there_is_room_for_come_out_whole(n_threads: int) -> None:
    """Room is made for a token of two bytes; these have one."""
    tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    texts = [bytes([65 + number]) * 100_000 + b" " for number in range(30)]
    batch = tokenizer.encode_batch(texts, n_threads=n_threads)
    assert [bytes(document.tolist()) for document in batch] == texts


def test_a_refused_token_far_in_a_long_text_is_named_with_document_and_byte() -> None:
    text = "the cat " * 100_000
    with pytest.raises(EncodeError, match=r"document 1: special token '<\|end\|>' found at byte 800000 of the text"):
        TRAINED["gpt2"].encode_batch(["a", text + "<|end|>", "b<|end|>"], n_threads=3)
