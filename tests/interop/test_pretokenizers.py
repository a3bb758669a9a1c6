"""Pretokens equal those of the pretokenizers of `tokenizers`, and of the files of published tokenizers."""

import json
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from tokenizers import Regex, pre_tokenizers

from tests.remembered import differences_from
from tests.strategies import HARD_PARTS
from tokenloom import Tokenizer
from tokenloom.spec import Pretokenizer

pytestmark = pytest.mark.interop

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
EVERY_SCALAR: Final = [chr(scalar) for scalar in chain(range(0xD800), range(0xE000, 0x110000))]
NUMBERS_OF_UNICODE_17: Final = {chr(scalar) for scalar in (*range(0x11DE0, 0x11DEA), *range(0x16FF4, 0x16FF7))}
"""Numbers to `tokenizers` 0.23.3 where it reads no pattern, but unassigned in Unicode 16, as to its patterns."""

CHAINS: Final[dict[str, Any]] = {
    "gpt2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "starcoder": pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    ),
    "whitespace": pre_tokenizers.Whitespace(),
    "bert": pre_tokenizers.BertPreTokenizer(),
    "metaspace": pre_tokenizers.Metaspace(prepend_scheme="never", split=True),
}


def texts() -> Iterator[str]:
    """Generated texts, and every scalar value in some contexts."""
    random = Random(11)
    parts = (*HARD_PARTS, "camelCase", "1234567", "\u30ab\u30fc\u30fb\u3099", "\u9fa6", "\u2581", "\u061d", " \r\n\n ")
    yield from ("".join(random.choices(parts, k=random.randint(1, 25))) for _ in range(3000))
    for separator in ("a ", "!", "7\n", "\u4e2d"):
        yield from in_parts(separator.join(EVERY_SCALAR))


def in_parts(text: str) -> Iterator[str]:
    """`tokenizers` takes more than twice the time for a text of twice the length."""
    yield from (text[at : at + 1_000] for at in range(0, len(text), 1_000))


@cache
def tokenizer(name: Any) -> Tokenizer:
    return Tokenizer(BYTES, [], pattern=Pretokenizer(name))


def without_blanks(name: str, cut: list[bytes]) -> list[str]:
    """As the two that drop them. To Python four control characters are blanks, to Unicode they are not."""
    pieces = list(map(bytes.decode, cut))
    if name not in ("whitespace", "bert"):
        return pieces
    return [piece for piece in pieces if not piece.isspace() or piece[0] in "\x1c\x1d\x1e\x1f"]


def differing(name: str, pretokenizer: Any, texts: Iterable[str], *, key: str) -> list[str]:
    """Texts that we cut otherwise than the library, which is asked only if it has to be."""
    documents, cut = list(texts), tokenizer(name).pretokens

    def asked() -> list[str]:
        return [text for text in documents if without_blanks(name, cut(text)) != theirs(pretokenizer, text)]

    pieces = ((text.encode(), array("I", map(len, cut(text))).tobytes()) for text in documents)
    parts = chain([pretokenizer.__getstate__()], chain.from_iterable(pieces))
    return differences_from("tokenizers", key=f"pretokens of {name}, {key}", ours=parts, find=asked)


def theirs(pretokenizer: Any, text: str) -> list[str]:
    return [text[start:end] for _, (start, end) in pretokenizer.pre_tokenize_str(text)]


@pytest.mark.parametrize("name", CHAINS)
def test_pretokens_are_those_of_tokenizers(name: str) -> None:
    generated = texts()
    if name == "starcoder":
        without = str.maketrans("", "", "".join(NUMBERS_OF_UNICODE_17))
        generated = (text.translate(without) for text in generated)
    assert differing(name, CHAINS[name], generated, key="generated") == []


@pytest.mark.parametrize(
    ("folder", "name"), [("llama3_1", "llama3"), ("qwen3", "qwen2"), ("deepseek_v3", "deepseek_v3")]
)
def test_pretokens_are_those_of_a_published_file(shared: Path, folder: str, name: str) -> None:
    config = json.loads((shared / "vocabs" / folder / "tokenizer.json").read_bytes())["pre_tokenizer"]
    splits = [part for part in config["pretokenizers"] if part["type"] == "Split"]
    chain_of_splits = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(part["pattern"]["Regex"]), "isolated") for part in splits]
    )
    if len(splits) == 1:
        assert Pretokenizer.from_pattern(splits[0]["pattern"]["Regex"]) == Pretokenizer(name)  # type: ignore[arg-type]
    assert differing(name, chain_of_splits, texts(), key=f"generated, by {folder}") == []


def test_tekken_is_known_by_its_text(shared: Path) -> None:
    config = json.loads((shared / "vocabs" / "tekken" / "tekken.json").read_bytes())["config"]
    assert Pretokenizer.from_pattern(config["pattern"]) == Pretokenizer("tekken")


@pytest.mark.parametrize("kind", ["english", "code", "chinese", "multi"])
@pytest.mark.parametrize("name", CHAINS)
def test_pretokens_of_two_megabytes_are_those_of_tokenizers(shared: Path, name: str, kind: str) -> None:
    text = (shared / "corpora" / f"{kind}-2MB.txt").read_bytes().decode()
    assert differing(name, CHAINS[name], in_parts(text), key=kind) == []
