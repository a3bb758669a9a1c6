"""tokenloom, asked for arrays, for lists, and for what a file holds."""

from importlib import import_module
from typing import Any, Final

from peers.files import SEPARATOR, Documents, Vocabulary
from peers.peer import Loaded, Peer, by_offsets, from_lists

__all__ = ["PEERS"]


def _tokenizer(vocabulary: Vocabulary) -> Any:
    from tokenloom import Tokenizer

    import_module("numpy")  # encode_array would import it when first called, which is no part of encoding
    return Tokenizer.load(vocabulary.file, special_text="plain")


def _arrays(vocabulary: Vocabulary) -> Loaded:
    tokenizer = _tokenizer(vocabulary)

    def many(documents: Documents, n_threads: int) -> Any:
        batch = tokenizer.encode_batch(documents.texts, n_threads=n_threads)
        return batch.ids, batch.starts

    return Loaded(tokenizer.encode_array, many, by_offsets, list)


def _lists(vocabulary: Vocabulary) -> Loaded:
    tokenizer = _tokenizer(vocabulary)

    def many(documents: Documents, n_threads: int) -> Any:
        del n_threads  # lists are made by one
        return [tokenizer.encode(text) for text in documents.texts]

    return Loaded(tokenizer.encode, many, from_lists, list)


def _file(vocabulary: Vocabulary) -> Loaded:
    tokenizer = _tokenizer(vocabulary)

    def many(documents: Documents, n_threads: int) -> Any:
        batch = tokenizer.encode_file(documents.path, document_separator=SEPARATOR, n_threads=n_threads)
        return batch.ids, batch.starts

    return Loaded(tokenizer.encode_array, many, by_offsets, list)


def _lack_of_file() -> str:
    from tokenloom import Tokenizer

    return "" if hasattr(Tokenizer, "encode_file") else "this version has no encode_file"


PEERS: Final = {
    "tokenloom": Peer("tokenloom", "tokenloom", _arrays),
    "tokenloom lists": Peer("tokenloom", "tokenloom", _lists),
    "tokenloom file": Peer("tokenloom", "tokenloom", _file, lack=_lack_of_file),
}
