import bz2
import gzip
import io
import lzma
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tokenloom.errors import CorpusError, MissingExtraError
from tokenloom.storage.compression import (
    Compression,
    DamagedDataError,
    DecompressedFile,
    check_support,
    find_compression,
)

zstd: Final[Any] = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
COMPRESS: Final[dict[Compression, Callable[[bytes], bytes]]] = {
    "gzip": gzip.compress,
    "zstd": lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}),
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}
SUFFIX: Final = {"gzip": ".gz", "zstd": ".zst", "xz": ".xz", "bzip2": ".bz2"}
TEXT: Final = b"the cat in the hat\r\n" * 40 + Random(0).randbytes(60)


@pytest.fixture(params=[*COMPRESS, "gzip by zlib"])
def compression(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Compression:
    """Every law holds for gzip with and without the fast package."""
    if request.param == "gzip by zlib":
        monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)
        return "gzip"
    return request.param  # type: ignore[no-any-return]


def read(data: bytes, compression: Compression, *, n_bytes: int = 100) -> tuple[bytes, str]:
    """All that comes out before the end or the damage, and the damage."""
    file = DecompressedFile(io.BytesIO(data), compression)
    parts = []
    try:
        while part := file.read(n_bytes):
            parts.append(part)
    except DamagedDataError as error:
        return b"".join(parts), str(error)
    return b"".join(parts), ""


@pytest.mark.parametrize("n_bytes", [1, 7, 100, 10_000])
def test_text_comes_back(compression: Compression, n_bytes: int) -> None:
    assert read(COMPRESS[compression](TEXT), compression, n_bytes=n_bytes) == (TEXT, "")


def test_empty_text_comes_back(compression: Compression) -> None:
    assert read(COMPRESS[compression](b""), compression) == (b"", "")


def test_members_follow_each_other(compression: Compression) -> None:
    compress = COMPRESS[compression]
    data = b"".join(map(compress, [b"the", b"", b" cat", TEXT, b""]))
    assert read(data, compression) == (b"the cat" + TEXT, "")


def test_read_gives_all_that_it_is_asked_for_over_the_borders_of_members(compression: Compression) -> None:
    data = COMPRESS[compression](b"abc") * 4
    assert DecompressedFile(io.BytesIO(data), compression).read(10) == b"abcabcabca"


def test_cut_anywhere_gives_what_stands_before_and_says_so(compression: Compression) -> None:
    data = COMPRESS[compression](TEXT)
    for length in range(1, len(data)):
        text, damage = read(data[:length], compression)
        assert TEXT.startswith(text)
        assert damage == f"the {compression} data ends early"


def test_a_cut_gives_all_that_could_be_decompressed() -> None:
    data = zlib.compressobj(level=0, wbits=31)  # stored, so that each byte of the file is one of the text
    whole = data.compress(TEXT) + data.flush()
    assert read(whole[:-8], "gzip", n_bytes=300)[0] == TEXT


def test_a_cut_in_the_second_member_gives_the_first(compression: Compression) -> None:
    data = COMPRESS[compression](TEXT)
    assert read(data + data[:5], compression) == (TEXT, f"the {compression} data ends early")


def test_a_changed_byte_never_gives_another_text_in_silence(compression: Compression) -> None:
    data = COMPRESS[compression](TEXT)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        text, damage = read(bytes(changed), compression)
        assert damage or text == TEXT  # a name or a time in the head of gzip may change


@pytest.mark.parametrize("garbage", [b"garbage behind", b"g", b"\n"])
def test_other_bytes_behind_the_data_are_damage(compression: Compression, garbage: bytes) -> None:
    text, damage = read(COMPRESS[compression](TEXT) + garbage, compression)
    assert (text, damage) == (TEXT, f"other bytes stand behind its {compression} data")


@pytest.mark.parametrize("padded", ["gzip", "xz"])
def test_zero_bytes_that_fill_up_a_tape_are_passed_over(padded: Compression) -> None:
    data = COMPRESS[padded](TEXT)
    assert read(data + bytes(200_000) + data + bytes(4), padded) == (TEXT + TEXT, "")


def test_frames_of_zstd_that_hold_no_text_are_passed_over() -> None:
    frame = b"\x5a\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"note"
    assert read(frame + COMPRESS["zstd"](TEXT) + frame, "zstd") == (TEXT, "")


def test_file_without_bytes_is_damaged(compression: Compression) -> None:
    assert read(b"", compression) == (
        b"",
        f"the file has no bytes, not even those of empty {compression} data",
    )


def test_memory_follows_what_is_read_and_not_what_the_file_expands_to(compression: Compression) -> None:
    data = COMPRESS[compression](bytes(64 << 20))
    file = DecompressedFile(io.BytesIO(data), compression)
    tracemalloc.start()
    try:
        length = sum(map(len, iter(lambda: file.read(1 << 16), b"")))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert length == 64 << 20
    assert peak < 24 << 20


def test_an_error_of_the_disk_is_none_of_the_data(compression: Compression) -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output error"):
        DecompressedFile(Failing(), compression).read(1)


def test_xz_that_asks_for_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenloom.storage.compression._XZ_MEMORY_BYTES", 1 << 20)
    assert "Memory usage limit" in read(lzma.compress(TEXT, preset=9), "xz")[1]


def test_suffix_names_the_compression(tmp_path: Path, compression: Compression) -> None:
    path = tmp_path / f"A.TXT{SUFFIX[compression].upper()}"
    path.write_bytes(COMPRESS[compression](TEXT))
    assert find_compression(path) == compression


@pytest.mark.parametrize("text", [b"", b"the cat", b"BZh", b"PK", b"(\xb5/"])
def test_plain_file_has_none(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(text)
    assert find_compression(tmp_path / "a.txt") == "none"


def test_compressed_data_without_its_suffix_is_refused(tmp_path: Path, compression: Compression) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(COMPRESS[compression](b""))
    with pytest.raises(CorpusError, match=rf"a\.txt': holds {compression} data, but its name does not .*\. Rename it"):
        find_compression(path)
    assert find_compression(path, compression) == compression
    assert find_compression(path, "none") == "none"


def test_text_with_the_suffix_of_a_compression_is_refused(tmp_path: Path, compression: Compression) -> None:
    path = tmp_path / f"a{SUFFIX[compression]}"
    path.write_bytes(b"plain text")
    with pytest.raises(CorpusError, match=rf"holds no {compression} data; it begins with b'plain '\. Copy the file"):
        find_compression(path)
    assert find_compression(path, "none") == "none"


@pytest.mark.parametrize("name", ["a.txt.lz4", "a.br", "a.7z", "a.zip", "a.Z", "a.sz", "a.tar.gz", "a.tgz"])
def test_files_that_are_not_read_are_refused_by_their_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(b""))
    with pytest.raises(CorpusError, match=rf"{name}': is .*, which is not read\. Unpack it"):
        find_compression(tmp_path / name)


@pytest.mark.parametrize(
    ("head", "what"),
    [(b"PK\x03\x04", "ZIP"), (b"7z\xbc\xaf\x27\x1c", "7-Zip"), (b"\x04\x22\x4d\x18", "LZ4")],
)
def test_files_that_are_not_read_are_refused_by_their_first_bytes(tmp_path: Path, head: bytes, what: str) -> None:
    (tmp_path / "a.txt").write_bytes(head + bytes(20))
    with pytest.raises(CorpusError, match=rf"a\.txt': is .*{what}.*, which is not read\. Unpack it"):
        find_compression(tmp_path / "a.txt")
    assert find_compression(tmp_path / "a.txt", "none") == "none"


@pytest.mark.parametrize(
    ("name", "head", "what"),
    [
        ("a.parquet", b"", r"is a Parquet file, not text\. Use --format parquet"),
        ("a.feather", b"", r"is an Arrow file, not text\. Use --format arrow"),
        ("a.txt", b"PAR1", r"is a Parquet file, not text\. Use --format parquet and let its name end in '\.parquet'"),
        ("a.txt", b"ARROW1\0\0", r"is an Arrow file, not text\. Use --format arrow and let its name end in '\.arrow'"),
    ],
)
def test_tables_are_no_text(tmp_path: Path, name: str, head: bytes, what: str) -> None:
    (tmp_path / name).write_bytes(head + bytes(20))
    with pytest.raises(CorpusError, match=what):
        find_compression(tmp_path / name)
    assert find_compression(tmp_path / name, "none") == "none"


def test_zstd_without_a_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    with pytest.raises(MissingExtraError, match=r"needs backports\.zstd\. Install tokenloom with the 'zstd' extra\."):
        check_support("zstd")
    with pytest.raises(ImportError, match="'zstd' extra"):
        DecompressedFile(io.BytesIO(), "zstd")


@pytest.mark.parametrize(("compression", "module"), [("xz", "lzma"), ("bzip2", "bz2")])
def test_python_built_without_a_module_is_named(
    monkeypatch: pytest.MonkeyPatch, compression: Compression, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingExtraError, match=rf"reading {compression} needs the module '{module}', .*\. Use another"
    ):
        check_support(compression)
