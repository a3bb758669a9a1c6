"""Pretokenizers that are sequences, in everything that a tokenizer does."""

from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.strategies import HARD_PARTS
from tokenloom import Tokenizer
from tokenloom.spec import (
    ByteLevelStep,
    DigitsStep,
    MetaspaceStep,
    Pretokenizer,
    PretokenizerStep,
    PunctuationStep,
    SplitStep,
    WhitespaceSplitStep,
    build_spec,
)
from tokenloom.tokenizer import DocumentEncoder

VOCABULARY: Final = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b" a", 258: b"12"}
MERGES: Final = [(b"a", b"b"), (b" ", b"a"), (b"1", b"2")]
CHAINS: Final[dict[str, tuple[PretokenizerStep, ...]]] = {
    "falcon": (PunctuationStep("contiguous"), ByteLevelStep(), DigitsStep(), SplitStep("[0-9][0-9][0-9]")),
    "prefix": (ByteLevelStep(add_prefix_space=True),),
    "words": (
        WhitespaceSplitStep(),
        DigitsStep(individual=True),
        ByteLevelStep(add_prefix_space=True, use_regex=False),
    ),
    "first": (SplitStep("a", behavior="merged_with_next"), MetaspaceStep("_", "first"), ByteLevelStep()),
}
DAMAGE: Final = (b"\xff", b"\xe4\xbd")


def tokenizer_of(name: str) -> Tokenizer:
    spec = build_spec(VOCABULARY, MERGES, ["<s>"], pretokenizer=Pretokenizer("sequence", steps=CHAINS[name]))
    return Tokenizer.from_spec(spec, special_text="parse")


def documents(n_documents: int) -> list[bytes]:
    random, parts = Random(3), [*map(str.encode, HARD_PARTS), *DAMAGE, b"<s>", b"ab", b"12345"]
    return [b"".join(random.choices(parts, k=random.randint(0, 16))) for _ in range(n_documents)]


@pytest.mark.parametrize("name", CHAINS)
def test_all_ways_to_encode_give_the_same_ids(name: str) -> None:
    tokenizer, texts = tokenizer_of(name), documents(60)
    ids = [tokenizer.encode(text) for text in texts]
    assert [tokenizer.count(text) for text in texts] == list(map(len, ids))
    assert [list(tokenizer.encode_batch(texts, n_threads=2)[i]) for i in range(len(texts))] == ids
    for text, expected in zip(texts, ids, strict=True):
        third = len(text) // 3
        assert list(tokenizer.encode_iterable([text[:third], b"", text[third:]])) == expected


@pytest.mark.parametrize("name", CHAINS)
def test_pretokens_joined_are_what_decoding_gives(name: str) -> None:
    tokenizer = tokenizer_of(name)
    for text in documents(60):
        assert b"".join(tokenizer.pretokens(text)) == tokenizer.decode_bytes(tokenizer.encode(text))


@pytest.mark.parametrize("name", CHAINS)
def test_a_corpus_has_the_same_ids(name: str) -> None:
    tokenizer, texts = tokenizer_of(name), documents(20)
    encoder = DocumentEncoder(tokenizer, dtype="uint16", special_text="parse")
    fed = [
        *encoder.feed(texts[:7])[0],
        *encoder.feed(texts[7:15], is_open=True)[0],
        *encoder.feed([b"", *texts[15:]])[0],
    ]
    assert fed == [token_id for text in texts for token_id in tokenizer.encode(text)]


def test_a_chain_without_byte_level_leaves_the_bytes() -> None:
    pretokenizer = Pretokenizer("sequence", steps=(DigitsStep(individual=True),))
    tokenizer = Tokenizer(VOCABULARY, MERGES, pattern=pretokenizer)
    assert tokenizer.pretokens(b"a12\xff") == [b"a", b"1", b"2", b"\xff"]
    assert tokenizer.encode("ab12") == [256, 49, 50]


@pytest.mark.filterwarnings("ignore::tokenloom.FormatWarning")
@pytest.mark.parametrize("name", CHAINS)
def test_a_folder_gives_the_tokenizer_back(name: str, tmp_path: Path) -> None:
    tokenizer = tokenizer_of(name)
    tokenizer.save(tmp_path / "saved")
    assert Tokenizer.load(tmp_path / "saved").spec == tokenizer.spec
    assert tokenizer.truncated(258).spec.pretokenizer == tokenizer.spec.pretokenizer


def test_a_rank_file_cannot_hold_a_sequence(tmp_path: Path) -> None:
    from tokenloom import FormatWarning

    with pytest.warns(FormatWarning, match="a rank file cannot hold a sequence of pretokenizers"):
        tokenizer_of("falcon").save(tmp_path / "saved")
    assert not (tmp_path / "saved" / "tokenizer.tiktoken").exists()


def test_a_million_characters_take_no_long_time() -> None:
    """Every text here would take minutes if each piece cost the length of the text."""
    for name in CHAINS:
        tokenizer = tokenizer_of(name)
        for unit in ("a", "1", " ", "!", "ab 12, "):
            tokenizer.count(unit * (200_000 // len(unit)))
