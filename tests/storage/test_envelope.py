import hashlib
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.errors import CorpusError, FormatError
from tokenloom.storage import Envelope, decode_envelope, encode_envelope, read_envelope, write_envelope
from tokenloom.storage.canonical import canonical_json

SMALL = encode_envelope(kind="demo", version=(1, 2), header={"a": 1}, sections=[("x", b"abc"), ("y", b"")])


def decode(data: bytes) -> Envelope:
    return decode_envelope(data, source="f.tloom", kind="demo")


def forged(table: Any, rest: bytes = b"") -> bytes:
    """A file whose beginning has a right checksum over a table that we would not write."""
    text = table if isinstance(table, bytes) else canonical_json(table)
    start = b"\x89TLOOM\r\n" + struct.pack("<HHI", 1, 0, len(text)) + text
    body = start + hashlib.sha256(start).digest()
    body += bytes(-len(body) % 8) + rest
    return body + struct.pack("<Q8s", len(body) + 16, b"TLOOMEND")


def table(*rows: Any, **changes: Any) -> dict[str, Any]:
    return {"header": {}, "kind": "demo", "sections": list(rows)} | changes


def row(name: str, length: Any) -> dict[str, Any]:
    return {"name": name, "bytes": length, "sha256": hashlib.sha256(b"").hexdigest()}


def test_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "f.tloom"
    write_envelope(path, kind="demo", header={"a": 1}, sections=[("x", b"abc"), ("y", b"")])
    assert read_envelope(path, kind="demo") == Envelope((1, 0), {"a": 1}, {"x": b"abc", "y": b""})


@given(st.lists(st.tuples(st.text(), st.binary()), unique_by=lambda item: item[0], max_size=4))
def test_any_sections_come_back_in_order(sections: list[tuple[str, bytes]]) -> None:
    data = encode_envelope(kind="demo", version=(1, 0), header={}, sections=sections)
    assert list(decode(data).sections.items()) == sections


def test_layout_is_the_documented_one() -> None:
    assert SMALL[:8] == b"\x89TLOOM\r\n"
    major, minor, length = struct.unpack_from("<HHI", SMALL, 8)
    assert (major, minor) == (1, 2)
    digest_at = 16 + length
    assert SMALL[digest_at : digest_at + 32] == hashlib.sha256(SMALL[:digest_at]).digest()
    section_at = (digest_at + 32 + 7) // 8 * 8
    assert SMALL[section_at:] == b"abc" + bytes(5) + struct.pack("<Q", len(SMALL)) + b"TLOOMEND"


def test_file_cut_anywhere_is_refused() -> None:
    for length in range(len(SMALL)):
        with pytest.raises(FormatError, match=r"^'f\.tloom', (byte|its table|section)"):
            decode(SMALL[:length])


def test_bit_changed_anywhere_is_refused() -> None:
    for bit in range(8 * len(SMALL)):
        changed = bytearray(SMALL)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(FormatError, match=r"^'f\.tloom', "):
            decode(bytes(changed))


def test_bytes_after_the_end_are_refused() -> None:
    with pytest.raises(FormatError, match=f"table announces {len(SMALL)} bytes, the file has {len(SMALL) + 1}"):
        decode(SMALL + b"\0")


def test_newer_major_is_refused_by_name_and_newer_minor_is_read() -> None:
    newer = encode_envelope(kind="demo", version=(2, 0), header={}, sections=[])
    with pytest.raises(FormatError, match=r"version 2\.0, but this tokenloom reads demo files up to 1\.x.*Upgrade"):
        decode(newer)
    assert decode(SMALL).version == (1, 2)


def test_other_kind_and_other_files_are_refused() -> None:
    with pytest.raises(FormatError, match="it holds a 'demo', not a 'tokenizer'"):
        decode_envelope(SMALL, source="f", kind="tokenizer")
    with pytest.raises(FormatError, match="byte 0: it is not a file of tokenloom"):
        decode(b"PK\x03\x04 something else")
    with pytest.raises(FormatError, match="it is empty"):
        decode(b"")


def test_missing_file_is_a_corpus_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        read_envelope(tmp_path / "f.tloom", kind="demo")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89TLOOM\r\n" + struct.pack("<HHI", 1, 0, 10**9) + bytes(100),
        forged(table(row("x", 10**9))),
        forged(table(row("x", 2**64), row("y", -(2**64)))),
        forged(table(*[row(str(i), 10**9) for i in range(9)])),
    ],
)
def test_announced_sizes_are_compared_with_the_file_before_reading(data: bytes) -> None:
    tracemalloc.start()
    with pytest.raises(FormatError):
        decode(data)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 2_000_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{}", "lacks kind, header or sections"),
        (b"[]", "lacks kind, header or sections"),
        (b'{"a": 1}', "no canonical JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\xff", "no canonical JSON"),
        (table(header=[]), "wrong type"),
        (table(sections={}), "wrong type"),
        (table("x"), "without name, bytes or sha256"),
        (table(row("x", True)), "impossible name or length"),
        (table(row("x", 1.0)), "impossible name or length"),
        (table(row("x", 0), row("x", 0)), "names a section twice"),
    ],
)
def test_hostile_table_with_a_right_checksum_is_refused(content: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        decode(forged(content))


def test_padding_that_is_not_zero_is_refused() -> None:
    digest = hashlib.sha256(b"a").hexdigest()
    data = forged(table({"name": "x", "bytes": 1, "sha256": digest}), b"a" + b"\0\0\0\0\0\0\1")
    with pytest.raises(FormatError, match="padding is not zero"):
        decode(data)
