"""Training over characters against `tokenizers`: equal merges under lowest-id, and equal ids of the saved files."""

from pathlib import Path
from random import Random
from typing import get_args

import pytest
import tokenizers
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import BpeTrainer

from tokenloom.errors import FormatError
from tokenloom.formats import read_hf_json, write_hf_json
from tokenloom.spec import PatternName, Pretokenizer
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers import (
    BpeOptions,
    CharacterAlphabet,
    count_pretokens,
    pretoken_counts,
    train_on_counts,
    words_pretokenizer,
)

pytestmark = pytest.mark.interop


def random_words(random: Random) -> dict[str, int]:
    syllables = ["".join(random.choices("aeiouklmnrstéü你好漢", k=random.randint(1, 3))) for _ in range(12)]
    words = ["".join(random.choices(syllables, k=random.randint(1, 4))) for _ in range(40)]
    return {word: random.randint(1, 50) for word in words}


def test_merges_are_those_of_the_library() -> None:
    for seed in range(10):
        words = random_words(Random(seed))
        theirs = tokenizers.Tokenizer(BPE(unk_token="<unk>"))
        theirs.pre_tokenizer = WhitespaceSplit()
        trainer = BpeTrainer(vocab_size=60, special_tokens=["<unk>"], show_progress=False)
        theirs.train_from_iterator([" ".join([word] * count) for word, count in words.items()], trainer)
        alphabet = CharacterAlphabet(unk_token="<unk>")
        options = BpeOptions(60, (), words_pretokenizer(), "lowest-id", characters=alphabet)
        spec = train_on_counts(pretoken_counts(words), options).spec
        assert {token.decode(): token_id for token_id, token in spec.vocabulary().items()} == theirs.get_vocab()


@pytest.mark.parametrize(
    "alphabet",
    [
        CharacterAlphabet(0.98, byte_fallback=True),
        CharacterAlphabet(0.98, unk_token="<unk>"),
        CharacterAlphabet(unk_token="<unk>", end_of_word_suffix="</w>", end_of_word="glued"),
    ],
)
def test_the_saved_file_gives_the_library_the_same_ids_and_texts(alphabet: CharacterAlphabet, tmp_path: Path) -> None:
    for seed in range(5):
        words = random_words(Random(seed))
        options = BpeOptions(360, ["<|end|>"], words_pretokenizer(), characters=alphabet)
        with pytest.warns():
            spec = train_on_counts(pretoken_counts(words), options).spec
        write_hf_json(spec, tmp_path / "tokenizer.json")
        theirs, ours = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json")), Tokenizer.from_spec(spec)
        for word in [*words, "unseen ñandú"]:
            ids = ours.encode(word)
            assert ids == theirs.encode(word).ids, word
            assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False), word
        assert read_hf_json(tmp_path / "tokenizer.json") == spec


TEXT = "the cat's 12345 in   the hat — día 你好漢字 I'll'LL \n\n x7y8 <b> foo_bar ▁x\t\tÉtéЖ ど１２ 1 2  3 .4"
UNWRITABLE = {"digits3_right", "whitespace"}
"""Patterns that the library may read otherwise."""


@pytest.mark.parametrize("name", [*get_args(PatternName), "none"])
def test_with_every_pattern_the_saved_file_gives_the_same_ids_or_there_is_none(
    name: PatternName, tmp_path: Path
) -> None:
    pretokenizer, path = Pretokenizer(name), tmp_path / "tokenizer.json"
    options = BpeOptions(66, ["<|end|>"], pretokenizer, characters=CharacterAlphabet(unk_token="<unk>"))
    spec = train_on_counts(count_pretokens([TEXT] * 3, pretokenizer=pretokenizer), options).spec
    if name in UNWRITABLE:
        with pytest.raises(FormatError, match="the library may read"):
            write_hf_json(spec, path)
        return
    write_hf_json(spec, path)
    theirs, ours = tokenizers.Tokenizer.from_file(str(path)), Tokenizer.from_spec(spec)
    assert read_hf_json(path) == spec
    for text in (TEXT, TEXT[::-1], "ñ" + TEXT[7:]):
        assert ours.encode(text) == theirs.encode(text).ids
    assert ours.decode(ours.encode(TEXT)) == theirs.decode(theirs.encode(TEXT).ids) == TEXT
