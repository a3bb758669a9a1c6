"""Folders that were tampered with are refused with a message, before memory or time is spent on them."""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import tokenloom
from tokenloom import StorageError
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.decode import decode_shards
from tokenloom.jobs.encode import EncodeOptions, encode_corpus
from tokenloom.shards import ShardSet
from tokenloom.shards import open as open_shards
from tokenloom.shards.journal import DOCUMENTS_PART, Checkpoint, claimed
from tokenloom.shards.layout import ShardHeader
from tokenloom.storage import FileRow
from tokenloom.storage.canonical import canonical_json, parse_canonical

RUN = {"sources": [], "dtype": "uint16"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tokenizer = tokenloom.train(["the cat the cat"], 260)
    (tmp_path / "a.txt").write_text("the cat")
    options = EncodeOptions(shard_tokens=3)
    return encode_corpus([tmp_path / "a.txt"], tokenizer=tokenizer, out=tmp_path / "shards", options=options).folder


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_tokens", 10**18),
        ("n_tokens", 10**30),
        ("vocabulary_size", 10**18),
        ("vocabulary_size", 10**30),
        ("vocabulary_size", 0),
        ("text_field", "\ud800"),
    ],
)
def test_a_header_that_no_run_wrote_is_refused(folder: Path, name: str, value: object) -> None:
    manifest = parse_canonical((folder / "manifest.json").read_bytes())
    manifest["header"][name] = value
    (folder / "manifest.json").write_bytes(canonical_json(manifest))
    for is_verified in (False, True):
        with pytest.raises(StorageError):
            open_shards(folder, verify=is_verified)


@pytest.mark.parametrize("file_format", [None, [], "orc"])
def test_an_unknown_format_of_a_source_is_refused(folder: Path, file_format: Any) -> None:
    header = open_shards(folder).header
    row = header.sources[0]
    broken = replace(header, sources=(replace(row, format=file_format),))
    with pytest.raises(ValueError, match="format"):
        ShardHeader.from_values(broken.values())


@pytest.mark.parametrize("edge", ["begin_of_document", "end_of_document"])
def test_an_edge_token_that_documents_do_not_have_is_refused(tmp_path: Path, edge: str) -> None:
    tokenizer = tokenloom.train(["the cat the cat"], 261, ["<|end|>"])
    (tmp_path / "a.txt").write_text("the cat|the cat||a")
    run = encode_corpus(
        [tmp_path / "a.txt"],
        tokenizer=tokenizer,
        out=tmp_path / "shards",
        documents=DocumentOptions(document_separator=b"|"),
        options=EncodeOptions(shard_tokens=3, **{edge: "<|end|>"}),  # type: ignore[arg-type]
    )
    open_shards(run.folder)
    manifest = parse_canonical((run.folder / "manifest.json").read_bytes())
    manifest["header"][edge]["id"] = 5
    (run.folder / "manifest.json").write_bytes(canonical_json(manifest))
    with pytest.raises(StorageError, match="document 0 has no"):
        open_shards(run.folder)


def test_a_tokenizer_that_went_missing_is_named(folder: Path) -> None:
    (folder / "tokenizer.tloom").unlink()
    with pytest.raises(StorageError, match="cannot be read"):
        open_shards(folder, verify=False).tokenizer()


def test_a_document_of_jsonl_that_is_no_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"the \xff")
    tokenizer = tokenloom.train(["the cat the cat"], 260)
    shards = encode_corpus([tmp_path / "a.txt"], tokenizer=tokenizer, out=tmp_path / "shards").shards
    row = replace(shards.header.sources[0], format="jsonl")
    hostile = ShardSet(shards.folder, replace(shards.header, sources=(row,)))
    with pytest.raises(StorageError, match="document 0: comes from jsonl"):
        decode_shards(hostile, out=BytesIO())


def _half_done(folder: Path) -> None:
    """A run that was stopped after one shard of four bytes and three documents."""
    with claimed(folder, RUN) as journal:
        (folder / "tokens-00000.npy").write_bytes(b"abcd")
        (folder / DOCUMENTS_PART).write_bytes(bytes(30))
        journal.finish_shard("tokens-00000.npy", FileRow(4, "0" * 64), Checkpoint(2, 3, [], 0, dict))


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    _half_done(tmp_path)
    with claimed(tmp_path, RUN) as journal:
        assert journal.checkpoint is not None
        assert journal.checkpoint.n_docs == 3


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (DOCUMENTS_PART, lambda path: path.write_bytes(bytes(23))),
        (DOCUMENTS_PART, lambda path: path.unlink()),
        ("tokens-00000.npy", lambda path: path.write_bytes(b"abc")),
        ("tokens-00000.npy", lambda path: path.unlink()),
        (".progress.jsonl", lambda path: path.write_bytes(b"{}\n")),
        (".progress.jsonl", lambda path: path.write_bytes(b"[]\n")),
        (".run.json", lambda path: path.write_bytes(b"[]")),
    ],
)
def test_a_run_does_not_go_on_from_files_that_were_cut(
    tmp_path: Path, name: str, change: Callable[[Path], object]
) -> None:
    _half_done(tmp_path)
    change(tmp_path / name)
    with pytest.raises(StorageError, match=name), claimed(tmp_path, RUN):
        pass
