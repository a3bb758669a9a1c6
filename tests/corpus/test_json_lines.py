import gzip
import json
import sys
import tracemalloc
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reading import ReadBytes, whole
from tokenloom.corpus import DocumentOptions, SkippedRecords, list_sources, read_source
from tokenloom.errors import CorpusError


@pytest.fixture(params=["orjson", "json"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every law holds with and without the fast parser."""
    if request.param == "json":
        monkeypatch.setitem(sys.modules, "orjson", None)
    else:
        pytest.importorskip("orjson")


pytestmark = pytest.mark.usefixtures("parser")


def record(text: object, **fields: object) -> bytes:
    return json.dumps({**fields, "text": text}, ensure_ascii=False).encode()


@pytest.mark.parametrize("block_bytes", [1, 7, 1000])
def test_each_line_is_a_document(read: ReadBytes, block_bytes: int) -> None:
    data = record("the", id=1) + b"\n" + record("cat é\n") + b"\n" + record("") + b"\n"
    assert read(data, "a.jsonl", block_bytes=block_bytes) == [b"the", "cat é\n".encode(), b""]


def test_last_line_needs_no_line_feed(read: ReadBytes) -> None:
    assert read(record("a") + b"\n" + record("b"), "a.jsonl") == [b"a", b"b"]


def test_lines_end_at_line_feeds_alone(read: ReadBytes) -> None:
    text = "a\u2028b\u2029c\x85d\x7fe"
    assert read(b'{"text":\r' + json.dumps(text, ensure_ascii=False).encode() + b"}\r\n", "a.jsonl") == [text.encode()]


@pytest.mark.parametrize("blank", [b"", b" ", b"\r", b"\t \r"])
def test_blank_lines_are_passed_over_and_counted_as_lines(read: ReadBytes, blank: bytes) -> None:
    assert read(blank + b"\n" + record("a") + b"\n" + blank + b"\n" + blank, "a.jsonl") == [b"a"]
    with pytest.raises(CorpusError, match=r"a\.jsonl', line 2: "):
        read(blank + b"\nx", "a.jsonl")


@pytest.mark.parametrize("block_bytes", [1, 1000])
def test_byte_order_mark_at_the_start_is_passed_over(read: ReadBytes, block_bytes: int) -> None:
    assert read(b"\xef\xbb\xbf" + record("a"), "a.jsonl", block_bytes=block_bytes) == [b"a"]
    with pytest.raises(CorpusError, match=r"line 2: is no JSON"):
        read(record("a") + b"\n\xef\xbb\xbf" + record("a"), "a.jsonl", block_bytes=block_bytes)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_file_without_records_has_no_documents(read: ReadBytes, data: bytes) -> None:
    assert read(data, "a.jsonl") == []


@pytest.mark.parametrize(
    ("line", "reason", "remedy"),
    [
        (b"the cat", "is no JSON (character 0: Expecting value)", "or --format text if the file is plain text"),
        (b'{"text": "a"} x', "is no JSON (character 14: Extra data)", "Mend or remove it"),
        (b'{"text": "a", "n": NaN}', "is no JSON (NaN is no number of it)", "Mend or remove it"),
        (b'{"text": "a\xff"}', "byte 11 of it, 0xff, is no UTF-8", "Mend or remove it"),
        (b'{"text": "a\x0c"}', "is no JSON (character 11: Invalid control character at)", "Mend or remove it"),
        (b'["text"]', "is a list, no JSON object", "Mend or remove it"),
        (b'"text"', "is a string, no JSON object", "Mend or remove it"),
        (b"7", "is a number, no JSON object", "Mend or remove it"),
        (b"true", "is a boolean, no JSON object", "Mend or remove it"),
        (b"{}", "has no field 'text'; its fields are none", "with --text-field"),
        (b'{"body": "a", "id": 1}', "has no field 'text'; its fields are 'body', 'id'", "with --text-field"),
        (b'{"text": null}', "field 'text' is null, no string", "with --text-field"),
        (b'{"text": {"a": 1}}', "field 'text' is an object, no string", "with --text-field"),
        (b'{"text": "a\\ud800"}', "character 1 of field 'text' is a lone surrogate", "Mend or remove it"),
        (b"[" * 100_000, "is nested too deeply", "Mend or remove it"),
    ],
)
def test_broken_record_is_named_with_its_line(read: ReadBytes, line: bytes, reason: str, remedy: str) -> None:
    data = record("a") + b"\n\n" + line + b"\n" + record("b")
    with pytest.raises(CorpusError) as caught:
        read(data, "a.jsonl", block_bytes=20)
    message = str(caught.value)
    assert message.startswith("'")
    assert f"a.jsonl', line 3: {reason}" in message
    assert message.endswith(".")
    assert message.index(remedy) > message.index(reason)
    skipped = SkippedRecords()
    assert read(data, "a.jsonl", on_error="skip", skipped=skipped, block_bytes=20) == [b"a", b"b"]
    assert skipped.n_skipped == 1
    assert skipped.examples[0].startswith(f"a.jsonl, line 3: {reason}")


def test_many_fields_are_named_in_short(read: ReadBytes) -> None:
    fields = {f"{'long' * 50}{number}": 1 for number in range(1000)}
    with pytest.raises(CorpusError) as caught:
        read(json.dumps(fields).encode(), "a.jsonl")
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "line",
    [
        b'{"other": "\\ud800", "text": "a"}',
        b'{"n": 1e999, "text": "a"}',
        b'{"n": %s, "text": "a"}' % (b"9" * 10_000),
        b'{"text": "b", "text": "a"}',
        b' \t{"text": "\\u0061"}\r',
    ],
)
def test_what_json_allows_is_no_broken_record(read: ReadBytes, line: bytes) -> None:
    assert read(line, "a.jsonl") == [b"a"]


def test_field_of_the_text_has_the_name_that_is_given(read: ReadBytes) -> None:
    assert read(b'{"text": 1, "": "a"}', "a.jsonl", text_field="") == [b"a"]


def test_a_line_of_many_blocks_is_read(read: ReadBytes) -> None:
    text = "the cat " * 500_000
    assert read(record("a") + b"\n" + record(text) + b"\n", "a.jsonl", block_bytes=1000) == [b"a", text.encode()]


@pytest.mark.parametrize("block_bytes", [1, 30, 350, 10_000])
def test_a_line_longer_than_is_allowed_is_a_broken_record(read: ReadBytes, block_bytes: int) -> None:
    long = record("x" * 89)
    data = record("a") + b"\n" + long + b"\n{no\n" + record("b")
    most = len(long)
    skipped = SkippedRecords()
    options: dict[str, Any] = {"block_bytes": block_bytes, "on_error": "skip", "skipped": skipped}
    assert read(data, "a.jsonl", max_record_bytes=most, **options) == [b"a", b"x" * 89, b"b"]
    assert skipped.n_skipped == 1
    assert read(data, "a.jsonl", max_record_bytes=most - 1, **options) == [b"a", b"b"]
    assert skipped.examples[1] == f"a.jsonl, line 2: is longer than {most - 1} bytes"
    assert skipped.examples[2].startswith("a.jsonl, line 3: is no JSON")
    with pytest.raises(CorpusError, match=rf"line 2: is longer than {most - 1} bytes\. Mend"):
        read(data, "a.jsonl", block_bytes=block_bytes, max_record_bytes=most - 1)


def test_a_line_that_no_memory_holds_is_never_held(read: ReadBytes) -> None:
    data = gzip.compress(b'{"text": "' + bytes(24 << 20) + b'"}\n' + record("b"), compresslevel=1)
    tracemalloc.start()
    try:
        found = read(data, "a.jsonl.gz", block_bytes=1 << 18, max_record_bytes=1 << 20, on_error="skip")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [b"b"]
    assert peak < 8 << 20


def test_nul_bytes_are_text(read: ReadBytes) -> None:
    assert read(b'{"text": "a\\u0000b"}', "a.jsonl") == [b"a\0b"]
    assert read(b"\0a\0", "a.txt") == [b"\0a\0"]


@pytest.mark.parametrize("block_bytes", [1, 50, 10_000])
def test_of_a_cut_file_the_whole_lines_are_kept_with_skip(read: ReadBytes, block_bytes: int) -> None:
    data = b"".join(record(str(number)) + b"\n" for number in range(20))
    cut = gzip.compress(data, compresslevel=0)[: -(8 + 4)]
    skipped = SkippedRecords()
    documents = read(cut, "a.jsonl.gz", on_error="skip", skipped=skipped, block_bytes=block_bytes)
    assert documents == [str(number).encode() for number in range(19)]
    assert skipped.examples == [f"a.jsonl.gz, byte {len(data) - 4} of the decompressed text: the gzip data ends early"]


def test_of_a_cut_file_a_last_line_that_looks_whole_is_dropped(read: ReadBytes) -> None:
    cut = gzip.compress(record("a") + b"\n" + record("b"), compresslevel=0)[:-8]
    assert read(cut, "a.jsonl.gz", on_error="skip") == [b"a"]


def test_broken_records_among_many_are_each_left_out(read: ReadBytes) -> None:
    random = Random(0)
    lines = [random.choice([record(str(number)), b"{broken", b'{"no": 1}', b""]) for number in range(3000)]
    skipped = SkippedRecords()
    documents = read(b"\n".join(lines), "a.jsonl", on_error="skip", skipped=skipped, block_bytes=500)
    assert documents == [json.loads(line)["text"].encode() for line in lines if b"text" in line]
    assert skipped.n_skipped == sum(line in (b"{broken", b'{"no": 1}') for line in lines)
    assert skipped.examples[0] == next(
        f"a.jsonl, line {number}: {reason}"
        for number, line in enumerate(lines, 1)
        for broken, reason in [
            (b"{broken", "is no JSON (character 1: Expecting property name enclosed in double quotes)"),
            (b'{"no": 1}', "has no field 'text'; its fields are 'no'"),
        ]
        if line == broken
    )


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(records=st.lists(st.tuples(st.text(), VALUES, st.booleans())), block_bytes=st.integers(1, 200))
def test_texts_are_those_of_the_json_module(
    tmp_path_factory: pytest.TempPathFactory, records: list[tuple[str, Any, bool]], block_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    lines = [json.dumps({"other": other, "text": text}, ensure_ascii=escaped) for text, other, escaped in records]
    path.write_bytes("\n".join(lines).encode())
    [source] = list_sources([path])
    documents = whole(read_source(source, DocumentOptions(), block_bytes=block_bytes))
    assert documents == [text.encode() for text, _, _ in records]
