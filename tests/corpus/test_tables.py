import base64
import io
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reading import ReadBytes, whole
from tokenloom.corpus import DocumentOptions, Selection, SkippedRecords, list_sources, plan_splits, read_split
from tokenloom.errors import CorpusError, MissingExtraError

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet")

OPTIONS = DocumentOptions()
SKIP = DocumentOptions(on_error="skip")
TEXTS = ["the", "", "cat é", "a\0b", "x" * 300, "\U0001f680"]


def parquet(table: Any, **arguments: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **arguments)
    return sink.getvalue()


def arrow_file(table: Any, **arguments: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=arguments.get("row_group_size"))
    return sink.getvalue()


def arrow_stream(table: Any, **arguments: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=arguments.get("row_group_size"))
    return sink.getvalue()


def feather(table: Any, **arguments: Any) -> bytes:
    sink = io.BytesIO()
    import_module("pyarrow.feather").write_feather(table, sink, chunksize=arguments.get("row_group_size"))
    return sink.getvalue()


KINDS: dict[str, tuple[Callable[..., bytes], str]] = {
    "parquet": (parquet, "a.parquet"),
    "arrow file": (arrow_file, "a.arrow"),
    "arrow stream": (arrow_stream, "A.ARROW"),
    "feather": (feather, "a.feather"),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a table to a file of a kind."""

    def write(kind: str, texts: Any, type_: Any = None, **arguments: Any) -> Path:
        column = texts if isinstance(texts, pa.Array) else pa.array(texts, type_)
        make, name = KINDS[kind]
        table = pa.table({"id": list(range(len(column))), "text": column})
        (tmp_path / name).write_bytes(make(table, **arguments))
        return tmp_path / name

    return write


def documents(path: Path, options: DocumentOptions = OPTIONS, **arguments: Any) -> list[bytes]:
    selection = arguments.pop("selection", Selection())
    splits = plan_splits(
        list_sources([path], options), options, split_bytes=arguments.pop("split_bytes", 1 << 29), selection=selection
    )
    return [
        text
        for split in splits
        for text in whole(block for _, block in read_split(split, options, selection=selection, **arguments))
    ]


@pytest.mark.parametrize("type_", ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"])
def test_each_row_is_a_document(kind: str, write: Callable[..., Path], type_: str) -> None:
    array = pa.array(TEXTS, "large_string").cast("large_binary" if "binary" in type_ else "large_string").cast(type_)
    assert documents(write(kind, array, row_group_size=4)) == [text.encode() for text in TEXTS]


def test_dictionary_of_texts_is_read(kind: str, write: Callable[..., Path]) -> None:
    texts = TEXTS * 3
    array = pa.array(texts).dictionary_encode()
    assert documents(write(kind, array, row_group_size=7)) == [text.encode() for text in texts]


@given(
    texts=st.lists(st.sampled_from([*TEXTS, None]), max_size=30),
    start=st.integers(0, 5),
    type_=st.sampled_from(["string", "large_string", "string_view", "dictionary"]),
    n_rows=st.integers(1, 12),
    kind=st.sampled_from(sorted(KINDS)),
)
def test_texts_are_those_of_pyarrow(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str | None], start: int, type_: str, n_rows: int, kind: str
) -> None:
    array = pa.array(texts, "string")
    array = (array.dictionary_encode() if type_ == "dictionary" else array.cast(type_)).slice(start)
    make, name = KINDS[kind]
    path = tmp_path_factory.mktemp("table") / name
    path.write_bytes(make(pa.table({"text": array}), row_group_size=n_rows))
    skipped = SkippedRecords()
    expected = [text.encode() for text in array.to_pylist() if text is not None]
    assert documents(path, SKIP, skipped=skipped, split_bytes=200) == expected
    assert skipped.n_skipped == len(array) - len(expected)


def test_row_groups_are_put_into_splits(write: Callable[..., Path]) -> None:
    path = write("parquet", [f"{number:0100d}" for number in range(1000)], row_group_size=100, compression="none")
    [source] = list_sources([path])
    assert (source.format, source.compression) == ("parquet", "none")
    for split_bytes, n_splits in [(1 << 20, 1), (source.n_file_bytes // 2 + 500, 2), (1, 10)]:
        splits = plan_splits([source], OPTIONS, split_bytes=split_bytes)
        assert len(splits) == n_splits
        assert sum(split.n_file_bytes for split in splits) == source.n_file_bytes
        assert documents(path, split_bytes=split_bytes) == [b"%0100d" % number for number in range(1000)]


def test_an_arrow_file_is_one_split(write: Callable[..., Path]) -> None:
    path = write("arrow file", ["a"] * 1000, row_group_size=10)
    [split] = plan_splits(list_sources([path]), OPTIONS, split_bytes=10)
    assert [(part.start, part.end) for part in split.parts] == [(0, 1)]


def test_progress_rises_to_the_length_of_the_part(kind: str, write: Callable[..., Path]) -> None:
    path = write(kind, [f"{number:0100d}" for number in range(5000)], row_group_size=500)
    for split in plan_splits(list_sources([path]), OPTIONS, split_bytes=100_000):
        read = [block.n_read_bytes for _, block in read_split(split, OPTIONS)]
        assert read == sorted(read)
        assert read[-1] == pytest.approx(split.n_file_bytes, rel=0.01)


def test_sample_does_not_depend_on_splits(kind: str, write: Callable[..., Path]) -> None:
    path = write(kind, [str(number) for number in range(500)], row_group_size=50)
    selection = Selection(sample=0.2, seed=3)
    found = documents(path, selection=selection)
    chosen = selection.chooser(path.name)
    assert chosen is not None
    assert found == [b"%d" % number for number in range(500) if chosen(number)]
    assert documents(path, selection=selection, split_bytes=1) == found


def test_null_is_a_broken_record_named_with_its_row(kind: str, write: Callable[..., Path]) -> None:
    path = write(kind, ["a", "b", "c", None, "d"], row_group_size=2)
    with pytest.raises(CorpusError, match=r"', row 4: column 'text' is null, no text\. Fill or remove"):
        documents(path)
    skipped = SkippedRecords()
    assert documents(path, SKIP, skipped=skipped) == [b"a", b"b", b"c", b"d"]
    assert skipped.examples == [f"{path.name}, row 4: column 'text' is null, no text"]


def test_string_that_is_no_utf8_is_a_broken_record_and_binary_is_taken(kind: str, write: Callable[..., Path]) -> None:
    data = pa.array([b"a", b"b\xff", b"c"])
    buffers = data.buffers()
    path = write(kind, pa.Array.from_buffers(pa.string(), 3, buffers))
    with pytest.raises(CorpusError, match=r"row 2: byte 1 of column 'text', 0xff, is no UTF-8\. Write .* as binary"):
        documents(path)
    assert documents(path, SKIP) == [b"a", b"c"]
    assert documents(write(kind, data)) == [b"a", b"b\xff", b"c"]


def test_text_longer_than_is_allowed_is_a_broken_record(kind: str, write: Callable[..., Path]) -> None:
    path = write(kind, ["a", "bcd", "efgh"])
    with pytest.raises(CorpusError, match=r"row 3: is longer than 3 bytes\. Cut it"):
        documents(path, DocumentOptions(max_record_bytes=3))
    assert documents(path, DocumentOptions(max_record_bytes=3, on_error="skip")) == [b"a", b"bcd"]


@pytest.mark.parametrize("n_rows", [0, 1])
def test_table_without_rows_has_no_documents(kind: str, write: Callable[..., Path], n_rows: int) -> None:
    assert documents(write(kind, ["a"][:n_rows], "string")) == [b"a"][:n_rows]


def test_table_without_the_column_is_refused_with_those_that_it_has(kind: str, write: Callable[..., Path]) -> None:
    path = write(kind, ["a"])
    with pytest.raises(CorpusError, match=r"has no column 'body'; its columns are 'id', 'text'\. Name .*--text-field"):
        list_sources([path], DocumentOptions(text_field="body"))


@pytest.mark.parametrize(
    "values", [[1], [["a"]], [{"text": "a"}], [True], [None], pa.array([b"ab"], pa.binary(2))], ids=str
)
def test_column_of_another_type_is_refused(kind: str, tmp_path: Path, values: Any) -> None:
    make, name = KINDS[kind]
    (tmp_path / name).write_bytes(make(pa.table({"text": values})))
    with pytest.raises(CorpusError, match=r"column 'text' is of type '.*', no text\. Name another one with --text-fie"):
        list_sources([tmp_path])


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"feather"}))  # of which pyarrow writes no such file
def test_column_that_is_there_twice_is_refused(kind: str, tmp_path: Path) -> None:
    make, name = KINDS[kind]
    (tmp_path / name).write_bytes(make(pa.Table.from_arrays([pa.array(["a"])] * 2, ["text", "text"])))
    with pytest.raises(CorpusError, match=r"has two columns 'text'\. Rename one"):
        list_sources([tmp_path])


def test_column_whose_name_looks_like_a_path_is_read(kind: str, tmp_path: Path) -> None:
    make, name = KINDS[kind]
    (tmp_path / name).write_bytes(make(pa.table({"a": [{"b": "no"}], "a.b": ["yes"], "z": [1]})))
    assert documents(tmp_path, DocumentOptions(text_field="a.b")) == [b"yes"]


def test_a_cut_file_is_refused(kind: str, write: Callable[..., Path]) -> None:
    path = write(kind, [str(number) for number in range(500)], row_group_size=100)
    data = path.read_bytes()
    for length in (0, 3, 7, 100, len(data) // 2, len(data) - 9):
        path.write_bytes(data[:length])
        with pytest.raises(CorpusError, match=r"cannot be read (on )?as (Parquet|Arrow) \(.*\)\. Copy the file again"):
            documents(path)


def test_other_bytes_are_no_parquet(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b'{"text": "a"}')
    with pytest.raises(CorpusError, match=r"holds no Parquet data; it begins with b'\{\"text'\. Copy"):
        list_sources([tmp_path])
    (tmp_path / "a.parquet").rename(tmp_path / "a.arrow")
    with pytest.raises(CorpusError, match=r"a\.arrow': cannot be read as Arrow \(.*\)\. Copy the file again"):
        list_sources([tmp_path])


@pytest.mark.parametrize("has_plain_footer", [True, False])
def test_encrypted_parquet_is_named_so(tmp_path: Path, has_plain_footer: bool) -> None:
    encryption: Any = pytest.importorskip("pyarrow.parquet.encryption", reason="pyarrow was built without encryption")

    class Keys(encryption.KmsClient):  # type: ignore[misc]
        def __init__(self, _: Any) -> None:
            super().__init__()

        def wrap_key(self, key: bytes, _: str) -> bytes:
            return base64.b64encode(key)

    table = pa.table({"text": ["a"], "id": [1]})
    how = encryption.EncryptionConfiguration(
        footer_key="f", column_keys={"c": ["text"]}, plaintext_footer=has_plain_footer, double_wrapping=False
    )
    keys = encryption.CryptoFactory(Keys).file_encryption_properties(encryption.KmsConnectionConfig(), how)
    with pq.ParquetWriter(tmp_path / "a.parquet", table.schema, encryption_properties=keys) as writer:
        writer.write_table(table)
    with pytest.raises(CorpusError, match=r"is encrypted, and no key is known here.*\. Decrypt it first"):
        documents(tmp_path)


@pytest.mark.parametrize(
    ("head", "what"), [(b"PARE", "is encrypted, .* Decrypt it"), (b"FEA1", "Feather of version 1")]
)
def test_files_that_no_reader_opens_are_named(tmp_path: Path, head: bytes, what: str) -> None:
    for name in ("a.parquet", "a.arrow"):
        (tmp_path / name).write_bytes(head + bytes(20) + head)
        with pytest.raises(CorpusError, match=what):
            list_sources([tmp_path / name])


def test_a_damaged_row_group_is_left_out_with_skip(write: Callable[..., Path]) -> None:
    path = write("parquet", [f"{number:050d}" for number in range(300)], row_group_size=100, use_dictionary=False)
    data = bytearray(path.read_bytes())
    column = pq.ParquetFile(path).metadata.row_group(1).column(1)
    data[column.data_page_offset : column.data_page_offset + 20] = b"\xff" * 20
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=r"a\.parquet', row group 2: cannot be read on as Parquet \(.*\)\. Copy"):
        documents(path)
    skipped = SkippedRecords()
    found = documents(path, SKIP, skipped=skipped)
    assert found == [b"%050d" % number for number in range(300) if not 100 <= number < 200]
    assert skipped.n_skipped == 1
    assert skipped.examples[0].startswith("a.parquet, row group 2: cannot be read on as Parquet (")


def test_damage_anywhere_is_a_corpus_error_or_seen_by_nobody(kind: str, write: Callable[..., Path]) -> None:
    """A changed byte may hit what is not read, or a text; it must never end in another error."""
    path = write(kind, [f"text {number}" for number in range(40)], row_group_size=20)
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        changed = bytearray(data)
        changed[place] ^= 0x55
        path.write_bytes(changed)
        with suppress(CorpusError):
            documents(path)


def test_table_that_is_compressed_as_a_whole_is_refused(tmp_path: Path, read: ReadBytes) -> None:
    with pytest.raises(CorpusError, match=r"a\.parquet\.gz': is a table that was compressed as a whole.*\. Unpack it"):
        read(b"", "a.parquet.gz")
    with pytest.raises(CorpusError, match=r"compressed as a whole"):
        read(parquet(pa.table({"text": ["a"]})), "a.parquet", compression="zstd")


def test_format_that_is_named_holds_for_other_names(read: ReadBytes) -> None:
    assert read(parquet(pa.table({"text": ["a"]})), "part-0", format="parquet") == [b"a"]
    assert read(arrow_stream(pa.table({"text": ["a"]})), "part-0", format="arrow") == [b"a"]


def test_memory_follows_the_row_group_and_not_the_file(tmp_path: Path) -> None:
    with pq.ParquetWriter(tmp_path / "a.parquet", pa.schema([("text", "string")])) as writer:
        for number in range(20):
            writer.write_table(pa.table({"text": [f"{number}{row:01000d}" for row in range(1000)]}))
    before = pa.total_allocated_bytes()
    pool, most, n_bytes = pa.default_memory_pool(), 0, 0
    [split] = plan_splits(list_sources([tmp_path]), OPTIONS)
    for _, block in read_split(split, OPTIONS):
        most, n_bytes = max(most, pool.bytes_allocated() - before), n_bytes + block.n_text_bytes
    assert n_bytes > 20_000_000
    assert most < 6_000_000


def test_table_without_pyarrow_names_the_extra(
    kind: str, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(kind, ["a"])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        MissingExtraError, match=r"reading \w+ needs pyarrow\. Install tokenloom with the 'parquet' ext"
    ):
        list_sources([path])
