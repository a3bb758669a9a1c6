"""Laws for every format of a source: it is enrolled by standing in `WRITERS`, and a format without a writer fails."""

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final, get_args

import pytest

from tokenloom.corpus import (
    Block,
    DocumentOptions,
    Selection,
    SkippedRecords,
    Source,
    Split,
    documents,
    list_sources,
    plan_splits,
    read_source,
    read_split,
)
from tokenloom.corpus.sources import FileFormat
from tokenloom.errors import CorpusError
from tokenloom.storage.compression import COMPRESSION_SUFFIXES

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("pyarrow.parquet")
zstd: Any = pytest.importorskip("backports.zstd", reason="backports.zstd is not installed")

SEPARATOR: Final = b"||"
RANDOM: Final = Random(0)
TEXTS: Final = ["", "a\0b", "é\r\n", *(f"{number} the cat " * RANDOM.randint(0, 40) for number in range(120))]
DATA: Final = [text.encode() for text in TEXTS]


def text(texts: Sequence[str]) -> bytes:
    return SEPARATOR.join(text.encode() for text in texts)


def jsonl(texts: Sequence[str]) -> bytes:
    return b"".join(json.dumps({"text": text}).encode() + b"\n" for text in texts)


def parquet(texts: Sequence[str]) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(pa.table({"text": texts}), sink, row_group_size=30)
    return sink.getvalue()


def arrow(texts: Sequence[str]) -> bytes:
    sink = io.BytesIO()
    table = pa.table({"text": texts})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=30)
    return sink.getvalue()


WRITERS: Final[dict[str, Callable[[Sequence[str]], bytes]]] = {
    "text": text,
    "jsonl": jsonl,
    "parquet": parquet,
    "arrow": arrow,
}
COMPRESS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "gzip": gzip.compress,
    "zstd": zstd.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}
KINDS: Final = [*WRITERS, *(f"{name} {packed}" for name in ("text", "jsonl") for packed in COMPRESS)]


@pytest.fixture(params=KINDS)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Source:
    """A file of a format, with or without a compression."""
    name, _, packed = request.param.partition(" ")
    suffix = next((suffix for suffix, known in COMPRESSION_SUFFIXES.items() if known == packed), "")
    data = WRITERS[name](TEXTS)
    path = tmp_path / f"a.{name}{suffix}"
    path.write_bytes(COMPRESS[packed](data) if packed else data)
    [source] = list_sources([path], OPTIONS)
    return source


OPTIONS: Final = DocumentOptions(document_separator=SEPARATOR)
ALL: Final = Selection()


def whole(blocks: Any) -> list[bytes]:
    return [item if isinstance(item, bytes) else b"".join(item) for item in documents(blocks)]


def read(source: Source, *, split_bytes: int, selection: Selection = ALL, block_bytes: int = 500) -> list[bytes]:
    splits = plan_splits([source], OPTIONS, split_bytes=split_bytes, selection=selection)
    arguments: dict[str, Any] = {"selection": selection, "block_bytes": block_bytes}
    return [text for split in splits for text in whole(block for _, block in read_split(split, OPTIONS, **arguments))]


def test_every_format_is_written_here() -> None:
    assert set(get_args(FileFormat)) == WRITERS.keys()
    assert set(COMPRESSION_SUFFIXES.values()) == COMPRESS.keys()


@pytest.mark.parametrize("block_bytes", [7, 1 << 20])
def test_documents_come_back(source: Source, block_bytes: int) -> None:
    blocks: list[Block] = list(read_source(source, OPTIONS, block_bytes=block_bytes))
    assert whole(blocks) == DATA
    assert [block.n_text_bytes for block in blocks] == [sum(map(len, block.texts)) for block in blocks]
    assert not blocks[-1].is_open


@pytest.mark.parametrize("split_bytes", [300, 5000, 1 << 30])
def test_splits_together_have_the_documents_of_the_source(source: Source, split_bytes: int) -> None:
    assert read(source, split_bytes=split_bytes) == DATA


def test_a_split_is_a_plain_value(source: Source) -> None:
    splits = plan_splits([source], OPTIONS, split_bytes=1000)
    assert [Split.from_json(json.loads(json.dumps(split.to_json()))) for split in splits] == splits
    assert sum(split.n_file_bytes for split in splits) == source.n_file_bytes
    assert len({split.name for split in splits}) == len(splits)


def test_a_sample_does_not_depend_on_splits_and_blocks(source: Source) -> None:
    selection = Selection(sample=0.3, seed=5)
    found = read(source, selection=selection, split_bytes=1 << 30)
    assert 15 < len(found) < 70
    assert set(found) < set(DATA)
    for split_bytes, block_bytes in [(300, 7), (2000, 100)]:
        assert read(source, selection=selection, split_bytes=split_bytes, block_bytes=block_bytes) == found


@pytest.mark.parametrize("limit", [100, 5000, 10**9])
def test_a_limit_takes_whole_documents_from_the_beginning(source: Source, limit: int) -> None:
    for block_bytes in (7, 1 << 20):
        found = read(source, selection=Selection(limits={"": limit}), split_bytes=1, block_bytes=block_bytes)
        assert found == DATA[: len(found)]
        assert sum(map(len, found)) <= limit
        assert len(found) == len(DATA) or sum(map(len, found)) + len(DATA[len(found)]) > limit


def test_progress_does_not_fall_and_ends_at_the_length_of_the_file(source: Source) -> None:
    read_bytes = [block.n_read_bytes for block in read_source(source, OPTIONS, block_bytes=500)]
    assert read_bytes == sorted(read_bytes)
    assert read_bytes[-1] == pytest.approx(source.n_file_bytes, rel=0.05)


def test_a_file_that_has_gone_or_has_changed_is_a_corpus_error(source: Source) -> None:
    [split] = plan_splits([source], OPTIONS)
    path = Path(source.path)
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(CorpusError, match=r"has changed since\. Start again|cannot be read"):
        list(read_split(split, OPTIONS))
    path.unlink()
    with pytest.raises(CorpusError, match="there is no such file"):
        list(read_split(split, OPTIONS))


def test_of_a_cut_file_what_stands_before_is_kept_with_skip(source: Source) -> None:
    """Of Parquet nothing: what its file holds is told at its end."""
    path = Path(source.path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    skipped = SkippedRecords()
    blocks = read_source(source, replace(OPTIONS, on_error="skip"), skipped=skipped, block_bytes=500)
    if source.format == "parquet":
        with pytest.raises(CorpusError, match="cannot be read as Parquet"):
            list(blocks)
        return
    found = whole(blocks)
    assert len(found) < len(DATA)  # zstd and bzip2 have blocks, of which nothing is told before their end
    assert found[:-1] == DATA[: max(0, len(found) - 1)]
    assert skipped.n_skipped == ((source.format, source.compression) != ("text", "none"))
