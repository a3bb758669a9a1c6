"""From the file of a published vocabulary to a tokenizer that is ready: processor time, both libraries imported before.

The corpus is the file itself, such as `o200k_base.tiktoken` or a `tokenizer.json`; any other text is what a vocabulary
is trained on first. Each run loads the file once in a fresh process.
"""

import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from measuring.case import Case, Outcome, Prepared, Setup
from measuring.corpora import MEGABYTE, facts, take
from measuring.sections import measured

__all__ = ["JSON_CASE", "RANKS_CASE"]

SECTION: Final = "load"
TRAINED_SIZE: Final = 32_000
TRAINED_PATTERN: Final = "gpt2"

Load = Callable[[Mapping[str, Any]], Any]
Vocabulary = list[tuple[str, int]]
"""Tokens in the spelling of the file and their ids, in the order of ids."""


def _prepare(file: str, setup: Setup) -> Prepared:
    from tokenloom import Tokenizer, train

    corpus, folder = setup.corpus, setup.folder
    path = folder / file
    is_trained = corpus.data[:1] != b"{" and b" 0\n" not in corpus.data[:100]
    if is_trained:
        train([take(corpus.data, 20 * MEGABYTE)], TRAINED_SIZE, ["<|endoftext|>"]).save(folder / "trained")
        path = folder / "trained" / file
    else:
        path.write_bytes(corpus.data)
    tokenizer = Tokenizer.load(folder / "trained" if is_trained else path)
    inputs = {
        "path": str(path),
        "is_trained": is_trained,
        "pattern": tokenizer.pattern,
        "special_tokens": tokenizer.special_tokens,
    }
    settings = {"file": facts(path.read_bytes()) | {"ids": len(tokenizer)}}
    return Prepared(inputs, settings, {SECTION: path.stat().st_size})


def _run(
    loads: Mapping[str, tuple[Load, Callable[[Any], Vocabulary]]], peer: str, inputs: Mapping[str, Any]
) -> Outcome:
    load, vocabulary_of = loads[peer]
    os.environ["TIKTOKEN_CACHE_DIR"] = ""  # else tiktoken reads a copy of its own, and writes it first
    for module in _MODULES[peer]:
        import_module(module)
    section, tokenizer = measured(lambda: load(inputs))
    return Outcome(
        {SECTION: section}, f"{len(vocabulary_of(tokenizer))} tokens", lambda: _answer(vocabulary_of(tokenizer))
    )


def _answer(vocabulary: Vocabulary) -> bytes:
    return json.dumps(vocabulary).encode()


def _load_tokenloom(inputs: Mapping[str, Any]) -> Any:
    from tokenloom import Tokenizer
    from tokenloom.formats.tiktoken import read_tiktoken

    if inputs["is_trained"] and inputs["path"].endswith(".tiktoken"):
        special_tokens = inputs["special_tokens"]
        return Tokenizer.from_spec(
            read_tiktoken(inputs["path"], pattern=TRAINED_PATTERN, special_tokens=special_tokens)
        )
    return Tokenizer.load(inputs["path"])


def _load_tiktoken(inputs: Mapping[str, Any]) -> Any:
    from tiktoken import Encoding
    from tiktoken.load import load_tiktoken_bpe

    ranks = load_tiktoken_bpe(inputs["path"])
    return Encoding("file", pat_str=inputs["pattern"], mergeable_ranks=ranks, special_tokens=inputs["special_tokens"])


def _load_tokenizers(inputs: Mapping[str, Any]) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(inputs["path"])


def _tokens_in_hex(tokenizer: Any) -> Vocabulary:
    return [(token.hex(), token_id) for token_id, token in sorted(tokenizer.vocabulary.items())]


def _their_tokens_in_hex(encoding: Any) -> Vocabulary:
    ids = [*range(encoding.max_token_value + 1)]
    known = {*encoding._mergeable_ranks.values(), *encoding._special_tokens.values()}
    return [(encoding.decode_single_token_bytes(i).hex(), i) for i in ids if i in known]


def _spelled_tokens(tokenizer: Any) -> Vocabulary:
    from tokenloom.spec.alphabets import to_characters

    added = {token.id: token.content for token in tokenizer.spec.added_tokens}
    return [(added.get(i) or to_characters(token), i) for i, token in sorted(tokenizer.vocabulary.items())]


def _their_spelled_tokens(tokenizer: Any) -> Vocabulary:
    return sorted(tokenizer.get_vocab(with_added_tokens=True).items(), key=lambda item: item[1])


def _compare(baseline: str, answers: Mapping[str, Path]) -> dict[str, Any]:
    theirs = answers[baseline].read_bytes()
    return {
        "tokens": len(json.loads(theirs)),
        "vocabularies equal": all(path.read_bytes() == theirs for path in answers.values()),
    }


_MODULES: Final = {
    "tokenloom": ("orjson", "tokenloom.tokenizer", "tokenloom.formats.detect"),
    "tiktoken": ("tiktoken", "tiktoken.load"),
    "tokenizers": ("tokenizers",),
}
"""What is imported before: loading itself imports nothing more."""

_RANKS: Final = {
    "tokenloom": (_load_tokenloom, _tokens_in_hex),
    "tiktoken": (_load_tiktoken, _their_tokens_in_hex),
}
_JSON: Final = {
    "tokenloom": (_load_tokenloom, _spelled_tokens),
    "tokenizers": (_load_tokenizers, _their_spelled_tokens),
}

RANKS_CASE: Final = Case(
    summary="load a rank file, processor time",
    peers=tuple(_RANKS),
    baseline="tiktoken",
    packages=("tokenloom", "tiktoken"),
    prepare=partial(_prepare, "tokenizer.tiktoken"),
    run=partial(_run, _RANKS),
    compare=partial(_compare, "tiktoken"),
)

JSON_CASE: Final = Case(
    summary="load a tokenizer.json, processor time",
    peers=tuple(_JSON),
    baseline="tokenizers",
    packages=("tokenloom", "tokenizers", "orjson"),
    prepare=partial(_prepare, "tokenizer.json"),
    run=partial(_run, _JSON),
    compare=partial(_compare, "tokenizers"),
)
