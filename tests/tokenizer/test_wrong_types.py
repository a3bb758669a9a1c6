"""What is of another type than a call takes: each is refused by name, with what to pass."""

import array
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tokenloom import CorpusError, DecodeError, DecodeStream, Tokenizer

BYTES: Final = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (["a"], "not list. Pass one text at a time, or many to encode_batch."),
        (("a", "b"), "not tuple. Pass one text at a time, or many to encode_batch."),
        (Path("a.txt"), "not PosixPath. Pass the text of the file, or use encode_file."),
        (np.zeros(3, dtype=np.uint8), "not ndarray. Pass a memoryview of it if its bytes are the text."),
        (array.array("B", b"ab"), "not array. Pass a memoryview of it if its bytes are the text."),
        (None, "not NoneType. Pass the text itself."),
    ],
)
def test_what_is_no_text_is_refused_with_what_to_pass(text: Any, remedy: str) -> None:
    for act in (BYTES.encode, BYTES.encode_array, BYTES.count, BYTES.encode_with_offsets, BYTES.pretokens):
        with pytest.raises(TypeError) as caught:
            act(text)
        assert str(caught.value) == f"a text must be str, bytes, bytearray or memoryview, {remedy}"


@pytest.mark.parametrize("ids", [b"ab", bytearray(b"ab")])
def test_bytes_are_no_ids(ids: Any) -> None:
    for act in (BYTES.decode, BYTES.decode_bytes, BYTES.decode_with_offsets, DecodeStream(BYTES).push):
        with pytest.raises(DecodeError, match=r"is of type byte.*, not a sequence of ids. Pass list\(it\) if each"):
            act(ids)
    with pytest.raises(DecodeError, match=r"is of type byte.*, not a sequence of ids"):
        BYTES.decode_iterable(ids)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([97, None], "id None at position 1 is of type NoneType, not int"),
        ([97, 98, "7"], "id '7' at position 2 is of type str, not int"),
        (np.array([1.0, 2.0]), r"id np.float64\(1.0\) at position 0 is of type float64, not int. .*astype\('uint32'\)"),
    ],
)
def test_what_is_no_id_is_named_with_its_place(ids: Any, said: str) -> None:
    for act in (BYTES.decode, BYTES.decode_with_offsets, lambda ids: list(BYTES.decode_iterable(ids))):
        with pytest.raises(TypeError, match=said):
            act(ids)


def test_an_array_without_a_row_or_with_several_is_refused() -> None:
    for act in (BYTES.decode, lambda ids: list(BYTES.decode_iterable(ids))):
        with pytest.raises(DecodeError, match=r"ids array\(3\): is of type ndarray, not a sequence of ids"):
            act(np.array(3))
    with pytest.raises(
        TypeError, match=r"id array\(\[1, 2\]\) at position 0 is of type ndarray, not int. .* in one row"
    ):
        list(BYTES.decode_iterable(np.array([[1, 2]])))


@pytest.mark.parametrize("path", [None, 3, ["a"]])
def test_what_is_no_path_is_refused_before_anything_is_opened(path: Any, tmp_path: Path) -> None:
    acts: list[Callable[[Any], object]] = [Tokenizer.load, BYTES.encode_file, BYTES.save]
    acts += [lambda path: BYTES.save_files(tmp_path / "v", path), lambda path: Tokenizer.from_files(path, "merges.txt")]
    for act in acts:
        with pytest.raises(TypeError, match=f"is of type {type(path).__name__}, not a path. Pass the name of a file"):
            act(path)
    assert not list(tmp_path.iterdir())


def test_an_empty_path_is_not_taken_for_this_folder() -> None:
    for act in (Tokenizer.load, BYTES.encode_file, BYTES.save):
        with pytest.raises(CorpusError, match=r"path '': is empty. Pass the name of a file or a folder"):
            act("")


def test_a_path_may_be_bytes(tmp_path: Path) -> None:
    BYTES.save(bytes(tmp_path / "t"))  # type: ignore[arg-type]
    assert Tokenizer.load(bytes(tmp_path / "t")).encode("a") == [97]  # type: ignore[arg-type]


def test_progress_that_cannot_be_called_is_refused_even_if_it_never_would_be(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    said = r"progress 3: is of type int, not a function. Pass one that takes"
    with pytest.raises(TypeError, match=said):
        BYTES.encode_batch(["a"], progress=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=said):
        BYTES.encode_file(tmp_path / "a.txt", progress=3)  # type: ignore[arg-type]


def test_a_stream_is_made_of_a_tokenizer_and_a_known_way_with_errors() -> None:
    with pytest.raises(
        TypeError, match=r"tokenizer None: is of type NoneType, not a Tokenizer. Pass what Tokenizer.load"
    ):
        DecodeStream(None)  # type: ignore[arg-type]
    with pytest.raises(LookupError, match="nope"):
        DecodeStream(BYTES, errors="nope")


def test_a_pattern_that_is_a_regular_expression_is_refused_with_how_to_pass_it() -> None:
    with pytest.raises(ValueError, match=r"unknown type .* for a regular expression .*Pretokenizer\('custom', regex="):
        Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], pattern=r"\w+")  # type: ignore[arg-type]
