"""The files of a corpus: which there are, in an order that is the same on every machine, and what each one holds."""

import glob
import os
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, TypeAlias

from tokenloom.corpus.files import list_files, standard_library_files, without_idle_links
from tokenloom.corpus.mixture import GROUP_NAME
from tokenloom.corpus.options import DocumentOptions
from tokenloom.corpus.tables import open_table
from tokenloom.errors import CorpusError, StorageError
from tokenloom.storage import input_bytes
from tokenloom.storage.compression import COMPRESSION_SUFFIXES, Compression, check_support, find_compression
from tokenloom.storage.paths import shown
from tokenloom.storage.remote import is_url, list_urls

__all__ = ["FileFormat", "PathLike", "Source", "list_sources", "refuse_output", "standard_library_sources"]

PathLike: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

FileFormat = Literal["text", "jsonl", "parquet", "arrow"]
_FORMAT_SUFFIXES: Final[dict[str, FileFormat]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
_DEFAULTS: Final = DocumentOptions()


@dataclass(frozen=True, slots=True)
class Source:
    """One input file.

    Args:
        path: the file, as the user named it or the folder that it is in; a str for a URL.
        name: its place below the folder, or the fixed part of the pattern, that the user named, with `/` between the
            parts; the file name of a file. If files of several arguments get in each other's way, the number of the
            argument stands before it. Unique in a corpus, and without a path of the machine.
        format: `"text"`, `"jsonl"`, `"parquet"` or `"arrow"`.
        compression: how the file is compressed as a whole, which tables are not.
        n_file_bytes: its length on the disk.
        group: the NAME of the argument `NAME=PATH` that it comes from; `""` of an argument without one.
    """

    path: Path | str
    name: str
    format: FileFormat
    compression: Compression
    n_file_bytes: int
    group: str = ""

    def to_json(self) -> dict[str, Any]:
        """The source as plain values."""
        return asdict(self) | {"path": str(self.path)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Source":
        """The inverse of `to_json`."""
        path = value["path"]
        return cls(**{**value, "path": path if is_url(path) else Path(path)})


def list_sources(paths: Sequence[PathLike], options: DocumentOptions = _DEFAULTS) -> list[Source]:
    """The files that paths stand for, in the order of the paths.

    Args:
        paths: each a file; a folder, for all files below it in the order of their names, without names that begin with
            a dot; or a pattern with `*`, `?`, `[...]` and `**` for any folders, for the files that match it, in order.
            A URL, which is what begins with `scheme://`, stands for a file, a folder or a pattern as well.
            `NAME=` before it puts its files into a group, where NAME has letters, digits, `-` and `_`, and nothing is
            called so as a whole. Several arguments may name one group.
        options: format and compression, where they are not to be told from the names, and what the store of a URL
            needs.
    Raises: CorpusError for a path that leads to no file, a file that is there twice, a compression that is not read, or
        a Parquet or Arrow file without a column of texts; MissingExtraError for what this Python cannot read: zstd, a
        table or a URL without the package for it.
    Warns: TokenloomWarning for a link that leads nowhere, or to a folder, inside a folder; it is left out.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.txt", "a.jsonl"):
    ...     _ = (folder / name).write_text("{}")
    >>> [(source.name, source.format) for source in list_sources([folder])]
    [('a.jsonl', 'jsonl'), ('b.txt', 'text')]
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise CorpusError(f"paths {os.fsdecode(paths)!r}: is one path, not a list. Pass it in a list.")
    arguments = [_grouped(_path(path)) for path in paths]
    if not arguments:
        raise CorpusError("paths []: is empty, so there is nothing to read. Name a file, a folder or a pattern.")
    found = [
        [_source(file, name, options, group) for file, name in _files(argument, options)]
        for group, argument in arguments
    ]
    sources = [source for group in found for source in group]
    _refuse_same_file(sources)
    if _collide([source.name for source in sources]):
        return [replace(source, name=f"{n}/{source.name}") for n, group in enumerate(found, 1) for source in group]
    return sources


def standard_library_sources() -> list[Source]:
    """The `.py` files of the running Python's standard library, without tests: text that every machine has."""
    root = Path(sysconfig.get_path("stdlib"))
    return [
        Source(file, file.relative_to(root).as_posix(), "text", "none", input_bytes(file))
        for file in standard_library_files()
    ]


def refuse_output(sources: Iterable[Source], out: PathLike) -> None:
    """Refuse a corpus that holds files of the folder that is written: a second run would read what the first wrote.

    Raises: CorpusError naming the first such file; StorageError if the folder is a URL, or no path.
    """
    name = os.fsdecode(out)
    if is_url(name) or "\0" in name:
        what = "is a URL" if is_url(name) else "has a NUL, which no file system takes"
        raise StorageError(f"{shown(name)}: {what}. Choose a folder of this machine, and copy it when it is complete.")
    folder = os.path.join(os.path.realpath(name), "")
    for source in sources:
        if isinstance(source.path, Path) and os.path.realpath(source.path).startswith(folder):
            raise CorpusError(
                f"{str(source.path)!r}: lies in the output folder {os.fsdecode(out)!r}, so the output would be read as "
                "text. Choose an output folder outside the corpus."
            )


def _path(path: PathLike) -> str:
    try:
        name = os.fsdecode(path)
    except TypeError as error:
        raise CorpusError(
            f"paths: {path!r} is of type {type(path).__name__}, no path. Pass each path as str or Path."
        ) from error
    if not name:  # it would stand for the current folder, and is most often a variable that was not set
        raise CorpusError("paths: '' is empty. Name a file, a folder or a pattern; '.' is the current folder.")
    return name


def _grouped(argument: str) -> tuple[str, str]:
    """The group that an argument names, and the path; a file that is there keeps its name, whatever it looks like."""
    group, is_named, path = argument.partition("=")
    if not is_named or not GROUP_NAME.fullmatch(group) or os.path.lexists(argument):
        return "", argument
    if not path:
        raise CorpusError(f"paths: {argument!r} names a group and no path. Write it as NAME=PATH.")
    return group, path


def _files(argument: str, options: DocumentOptions) -> Iterator[tuple[Path | str, str]]:
    """The files of one argument with their names."""
    if is_url(argument):
        yield from list_urls(argument, options.storage_options)
        return
    if glob.has_magic(argument) and not os.path.lexists(argument):  # a file may be called "a[1].txt"
        root = _fixed_part(Path(argument))
        matches = (Path(match) for match in glob.iglob(argument, recursive=True))
        files = sorted(without_idle_links(match for match in set(matches) if not match.is_dir()))
        if not files:
            raise CorpusError(f"{shown(argument)}: is a pattern that matches no file. Check it, or name a folder.")
    else:
        files = list_files(argument)
        root = Path(argument)
        if files == [root]:
            root = root.parent
    yield from ((file, file.relative_to(root).as_posix()) for file in files)


def _fixed_part(pattern: Path) -> Path:
    """The folder that a pattern begins with."""
    n_fixed = next(n for n, part in enumerate(pattern.parts) if glob.has_magic(part))
    return Path(*pattern.parts[:n_fixed])


def _source(file: Path | str, name: str, options: DocumentOptions, group: str) -> Source:
    n_file_bytes = input_bytes(file, options.storage_options)
    file_format = _format_of(file, name) if options.format == "auto" else options.format
    if file_format == "parquet" or file_format == "arrow":
        _refuse_compressed(file, name, options.compression)
        with open_table(file, file_format, options):
            return Source(file, name, file_format, "none", n_file_bytes, group)
    compression = find_compression(file, options.compression, storage_options=options.storage_options)
    check_support(compression)
    return Source(file, name, file_format, compression, n_file_bytes, group)


def _format_of(file: Path | str, name: str) -> FileFormat:
    plain_name = PurePosixPath(name.lower())
    if plain_name.suffix in COMPRESSION_SUFFIXES:
        plain_name = plain_name.with_suffix("")
        if plain_name.suffix == ".json":  # corpora such as C4 call JSONL so; a plain .json in a folder of code is text
            raise CorpusError(
                f"{shown(str(file))}: may be lines of JSON or one JSON value, and its name does not say which. "
                "Use --format jsonl for a document a line, or --format text."
            )
    return _FORMAT_SUFFIXES.get(plain_name.suffix, "text")


def _refuse_compressed(file: Path | str, name: str, compression: str) -> None:
    """A table is read in parts, and what is compressed as a whole has none."""
    if compression not in ("auto", "none") or PurePosixPath(name.lower()).suffix in COMPRESSION_SUFFIXES:
        raise CorpusError(
            f"{shown(str(file))}: is a table that was compressed as a whole, which is not read. Unpack it: Parquet and "
            "Arrow files have a compression of their own inside."
        )


def _refuse_same_file(sources: Iterable[Source]) -> None:
    first: dict[str, Source] = {}
    for source in sources:
        is_local = isinstance(source.path, Path)
        other = first.setdefault(os.path.realpath(source.path) if is_local else str(source.path), source)
        if other is not source:
            as_what = "" if other.path == source.path else f", as {str(other.path)!r}"
            raise CorpusError(
                f"{str(source.path)!r}: this file is already part of the corpus{as_what}. Name each file once."
            )


def _collide(names: Iterable[str]) -> bool:
    """Whether two names are equal, or one is a folder of the other, so that they could not lie in one folder."""
    seen: set[str] = set()
    folders: set[str] = set()
    for name in names:
        if name in seen:
            return True
        seen.add(name)
        folders.update(str(parent) for parent in PurePosixPath(name).parents)
    return not seen.isdisjoint(folders)
