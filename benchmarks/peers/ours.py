"""tokenloom, asked for arrays, for lists, and for what a file holds."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from peers.files import ENCODINGS, SEPARATOR, Documents, Vocabulary
from peers.peer import Loaded, Peer, by_offsets, from_lists

__all__ = ["PACKED", "PACKED_LISTS", "PEERS", "encode_documents", "pack"]

PACKED: Final = "tokenloom packed"
"""From a packed vocabulary instead of the file that defines the encoding."""
PACKED_LISTS: Final = "tokenloom packed lists"


def _tokenizer(file: Path) -> Any:
    from tokenloom import Tokenizer

    return Tokenizer.load(file, special_text="plain")


def _arrays(vocabulary: Vocabulary) -> Loaded:
    return _arrays_of(_tokenizer(vocabulary.file))


def _arrays_of(tokenizer: Any) -> Loaded:
    import_module("numpy")  # encode_array would import it when first called, which is no part of encoding

    def many(documents: Documents, n_threads: int) -> Any:
        batch = tokenizer.encode_batch(documents.texts, n_threads=n_threads)
        return batch.ids, batch.starts

    return Loaded(tokenizer.encode_array, many, by_offsets, list)


def _lists(vocabulary: Vocabulary) -> Loaded:
    return _lists_of(_tokenizer(vocabulary.file))


def _lists_of(tokenizer: Any) -> Loaded:
    """Lists need no numpy, whose import a fresh process waits for."""

    def many(documents: Documents, n_threads: int) -> Any:
        del n_threads  # lists are made by one
        return [tokenizer.encode(text) for text in documents.texts]

    return Loaded(tokenizer.encode, many, from_lists, list)


def encode_documents(tokenizer: Any, path: Path, n_threads: int) -> Any:
    """The documents of a file as one batch: the file is read and split here."""
    return tokenizer.encode_batch(path.read_bytes().split(SEPARATOR.encode()), n_threads=n_threads)


def _file(vocabulary: Vocabulary) -> Loaded:
    import_module("numpy")
    tokenizer = _tokenizer(vocabulary.file)

    def many(documents: Documents, n_threads: int) -> Any:
        batch = encode_documents(tokenizer, documents.path, n_threads)
        return batch.ids, batch.starts

    return Loaded(tokenizer.encode_array, many, by_offsets, list)


def pack(vocabulary: Vocabulary, path: Path) -> None:
    """Write the packed form of a vocabulary, which is loaded by mapping the file."""
    from tokenloom import Tokenizer

    import_module("tokenloom.formats.packed").write_packed(Tokenizer.load(vocabulary.file).spec, path)


def _packed(loaded: Callable[[Any], Loaded], vocabulary: Vocabulary) -> Loaded:
    """From what `pack` has written."""
    if vocabulary.packed is None:
        raise ValueError(f"{vocabulary.encoding}: nobody has packed this vocabulary. Call pack first.")
    return loaded(_tokenizer(vocabulary.packed))


def _lack_of_packing() -> str:
    return "" if find_spec("tokenloom.formats.packed") else "this version has no packed vocabularies"


PEERS: Final = {
    "tokenloom": Peer("tokenloom", "tokenloom", _arrays, ENCODINGS),
    "tokenloom lists": Peer("tokenloom", "tokenloom", _lists, ENCODINGS),
    "tokenloom file": Peer("tokenloom", "tokenloom", _file, ENCODINGS),
    PACKED: Peer("tokenloom", "tokenloom", partial(_packed, _arrays_of), ENCODINGS, lack=_lack_of_packing),
    PACKED_LISTS: Peer("tokenloom", "tokenloom", partial(_packed, _lists_of), ENCODINGS, lack=_lack_of_packing),
}
