"""Published tokenizers, each as its own library has it and as ours, made once for all tests; and texts to compare them.

`tiktoken` gets the local rank files with the patterns that it publishes itself, so nothing is downloaded.
"""

import base64
import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final

import tiktoken
from tokenizers import Tokenizer as TheirTokenizer

from tests.strategies import HARD_PARTS
from tokenloom import Tokenizer

__all__ = ["HF", "NAMES", "TIKTOKEN", "documents", "fuzzed", "hf", "ours", "parallel", "their_ids", "tiktoken_encoding"]

TIKTOKEN: Final = ("gpt2", "cl100k_base", "o200k_base")
HF: Final = ("llama3_1", "qwen3", "deepseek_v3")
NAMES: Final = (*TIKTOKEN, "tekken", *HF)
CORPORA: Final = ("english", "code", "chinese", "multi")
N_FUZZED: Final = 10_000
_DOCUMENT_CHARS: Final = 10_007
"""Other libraries slow down on long texts."""


@cache
def tiktoken_encoding(shared: Path, name: str) -> tiktoken.Encoding:
    """An encoding from its local rank file, or from tekken.json."""
    if name == "tekken":
        top = json.loads((shared / "vocabs" / "tekken" / "tekken.json").read_bytes())
        n_tokens = top["config"]["default_vocab_size"] - top["config"]["default_num_special_tokens"]
        ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in top["vocab"][:n_tokens]}
        return tiktoken.Encoding(name, pat_str=top["config"]["pattern"], mergeable_ranks=ranks, special_tokens={})
    lines = (shared / "vocabs" / f"{name}.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    public = _published(name)
    return tiktoken.Encoding(
        name, pat_str=public["pat_str"], mergeable_ranks=ranks, special_tokens=public["special_tokens"]
    )


def _published(name: str) -> dict[str, Any]:
    """Pattern and special tokens as the library publishes them, without its ranks."""
    module: Any = import_module("tiktoken_ext.openai_public")
    loaders = {key: getattr(module, key) for key in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks")}
    try:
        for key in loaders:
            setattr(module, key, lambda *_, **__: {})
        published: dict[str, Any] = module.ENCODING_CONSTRUCTORS[name]()
    finally:
        for key, loader in loaders.items():
            setattr(module, key, loader)
    return published


@cache
def hf(shared: Path, name: str) -> TheirTokenizer:
    """The tokenizer of a local `tokenizer.json`."""
    return TheirTokenizer.from_file(str(shared / "vocabs" / name / "tokenizer.json"))


@cache
def ours(shared: Path, name: str) -> Tokenizer:
    """Ours, with the special tokens of a text read as the library reads them when it is asked for nothing."""
    path = shared / "vocabs" / (f"{name}.tiktoken" if name in TIKTOKEN else name)
    return Tokenizer.load(path, special_text="parse" if name in HF else "plain")


def their_ids(shared: Path, name: str) -> Callable[[str], list[int]]:
    """How the library encodes a text without anything around it."""
    if name in HF:
        encode = hf(shared, name).encode
        return lambda text: list(encode(text, add_special_tokens=False).ids)
    encoding = tiktoken_encoding(shared, name)
    if name == "tekken":
        return lambda text: [rank + 1000 for rank in encoding.encode_ordinary(text)]
    return encoding.encode_ordinary


def documents(shared: Path, corpus: str) -> list[str]:
    """Two megabytes in parts that are cut anywhere."""
    text = (shared / "corpora" / f"{corpus}-2MB.txt").read_bytes().decode()
    return [text[start : start + _DOCUMENT_CHARS] for start in range(0, len(text), _DOCUMENT_CHARS)]


def parallel(shared: Path, language: str = "*") -> list[str]:
    """The parallel sentences of one language or all, without their line feeds."""
    paths = sorted((shared / "corpora" / "parallel").glob(f"{language}.txt"))
    return [line for path in paths for line in path.read_bytes().decode().removesuffix("\n").split("\n")]


def fuzzed(seed: int, n: int = N_FUZZED) -> Iterator[str]:
    """Texts of hard parts and of characters from everywhere."""
    random = Random(seed)
    ranges = ((32, 127), (0x80, 0x3000), (0x3000, 0xD800), (0xE000, 0x110000))
    for _ in range(n):
        parts = (
            random.choice(HARD_PARTS) if random.random() < 0.7 else chr(random.randrange(*random.choice(ranges)))
            for _ in range(random.randint(0, 14))
        )
        yield "".join(parts)
