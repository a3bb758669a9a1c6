"""Models of whole words against `tokenizers`: ids, offsets, texts, and files both ways."""

import json
import random
from pathlib import Path
from typing import Any, Final

import pytest
from tokenizers import AddedToken as TheirToken
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers import Tokenizer as TheirTokenizer

from tests.hostile import hostile_texts
from tokenloom import Tokenizer, train_words
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json

CORPUS: Final = [*hostile_texts(1, 400), "The cat sat on the mat, 42 times! 我爱自然语言处理\n" * 3]
TEXTS: Final = [*CORPUS[:200], *hostile_texts(2, 1500, ["[CLS]", "[UNK]", "<|end|>"]), "", " ", "[UNK]", "[CLS]x[SEP]"]
WORD: Final = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
WORDS: Final = f"[{WORD}]+|[^{WORD}]"
PRETOKENIZERS: Final[dict[str, Any]] = {
    "words": pre_tokenizers.Split(Regex(WORDS), "isolated"),
    "whitespace": pre_tokenizers.Whitespace(),
    "whitespace split": pre_tokenizers.WhitespaceSplit(),
    "bert": pre_tokenizers.BertPreTokenizer(),
    "byte level": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "none": None,
}


def theirs(name: str, *, size: int = 300, added: bool = True, **parts: Any) -> TheirTokenizer:
    tokenizer = TheirTokenizer(models.WordLevel(unk_token="[UNK]"))
    if PRETOKENIZERS[name] is not None:
        tokenizer.pre_tokenizer = PRETOKENIZERS[name]
    for part, value in parts.items():
        setattr(tokenizer, part, value)
    specials = ["[UNK]", "[CLS]", "[SEP]"] if added else ["[UNK]"]
    tokenizer.train_from_iterator(CORPUS, trainers.WordLevelTrainer(vocab_size=size, special_tokens=specials))
    return tokenizer


def ours(tokenizer: TheirTokenizer) -> Tokenizer:
    spec, _ = parse_hf_json(tokenizer.to_str().encode(), place="tokenizer.json")
    return Tokenizer.from_spec(spec, special_text="parse")


def assert_equal(their: TheirTokenizer, our: Tokenizer) -> None:
    for text in TEXTS:
        encoding, found = their.encode(text, add_special_tokens=False), our.encode_with_offsets(text)
        assert list(found.ids) == encoding.ids, text
        assert our.encode(text) == encoding.ids, text
        offsets = [tuple(pair) for pair in found.char_offsets.tolist()]
        assert offsets == encoding.offsets, text
        assert our.decode(encoding.ids) == their.decode(encoding.ids, skip_special_tokens=False), text


@pytest.mark.interop
@pytest.mark.parametrize("name", PRETOKENIZERS)
def test_ids_offsets_and_texts_are_theirs(name: str) -> None:
    tokenizer = theirs(name)
    assert 0 in tokenizer.encode("never seen before").ids
    assert_equal(tokenizer, ours(tokenizer))


@pytest.mark.interop
def test_normalizer_and_decoder_go_with_words() -> None:
    normalizer = normalizers.Sequence([normalizers.Replace("e", "E"), normalizers.Lowercase()])
    tokenizer = theirs("words", normalizer=normalizer, decoder=decoders.Fuse())
    tokenizer.add_tokens([TheirToken("<|end|>", normalized=False)])
    assert_equal(tokenizer, ours(tokenizer))


@pytest.mark.interop
@pytest.mark.parametrize("name", PRETOKENIZERS)
def test_file_that_is_written_is_theirs(name: str) -> None:
    tokenizer = theirs(name)
    spec = ours(tokenizer).spec
    written = json.loads(render_hf_json(spec))
    assert written == json.loads(tokenizer.to_str())
    assert list(written["model"]["vocab"]) == list(json.loads(tokenizer.to_str())["model"]["vocab"])
    assert parse_hf_json(render_hf_json(spec), place="again")[0] == spec


@pytest.mark.interop
@pytest.mark.filterwarnings("ignore:.*saved without tokenizer.tiktoken")
def test_dictionary_of_ours_runs_there(tmp_path: Path) -> None:
    tokenizer = train_words(CORPUS, 200, ["<|end|>"], special_text="parse")
    tokenizer.save(tmp_path / "words")
    their = TheirTokenizer.from_file(str(tmp_path / "words" / "tokenizer.json"))
    assert_equal(their, tokenizer)


@pytest.mark.interop
def test_random_vocabularies_are_theirs() -> None:
    chooser = random.Random(5)
    for _ in range(60):
        words = ["[UNK]", *{"".join(chooser.choices("ab é你1", k=chooser.randint(1, 3))) for _ in range(12)}]
        chooser.shuffle(words)
        tokenizer = TheirTokenizer(
            models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]")
        )
        tokenizer.pre_tokenizer = PRETOKENIZERS[chooser.choice(["words", "whitespace", "whitespace split"])]
        our = ours(tokenizer)
        for _ in range(40):
            text = "".join(chooser.choices("ab é你1\n!", k=chooser.randint(0, 12)))
            encoding = tokenizer.encode(text)
            assert our.encode(text) == encoding.ids, (words, text)
            assert our.decode(encoding.ids) == tokenizer.decode(encoding.ids), (words, text)
