import gzip
import tracemalloc
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reading import ReadBytes, whole
from tokenloom.corpus import DocumentOptions, SkippedRecords, list_sources, read_source
from tokenloom.errors import CorpusError

ODD = b"\xef\xbb\xbfa\r\nb\xe2\x80\xa8c\xc2\x85d\x0ce\x00f\xff\xfe\n\n"


@pytest.mark.parametrize("block_bytes", [1, 2, 5, 1000])
def test_file_is_one_document_with_its_bytes_kept(read: ReadBytes, block_bytes: int) -> None:
    assert read(ODD, block_bytes=block_bytes) == [ODD]


def test_empty_file_is_one_empty_document(read: ReadBytes) -> None:
    assert read(b"") == [b""]
    assert read(b"", document_separator=b"\n") == [b""]
    assert read(gzip.compress(b""), "a.txt.gz") == [b""]


@given(
    data=st.lists(st.sampled_from([b"a", b"b", b"aa", b"ab", b"\n", b"aab"])).map(b"".join),
    separator=st.sampled_from([b"a", b"aa", b"ab", b"aba", b"\n", b"aabaab", b"a" * 40]),
    block_bytes=st.integers(1, 12),
)
def test_documents_are_those_of_bytes_split_on_the_whole_file(data: bytes, separator: bytes, block_bytes: int) -> None:
    options = DocumentOptions(document_separator=separator)
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.txt")
        path.write_bytes(data)
        [source] = list_sources([path], options)
        blocks = list(read_source(source, options, block_bytes=block_bytes))
    assert whole(blocks) == data.split(separator)
    assert not blocks[-1].is_open
    assert [block.n_text_bytes for block in blocks] == [sum(map(len, block.texts)) for block in blocks]


def test_separator_overlapping_itself_is_found_leftmost(read: ReadBytes) -> None:
    assert read(b"xaaay", document_separator=b"aa", block_bytes=1) == [b"x", b"ay"]


def test_separator_at_the_ends_and_doubled_makes_empty_documents(read: ReadBytes) -> None:
    assert read(b"||a||||b||", document_separator=b"||") == [b"", b"a", b"", b"b", b""]


def test_separator_plays_no_part_in_the_jsonl_files_of_a_corpus(read: ReadBytes) -> None:
    assert read(b'{"text": "a||b"}', "a.jsonl", document_separator=b"||") == [b"a||b"]


def test_progress_rises_to_the_length_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(bytes(range(256)) * 5000, compresslevel=0))
    [source] = list_sources([path])
    read_bytes = [block.n_read_bytes for block in read_source(source, DocumentOptions(), block_bytes=10_000)]
    assert read_bytes == sorted(read_bytes)
    assert 0 < read_bytes[0] < read_bytes[-1] == source.n_file_bytes


def test_a_document_of_many_blocks_needs_the_memory_of_few(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(bytes(64 << 20)))
    [source] = list_sources([path])
    tracemalloc.start()
    try:
        n_bytes = sum(block.n_text_bytes for block in read_source(source, DocumentOptions(), block_bytes=1 << 18))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_bytes == 64 << 20
    assert peak < 4 << 20


def test_cut_file_is_an_error_with_the_place_in_its_text(read: ReadBytes) -> None:
    data = gzip.compress(b"the cat", compresslevel=0)[:-10]
    with pytest.raises(CorpusError) as caught:
        read(data, "a.txt.gz")
    message = str(caught.value)
    assert "a.txt.gz', byte 5 of the decompressed text: the gzip data ends early. Copy the file again" in message


def test_cut_anywhere_with_skip_keeps_what_stands_before_and_counts_one(read: ReadBytes) -> None:
    data = gzip.compress(b"the||cat", compresslevel=0)
    for n_kept in range(1, len(data)):
        skipped = SkippedRecords()
        documents = read(data[:n_kept], "a.txt.gz", on_error="skip", skipped=skipped, document_separator=b"||")
        n_text_bytes = min(max(0, n_kept - 15), 8)  # stored text stands behind a head of 15 bytes
        assert b"||".join(documents) == b"the||cat"[:n_text_bytes]
        assert skipped.examples == [f"a.txt.gz, byte {n_text_bytes} of the decompressed text: the gzip data ends early"]


def test_file_of_which_nothing_can_be_read_has_no_document_with_skip(read: ReadBytes) -> None:
    skipped = SkippedRecords()
    assert read(b"", "a.txt.gz", on_error="skip", skipped=skipped) == []
    assert skipped.examples == [
        "a.txt.gz, byte 0 of the decompressed text: the file has no bytes, not even those of empty gzip data"
    ]


def test_file_of_no_bytes_with_the_suffix_of_a_compression_is_refused(read: ReadBytes) -> None:
    with pytest.raises(CorpusError, match=r"the file has no bytes, not even those of empty gzip data\. Copy"):
        read(b"", "a.txt.gz")


def test_reading_that_stops_early_closes_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"the cat")
    [source] = list_sources([tmp_path / "a.txt"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a file that is left open warns
        blocks = read_source(source, DocumentOptions(), block_bytes=1)
        next(blocks)
        del blocks
