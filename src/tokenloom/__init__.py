"""Train, run, measure and choose tokenizers for language models.

Names are loaded when first used (PEP 562), so that importing `tokenloom` or `tokenloom.lessons` needs neither the
compiled core nor numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokenloom import errors
from tokenloom.errors import (
    CorpusError,
    CostError,
    DecodeError,
    EncodeError,
    FormatError,
    FormatWarning,
    MemoryLimitError,
    MetricError,
    MissingExtraError,
    SpecError,
    SpecialTokenError,
    StorageError,
    TaskError,
    TokenloomError,
    TokenloomWarning,
    TrainingError,
    TrainingWarning,
)

if TYPE_CHECKING:
    from tokenloom import shards
    from tokenloom.corpus import DocumentOptions
    from tokenloom.jobs.baselines import train_characters, train_words
    from tokenloom.jobs.encode import EncodeOptions, encode_corpus
    from tokenloom.jobs.train import train, train_bpe
    from tokenloom.jobs.train_corpus import train_corpus
    from tokenloom.jobs.train_models import train_unigram, train_wordpiece
    from tokenloom.spec import TokenizerSpec
    from tokenloom.tokenizer import (
        Decoder,
        DecodeStream,
        Encoder,
        Encoding,
        OtherCuts,
        TokenBatch,
        Tokenizer,
        WordSegmenter,
        byte_tokenizer,
        code_point_tokenizer,
    )
    from tokenloom.trainers import BpeOptions, CharacterAlphabet, TrainingRecord, open_record

__all__ = [
    "BpeOptions",
    "CharacterAlphabet",
    "CorpusError",
    "CostError",
    "DecodeError",
    "DecodeStream",
    "Decoder",
    "DocumentOptions",
    "EncodeError",
    "EncodeOptions",
    "Encoder",
    "Encoding",
    "FormatError",
    "FormatWarning",
    "MemoryLimitError",
    "MetricError",
    "MissingExtraError",
    "OtherCuts",
    "SpecError",
    "SpecialTokenError",
    "StorageError",
    "TaskError",
    "TokenBatch",
    "Tokenizer",
    "TokenizerSpec",
    "TokenloomError",
    "TokenloomWarning",
    "TrainingError",
    "TrainingRecord",
    "TrainingWarning",
    "WordSegmenter",
    "byte_tokenizer",
    "code_point_tokenizer",
    "encode_corpus",
    "errors",
    "open_record",
    "shards",
    "train",
    "train_bpe",
    "train_characters",
    "train_corpus",
    "train_unigram",
    "train_wordpiece",
    "train_words",
]

_HOME_OF = {
    "BpeOptions": "tokenloom.trainers",
    "CharacterAlphabet": "tokenloom.trainers",
    "DecodeStream": "tokenloom.tokenizer",
    "Decoder": "tokenloom.tokenizer",
    "DocumentOptions": "tokenloom.corpus",
    "EncodeOptions": "tokenloom.jobs.encode",
    "Encoder": "tokenloom.tokenizer",
    "Encoding": "tokenloom.tokenizer",
    "OtherCuts": "tokenloom.tokenizer",
    "TokenBatch": "tokenloom.tokenizer",
    "Tokenizer": "tokenloom.tokenizer",
    "TokenizerSpec": "tokenloom.spec",
    "TrainingRecord": "tokenloom.trainers",
    "WordSegmenter": "tokenloom.tokenizer",
    "byte_tokenizer": "tokenloom.tokenizer",
    "code_point_tokenizer": "tokenloom.tokenizer",
    "encode_corpus": "tokenloom.jobs.encode",
    "open_record": "tokenloom.trainers",
    "train": "tokenloom.jobs.train",
    "train_bpe": "tokenloom.jobs.train",
    "train_characters": "tokenloom.jobs.baselines",
    "train_corpus": "tokenloom.jobs.train_corpus",
    "train_unigram": "tokenloom.jobs.train_models",
    "train_wordpiece": "tokenloom.jobs.train_models",
    "train_words": "tokenloom.jobs.baselines",
}
"""The module of each name that is loaded when first used."""

_ROOMS = {"shards"}
"""Modules that are loaded when first used."""


def __getattr__(name: str) -> Any:
    value: Any
    if name == "__version__":
        value = _installed_version()
    elif name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif name in _ROOMS:
        value = import_module(f"tokenloom.{name}")
    else:
        raise AttributeError(f"module 'tokenloom' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF, *_ROOMS, "__version__"})


def _installed_version() -> str:
    """The version of the installed package; a source tree that is only on the path has none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tokenloom")
    except PackageNotFoundError:
        return "0+unknown"
