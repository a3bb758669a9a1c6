import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.reading import whole
from tokenloom.corpus import DocumentOptions, Source, Split, list_sources, plan_splits, read_split, refuse_output
from tokenloom.errors import CorpusError

fsspec: Any = pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.fixture
def files() -> dict[str, bytes]:
    lines = b"".join(b'{"text": "%d"}\n' % number for number in range(50))
    found = {"a.jsonl": lines, "b/c.jsonl.gz": gzip.compress(lines), "d.txt": b"the cat"}
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"text": ["a", "b", "c"]}), sink, row_group_size=1)
    return found | {"e.parquet": sink.getvalue().to_pybytes()}


@pytest.fixture(params=["memory", "file"])
def root(request: pytest.FixtureRequest, files: dict[str, bytes], tmp_path: Path) -> Iterator[str]:
    """A URL of a folder that holds the files."""
    store, path = fsspec.core.url_to_fs("memory://urls" if request.param == "memory" else f"file://{tmp_path}/remote")
    for name, data in files.items():
        store.makedirs(f"{path}/{name}".rpartition("/")[0], exist_ok=True)
        store.pipe(f"{path}/{name}", data)
    yield f"{request.param}://{path}"
    store.rm(path, recursive=True)


@pytest.fixture
def folder(files: dict[str, bytes], tmp_path: Path) -> Path:
    for name, data in files.items():
        (tmp_path / "local" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "local" / name).write_bytes(data)
    return tmp_path / "local"


def documents(sources: list[Source], split_bytes: int) -> list[bytes]:
    options = DocumentOptions()
    splits = plan_splits(sources, options, split_bytes=split_bytes)
    again = [Split.from_json(json.loads(json.dumps(split.to_json()))) for split in splits]
    assert again == splits
    return [text for split in again for text in whole(block for _, block in read_split(split, options))]


@pytest.mark.parametrize("split_bytes", [100, 1 << 20])
def test_urls_give_what_the_files_on_a_disk_give(root: str, folder: Path, split_bytes: int) -> None:
    remote, local = list_sources([root]), list_sources([folder])
    assert [replace(source, path="") for source in remote] == [replace(source, path="") for source in local]
    assert documents(remote, split_bytes) == documents(local, split_bytes)
    again = list_sources([f"en={source.path}" for source in remote[:2]])
    assert [(source.path, source.group) for source in again] == [(source.path, "en") for source in remote[:2]]


def test_pattern_of_urls_is_read(root: str) -> None:
    assert [source.name for source in list_sources([f"{root}/*.jsonl"])] == ["a.jsonl"]


def test_same_url_twice_is_refused(root: str) -> None:
    with pytest.raises(CorpusError, match=r"this file is already part of the corpus\. Name each file once"):
        list_sources([f"{root}/d.txt", f"{root}/d.txt"])


def test_urls_lie_in_no_output_folder(root: str, tmp_path: Path) -> None:
    refuse_output(list_sources([f"{root}/d.txt"]), tmp_path / "out")


def test_missing_url_is_a_corpus_error(root: str) -> None:
    with pytest.raises(CorpusError, match=r"none': there is no such file\. Check the URL"):
        list_sources([f"{root}/none"])


def test_keys_are_in_no_split(root: str) -> None:
    options = DocumentOptions(storage_options={"auto_mkdir": False} if root.startswith("file") else {})
    [split] = plan_splits(list_sources([root], options), options)
    assert "auto_mkdir" not in json.dumps(split.to_json())
