from typing import Any

import pytest

from tokenloom.corpus import DocumentOptions
from tokenloom.errors import CorpusError


def test_separator_as_str_stands_for_its_utf8_bytes() -> None:
    assert DocumentOptions(document_separator="é\n").document_separator == b"\xc3\xa9\n"  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["format", "compression", "on_error"])
@pytest.mark.parametrize("value", ["zip", None, ""])
def test_unknown_choice_is_refused_with_those_known(option: str, value: Any) -> None:
    with pytest.raises(CorpusError, match=rf"{option} {value!r}: is unknown\. Use one of '"):
        DocumentOptions(**{option: value})


@pytest.mark.parametrize(
    ("separator", "what"),
    [
        (b"", r"document_separator b'': is empty\. Pass"),
        ("", r"document_separator '': is empty\. Pass"),
        (7, r"document_separator 7: is neither str nor bytes\. Pass"),
        ("a\ud800", r"character 1 is a lone surrogate.*\. Pass the separator as bytes"),
    ],
)
def test_separator_that_cannot_be_one_is_refused(separator: Any, what: str) -> None:
    with pytest.raises(CorpusError, match=what):
        DocumentOptions(document_separator=separator)


def test_separator_of_jsonl_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"plays no part in JSONL.*\. Leave it out"):
        DocumentOptions(format="jsonl", document_separator=b"\n\n")


def test_field_that_is_no_string_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"text_field 1: is no string\. Pass"):
        DocumentOptions(text_field=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("document_format", ["parquet", "arrow"])
def test_separator_of_a_table_is_refused(document_format: Any) -> None:
    with pytest.raises(CorpusError, match=rf"no part in format '{document_format}': each row is a document\. Leave it"):
        DocumentOptions(format=document_format, document_separator=b"\n\n")


@pytest.mark.parametrize("n_bytes", [0, -1, 1.5, True])
def test_length_of_a_record_that_is_none_is_refused(n_bytes: Any) -> None:
    with pytest.raises(CorpusError, match=r"max_record_bytes .*: is no length\. Use a whole number above 0"):
        DocumentOptions(max_record_bytes=n_bytes)


def test_keys_of_a_store_are_not_shown_and_not_compared() -> None:
    options = DocumentOptions(storage_options={"secret": "hunter2"})
    assert "hunter2" not in repr(options)
    assert options == DocumentOptions()
    assert hash(options) == hash(DocumentOptions())


@pytest.mark.parametrize("storage_options", ["hunter2", {1: "hunter2"}, None])
def test_keys_that_have_no_names_are_refused_without_showing_them(storage_options: Any) -> None:
    with pytest.raises(CorpusError, match=r"storage_options: is no mapping from names\. Pass a dict") as caught:
        DocumentOptions(storage_options=storage_options)
    assert "hunter2" not in str(caught.value)
