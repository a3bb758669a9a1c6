"""Under `lowest-id` with GPT-2's alphabet a training equals that of `tokenizers`."""

import json
from pathlib import Path
from random import Random

import pytest
from tokenizers import Tokenizer as TheirTokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from tests.strategies import random_corpus
from tokenloom import train
from tokenloom.spec.alphabets import from_characters

pytestmark = pytest.mark.interop

Merges = list[tuple[bytes, bytes]]


def their_merges(text: str, vocab_size: int) -> tuple[Merges, dict[bytes, int]]:
    theirs = TheirTokenizer(BPE())
    theirs.pre_tokenizer = ByteLevel(add_prefix_space=False)
    alphabet = ByteLevel.alphabet()
    trainer = BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    theirs.train_from_iterator([text], trainer)
    model = json.loads(theirs.to_str())["model"]
    merges = [(from_characters(left), from_characters(right)) for left, right in model["merges"]]
    return merges, {from_characters(token): token_id for token, token_id in model["vocab"].items()}


def our_merges(text: str, vocab_size: int) -> tuple[Merges, dict[bytes, int]]:
    ours = train([text], vocab_size, tie_break="lowest-id", alphabet="gpt2")
    return ours.merges, {token: token_id for token_id, token in ours.vocabulary.items()}


def test_merges_of_two_megabytes_of_english_are_those_of_tokenizers(shared: Path) -> None:
    text = (shared / "corpora" / "english-2MB.txt").read_bytes().decode()
    assert our_merges(text, 10_000) == their_merges(text, 10_000)


@pytest.mark.parametrize("n_symbols", [2, 5, 26, 300])
def test_merges_of_small_corpora_are_those_of_tokenizers(n_symbols: int) -> None:
    random = Random(n_symbols)
    for _ in range(20):
        text = random_corpus(random, n_symbols=n_symbols, most_symbols=300).decode()
        merges, vocabulary = their_merges(text, 290)
        assert our_merges(text, 256 + len(merges)) == (merges, vocabulary)
