"""Published tokenizers, each as its own library has it and as ours, made once for all tests; and texts to compare.

`tiktoken` gets the local rank files with the patterns that it publishes itself, so nothing is downloaded. It stands for
Mistral's library too, which runs it on the pattern and the ranks of `tekken.json`.
"""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import tiktoken
from tokenizers import Tokenizer as TheirTokenizer

from tests.hostile import hostile_texts
from tokenloom import TokenBatch, Tokenizer
from tokenloom.formats.hf_json import render_hf_json

__all__ = [
    "CORPORA",
    "HF",
    "NAMES",
    "TIKTOKEN",
    "Library",
    "definition",
    "documents",
    "fuzzed",
    "hf",
    "library",
    "ours",
    "parallel",
    "plain_ids",
    "rendered",
    "tiktoken_encoding",
]

TIKTOKEN: Final = ("gpt2", "cl100k_base", "o200k_base")
HF: Final = ("llama3_1", "qwen3", "deepseek_v3")
NAMES: Final = (*TIKTOKEN, "tekken", *HF)
CORPORA: Final = ("english", "code", "chinese", "multi")
_DOCUMENT_CHARS: Final = 10_007
"""Other libraries slow down on long texts."""


@dataclass(frozen=True, slots=True)
class Library:
    """How the library that defines a tokenizer encodes many texts, with nothing around them, and decodes many ids.

    Args:
        plain: ids of texts in which special tokens are ordinary text.
        parsed: ids of texts in which each special token is one id.
        decode: texts of ids.
    """

    plain: Callable[[Sequence[str]], list[list[int]]]
    parsed: Callable[[Sequence[str]], list[list[int]]]
    decode: Callable[[Sequence[Sequence[int]]], list[str]]


@cache
def library(shared: Path, name: str) -> Library:
    """The defining library of a published tokenizer."""
    if name in HF:
        return _of_tokenizers(hf(shared, name))
    if name == "tekken":
        return _of_tekken(shared)
    encoding = tiktoken_encoding(shared, name)
    return Library(
        plain=lambda texts: [encoding.encode_ordinary(text) for text in texts],
        parsed=lambda texts: [encoding.encode(text, allowed_special="all") for text in texts],
        decode=lambda ids: [encoding.decode(list(part)) for part in ids],
    )


def _of_tokenizers(theirs: TheirTokenizer) -> Library:
    def encode(texts: Sequence[str], *, plain: bool) -> list[list[int]]:
        theirs.encode_special_tokens = plain
        try:
            return [found.ids for found in theirs.encode_batch_fast(list(texts), add_special_tokens=False)]
        finally:
            theirs.encode_special_tokens = False

    return Library(
        plain=lambda texts: encode(texts, plain=True),
        parsed=lambda texts: encode(texts, plain=False),
        decode=lambda ids: theirs.decode_batch([list(part) for part in ids], skip_special_tokens=False),
    )


def _of_tekken(shared: Path) -> Library:
    """Special tokens come first in the file and last in tiktoken."""
    encoding = tiktoken_encoding(shared, "tekken")
    n_special = len(encoding.special_tokens_set)
    id_of_rank = [*range(n_special, encoding.n_vocab), *range(n_special)]
    rank_of_id = [*range(encoding.n_vocab - n_special, encoding.n_vocab), *range(encoding.n_vocab - n_special)]
    return Library(
        plain=lambda texts: [[id_of_rank[rank] for rank in encoding.encode_ordinary(text)] for text in texts],
        parsed=lambda texts: [
            [id_of_rank[rank] for rank in encoding.encode(text, allowed_special="all")] for text in texts
        ],
        decode=lambda ids: [encoding.decode([rank_of_id[token_id] for token_id in part]) for part in ids],
    )


@cache
def tiktoken_encoding(shared: Path, name: str) -> tiktoken.Encoding:
    """An encoding from its local rank file, or from tekken.json."""
    if name == "tekken":
        top = json.loads((shared / "vocabs" / "tekken" / "tekken.json").read_bytes())
        n_tokens = top["config"]["default_vocab_size"] - top["config"]["default_num_special_tokens"]
        ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in top["vocab"][:n_tokens]}
        specials = {token: n_tokens + token_id for token, token_id in ours(shared, name).special_tokens.items()}
        pattern = top["config"]["pattern"]
        return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)
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


def definition(shared: Path, name: str) -> bytes:
    """The file that its library reads."""
    file = f"{name}.tiktoken" if name in TIKTOKEN else f"{name}/tokenizer.json" if name in HF else "tekken/tekken.json"
    return (shared / "vocabs" / file).read_bytes()


def plain_ids(shared: Path, name: str, texts: Sequence[str]) -> TokenBatch:
    """Our ids of texts in which special tokens are ordinary text."""
    return ours(shared, name).encode_batch(texts, allowed_special=(), disallowed_special=())


@cache
def rendered(shared: Path, name: str) -> bytes:
    """Ours as a `tokenizer.json`; written once, since finding the merges of ranks takes seconds."""
    return render_hf_json(ours(shared, name).spec)


def documents(shared: Path, corpus: str) -> list[str]:
    """Two megabytes in parts that are cut anywhere."""
    text = (shared / "corpora" / f"{corpus}-2MB.txt").read_bytes().decode()
    return [text[start : start + _DOCUMENT_CHARS] for start in range(0, len(text), _DOCUMENT_CHARS)]


def parallel(shared: Path, language: str = "*") -> list[str]:
    """The parallel sentences of one language or all, without their line feeds."""
    paths = sorted((shared / "corpora" / "parallel").glob(f"{language}.txt"))
    return [line for path in paths for line in path.read_bytes().decode().removesuffix("\n").split("\n")]


def fuzzed(seed: int, n: int = 10_000) -> Iterator[str]:
    """Hostile texts without the special tokens of one tokenizer."""
    return hostile_texts(seed, n)
