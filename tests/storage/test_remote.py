import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tokenloom.errors import CorpusError, MissingExtraError
from tokenloom.storage import input_bytes, input_version, open_input
from tokenloom.storage.remote import is_url, list_urls

fsspec: Any = pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.fixture
def store() -> Iterator[Any]:
    """The store in memory, which all tests share, with some files."""
    memory = fsspec.filesystem("memory")
    for name, data in {
        "b/two.txt": b"22",
        "b/.no.txt": b"",
        "a.txt": b"1",
        ".git/x.txt": b"",
        "c/d/e.txt": b"3",
    }.items():
        memory.pipe(f"/corpus/{name}", data)
    yield memory
    memory.rm("/corpus", recursive=True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("s3://bucket/a", True),
        ("https://host/a.txt?b=c", True),
        ("git+ssh://x", True),
        ("C://a", False),
        ("a/b://c", False),
        ("en=s3://bucket/a", False),
        ("", False),
        ("simplecache::s3://a", False),
    ],
)
def test_url_begins_with_a_scheme(name: str, expected: bool) -> None:
    assert is_url(name) is expected


def test_url_is_opened_and_has_a_length(store: Any) -> None:
    with open_input("memory://corpus/b/two.txt") as file:
        assert (file.read(1), file.tell(), file.seek(0), file.read(10), file.read(1)) == (b"2", 1, 0, b"22", b"")
        assert file.seekable()
        assert file.readable()
    assert file.closed
    assert input_bytes("memory://corpus/b/two.txt") == 2


def test_version_of_a_url_changes_with_its_content(store: Any) -> None:
    before = input_version("memory://corpus/a.txt")
    store.pipe("/corpus/a.txt", b"2")
    assert before != input_version("memory://corpus/a.txt") != ""


def test_folder_gives_its_files_in_the_order_of_a_disk_without_hidden_ones(store: Any) -> None:
    store.pipe("/corpus/b.txt", b"")
    urls = [f"memory://corpus/{name}" for name in ("a.txt", "b.txt", "b/two.txt", "c/d/e.txt")]
    assert [url.replace(":///", "://") for url, _ in list_urls("memory://corpus", {})] == urls
    assert [name for _, name in list_urls("memory://corpus/", {})] == ["a.txt", "b.txt", "b/two.txt", "c/d/e.txt"]
    assert [open_input(url).read() for url, _ in list_urls("memory://corpus", {})] == [b"1", b"", b"22", b"3"]


def test_pattern_gives_the_files_that_match_with_names_below_its_fixed_part(store: Any) -> None:
    names = [name for _, name in list_urls("memory://corpus/**/*.txt", {})]
    assert names == ["a.txt", "b/two.txt", "c/d/e.txt"]
    assert [name for _, name in list_urls("memory://corpus/b/.n*", {})] == [".no.txt"]
    assert [name for _, name in list_urls("memory://corpus/b/t*", {})] == ["two.txt"]


def test_file_whose_name_looks_like_a_pattern_is_a_file(store: Any) -> None:
    store.pipe("/corpus/a[1].txt", b"1")
    assert list_urls("memory://corpus/a[1].txt", {}) == [("memory://corpus/a[1].txt", "a[1].txt")]


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("memory://corpus/none.txt", r"'memory://corpus/none\.txt': there is no such file\. Check the URL"),
        ("memory://corpus/*.md", r"'memory://corpus/\*\.md': is a pattern that matches no file\. Check it"),
        ("memory://corpus/.git/y", r"there is no such file\. Check the URL"),
        ("nothing://a/b", r"'nothing://a/b': cannot be read \(ValueError: Protocol not known: nothing.*\)\. Check"),
    ],
)
def test_url_that_leads_to_no_file_is_refused(store: Any, url: str, what: str) -> None:
    with pytest.raises(CorpusError, match=what):
        list_urls(url, {})


def test_folder_without_files_is_refused(store: Any) -> None:
    store.pipe("/corpus/.git/z/.hidden", b"")
    with pytest.raises(CorpusError, match=r"memory://corpus/\.git/z': is a folder without files\. Name"):
        list_urls("memory://corpus/.git/z", {})


def test_folder_is_no_file(store: Any) -> None:
    with pytest.raises(CorpusError, match=r"'memory://corpus/b': is a folder\. Name a file inside it"):
        input_bytes("memory://corpus/b")


@pytest.fixture
def broken() -> Iterator[type[Any]]:
    """A store `broken://`, which raises what a test says, when its last bytes are read or before."""

    class Broken(fsspec.AbstractFileSystem):  # type: ignore[misc]
        protocol = "broken"
        cachable = False
        error: Exception | None = None
        late_error: Exception | None = None
        size: int | None = 9
        options: dict[str, Any] | None = None

        def __init__(self, **options: Any) -> None:
            super().__init__()
            Broken.options = options

        def info(self, path: str, **_: Any) -> dict[str, Any]:
            if Broken.error:
                raise Broken.error
            return {"name": path, "type": "file", "size": Broken.size}

        def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
            return import_module("fsspec.spec").AbstractBufferedFile(self, path, size=9, block_size=4)

    def fetch(self: Any, start: int, end: int) -> bytes:
        if Broken.late_error and end > 6:
            raise Broken.late_error
        return bytes(end - start)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fsspec.spec.AbstractBufferedFile._fetch_range", fetch, raising=False)
        fsspec.register_implementation("broken", Broken, clobber=True)
        yield Broken


class StoreError(Exception):
    """Stores have classes of their own, which are no OSError."""


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (
            PermissionError("Forbidden"),
            r"may not be read with these keys \(Forbidden\)\. Pass others in the storage op",
        ),
        (StoreError("no answer"), r"cannot be read \(StoreError: no answer\)\. Check the URL, the network and"),
        (OSError(5, "Input/output error"), r"cannot be read \(OSError: .*Input/output error\)\. Check"),
        (IsADirectoryError("x"), r"is a folder\. Name a file inside it"),
        (FileNotFoundError("x"), r"there is no such file\. Check the URL"),
    ],
)
def test_what_a_store_raises_is_a_corpus_error_with_the_url(broken: Any, error: Exception, what: str) -> None:
    broken.error = error
    for act in (input_bytes, input_version, lambda url: list_urls(url, {})):
        with pytest.raises(CorpusError, match=rf"^'broken://a': {what}"):
            act("broken://a")


def test_store_that_fails_while_reading_is_named(broken: Any) -> None:
    broken.late_error = StoreError("connection lost")
    with open_input("broken://a") as file:
        assert file.read(2) == bytes(2)
        with pytest.raises(CorpusError, match=r"^'broken://a': cannot be read \(StoreError: connection lost\)\. Check"):
            file.read()


def test_length_that_the_store_does_not_tell_is_refused(broken: Any) -> None:
    broken.size = None
    with pytest.raises(CorpusError, match=r"broken://a': the store does not tell its length\. Copy the file"):
        input_bytes("broken://a")


def test_version_of_a_store_that_tells_none_is_empty(broken: Any) -> None:
    assert input_version("broken://a") == ""


def test_options_reach_the_store(broken: Any) -> None:
    input_bytes("broken://a", {"key": "k", "anon": False})
    assert broken.options == {"key": "k", "anon": False}


def test_option_that_the_store_does_not_know_is_an_error_with_the_url(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"^'github://a': cannot be read \(.*\)\. Check .* storage options"):
        input_bytes("github://a", {"no_such_option": "1"})


def test_url_without_fsspec_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    for act in (open_input, input_bytes, lambda url: list_urls(url, {})):
        with pytest.raises(
            MissingExtraError, match=r"reading URLs needs fsspec\. Install tokenloom with the 'remote' ex"
        ):
            act("memory://a")


def test_store_whose_package_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(
        MissingExtraError, match=r"reading 's3://a/b' needs a package besides the 'remote' extra .*s3fs"
    ):
        open_input("s3://a/b")
