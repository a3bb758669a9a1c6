"""What makes two runs on a corpus the same, as JSON values: its files, and how they are read."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tokenloom.corpus import DocumentOptions, Source
from tokenloom.storage import input_bytes, input_version

__all__ = ["document_values", "file_values", "source_values"]


def document_values(documents: DocumentOptions) -> dict[str, Any]:
    """How files are cut into documents.

    What is done at a broken record is left out: where a run was not stopped by one, it met none. So are the keys of
    remote stores, which must not be written anywhere.
    """
    separator = documents.document_separator
    values = asdict(replace(documents, on_error="stop", storage_options={}))
    del values["storage_options"]
    return values | {"document_separator": None if separator is None else separator.hex()}


def source_values(source: Source, documents: DocumentOptions) -> dict[str, Any]:
    """A file as it was when a run began. Raises: CorpusError if it has gone since it was listed."""
    changed = input_version(source.path, documents.storage_options)
    return {"name": source.name, "format": source.format, "n_file_bytes": source.n_file_bytes, "changed": changed}


def file_values(file: Path) -> dict[str, Any]:
    """A file of counts as it was when a run began. Raises: CorpusError if it has gone."""
    return {"name": file.name, "n_file_bytes": input_bytes(file), "changed": input_version(file)}
