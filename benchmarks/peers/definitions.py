"""The libraries that define encodings: their ids are right, and the others' are compared with them."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from peers.files import MODELED, RANKED, SPELLED, Documents, Vocabulary
from peers.peer import Loaded, Peer, from_lists

__all__ = ["PEERS", "definer", "right_answer"]


def definer(encoding: str) -> str:
    """The peer that defines an encoding."""
    if encoding in MODELED:
        return "sentencepiece"
    return "tiktoken" if encoding in RANKED else "tokenizers"


def right_answer(answers: Mapping[str, Path]) -> Path:
    """The answer of the peer that defines the encoding; only one of them has it."""
    return answers[next(name for name in ("tiktoken", "sentencepiece", "tokenizers") if name in answers)]


def _tiktoken(vocabulary: Vocabulary) -> Loaded:
    import tiktoken
    from tiktoken_ext import openai_public  # type: ignore[import-untyped]

    name = "r50k_base" if vocabulary.encoding == "gpt2" else vocabulary.encoding
    openai_public.load_tiktoken_bpe = lambda *_, **__: _ranks(vocabulary.ranks)
    encoding = tiktoken.Encoding(**getattr(openai_public, name)())

    def many(documents: Documents, n_threads: int) -> Any:
        if n_threads > 1:
            return encoding.encode_ordinary_batch([*documents.texts], num_threads=n_threads)
        return [encoding.encode_ordinary(text) for text in documents.texts]

    return Loaded(encoding.encode_ordinary, many, from_lists, list)


def _ranks(path: Path) -> dict[bytes, int]:
    """A rank file, read as tiktoken reads the one that it has brought from the network."""
    lines = (line.split() for line in path.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def _tokenizers(vocabulary: Vocabulary) -> Loaded:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(vocabulary.json))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def one(text: str) -> Any:
        return tokenizer.encode(text, add_special_tokens=False).ids

    def many(documents: Documents, n_threads: int) -> Any:
        del n_threads  # the environment has said
        encodings = tokenizer.encode_batch_fast([*documents.texts], add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    return Loaded(one, many, from_lists, list)


def _sentencepiece(vocabulary: Vocabulary) -> Loaded:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary.file))

    def many(documents: Documents, n_threads: int) -> Any:
        return processor.encode([*documents.texts], num_threads=n_threads)

    return Loaded(processor.encode, many, from_lists, list)


PEERS: Final = {
    "sentencepiece": Peer("sentencepiece", "sentencepiece", _sentencepiece, MODELED),
    "tiktoken": Peer("tiktoken", "tiktoken", _tiktoken, RANKED),
    "tokenizers": Peer("tokenizers", "tokenizers", _tokenizers, SPELLED),
}
