"""Ids and policies equal those of tiktoken with GPT-2's ranks."""

import base64
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal

import pytest
import tiktoken
from hypothesis import given, settings

from tests.strategies import hard_texts, runs
from tokenloom import EncodeError, Tokenizer
from tokenloom.spec import build_spec

pytestmark = pytest.mark.interop

R50K: Final = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
BYTES: Final = {bytes([byte]): byte for byte in range(256)}
Selected = Literal["all"] | set[str]


@pytest.fixture(scope="session")
def gpt2_ranks(shared: Path) -> dict[bytes, int]:
    lines = (shared / "vocabs" / "gpt2.tiktoken").read_bytes().splitlines()
    return {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}


@pytest.fixture(scope="session")
def theirs(gpt2_ranks: dict[bytes, int]) -> tiktoken.Encoding:
    specials = {"<|endoftext|>": 50256}
    return tiktoken.Encoding("r50k", pat_str=R50K, mergeable_ranks=gpt2_ranks, special_tokens=specials)


@pytest.fixture(scope="session", params=["merges", "ranks"])
def ours(request: pytest.FixtureRequest, shared: Path, gpt2_ranks: dict[bytes, int]) -> Tokenizer:
    if request.param == "merges":
        folder = shared / "vocabs" / "gpt2"
        return Tokenizer.from_files(folder / "vocab.json", folder / "merges.txt", ["<|endoftext|>"])
    vocabulary = {rank: token for token, rank in gpt2_ranks.items()}
    return Tokenizer.from_spec(build_spec(vocabulary, [], ["<|endoftext|>"], semantics="ranks"))


@pytest.mark.parametrize("name", ["english", "code", "multi", "chinese"])
def test_ids_of_two_megabytes_are_tiktokens(
    ours: Tokenizer, theirs: tiktoken.Encoding, shared: Path, name: str
) -> None:
    text = (shared / "corpora" / f"{name}-2MB.txt").read_bytes().decode()
    assert ours.encode(text, disallowed_special=()) == theirs.encode_ordinary(text)


def test_vocabulary_is_tiktokens(ours: Tokenizer, theirs: tiktoken.Encoding) -> None:
    assert len(ours) == theirs.n_vocab
    assert all(ours.token_bytes(i) == theirs.decode_single_token_bytes(i) for i in range(50_257))


def test_ids_of_generated_text_are_tiktokens(theirs: tiktoken.Encoding, ours: Tokenizer) -> None:
    @given(hard_texts | runs)
    @settings(max_examples=300)
    def check(text: str) -> None:
        assert ours.encode(text, disallowed_special=()) == theirs.encode_ordinary(text)
        assert ours.encode(text, allowed_special="all") == theirs.encode(text, allowed_special="all")

    check()


SPECIALS: Final = {"<a>": 256, "<b>": 257}
CHOICES: Final[list[Selected]] = ["all", set(), {"<a>"}, {"<b>"}, {"<a>", "<b>"}]
THEIRS_SMALL: Final = tiktoken.Encoding("small", pat_str=R50K, mergeable_ranks=BYTES, special_tokens=SPECIALS)
OURS_SMALL: Final = Tokenizer({byte: token for token, byte in BYTES.items()}, [], ["<a>", "<b>"])


def outcome(encode: Callable[..., list[int]], text: str, **policy: Any) -> list[int] | str:
    try:
        return encode(text, **policy)
    except ValueError:
        return "refused"


@pytest.mark.parametrize("text", ["p<a>q", "<b>", "<a><b>", "<a", "x <b> <a>", ""])
def test_special_tokens_are_allowed_and_refused_as_by_tiktoken(text: str) -> None:
    assert outcome(OURS_SMALL.encode, text) == outcome(THEIRS_SMALL.encode, text)
    for allowed, disallowed in product(CHOICES, CHOICES):
        policy: dict[str, Iterable[str]] = {"allowed_special": allowed, "disallowed_special": disallowed}
        assert outcome(OURS_SMALL.encode, text, **policy) == outcome(THEIRS_SMALL.encode, text, **policy), policy


@pytest.mark.parametrize("argument", ["allowed_special", "disallowed_special"])
def test_one_argument_alone_means_the_same_as_for_tiktoken(argument: str) -> None:
    for choice, text in product(CHOICES, ["p<a>q", "<b>", "<a><b>"]):
        policy = {argument: choice}
        assert outcome(OURS_SMALL.encode, text, **policy) == outcome(THEIRS_SMALL.encode, text, **policy), policy


def test_refusing_is_an_error_of_both_kinds() -> None:
    """SP-05: the default of a drop-in replacement."""
    with pytest.raises(EncodeError):
        OURS_SMALL.encode("<a>")
    assert OURS_SMALL.encode("<a>", allowed_special="all") == [256]
    assert OURS_SMALL.encode("<a>", disallowed_special=()) == list(b"<a>")


def test_lone_and_split_surrogates_are_read_as_by_tiktoken() -> None:
    """UN-01, with surrogates="replace", in every entry point."""
    ours = Tokenizer.from_spec(OURS_SMALL.spec, surrogates="replace")
    for text in ["ok \ud83d!", "\ud83d\ude80", "\ude80\ud83d", "\ud83d"]:
        expected = THEIRS_SMALL.encode(text)
        assert ours.encode(text) == list(ours.encode_iterable([text])) == expected
        assert ours.encode_array(text).tolist() == ours.encode_batch([text])[0].tolist() == expected
        assert ours.count(text) == len(expected)
