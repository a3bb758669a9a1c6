"""A tokenizer as the file of another library: exact, or with what differs measured.

What was written is read again before it is called done. Both tokenizers must give the same ids on generated texts, and
on the texts of the user where there are some; where differences are allowed these are counted instead.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from tokenloom.corpus import DocumentOptions, Source, documents, list_sources, read_source
from tokenloom.errors import FormatError, SpecError, StorageError
from tokenloom.formats.conversions import TARGETS, Target, TargetName, nearest_spec
from tokenloom.metrics.losses import first_difference
from tokenloom.spec import TokenizerSpec
from tokenloom.storage import replace_files
from tokenloom.tokenizer import Tokenizer, check_choice
from tokenloom.wording import quoted

__all__ = ["Conversion", "Difference", "convert"]

_LINES: Final = DocumentOptions(document_separator=b"\n")
_N_GENERATED: Final = 2_000
_BATCH: Final = 512
_NEAR: Final = 6
"""So many ids are shown from the first difference on."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A document that the file gives other tokens.

    Args:
        document: its number, from 1.
        text: what the ids stand for.
        before: ids of the tokenizer that was converted, from the first that differs on; where a file has no ids, from
            the start.
        after: those of the file.
    """

    document: int
    text: bytes
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was written.

    Args:
        paths: the files.
        n_bytes: their length together.
        differences: what the file has no room for, in words; nothing for an exact conversion.
        n_generated: so many generated texts were compared, and those of an exact conversion were all equal.
        n_docs: documents of the user that were compared, all that are not empty.
        n_different: those that have other tokens.
        first: the first of them.
    """

    paths: tuple[Path, ...]
    n_bytes: int
    differences: tuple[str, ...]
    n_generated: int
    n_docs: int
    n_different: int
    first: Difference | None


def convert(
    tokenizer: str | os.PathLike[str],
    *,
    to: TargetName,
    out: str | os.PathLike[str],
    allow_differences: bool = False,
    texts: Sequence[str | os.PathLike[str]] = (),
    text_options: DocumentOptions = _LINES,
) -> Conversion:
    """Write a tokenizer as another kind of file.

    Args:
        tokenizer: what `Tokenizer.load` takes.
        to: the kind of file.
        out: a name that is free: of the file, or of a new or empty folder if there are several.
        allow_differences: what the file cannot hold is left out and not refused.
        texts: files, folders and patterns; each line of a text file is a document. With differences there must be some.
        text_options: how these files are cut into documents.
    Raises: what `Tokenizer.load` raises; FormatError with the reason if the file cannot hold the tokenizer, or nothing
        near it; StorageError if something is at `out` or it cannot be written; CorpusError for the texts.

    >>> folder = tempfile.mkdtemp()
    >>> Tokenizer({i: bytes([i]) for i in range(256)}, []).save(folder + "/bytes")
    >>> done = convert(folder + "/bytes", to="tiktoken", out=folder + "/bytes.tiktoken")
    >>> done.paths[0].name, done.differences
    ('bytes.tiktoken', ())
    """
    check_choice("to", to, tuple(TARGETS), FormatError)
    target = TARGETS[to]
    paths = _paths(Path(out), target)
    if allow_differences and not texts:
        raise FormatError("allow_differences: without a text nothing tells how much differs. Pass texts too.")
    sources = list_sources(texts, text_options) if texts else []
    loaded = Tokenizer.load(tokenizer)
    with tempfile.TemporaryDirectory() as aside:
        made = [Path(aside, path.name) for path in paths]
        written, words = _written(loaded, target, made, paths, allow_differences=allow_differences)
        read = target.read(made, written)
        _check_whole(read, written, target, paths[0])
        comparison = _Comparison(loaded, Tokenizer.from_spec(read, special_text="parse"), target.keeps_ids)
        generated = comparison.of(_generated(loaded))
        measured = comparison.of(_documents(sources, text_options))
        if not words:
            _refuse_different(paths[0], generated.first or measured.first)
        contents = {path: source.read_bytes() for path, source in zip(paths, made, strict=True)}
    paths[0].parent.mkdir(parents=True, exist_ok=True)
    replace_files(contents)
    n_bytes = sum(map(len, contents.values()))
    counts = (generated.n_docs, measured.n_docs, measured.n_different, measured.first)
    return Conversion(tuple(paths), n_bytes, tuple(words), *counts)


def _paths(out: Path, target: Target) -> list[Path]:
    """Where the files go: nothing that is there is replaced."""
    if len(target.names) > 1:
        if out.is_dir() and any(out.iterdir()):
            raise StorageError(f"{str(out)!r}: is not empty. Choose a new or empty folder.")
        if os.path.lexists(out) and not out.is_dir():
            raise StorageError(f"{str(out)!r}: is no folder, and there are {len(target.names)} files. Name a folder.")
        return [out / name for name in target.names]
    path = out / target.names[0] if out.is_dir() else out
    if os.path.lexists(path):
        raise StorageError(f"{str(path)!r}: is there, so it is kept. Choose another name.")
    return [path]


def _written(
    loaded: Tokenizer, target: Target, made: Sequence[Path], paths: Sequence[Path], *, allow_differences: bool
) -> tuple[TokenizerSpec, list[str]]:
    """What was written, and in words what of the tokenizer is not in it."""
    try:
        try:
            target.write(loaded.spec, made, loaded.provenance)
        except (FormatError, SpecError) as error:
            if not allow_differences:
                raise _refused(error) from error
            near, words = nearest_spec(loaded.spec, target)
            target.write(near, made, loaded.provenance)
            return near, words
    except FormatError as error:
        message = str(error)
        for path, final in zip(made, paths, strict=True):
            message = message.replace(str(path), str(final))
        raise FormatError(message) from error
    return loaded.spec, []


def _refused(error: FormatError | SpecError) -> FormatError:
    return FormatError(f"{error} Or allow differences, and pass a text on which they are measured.")


def _check_whole(read: TokenizerSpec, written: TokenizerSpec, target: Target, path: Path) -> None:
    """Refuse a file that has other tokens, other merges where it has no ids, or other special tokens."""
    if target.keeps_ids:
        is_same = read.vocabulary() == written.vocabulary() and read.special_tokens == written.special_tokens
    else:
        is_same = read.merge_list() == written.merge_list()
    if not is_same:
        raise FormatError(
            f"{str(path)!r}: read again it has other tokens, so it is not written. Report this as a fault."
        )


def _refuse_different(path: Path, first: Difference | None) -> None:
    if first is not None:
        what = f"it would give {quoted(first.text)} the ids {list(first.after)}, not {list(first.before)}"
        remedy = "Allow differences, and pass a text on which they are measured"
        raise FormatError(f"{str(path)!r}: {what}, so it is not written. {remedy}.")


@dataclass(slots=True)
class _Measured:
    """How many texts were compared, and how many differ."""

    n_docs: int = 0
    n_different: int = 0
    first: Difference | None = None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two tokenizers whose tokens of texts are compared: ids, or the bytes of tokens where a file has no ids."""

    before: Tokenizer
    after: Tokenizer
    by_ids: bool

    def of(self, texts: Iterable[bytes]) -> _Measured:
        """Compare the tokens of texts. Special tokens in them are one token each."""
        measured, rest = _Measured(), iter(texts)
        while batch := list(islice(rest, _BATCH)):
            ids = self.before.encode_batch(batch, allowed_special="all")
            others = self.after.encode_batch(batch, allowed_special="all")
            for text, one, other in zip(batch, ids, others, strict=True):
                measured.n_docs += 1
                if self._differ(one.tolist(), other.tolist()):
                    measured.n_different += 1
                    measured.first = measured.first or self._difference(measured.n_docs, text)
        return measured

    def _differ(self, ids: list[int], others: list[int]) -> bool:
        return ids != others and (self.by_ids or self._tokens(self.before, ids) != self._tokens(self.after, others))

    def _difference(self, number: int, text: bytes) -> Difference:
        before, after = (
            tokenizer.encode_with_offsets(text, allowed_special="all") for tokenizer in (self.before, self.after)
        )
        ids, others = before.ids.tolist(), after.ids.tolist()
        start = first_difference(ids, others) if self.by_ids else 0
        spans = [spans for spans in (before.byte_offsets[start:], after.byte_offsets[start:]) if len(spans)]
        begin = min((int(span[0][0]) for span in spans), default=0)
        end = max((int(span[:_NEAR][-1][1]) for span in spans), default=begin)
        return Difference(
            number, text[begin:end], tuple(ids[start : start + _NEAR]), tuple(others[start : start + _NEAR])
        )

    @staticmethod
    def _tokens(tokenizer: Tokenizer, ids: list[int]) -> list[bytes]:
        return [tokenizer.token_bytes(token_id) for token_id in ids]


def _generated(tokenizer: Tokenizer) -> Iterator[bytes]:
    """Texts of tokens that follow one another by chance: what stands side by side is merged in new ways."""
    random = Random(0)  # the same for each run
    known = list(tokenizer.vocabulary)
    for _ in range(_N_GENERATED):
        yield tokenizer.decode(random.choices(known, k=random.randint(1, 12))).encode()


def _documents(sources: Sequence[Source], options: DocumentOptions) -> Iterator[bytes]:
    """Those that are not empty: behind the last end of a line there is one that is."""
    for source in sources:
        for document in documents(read_source(source, options)):
            if text := document if isinstance(document, bytes) else b"".join(document):
                yield text
