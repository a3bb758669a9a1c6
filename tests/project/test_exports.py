"""The public names of the package, written down here so that a change is seen."""

import importlib
import inspect
import pkgutil

import pytest

import tokenloom

PUBLIC = [
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


def test_public_names_are_the_written_ones() -> None:
    assert tokenloom.__all__ == PUBLIC
    assert sorted(PUBLIC) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_is_importable_and_documented(name: str) -> None:
    value = getattr(tokenloom, name)
    assert name in dir(tokenloom)
    assert inspect.getdoc(value)


def test_every_error_class_is_public() -> None:
    assert set(tokenloom.errors.__all__) <= set(PUBLIC)


def test_version_is_a_string_and_unknown_names_are_refused() -> None:
    assert isinstance(tokenloom.__version__, str)
    with pytest.raises(AttributeError, match="has no attribute 'train_everything'"):
        _ = tokenloom.train_everything


@pytest.mark.parametrize(
    "module", [info.name for info in pkgutil.iter_modules(tokenloom.__path__, "tokenloom.") if info.ispkg]
)
def test_names_of_each_room_are_sorted_and_importable(module: str) -> None:
    room = importlib.import_module(module)
    names = getattr(room, "__all__", [])
    assert sorted(names, key=lambda name: (not name.isupper(), name)) == list(names)  # constants first
    assert all(hasattr(room, name) for name in names)
