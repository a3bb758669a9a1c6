"""Files at URLs, through fsspec: opening, lengths, and what a folder or a pattern stands for.

The only file that needs fsspec, and the package of a store (s3fs, gcsfs, aiohttp) that fsspec needs. Whatever a store
raises, and each has its own classes, becomes a CorpusError with the URL. Options of a store, such as keys, are passed
beside the URL and never kept: what is written about a run has none of them.
"""

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Final, cast

from tokenloom.errors import CorpusError, MissingExtraError, TokenloomError
from tokenloom.wording import quoted

__all__ = ["is_url", "list_urls", "open_url", "url_bytes", "url_version"]

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_MAGIC: Final = re.compile(r"[*\[]")
"""What makes a URL a pattern; a `?` begins its query."""
_VERSION_KEYS: Final = ("ETag", "etag", "version_id", "md5Hash", "LastModified", "last_modified", "mtime", "created")


def is_url(name: str) -> bool:
    """Whether a name is a URL and no path of this machine; a scheme of one letter is a drive.

    >>> is_url("s3://bucket/a.txt"), is_url("data/a.txt"), is_url("C://a.txt")
    (True, False, False)
    """
    return _SCHEME.match(name) is not None


def open_url(url: str, options: Mapping[str, Any]) -> BinaryIO:
    """Open a URL for reading bytes. Raises: CorpusError if that fails; MissingExtraError for what is not installed."""
    store, path = _store(url, options)
    with _named_errors(url):
        return cast(BinaryIO, _UrlFile(store.open(path, "rb"), url))


def url_bytes(url: str, options: Mapping[str, Any]) -> int:
    """The length of a URL. Raises: as `open_url`, and CorpusError for a folder and for a length that is not told."""
    info = _info(url, options)
    if info.get("type") == "directory":
        raise CorpusError(f"{quoted(url)}: is a folder. Name a file inside it.")
    if not isinstance(info.get("size"), int):
        raise CorpusError(f"{quoted(url)}: the store does not tell its length. Copy the file to this machine.")
    return int(info["size"])


def url_version(url: str, options: Mapping[str, Any]) -> str:
    """What the store says of the version of a URL, such as its ETag or its time; nothing if it has neither."""
    info = _info(url, options)
    return next((str(info[key]) for key in _VERSION_KEYS if info.get(key) is not None), "")


def list_urls(url: str, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The files that a URL stands for, each with its name below it, in the order that a folder on the disk has.

    Args:
        url: a file; a folder, for all files below it without names that begin with a dot; or a pattern.
        options: of the store.
    Raises: as `open_url`, and CorpusError for a folder or pattern without a file.
    """
    store, path = _store(url, options)
    with _named_errors(url):
        magic = _MAGIC.search(path)
        if magic and not store.exists(path):
            root = path[: magic.start()].rpartition("/")[0]
            found = _names(store.glob(path, detail=True), root)
            if not _is_hidden(path[len(root) :].lstrip("/")):  # as on a disk, where a `*` stands for no dot
                found = [pair for pair in found if not _is_hidden(pair[1])]
            if not found:
                raise CorpusError(f"{quoted(url)}: is a pattern that matches no file. Check it, or name a folder.")
        elif store.info(path)["type"] == "directory":
            found = [pair for pair in _names(store.find(path, detail=True), path) if not _is_hidden(pair[1])]
            if not found:
                raise CorpusError(f"{quoted(url)}: is a folder without files. Name a file or a folder that holds some.")
        else:
            return [(url, PurePosixPath(path.partition("?")[0]).name or "index")]
        return [(store.unstrip_protocol(file), name) for file, name in sorted(found, key=_disk_order)]


class _UrlFile(io.BufferedIOBase):
    """An open file of a store, whose errors name the URL."""

    def __init__(self, file: Any, url: str) -> None:
        self._file = file
        self._url = url

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def read(self, size: int | None = -1, /) -> bytes:
        """All that is asked for, unless the file ends."""
        with _named_errors(self._url):
            data: bytes = self._file.read(-1 if size is None else size)
            while size and 0 < len(data) < size and (more := self._file.read(size - len(data))):
                data += more
            return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        with _named_errors(self._url):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _store(url: str, options: Mapping[str, Any]) -> tuple[Any, str]:
    """The file system of a URL, and the path there."""
    try:
        core = import_module("fsspec.core")
    except ImportError as error:
        raise MissingExtraError("reading URLs needs fsspec. Install tokenloom with the 'remote' extra.") from error
    with _named_errors(url):
        store, path = core.url_to_fs(url, **options)
        return store, str(path)


def _info(url: str, options: Mapping[str, Any]) -> dict[str, Any]:
    store, path = _store(url, options)
    with _named_errors(url):
        return dict(store.info(path))


def _names(found: Mapping[str, Mapping[str, Any]], root: str) -> list[tuple[str, str]]:
    """The files of a listing, each with its name below the root."""
    return [(file, file[len(root) :].lstrip("/")) for file, info in found.items() if info.get("type") != "directory"]


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def _disk_order(pair: tuple[str, str]) -> list[tuple[bool, str]]:
    """Files of a folder before the folders in it, both by name."""
    *folders, name = pair[1].split("/")
    return [*((True, folder) for folder in folders), (False, name)]


@contextmanager
def _named_errors(url: str) -> Iterator[None]:
    """Turn what a store raises into a CorpusError with the URL and the remedy."""
    try:
        yield
    except TokenloomError:
        raise
    except FileNotFoundError as error:
        raise CorpusError(f"{quoted(url)}: there is no such file. Check the URL.") from error
    except PermissionError as error:
        raise CorpusError(
            f"{quoted(url)}: may not be read with these keys ({error}). Pass others in the storage options."
        ) from error
    except IsADirectoryError as error:
        raise CorpusError(f"{quoted(url)}: is a folder. Name a file inside it.") from error
    except ImportError as error:
        raise MissingExtraError(
            f"reading {quoted(url)} needs a package besides the 'remote' extra ({error}). Install it."
        ) from error
    except Exception as error:
        raise CorpusError(
            f"{quoted(url)}: cannot be read ({type(error).__name__}: {error}). Check the URL, the network and the "
            "storage options."
        ) from error
