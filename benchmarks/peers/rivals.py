"""Libraries that are there to be fast. Each is asked in the way in which it is fastest, lists besides."""

from importlib import import_module
from typing import Any, Final

from peers.files import BYTE_LEVEL, MODELED, RANKED, SEPARATOR, SPELLED, Documents, Vocabulary
from peers.peer import Loaded, Peer, by_lengths, by_offsets, from_lists

__all__ = ["PEERS"]

_NAMES_OF_GIGATOKEN: Final = {"gpt2": "gpt2", "cl100k_base": "gpt4", "o200k_base": "o200k"}
_NAMES_WITHOUT_VERSION: Final = {"llama3_1": "llama3"}


def _gigatoken(vocabulary: Vocabulary) -> Any:
    gigatoken = import_module("gigatoken")
    if vocabulary.encoding in RANKED:
        pretokenizer = _NAMES_OF_GIGATOKEN[vocabulary.encoding]
        return gigatoken.Tokenizer.from_tiktoken(str(vocabulary.ranks), pretokenizer=pretokenizer)
    if vocabulary.encoding in MODELED:
        return gigatoken.Tokenizer.from_sentencepiece(vocabulary.file)
    return gigatoken.Tokenizer(str(vocabulary.json))


def _from_awkward(result: Any) -> Any:
    awkward = import_module("awkward")
    return by_lengths((awkward.flatten(result), awkward.num(result)))


def _gigatoken_batch(vocabulary: Vocabulary) -> Loaded:
    tokenizer = _gigatoken(vocabulary)
    return Loaded(
        tokenizer.encode, lambda x, n: tokenizer.encode_batch([*x.texts], parallel=n > 1), _from_awkward, list
    )


def _gigatoken_file(vocabulary: Vocabulary) -> Loaded:
    source = import_module("gigatoken").TextFileSource
    tokenizer = _gigatoken(vocabulary)

    def many(documents: Documents, n_threads: int) -> Any:
        file = source([str(documents.path)], separator=SEPARATOR.encode())
        return tokenizer.encode_files(file, parallel=n_threads > 1)

    return Loaded(tokenizer.encode, many, _from_awkward, list)


def _gigatoken_lists(vocabulary: Vocabulary) -> Loaded:
    tokenizer = _gigatoken(vocabulary)

    def many(documents: Documents, n_threads: int) -> Any:
        return tokenizer.encode_batch_list([*documents.texts], parallel=n_threads > 1)

    return Loaded(lambda text: tokenizer.encode_batch_list([text], parallel=False)[0], many, from_lists, list)


def _from_bytes(result: Any) -> Any:
    """Of two packed arrays: ids in four bytes each, offsets in eight."""
    import numpy as np

    ids, offsets = result
    return by_offsets((np.frombuffer(ids, "<u4"), np.frombuffer(offsets, "<u8")))


def _fastokens(vocabulary: Vocabulary) -> Loaded:
    native = import_module("fastokens")._native
    tokenizer = native.Tokenizer.from_file(str(vocabulary.json))
    return Loaded(tokenizer.encode, lambda x, _: tokenizer.encode_batch_flat([*x.texts]), _from_bytes, _unwrapped)


def _snaptokens(vocabulary: Vocabulary) -> Loaded:
    tokenizer = import_module("snaptokens").Tokenizer.from_file(str(vocabulary.json))
    return Loaded(tokenizer.encode, lambda x, _: tokenizer.encode_batch_flat([*x.texts]), _from_bytes, _unwrapped)


def _unwrapped(result: Any) -> list[int]:
    return list(getattr(result, "ids", result))


def _splintr(vocabulary: Vocabulary) -> Loaded:
    name = _NAMES_WITHOUT_VERSION.get(vocabulary.encoding, vocabulary.encoding)
    tokenizer = import_module("splintr").Tokenizer.from_pretrained(name)
    return Loaded(tokenizer.encode_ordinary, lambda x, _: tokenizer.encode_batch_flat([*x.texts]), _from_bytes, list)


def _tokie(vocabulary: Vocabulary) -> Loaded:
    tokenizer = import_module("tokie").Tokenizer.from_json(str(vocabulary.json))

    def many(documents: Documents, n_threads: int) -> Any:
        del n_threads  # the environment has said
        return tokenizer.encode_files([str(documents.path)], separator=SEPARATOR.encode())

    return Loaded(lambda text: tokenizer.encode(text, add_special_tokens=False).ids, many, by_offsets, list)


def _nanotoken(vocabulary: Vocabulary) -> Loaded:
    tokenizer = import_module("nanotoken").WordPieceTokenizer.from_json(vocabulary.json.read_bytes())

    def many(documents: Documents, n_threads: int) -> Any:
        return tokenizer.encode_batch([*documents.texts], add_special_tokens=False, parallel=n_threads > 1)

    return Loaded(lambda text: tokenizer.encode(text, add_special_tokens=False), many, by_offsets, list)


def _toktok(vocabulary: Vocabulary) -> Loaded:
    tokenizer = import_module("toktok")._encoding(vocabulary.encoding)  # its public names only count

    def many(documents: Documents, n_threads: int) -> Any:
        return tokenizer.encode_batch_to_numpy([*documents.texts], threads=n_threads)

    return Loaded(tokenizer.encode_ordinary, many, by_offsets, list)


def _quicktok(vocabulary: Vocabulary) -> Loaded:
    name = _NAMES_WITHOUT_VERSION.get(vocabulary.encoding, vocabulary.encoding)
    tokenizer = import_module("quicktok").get_encoding(name)
    return Loaded(
        tokenizer.encode_ordinary, lambda x, n: tokenizer.encode_batch([*x.texts], threads=n), by_offsets, list
    )


def _rs_bpe(vocabulary: Vocabulary) -> Loaded:
    tokenizer = getattr(import_module("rs_bpe.bpe").openai, vocabulary.encoding)()
    return Loaded(tokenizer.encode, lambda x, _: [tokenizer.encode(text) for text in x.texts], from_lists, list)


_BPE: Final = (*BYTE_LEVEL, *MODELED)
_OPENAI: Final = ("cl100k_base", "o200k_base")

PEERS: Final = {
    "fastokens": Peer("fastokens", "fastokens", _fastokens),
    "snaptokens": Peer("snaptokens", "snaptokens", _snaptokens),
    "gigatoken batch": Peer("gigatoken", "gigatoken", _gigatoken_batch, _BPE),
    "gigatoken file": Peer("gigatoken", "gigatoken", _gigatoken_file, _BPE),
    "gigatoken lists": Peer("gigatoken", "gigatoken", _gigatoken_lists, _BPE),
    "toktok": Peer("toktok-rs", "toktok", _toktok, _OPENAI),
    "quicktok": Peer("quicktok-v1", "quicktok", _quicktok, (*_OPENAI, "llama3_1", "qwen3")),
    "tokie": Peer("tokie", "tokie", _tokie, SPELLED),
    "nanotoken": Peer("nanotoken", "nanotoken", _nanotoken, ("minilm",)),
    "splintr": Peer("splintr-rs", "splintr", _splintr, (*_OPENAI, "llama3_1", "qwen3", "deepseek_v3")),
    "rs-bpe": Peer("rs_bpe", "rs_bpe", _rs_bpe, _OPENAI),
}
